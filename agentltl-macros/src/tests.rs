//! The way from tokens to a formula, driven outside the compiler.
#![allow(clippy::unwrap_used, clippy::panic)]

use agentltl::testing::formulas;
use agentltl_core::Formula;
use agentltl_core::packed::Packed;
use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use proptest::prelude::*;
use quote::{ToTokens, quote};

use crate::diagnostics::Diagnostic;
use crate::tokens::quote as quoted;
use crate::words::{Word, words};
use crate::{expand, formula};

fn read(tokens: TokenStream) -> Result<Formula, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let tokens = tokens.into_iter().collect();
    match formula::read(tokens, Span::call_site(), &mut errors) {
        Ok(read) if errors.is_empty() => Ok(read.formula),
        _ => Err(errors),
    }
}

/// The text as Rust source: the same, but for the way Rust writes strings.
fn as_rust(text: &str) -> String {
    let mut source = text.to_owned();
    let strings: Vec<_> = words(text, 0..text.len()).collect();
    for (range, word) in strings.into_iter().rev() {
        if let Word::Text(value) = word {
            source.replace_range(range, &Literal::string(&value).to_string());
        }
    }
    source
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    /// Tokens, a string literal and the program build the same formula.
    #[test]
    fn tokens_strings_and_texts_are_one_language(formula in formulas()) {
        let text = formula.to_string();
        let parsed = Formula::parse(&text).unwrap();
        prop_assert_eq!(&parsed, &formula);

        let tokens: TokenStream = as_rust(&text).parse().unwrap();
        let from_tokens = read(tokens);
        prop_assert_eq!(from_tokens.as_ref().ok(), Some(&formula), "{}: {:?}", text, from_tokens);

        let from_string = read(Literal::string(&text).into_token_stream());
        prop_assert_eq!(from_string.as_ref().ok(), Some(&formula), "{}", text);
    }

    /// What the macro lays into the program is read as the formula it was made of.
    #[test]
    fn packing_loses_nothing(formula in formulas()) {
        let mut number_of = |_, _: agentltl_core::packed::Item<'_>| 0;
        let mut writer = agentltl_core::packed::Writer::new(&mut number_of);
        writer.formula(&formula);
        let packed = Packed {
            text: Box::leak(writer.finish().into_boxed_str()),
            names: &[],
            hosts: &[],
        };
        prop_assert_eq!(packed.formula(), Some(formula));
    }

    /// Whatever stands in the braces, there is an expression and no panic.
    #[test]
    fn any_tokens_end_in_an_expression(tokens in arbitrary_tokens()) {
        let expansion = expand::constraints(&quote!(::agentltl), tokens);
        prop_assert!(!expansion.is_empty());
    }
}

/// Tokens as they occur in policies, in any order.
fn arbitrary_tokens() -> impl Strategy<Value = Vec<TokenTree>> {
    let piece = prop::sample::select(vec![
        "order",
        ":",
        "HARD_STOP",
        "=",
        ";",
        "before(\"a\", \"b\")",
        "#[weight(1.0)]",
        "#",
        "!",
        "#![tools(\"a\", x)]",
        "#![strict_runtime_safety]",
        "/// doc\n",
        "->",
        "G",
        "now(\"a\")",
        "A::B",
        "::",
        "<",
        ">",
        "<T as U>::X",
        "?x",
        "\"text\"",
        "'a'",
        "1_0u8",
        "{}",
        "[]",
        "()",
        "forall x in d:",
        "-",
        "@",
        "called(X::)",
        "include",
        "$",
        "'life",
        "#[]",
        "#![]",
        "é",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| {
        let tokens: TokenStream = pieces.join(" ").parse().unwrap();
        tokens.into_iter().collect()
    })
}

/// Nesting as deep as the compiler takes, and long strings, in a thread with little stack.
#[test]
fn depth_and_length_end_in_errors_or_formulas() {
    let work = || {
        let now = || -> TokenStream { "now(\"a\")".parse().unwrap() };
        for delimiter in [Delimiter::Parenthesis, Delimiter::None, Delimiter::Bracket] {
            let mut tokens = now();
            for _ in 0..10_000 {
                tokens = TokenTree::from(Group::new(delimiter, tokens)).into();
            }
            let deep = read(tokens);
            if delimiter != Delimiter::None {
                assert_eq!(deep.unwrap_err().len(), 1);
            }
        }
        let mut nots = "!".repeat(10_000).parse::<TokenStream>().unwrap();
        nots.extend(now());
        assert_eq!(read(nots).unwrap_err().len(), 1);

        let name = "é\\\"\n".repeat(25_000);
        let long = read(
            format!("called({})", Literal::string(&name))
                .parse()
                .unwrap(),
        );
        assert_eq!(long.unwrap(), agentltl_core::build::called(name.as_str()));
        let text = format!("called({})", quoted(&name));
        let long = read(Literal::string(&text).into_token_stream());
        assert_eq!(long.unwrap(), agentltl_core::build::called(name.as_str()));

        let deep = "(".repeat(1_000_000);
        assert_eq!(
            read(Literal::string(&deep).into_token_stream())
                .unwrap_err()
                .len(),
            1
        );
        let chain = vec!["now(\"a\")"; 50_000].join(" & ");
        assert_eq!(read(chain.parse().unwrap()).unwrap().nodes().len(), 50_001);
    };
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap();
}

/// A policy with one of everything, for the snapshot.
#[test]
fn expansion() {
    let tokens = quote! {
        #![strict_runtime_safety]
        #![default_severity(SOFT_BLOCK)]
        #![tools("fetch_data", "process_data", DeployTool::NAME)]

        /// Raw data is fetched before it is processed.
        #[weight(2.0)]
        #[repair("Call fetch_data first.")]
        fetch_first: HARD_STOP = before("fetch_data", "process_data");
        "one-deploy": BLOCK_AND_WARN = r#"G(now("process_data") -> O(now("fetch_data")))"#;
        deploy_once: PERSISTENT_BLOCK = called_n(DeployTool::NAME, <= 1);
        #[weight(WEIGHT)]
        short: STRENGTH = predicate(is_short, runtime_safe = true);
        each = forall f in flights: called_with("fetch_data", flight = ?f) -> false;
    };
    let policy = expand::constraints(&quote!(::agentltl), tokens.into_iter().collect());
    insta::assert_snapshot!("expansion", lines(&policy));

    let warning = quote!(done: HARD_STOP = called("report"););
    let warning = expand::constraints(&quote!(::agentltl), warning.into_iter().collect());
    insta::assert_snapshot!("expansion_with_a_warning", lines(&warning));

    let wrong = quote!(done: HARD_STOP = before("a", Search::NAME) & calld("b"););
    let wrong = expand::constraints(&quote!(::agentltl), wrong.into_iter().collect());
    insta::assert_snapshot!("expansion_with_an_error", lines(&wrong));
}

/// Tokens with some line breaks.
fn lines(tokens: &TokenStream) -> String {
    tokens
        .to_string()
        .replace(" ; ", " ;\n")
        .replace(" , names", ",\n names")
        .replace(" , hosts", ",\n hosts")
        .replace(" , severities", ",\n severities")
        .replace(" , weights", ",\n weights")
        .replace(" , default", ",\n default")
        .replace(" , tools", ",\n tools")
        .replace(" , strict", ",\n strict")
}
