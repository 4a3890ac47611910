//! Policies: what is refused, with its place, and that what is written is read.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use agentltl::build::*;
use agentltl::{
    Args, Cmp, Constraint, Domain, Formula, MAX_DEPTH, Name, Policy, Problem, Registry,
    RuntimeSafety, Severity, Text, ToolCall, Value, classify_constraints,
};
use proptest::prelude::*;
use serde_json::json;

/// The messages about a policy in TOML.
fn toml(text: &str) -> Vec<String> {
    let error = Policy::from_toml(text).unwrap_err();
    error.problems().iter().map(ToString::to_string).collect()
}

fn json(text: &str) -> Vec<String> {
    let error = Policy::from_json(text).unwrap_err();
    error.problems().iter().map(ToString::to_string).collect()
}

fn rule(name: &'static str) -> Constraint {
    Constraint::new(name, called("a"))
}

#[test]
fn rules_that_are_refused() {
    let deep = (0..MAX_DEPTH).fold(called("a"), |formula, _| !next(formula));
    let problems = |rules: Vec<Constraint>| {
        let error = Policy::new(rules).unwrap_err();
        error
            .to_string()
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        problems(vec![
            rule("x").with_weight(-0.5),
            rule("x").with_weight(f64::NAN),
            rule("").with_weight(f64::INFINITY),
            Constraint::new("deep", deep),
        ]),
        [
            "constraint `x`: the weight -0.5 is negative",
            "constraint `x`: the name is that of an earlier constraint (the first)",
            "constraint `x`: the weight NaN is not finite",
            "the third constraint: the name is empty",
            "the third constraint: the weight inf is not finite",
            "constraint `deep`: the formula nests 2049 operators in each other; at most 1024 may be",
        ]
    );
    let free = called_with("a", agentltl::Args::new([("x", agentltl::Value::var("y"))]));
    assert_eq!(
        problems(vec![Constraint::new("free", free)]),
        ["constraint `free`: no quantifier binds the variable `?y`"]
    );
    let nested = |depth: usize| {
        let one = Value::from(1);
        (0..depth).fold(one, |value, _| Value::List(vec![value].into()))
    };
    let none: [&str; 0] = [];
    let with = |value| called_with("a", Args::new([("x", value)]));
    let over = |value| forall("v", Domain::Values(vec![value].into()), called("a"));
    let field = |value| (Text::from("k"), Value::from(value));
    let twice = Value::Object(vec![field(1), field(2)].into());
    let quantified = |depth: usize| {
        (0..depth).fold(called("a"), |f, _| {
            forall("v", Domain::Args("a".into(), "x".into()), f)
        })
    };
    for (formula, message) in [
        (
            in_order(none),
            "`in_order` has an empty list of tools; it takes at least one",
        ),
        (
            !all_before(none, "a"),
            "`all_before` has an empty list of tools; it takes at least one",
        ),
        (
            globally(matches(none, Args::default())),
            "`matches` has an empty list of tools; it takes at least one",
        ),
        (
            with(nested(129)),
            "a value nests 129 lists and objects in each other; at most 128 may be",
        ),
        (
            over(nested(128)),
            "a value nests 129 lists and objects in each other; at most 128 may be",
        ),
        (
            called_with_result("a", twice, Args::default()),
            "an object has the field \"k\" twice",
        ),
        (
            quantified(129),
            "the formula nests 129 quantifiers in each other; at most 128 may be",
        ),
    ] {
        assert!(Formula::parse(&formula.to_string()).is_err());
        assert_eq!(
            problems(vec![Constraint::new("odd", formula)]),
            [format!("constraint `odd`: {message}")]
        );
    }
    for formula in [with(nested(128)), over(nested(127)), quantified(128)] {
        let text = formula.to_string();
        assert_eq!(Formula::parse(&text).as_ref(), Ok(&formula));
        Policy::new([Constraint::new("deep", formula)]).unwrap();
    }
    assert!(Policy::new([rule("zero").with_weight(0.0)]).is_ok());
    assert!(Policy::new([]).unwrap().constraints().is_empty());
}

#[test]
fn the_deepest_formula_is_accepted() {
    let deepest = (1..MAX_DEPTH).fold(called("a"), |formula, _| next(formula));
    assert_eq!(deepest.depth(), MAX_DEPTH);
    let policy = Policy::new([Constraint::new("deepest", deepest)]).unwrap();
    assert_eq!(Policy::from_toml(&policy.to_toml()), Ok(policy));
}

#[test]
fn classes_and_severities() {
    let policy = Policy::builder()
        .default_severity(Severity::SoftBlock)
        .constraint(Constraint::new("order", before("a", "b")))
        .constraint(Constraint::new("finish", eventually(called("done"))))
        .constraint(Constraint::new("tests", called("pytest")))
        .constraint(Constraint::new("at_end", called("pytest")).on_final_answer())
        .constraint(rule("noted").with_severity(Severity::Tolerate))
        .build()
        .unwrap();
    let reports = classify_constraints(&policy);
    let compatible: Vec<bool> = reports.iter().map(|report| report.compatible).collect();
    assert_eq!(compatible, [true, false, false, true, true]);
    assert_eq!(reports[1].classification, RuntimeSafety::Inert);
    let error = policy.check_strict().unwrap_err();
    let mismatches: Vec<_> = error
        .problems()
        .iter()
        .map(|problem| match &problem.problem {
            Problem::Mismatch(report) => report.constraint_name.as_str(),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(mismatches, ["finish", "tests"]);
    let strict = Policy::builder().strict_runtime_safety();
    assert!(strict.constraint(rule("now")).build().is_err());
}

#[test]
fn what_toml_may_say() {
    let policy = Policy::from_toml(
        r#"
default_severity = "ASK"
strict_runtime_safety = true
tools = ["a", "b"]
[[constraint]]
name = "order"
formula = 'before("a", "b")'
weight = 2
[[constraint]]
name = "all"
formula = """
G(now("a")
  -> F(now("b")))
"""
severity = "TOLERATE"
weight = 0.5
description = "why"
repair = "how"
applies_to_final_answer = true
"#,
    )
    .unwrap();
    let expected = Policy::builder()
        .default_severity(Severity::Ask)
        .strict_runtime_safety()
        .tools(["a", "b"])
        .constraint(Constraint::new("order", before("a", "b")).with_weight(2.0))
        .constraint(
            Constraint::new("all", globally(now("a") >> eventually(now("b"))))
                .with_severity(Severity::Tolerate)
                .with_weight(0.5)
                .with_description("why")
                .with_repair("how")
                .on_final_answer(),
        )
        .build()
        .unwrap();
    assert_eq!(policy, expected);
    assert!(policy.is_strict());
    assert_eq!(policy.tools(), [Name::from("a"), Name::from("b")]);
    assert_eq!(Policy::from_toml("").unwrap(), Policy::default());
}

#[test]
fn everything_wrong_with_a_toml_policy() {
    let messages = toml(
        r#"default_severty = "ASK"
tools = ["deploy", 7]

[[constraint]]
name = "one"
formula = 'now("deploy'
severity = "HARDSTOP"

[[constraint]]
name = "one"
formula = 'now("deplyo")'
weight = -1
weigth = 2.0

[[constraint]]
formula = 3
repair = ["x"]
applies_to_final_answer = "yes"
"#,
    );
    let starts = [
        "line 1, column 1: default_severty: unknown key `default_severty`; did you mean `default_severity`?",
        "line 2, column 20: tools[1]: expected a string, found a number",
        "line 6, column 16: constraint[0].formula: constraint `one`: ",
        "line 7, column 12: constraint[0].severity: constraint `one`: unknown severity `HARDSTOP`; did you mean `HARD_STOP`?",
        "line 10, column 8: constraint[1].name: constraint `one`: the name is that of an earlier constraint (the first)",
        "line 11, column 11: constraint[1].formula: constraint `one`: unknown tool \"deplyo\"; did you mean \"deploy\"?",
        "line 12, column 10: constraint[1].weight: constraint `one`: the weight -1 is negative",
        "line 13, column 1: constraint[1].weigth: constraint `one`: unknown key `weigth`; did you mean `weight`?",
        "line 15, column 1: constraint[2]: the third constraint: no `name`",
        "line 16, column 11: constraint[2].formula: the third constraint: expected a string, found a number",
        "line 17, column 10: constraint[2].repair: the third constraint: expected a string, found a list",
        "line 18, column 27: constraint[2].applies_to_final_answer: the third constraint: expected true or false, found a string",
    ];
    assert_eq!(messages.len(), starts.len(), "{messages:#?}");
    for (message, start) in messages.iter().zip(starts) {
        assert!(message.starts_with(start), "{message}\nis not\n{start}");
    }
}

#[test]
fn toml_that_is_not_a_policy() {
    for (text, message) in [
        (
            "constraint = 3",
            "line 1, column 14: constraint: expected a list of constraints, found a number",
        ),
        (
            "constraint = [1]",
            "line 1, column 15: constraint[0]: the first constraint: expected a table, found a number",
        ),
        (
            "tools = 2024-01-01",
            "line 1, column 9: tools: expected a list of strings, found a date or time",
        ),
        (
            "strict_runtime_safety = 1",
            "line 1, column 25: strict_runtime_safety: expected true or false, found a number",
        ),
        ("rules = []", "line 1, column 1: rules: unknown key `rules`"),
    ] {
        assert_eq!(toml(text), [message]);
    }
    for text in ["[[constraint]\n", "a = ", "\n\nx y", "a = 1\na = 2"] {
        let messages = toml(text);
        assert!(messages[0].starts_with("line "), "{messages:?}");
        assert!(messages[0].contains(": not TOML: "), "{messages:?}");
    }
    for weight in ["nan", "inf", "-inf"] {
        let text =
            format!("[[constraint]]\nname = 'x'\nformula = 'called(\"a\")'\nweight = {weight}");
        let messages = toml(&text);
        assert!(
            messages[0].starts_with("line 4, column 10: constraint[0].weight: "),
            "{messages:?}"
        );
    }
}

#[test]
fn everything_wrong_with_a_json_policy() {
    let messages = json(
        r#"{"default_severity": "ask", "rules": [],
 "constraint": [
  {"name": "a", "formula": "before(\"x\", \"y\" & now(\"z\")", "weight": -2},
  {"name": "b", "formula": "called(\"x\")", "name": "c"},
  {"name": "ä", "formula": null, "weight": "1"}, 5]}"#,
    );
    let starts = [
        "line 1, column 22: default_severity: unknown severity `ask`; did you mean `ASK`?",
        "line 1, column 29: rules: unknown key `rules`",
        "line 3, column 49: constraint[0].formula: constraint `a`: ",
        "line 3, column 74: constraint[0].weight: constraint `a`: the weight -2 is negative",
        "line 4, column 45: constraint[1].name: constraint `b`: the key `name` is there twice",
        "line 5, column 28: constraint[2].formula: constraint `ä`: expected a string, found null",
        "line 5, column 44: constraint[2].weight: constraint `ä`: expected a number, found a string",
        "line 5, column 50: constraint[3]: the fourth constraint: expected a table, found a number",
    ];
    assert_eq!(messages.len(), starts.len(), "{messages:#?}");
    for (message, start) in messages.iter().zip(starts) {
        let start = start.replace("fourth", "4th");
        assert!(message.starts_with(&start), "{message}\nis not\n{start}");
    }
    for text in [
        "",
        "{",
        "{\"constraint\": [}",
        "{\"tools\": [\"\\x\"]}",
        "{} x",
        "[1e999]",
    ] {
        let messages = json(text);
        assert!(
            messages[0].contains("line 1, column "),
            "{text}: {messages:?}"
        );
    }
    assert_eq!(
        json("[]"),
        ["line 1, column 1: expected a table, found a list"]
    );
}

#[test]
fn nesting_without_end_is_an_error() {
    let parens = format!("{}true{}", "(".repeat(100_000), ")".repeat(100_000));
    let text = format!("[[constraint]]\nname = \"x\"\nformula = '{parens}'\n");
    let error = Policy::from_toml(&text).unwrap_err();
    assert!(matches!(
        error.problems()[0].problem,
        Problem::Formula { .. }
    ));
    let text = format!("{{\"constraint\": [{{\"name\": \"x\", \"formula\": \"{parens}\"}}]}}");
    assert!(Policy::from_json(&text).is_err());
    assert!(Policy::from_toml(&format!("tools = {}", "[".repeat(100_000))).is_err());
    let lists = format!(
        "{{\"tools\": {}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(
        json(&lists),
        ["line 1, column 12: tools[0]: expected a string, found a list"]
    );
}

#[test]
fn policies_inside_other_documents() {
    let document = json!({"default_severity": "TOLERATE", "constraints": [
        {"name": "x", "formula": "called_n(\"a\", <= 1)", "weight": 2}]});
    let policy: Policy = serde_json::from_value(document).unwrap();
    assert_eq!(
        policy.constraints()[0].formula(),
        &called_n("a", Cmp::Le, 1)
    );
    assert_eq!(policy.default_severity(), Severity::Tolerate);
    let error = serde_json::from_value::<Policy>(json!({"constraint": [{"name": "x"}]}));
    assert_eq!(
        error.unwrap_err().to_string(),
        "constraint[0]: constraint `x`: no `formula`"
    );
}

#[test]
fn rust_code_by_name() {
    let registry = Registry::new()
        .with_predicate("few", |calls: &[ToolCall], _| calls.len() < 3)
        .with_domain("files", |_: &[ToolCall]| vec![json!("f")])
        .with_tool("Deploy::NAME", "deploy");
    let text = r#"
[[constraint]]
name = "p"
formula = 'predicate(few, runtime_safe=true) | now(Deploy::NAME)'
[[constraint]]
name = "q"
formula = 'forall f in files: called_with("close", path=?f)'
"#;
    let policy = Policy::from_toml_with(text, &registry).unwrap();
    assert!(
        policy.constraints()[0]
            .formula()
            .tools()
            .contains(&Name::from("deploy"))
    );
    // The same code under the same name: equal again when read back.
    assert_eq!(
        Policy::from_toml_with(&policy.to_toml(), &registry).unwrap(),
        policy
    );
    assert_eq!(
        Policy::from_json_with(&policy.to_json(), &registry).unwrap(),
        policy
    );

    let messages = toml(text);
    assert_eq!(messages.len(), 2, "{messages:#?}");
    let near = Policy::from_toml_with(&text.replace("few", "fwe"), &registry).unwrap_err();
    assert!(near.to_string().contains("did you mean `few`?"), "{near}");
}

#[test]
fn the_airline_policy() {
    let Some(path) = support::shared("traces/airline-policy.toml") else {
        eprintln!("skipped: there is no airline policy here");
        return;
    };
    let policy = Policy::from_toml(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(policy.constraints().len(), 9);
    assert_eq!(policy.constraints()[1].weight(), 2.0);
    assert_eq!(policy.constraints()[5].severity(), Some(Severity::Ask));
    assert_eq!(
        policy.constraints()[0].repair(),
        "Call get_user_details first."
    );
    assert_eq!(Policy::from_json(&policy.to_json()), Ok(policy));
}

prop_compose! {
    fn any_rule()(
        formula in prop_oneof![
            "\\PC{1,6}".prop_map(called),
            ("\\PC{1,6}", "[\u{0}-\u{ff}]{1,4}").prop_map(|(a, b)| before(a, b)),
            any::<i64>().prop_map(|n| globally(called_n("x", Cmp::Eq, n))),
        ],
        severity in prop::option::of(prop::sample::select(Severity::ALL.to_vec())),
        weight in prop_oneof![Just(1.0), 0.0..1e300, any::<u32>().prop_map(f64::from)],
        description in "[\u{0}-\u{ff}'\"\\\\\n]{0,5}",
        repair in "\\PC{0,5}",
        at_end in any::<bool>(),
    ) -> Constraint {
        let mut rule = Constraint::new("", formula)
            .with_weight(weight)
            .with_description(description)
            .with_repair(repair);
        if let Some(severity) = severity {
            rule = rule.with_severity(severity);
        }
        if at_end { rule.on_final_answer() } else { rule }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        rules in prop::collection::vec((any_rule(), "[\u{0}-\u{ff}'\"\\\\]{1,6}"), 0..4),
        default in prop::sample::select(Severity::ALL.to_vec()),
    ) {
        let mut builder = Policy::builder().default_severity(default);
        let mut formulas: Vec<Formula> = Vec::new();
        for (number, (rule, name)) in rules.into_iter().enumerate() {
            formulas.push(rule.formula().clone());
            builder = builder.constraint(rule.with_name(format!("{name}{number}")));
        }
        let tools: std::collections::BTreeSet<Name> =
            formulas.iter().flat_map(Formula::tools).cloned().collect();
        let policy = builder.tools(tools).build().unwrap();
        let again = Policy::from_toml(&policy.to_toml()).unwrap();
        prop_assert_eq!(&again, &policy);
        prop_assert_eq!(again.tools(), policy.tools());
        prop_assert_eq!(&Policy::from_json(&policy.to_json()).unwrap(), &policy);
        let value = serde_json::to_value(&policy).unwrap();
        prop_assert_eq!(&serde_json::from_value::<Policy>(value).unwrap(), &policy);
    }

    /// Any text is a policy or has an error with a place.
    #[test]
    fn no_text_is_too_strange(
        text in "(\\[\\[constraint\\]\\]|name|formula|=|'called\\(\"a\"\\)'|\"|'|\\{|\\}|\\[|\\]|:|,|\n|\\PC){0,30}",
    ) {
        for error in [Policy::from_toml(&text).err(), Policy::from_json(&text).err()] {
            for problem in error.iter().flat_map(|error| error.problems()) {
                let place = problem.position.unwrap();
                prop_assert!(place.offset <= text.len() && text.is_char_boundary(place.offset));
                prop_assert!(place.line >= 1 && place.column >= 1);
            }
        }
    }
}
