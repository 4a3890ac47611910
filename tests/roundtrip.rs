//! Text and formulas, there and back: over random formulas, and over texts that are none.
#![allow(clippy::unwrap_used, clippy::panic)]

use agentltl::testing::{FormulaParams, formulas, formulas_with};
use agentltl::{Formula, NoHost, parse_with};
use proptest::prelude::*;

fn config() -> ProptestConfig {
    ProptestConfig::with_cases(10_000)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_printed_parses_to_the_same(formula in formulas()) {
        let text = formula.to_string();
        let parsed = parse_with(&text, &mut NoHost);
        let parsed = parsed.unwrap_or_else(|error| panic!("{}", error.render(&text)));
        prop_assert_eq!(&parsed.formula, &formula, "{}", text);
        prop_assert_eq!(formula.unbound_variable(), None);
        // Each span is the text of its subformula.
        let tree = formula.tree();
        prop_assert_eq!(parsed.spans.len(), tree.len());
        if !text.contains('?') {
            for (id, span) in parsed.spans.iter().enumerate() {
                let part = Formula::parse(&text[span.clone()]);
                prop_assert_eq!(part.as_ref(), Ok(&tree.subformula(id)), "{}", &text[span.clone()]);
            }
        }
    }

    /// Without any of its pairs of parentheses a printed formula is another or none.
    #[test]
    fn no_parenthesis_is_printed_in_vain(
        formula in formulas_with(&FormulaParams::default().with_odd(false))
    ) {
        let text = formula.to_string();
        for (open, close) in pairs(&text) {
            let mut without = text.clone();
            without.replace_range(close..=close, " ");
            without.replace_range(open..=open, " ");
            let other = Formula::parse(&without);
            prop_assert_ne!(other.as_ref(), Ok(&formula), "{} in {}", open, text);
        }
    }

    #[test]
    fn any_text_is_a_formula_or_an_error_with_a_place(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn tokens_in_any_order(tokens in prop::collection::vec(tokens(), 0..24)) {
        check(&tokens.join(" "))?;
        check(&tokens.concat())?;
    }

    #[test]
    fn a_damaged_formula(formula in formulas(), damage in prop::collection::vec(damage(), 1..4)) {
        let mut text: Vec<char> = formula.to_string().chars().collect();
        for (at, len, put) in damage {
            let at = at.index(text.len() + 1);
            let end = (at + len).min(text.len());
            text.splice(at..end, put.chars());
        }
        check(&text.into_iter().collect::<String>())?;
    }
}

proptest! {
    // The text is what counts, and that is tested above.
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_serialises_deserialises(formula in formulas()) {
        let json = serde_json::to_string(&formula).unwrap();
        prop_assert_eq!(serde_json::from_str::<Formula>(&json).unwrap(), formula);
    }
}

fn damage() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    let put = prop_oneof![
        Just(String::new()),
        tokens().prop_map(str::to_owned),
        any::<String>()
    ];
    (any::<prop::sample::Index>(), 0..3_usize, put)
}

fn tokens() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "::",
        "=",
        "==",
        "<=",
        "<",
        "!",
        "&",
        "&&",
        "|",
        "->",
        "-",
        "@",
        "?",
        "\"",
        "\\",
        "\"a\"",
        "0",
        "1",
        "1.5",
        "1e9",
        "true",
        "null",
        "G",
        "U",
        "S",
        "x",
        "in",
        "forall",
        "exists",
        "args",
        "results",
        "called",
        "called(\"a\")",
        "called_with",
        "called_n",
        "count_before(",
        "matches(",
        "predicate(",
        "branch_called(",
        "context",
        "runtime_safe",
        "é",
        "∧",
        "\n",
        "\t",
        "'",
        "$",
        "r#",
    ])
}

/// No panic; an error has a place inside the text; a formula survives printing.
fn check(text: &str) -> Result<(), TestCaseError> {
    match Formula::parse(text) {
        Ok(formula) => {
            let printed = formula.to_string();
            prop_assert_eq!(Formula::parse(&printed), Ok(formula), "{}", printed);
        }
        Err(error) => {
            prop_assert!(error.range.start <= error.range.end);
            prop_assert!(
                text.get(error.range.clone()).is_some(),
                "{:?} {:?}",
                text,
                error
            );
            prop_assert!(!error.message.is_empty());
            prop_assert!(error.render(text).contains('^'));
        }
    }
    Ok(())
}

/// The places of the parentheses that group, those of calls and `@k(..)` left out.
fn pairs(text: &str) -> Vec<(usize, usize)> {
    let (mut open, mut pairs, mut in_string) = (Vec::new(), Vec::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => in_string = !in_string,
            '(' if !in_string => open.push(at),
            ')' if !in_string => {
                let start = open.pop().unwrap();
                let before = &text[..start];
                let word = before
                    .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap();
                let groups = word.is_empty() || "GFXYOH".contains(word);
                if groups && !before.ends_with(char::is_numeric) {
                    pairs.push((start, at));
                }
            }
            _ => {}
        }
    }
    pairs
}

#[test]
fn the_pairs_of_a_text() {
    assert_eq!(pairs("G(now(\"(\") | @1(true)) & (true)").len(), 2);
}
