//! The expressions that the macros become.

mod review;

use agentltl_core::packed::{Item, PackedRule, Part, Writer};
use agentltl_core::{ClassificationReport, Formula, Severity};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use crate::advice;
use crate::ast::{Level, Rule, Settings, Weight, Words};
use crate::diagnostics::{Diagnostic, Place};
use crate::formula::{self, Read};
use crate::include::{self, Included};
use crate::lints::{Form, Levels, Shown, Subject};
use crate::literal::Quoted;
use crate::parse;
use crate::tables::{Check, Tables};
use crate::tools::Tools;

/// `constraints!`
pub(crate) fn constraints(krate: &TokenStream, tokens: Vec<TokenTree>) -> TokenStream {
    match include::file(&tokens) {
        Some((settings, Ok(name))) => return included(krate, settings, &name),
        Some((_, Err(error))) => {
            let expansion = Expansion::new(krate, error.into_iter().collect());
            return expansion.finish(&TokenStream::new(), &quote!(#krate::Policy::INVALID));
        }
        None => {}
    }
    let mut errors = Vec::new();
    let rules = parse::rules(tokens, &mut errors);
    let mut expansion = Expansion::new(krate, errors);
    let default = rules.settings.default_severity.clone();
    let policy = Policy {
        krate,
        strict: rules.settings.strict,
        default: default.unwrap_or(Level::Known(Severity::HardStop, Span::call_site())),
        tools: rules
            .settings
            .tools
            .as_ref()
            .map(|tools| Tools::new(krate, tools, &mut expansion.tables)),
    };
    let mut writer = String::new();
    let mut reviewed = Vec::new();
    for rule in &rules.rules {
        if let Some((text, formula)) = policy.rule(rule, &mut expansion) {
            writer.push_str(&text);
            reviewed.push((rule, formula));
        }
    }
    let count = reviewed.len();
    policy.review(&rules.settings, reviewed, &mut expansion);
    let value = policy.value(
        &rules.settings,
        &format!("{count};{writer}"),
        &mut expansion,
    );
    expansion.finish(&value, &quote!(#krate::Policy::INVALID))
}

/// `constraints!(include = "policy.toml")`
fn included(krate: &TokenStream, settings: &[TokenTree], name: &Quoted) -> TokenStream {
    let mut errors = Vec::new();
    let levels = include::levels(settings, &mut errors);
    let included = include::read(name, &mut errors);
    let mut expansion = Expansion::new(krate, errors);
    let mut value = TokenStream::new();
    if let Some(included) = included {
        // Makes cargo build again when the file changes, and leaves no bytes in the program.
        let path = included.path.to_string_lossy();
        expansion.tables.items.extend(quote! {
            const _: &[::core::primitive::u8] = ::core::include_bytes!(#path);
        });
        if let Some((policy, _)) = &included.policy {
            value = of_file(krate, policy, &included, &levels, &mut expansion);
        }
    }
    expansion.finish(&value, &quote!(#krate::Policy::INVALID))
}

fn of_file(
    krate: &TokenStream,
    policy: &agentltl_core::Policy,
    included: &Included,
    levels: &Levels,
    expansion: &mut Expansion<'_>,
) -> TokenStream {
    // A file names no Rust code.
    let mut number_of = |_, _: Item<'_>| 0;
    let mut writer = Writer::new(&mut number_of);
    writer.number(policy.constraints().len());
    let reports = policy.classify();
    for (index, (constraint, report)) in policy.constraints().iter().zip(reports).enumerate() {
        writer.rule(PackedRule {
            name: constraint.name(),
            severity: constraint.severity().map(Part::Known),
            weight: Part::Known(constraint.weight()),
            description: constraint.description(),
            repair: Part::Known(constraint.repair()),
            applies_to_final_answer: constraint.applies_to_final_answer(),
        });
        writer.formula(constraint.formula());
        if let Some(message) = &report.message {
            let message = for_the_compiler(message, "applies_to_final_answer = true");
            let message = included.at(index) + &message;
            expansion.warn(
                included.span,
                &mismatch_title(&report),
                &message,
                &TokenStream::new(),
            );
        }
    }
    if expansion.errors.is_empty() {
        let subject = Subject {
            policy,
            strict: policy.is_strict(),
            open_severities: false,
            open_tools: false,
            levels,
            own: Vec::new(),
            form: Form::File,
        };
        for shown in subject.findings() {
            let message = included.at(shown.rule) + &shown.message;
            expansion.found(included.span.into(), &shown, &message, &TokenStream::new());
        }
    }
    let rules = expansion.tables.packed(&writer.finish());
    let default = severity_path(krate, policy.default_severity());
    let tools = policy.tools().iter().map(agentltl_core::Name::as_str);
    let tools = quote!(#(#krate::Name::from_static(#tools)),*);
    packed_policy(
        krate,
        &rules,
        &expansion.tables,
        &default,
        &tools,
        policy.is_strict(),
    )
}

/// `formula!`
pub(crate) fn formula(krate: &TokenStream, tokens: Vec<TokenTree>) -> TokenStream {
    let mut expansion = Expansion::new(krate, Vec::new());
    let empty = tokens.first().map_or_else(Span::call_site, TokenTree::span);
    let mut value = TokenStream::new();
    if let Some(read) = expansion.read(tokens, empty) {
        let text = pack(
            &read.formula,
            &read,
            None,
            &mut expansion.tables,
            |writer| {
                writer.formula(&read.formula);
            },
        );
        let packed = expansion.tables.packed(&text);
        value = quote!(#krate::__private::formula(const { &#packed }));
        expansion.advise(&read, &TokenStream::new());
    }
    expansion.finish(&value, &quote!(#krate::__private::INVALID_FORMULA))
}

/// What comes of reading: errors, warnings, tables.
struct Expansion<'k> {
    errors: Vec<Diagnostic>,
    warnings: TokenStream,
    /// Paths in formulas that could not be read.
    loose: Vec<TokenStream>,
    tables: Tables<'k>,
}

impl<'k> Expansion<'k> {
    fn new(krate: &'k TokenStream, errors: Vec<Diagnostic>) -> Self {
        Expansion {
            errors,
            warnings: TokenStream::new(),
            loose: Vec::new(),
            tables: Tables::new(krate),
        }
    }

    fn read(&mut self, tokens: Vec<TokenTree>, empty: Span) -> Option<Read> {
        match formula::read(tokens, empty, &mut self.errors) {
            Ok(read) => Some(read),
            Err(paths) => {
                self.loose.extend(paths);
                None
            }
        }
    }

    /// A warning on stable Rust: the use of a deprecated macro, whose name and span rustc shows. It
    /// is allowed and denied like any other.
    fn warn(&mut self, span: Span, title: &str, message: &str, lints: &TokenStream) {
        let name = Ident::new(title, span);
        self.warnings.extend(quote! {
            #lints
            {
                #[deprecated(note = #message)]
                macro_rules! #name { () => {} }
                #name! {}
            }
        });
    }

    /// A finding about the policy: an error, or a warning named after its lint.
    fn found(&mut self, place: Place, shown: &Shown, message: &str, lints: &TokenStream) {
        if shown.is_error {
            self.errors.push(Diagnostic::new(place, message));
        } else {
            self.warn(place.first, shown.lint.as_str(), message, lints);
        }
    }

    fn advise(&mut self, read: &Read, lints: &TokenStream) {
        for advice in advice::advice(read) {
            let span = read.origin.place(&advice.place).first;
            let mut message = advice.message;
            if let formula::Origin::Text(quoted) = &read.origin
                && let Some(location) = quoted.location(advice.place.start)
            {
                message.push_str("\nat ");
                message.push_str(&location);
            }
            self.warn(span, advice.title, &message, lints);
        }
    }

    /// The whole expression: `value`, or where there are errors `invalid`, which is of the same type,
    /// so that no other errors follow from them.
    fn finish(self, value: &TokenStream, invalid: &TokenStream) -> TokenStream {
        let Expansion {
            errors,
            warnings,
            loose,
            tables,
        } = self;
        let items = tables.items;
        let mut errors = errors;
        if proc_macro::is_available() {
            errors.sort_by_cached_key(|error| {
                let span = error.place.first.unwrap();
                (span.line(), span.column())
            });
        }
        if errors.is_empty() {
            if warnings.is_empty() && items.is_empty() {
                return value.clone();
            }
            return quote!({ #items #warnings #value });
        }
        let errors = errors.iter().map(Diagnostic::to_tokens);
        // rust-analyzer completes these while the rest is being written; to rustc they say nothing.
        let loose = loose
            .into_iter()
            .filter(|_| std::env::var_os("RUST_ANALYZER_INTERNALS_DO_NOT_USE").is_some());
        let value = (!value.is_empty()).then(|| quote!(let _ = || #value;));
        quote! {{
            #(#errors)*
            #items
            #warnings
            #value
            #(let _ = || { let _ = #loose; };)*
            #invalid
        }}
    }
}

/// Writes a part of the packed text with a formula in it.
fn pack(
    formula: &Formula,
    read: &Read,
    tools: Option<&Tools<'_>>,
    tables: &mut Tables<'_>,
    write: impl FnOnce(&mut Writer<'_>),
) -> String {
    let mut items = read.items();
    let mut number_of = |node, item: Item<'_>| {
        let code = items.next(node, item).unwrap_or_default();
        match item {
            Item::Name(path) => tables.name(code, tools.map(|tools| tools.check_of(path))),
            Item::Host(path) => tables.host(&formula.nodes()[node], path, &code),
        }
    };
    let mut writer = Writer::new(&mut number_of);
    write(&mut writer);
    writer.finish()
}

/// Does a formula's class suit its severity?
enum Judged {
    Fine,
    /// No, which has been reported.
    Mismatch,
    /// Only if rustc finds the severity to be one that lets calls pass.
    Unknown(Check),
}

/// What holds for all rules.
struct Policy<'s> {
    krate: &'s TokenStream,
    strict: bool,
    default: Level,
    tools: Option<Tools<'s>>,
}

impl Policy<'_> {
    /// The rule as packed text, and its formula.
    fn rule(&self, rule: &Rule, expansion: &mut Expansion<'_>) -> Option<(String, Formula)> {
        let krate = self.krate;
        let read = expansion.read(rule.formula.clone(), rule.assign)?;
        if let Some(place) = rule.unfinished {
            expansion.errors.push(
                Diagnostic::new(
                    place,
                    format!("expected `;` after the formula of `{}`", rule.name),
                )
                .with_help("each constraint ends with `;`"),
            );
        }
        if let Some(tools) = &self.tools {
            tools.check(&read, &mut expansion.tables, &mut expansion.errors);
        }
        let attributes = &rule.attributes;
        let judged = self.judge(rule, &read, expansion);
        if !matches!(judged, Judged::Mismatch) {
            expansion.advise(&read, &attributes.lints);
        }
        let check = match judged {
            Judged::Unknown(check) => Some(check),
            Judged::Fine | Judged::Mismatch => None,
        };

        let tables = &mut expansion.tables;
        let severity = match &rule.severity {
            None => None,
            Some(Level::Code(code)) => {
                let code = code.iter().cloned().collect();
                Some(Part::Code(tables.severity(code, check)))
            }
            Some(Level::Known(severity, _)) => Some(Part::Known(*severity)),
            // An error has been reported: the value is of no account.
            Some(Level::Wrong) => None,
        };
        let weight = match &attributes.weight {
            None => Part::Known(1.0),
            Some(Weight::Known(weight)) => Part::Known(*weight),
            Some(Weight::Code(code)) => Part::Code(tables.weight(
                code.iter().cloned().collect(),
                &Check {
                    function: quote!(#krate::__private::is_weight),
                    arguments: TokenStream::new(),
                    message: format!("the weight of `{}` is negative or not finite", rule.name),
                },
            )),
        };
        let repair = match &attributes.repair {
            None => Part::Known(""),
            Some(Words::Known(text)) => Part::Known(text.as_str()),
            Some(Words::Code(code)) => {
                Part::Code(tables.name(code.iter().cloned().collect(), None))
            }
        };
        let packed = PackedRule {
            name: &rule.name,
            severity,
            weight,
            description: &attributes.description,
            repair,
            applies_to_final_answer: attributes.final_answer,
        };
        let text = pack(
            &read.formula,
            &read,
            self.tools.as_ref(),
            tables,
            |writer| {
                writer.rule(packed);
                writer.formula(&read.formula);
            },
        );
        Some((text, read.formula))
    }

    /// Does the formula's class suit the severity? If not, that is an error or a warning. Of a
    /// severity that only rustc knows, returns what rustc has to check.
    fn judge(&self, rule: &Rule, read: &Read, expansion: &mut Expansion<'_>) -> Judged {
        let level = rule.severity.as_ref().unwrap_or(&self.default);
        let severity = match level {
            Level::Known(severity, _) => *severity,
            Level::Code(_) => Severity::HardStop,
            Level::Wrong => return Judged::Fine,
        };
        let final_answer = rule.attributes.final_answer;
        let report = ClassificationReport::new(&rule.name, &read.formula, severity, final_answer);
        let Some(message) = &report.message else {
            return Judged::Fine;
        };
        let message = for_the_compiler(message, "#[applies_to_final_answer]");
        if let Level::Code(code) = level {
            let krate = self.krate;
            let code: TokenStream = code.iter().cloned().collect();
            let check = Check {
                function: quote!(#krate::__private::lets_pass),
                arguments: TokenStream::new(),
                message: message.replace(severity.as_str(), &format!("`{code}`")),
            };
            // The default is checked once for each rule, at the rule's name.
            if rule.severity.is_none() && self.strict {
                let condition = check.condition(&code);
                expansion
                    .tables
                    .assert(rule.name_span, &condition, &check.message);
            }
            return if self.strict {
                Judged::Unknown(check)
            } else {
                Judged::Fine
            };
        }
        let span = rule
            .severity
            .as_ref()
            .and_then(Level::span)
            .unwrap_or(rule.name_span);
        if self.strict {
            let part = report.responsible.and_then(|id| read.spans.get(id));
            let place = Place {
                first: span,
                last: part.map_or(span, |part| read.origin.place(part).last),
            };
            expansion.errors.push(Diagnostic::new(place, message));
        } else {
            expansion.warn(
                span,
                &mismatch_title(&report),
                &message,
                &rule.attributes.lints,
            );
        }
        Judged::Mismatch
    }

    fn value(&self, settings: &Settings, text: &str, expansion: &mut Expansion<'_>) -> TokenStream {
        let krate = self.krate;
        let packed = expansion.tables.packed(text);
        let default = match &settings.default_severity {
            Some(Level::Code(code)) => code.iter().cloned().collect(),
            Some(Level::Known(severity, _)) => severity_path(krate, *severity),
            Some(Level::Wrong) | None => severity_path(krate, Severity::HardStop),
        };
        let tools = self.tools.iter().flat_map(Tools::entries);
        let tools = quote!(#(#krate::Name::from_static(#tools)),*);
        packed_policy(
            krate,
            &packed,
            &expansion.tables,
            &default,
            &tools,
            self.strict,
        )
    }
}

fn packed_policy(
    krate: &TokenStream,
    rules: &TokenStream,
    tables: &Tables<'_>,
    default_severity: &TokenStream,
    tools: &TokenStream,
    strict: bool,
) -> TokenStream {
    let (severities, weights) = (tables.severities(), tables.weights());
    quote! {
        #krate::Policy::__from_packed(const { &#krate::__private::PackedPolicy {
            rules: #rules,
            severities: &[#(#severities),*],
            weights: &[#(#weights),*],
            default_severity: #default_severity,
            tools: &[#tools],
            strict: #strict,
        } })
    }
}

/// The warning in short, as an identifier.
fn mismatch_title(report: &ClassificationReport) -> String {
    format!(
        "{}_on_an_{}_formula",
        report.assigned_severity, report.classification
    )
}

/// The library's message about a mismatch, as one about the macro or file.
fn for_the_compiler(message: &str, final_answer: &str) -> String {
    message
        .replacen("; judge it when", "\nhelp: judge it when", 1)
        .replacen("`applies_to_final_answer`", &format!("`{final_answer}`"), 1)
}

fn severity_path(krate: &TokenStream, severity: Severity) -> TokenStream {
    let variant = Ident::new(&format!("{severity:?}"), Span::mixed_site());
    quote_spanned!(Span::mixed_site()=> #krate::Severity::#variant)
}
