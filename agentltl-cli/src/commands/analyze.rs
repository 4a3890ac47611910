//! `agentltl analyze`: does a policy as a whole make sense?

use std::io::Write;

use agentltl::analysis::{Analysis, Finding, Lint};
use agentltl::{Policy, ToolCall};
use serde_json::{Value as Json, json};

use crate::Outcome;
use crate::args::{Analyze, AnyLint, PlainFormat};
use crate::error::Failure;
use crate::policy::{PolicyText, one_of_several};
use crate::screen::{BAD, DOUBTFUL, GOOD, Plain, STRONG, Screen, WEAK};

/// What becomes of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Allow,
    Warn,
    Deny,
}

impl Level {
    const fn as_str(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warn => "warning",
            Level::Deny => "error",
        }
    }
}

pub(crate) fn run(options: &Analyze, screen: &mut Screen) -> Result<Outcome, Failure> {
    options.check()?;
    let mut outcome = Outcome::Met;
    let mut list = Vec::new();
    for path in &options.policies {
        let Some((text, policy)) = one_of_several(path, screen)? else {
            outcome = Outcome::BadInput;
            continue;
        };
        let strict = options.strict || policy.is_strict();
        if text.show_mismatches(&policy, strict, screen) && strict {
            outcome = outcome.max(Outcome::NotMet);
        }
        let report = Report::new(options, &text, &policy, strict);
        if report.count(Level::Deny) > 0 {
            outcome = outcome.max(Outcome::NotMet);
        }
        match options.format {
            PlainFormat::Text => report.write(screen)?,
            PlainFormat::Json => list.push(report.to_json()),
        }
    }
    if options.format == PlainFormat::Json {
        let text = serde_json::to_string_pretty(&list).unwrap_or_default();
        writeln!(screen.out(), "{text}")?;
    }
    Ok(outcome)
}

impl Analyze {
    /// A lint may be named with one level only.
    fn check(&self) -> Result<(), Failure> {
        let all = [&self.allow, &self.warn, &self.deny];
        for lint in all.into_iter().flatten() {
            let levels = all.iter().filter(|lints| lints.contains(lint)).count();
            if levels > 1 {
                return Err(Failure::Input(format!(
                    "the lint `{lint}` is given more than one of --allow, --warn and --deny"
                )));
            }
        }
        Ok(())
    }

    fn level(&self, lint: Lint, strict: bool) -> Level {
        let named = |lint: AnyLint| {
            [
                (&self.deny, Level::Deny),
                (&self.warn, Level::Warn),
                (&self.allow, Level::Allow),
            ]
            .into_iter()
            .find_map(|(lints, level)| lints.contains(&lint).then_some(level))
        };
        let default = if strict && lint.is_error_if_strict() {
            Level::Deny
        } else {
            Level::Warn
        };
        named(AnyLint::One(lint))
            .or_else(|| named(AnyLint::All))
            .unwrap_or(default)
    }
}

/// What is to be said of a policy.
struct Report<'t> {
    text: &'t PolicyText,
    policy: &'t Policy,
    /// The line and column of each rule's formula.
    places: Vec<(usize, usize)>,
    /// What is found and not allowed.
    findings: Vec<(Level, Finding)>,
    analysis: Analysis,
}

impl<'t> Report<'t> {
    fn new(options: &Analyze, text: &'t PolicyText, policy: &'t Policy, strict: bool) -> Self {
        let mut analysis = policy.analyze();
        let findings = std::mem::take(&mut analysis.findings).into_iter();
        let findings = findings
            .map(|finding| (options.level(finding.lint, strict), finding))
            .filter(|(level, _)| *level != Level::Allow)
            .collect();
        Report {
            text,
            policy,
            places: text.places(),
            findings,
            analysis,
        }
    }

    fn count(&self, level: Level) -> usize {
        let findings = self.findings.iter();
        findings.filter(|(other, _)| *other == level).count()
    }

    /// Where the formula of the first rule stands that the finding is about.
    fn place(&self, finding: &Finding) -> Option<(usize, usize)> {
        let first = finding.constraints.first()?;
        let mut rules = self.policy.constraints().iter();
        let rule = rules.position(|constraint| constraint.name() == first)?;
        self.places.get(rule).copied()
    }

    fn write(&self, screen: &mut Screen) -> Result<(), Failure> {
        let out = screen.out();
        let name = Plain(&self.text.name);
        for (level, finding) in &self.findings {
            let style = if *level == Level::Deny { BAD } else { DOUBTFUL };
            let label = level.as_str();
            let (lint, message) = (finding.lint, &finding.message);
            writeln!(
                out,
                "{style}{label}[{lint}]{style:#}: {STRONG}{}{STRONG:#}",
                Plain(message),
            )?;
            write!(out, "  {WEAK}-->{WEAK:#} {name}")?;
            match self.place(finding) {
                Some((line, column)) => writeln!(out, ":{line}:{column}")?,
                None => writeln!(out)?,
            }
            let whole = finding.to_string();
            let run = whole.strip_prefix(&format!("{lint}: {message}\n"));
            if let Some(run) = run {
                writeln!(out, "{}", Plain(run))?;
            }
            writeln!(out, "  {STRONG}help{STRONG:#}: {}\n", lint.way_out())?;
        }
        for gap in &self.analysis.gaps {
            writeln!(out, "{WEAK}note{WEAK:#}: {}", Plain(&gap.to_string()))?;
        }
        for free in &self.analysis.free {
            writeln!(out, "{WEAK}note{WEAK:#}: {}", Plain(&free.to_string()))?;
        }
        let (errors, warnings) = (self.count(Level::Deny), self.count(Level::Warn));
        let mut said = Vec::new();
        for (count, what) in [(errors, "error"), (warnings, "warning")] {
            if count > 0 {
                let plural = if count == 1 { "" } else { "s" };
                said.push(format!("{count} {what}{plural}"));
            }
        }
        let gaps = self.analysis.gaps.len();
        if gaps > 0 {
            said.push(format!("{gaps} not analysed"));
        }
        if said.is_empty() {
            writeln!(out, "{name}: {GOOD}nothing found{GOOD:#}")?;
        } else {
            writeln!(out, "{name}: {}", said.join(", "))?;
        }
        Ok(())
    }

    fn to_json(&self) -> Json {
        let findings = self.findings.iter().map(|(level, finding)| {
            let place = self.place(finding);
            let run = finding.run.as_ref().map(|run| {
                let calls = run.iter().map(ToolCall::from);
                let calls = calls.map(|call| serde_json::to_value(call).unwrap_or_default());
                calls.collect::<Vec<Json>>()
            });
            let turns = finding.turns.iter().map(|turns| {
                let turns = turns.iter();
                let turns = turns.map(
                    |(name, verdict)| json!({"constraint_name": name, "verdict": verdict.as_str()}),
                );
                turns.collect::<Vec<Json>>()
            });
            json!({
                "lint": finding.lint.as_str(),
                "level": level.as_str(),
                "constraints": finding.constraints,
                "tool": finding.tool.as_ref().map(|tool| tool.as_str()),
                "part": finding.part.as_ref().map(ToString::to_string),
                "line": place.map(|(line, _)| line),
                "column": place.map(|(_, column)| column),
                "message": finding.message,
                "help": finding.lint.way_out(),
                "run": run,
                "turns": turns.collect::<Vec<_>>(),
            })
        });
        let gaps = self.analysis.gaps.iter();
        let free = self.analysis.free.iter();
        json!({
            "policy": self.text.name,
            "findings": findings.collect::<Vec<Json>>(),
            "not_analysed": gaps
                .map(|gap| json!({"what": gap.what, "reason": gap.reason}))
                .collect::<Vec<Json>>(),
            "free": free
                .map(|free| json!({"constraint_name": free.constraint, "part": free.part}))
                .collect::<Vec<Json>>(),
        })
    }
}
