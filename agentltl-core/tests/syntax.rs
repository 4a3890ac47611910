//! The grammar: what it reads, what it refuses, and what it says then.
#![allow(clippy::unwrap_used, clippy::panic)]

use agentltl_core::build::*;
use agentltl_core::{
    Args, Cmp, Domain, Formula, MAX_DEPTH, MAX_NODES, MAX_QUANTIFIERS, Node, ParseError, Value,
};
use agentltl_core::{NoHost, parse_with};

fn parse(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)))
}

fn refuse(text: &str) -> ParseError {
    match Formula::parse(text) {
        Ok(formula) => panic!("{text} read as {formula}"),
        Err(error) => error,
    }
}

/// The bytes at fault, the message and the help.
fn said(text: &str) -> (&str, String, String) {
    let error = refuse(text);
    (
        &text[error.range.clone()],
        error.message,
        error.help.unwrap_or_default(),
    )
}

#[test]
fn precedence() {
    let (a, b, c) = (|| now("a"), || now("b"), || now("c"));
    for (text, formula) in [
        (r#"now("a") -> now("b") -> now("c")"#, a() >> (b() >> c())),
        (r#"now("a") | now("b") & now("c")"#, a() | (b() & c())),
        (
            r#"now("a") U now("b") S now("c")"#,
            until(a(), since(b(), c())),
        ),
        (r#"!now("a") S now("b")"#, !since(a(), b())),
        (r#"(!now("a")) S now("b")"#, since(!a(), b())),
        (
            r#"now("a") U !now("b") W now("c")"#,
            until(a(), !weak_until(b(), c())),
        ),
        (
            r#"G now("a") & F now("b") -> X now("c")"#,
            (globally(a()) & eventually(b())) >> next(c()),
        ),
        (
            r#"(now("a") & now("b")) & (now("c") && now("a"))"#,
            Formula::all([a(), b(), c(), a()]),
        ),
        (
            r#"((now("a") || now("b")) & now("c")) R now("a")"#,
            release((a() | b()) & c(), a()),
        ),
        (
            r#"forall x in ["p"]: now("a") -> exists in in results("a"): now("b")"#,
            Formula::parse("true").unwrap(),
        ),
    ] {
        if text.starts_with("forall") {
            assert_eq!(
                said(text),
                (
                    "exists",
                    "a quantifier inside an operand needs parentheses".to_owned(),
                    "write `(exists .. in .. : ..)`".to_owned()
                )
            );
        } else {
            assert_eq!(parse(text), formula, "{text}");
        }
    }
}

#[test]
fn a_quantifier_extends_to_the_right() {
    let domain = || Domain::Args("t".into(), "k".into());
    assert_eq!(
        parse(r#"FORALL in IN ARGS("t", "k"): now("a") -> matches("b", in=?in)"#),
        forall(
            "in",
            domain(),
            now("a") >> matches(["b"], Args::new([("in", Value::var("in"))]))
        )
    );
    assert_eq!(
        parse(r#"now("a") & (exists x in results("t", "f"): forall x in [?x, 1]: @2(now("b")))"#),
        now("a")
            & exists(
                "x",
                Domain::Results("t".into(), Some("f".into())),
                forall(
                    "x",
                    Domain::Values(vec![Value::var("x"), Value::from(1)].into()),
                    at(2, now("b"))
                )
            )
    );
}

#[test]
fn words_are_keywords_only_where_they_can_be() {
    assert_eq!(
        parse(r#"called_with("a", U=1, in=TRUE, forall=Null, context="c", g={true: [-1.5e2]})"#),
        called_with(
            "a",
            Args::new([
                ("U", Value::from(1)),
                ("in", Value::from(true)),
                ("forall", Value::Null),
                ("context", Value::from("c")),
                (
                    "g",
                    Value::Object(
                        vec![("true".into(), Value::List(vec![Value::from(-150)].into()))].into()
                    )
                ),
            ])
        )
    );
    assert_eq!(parse("g F x y O h TRUE u False").depth(), 8);
    assert_eq!(
        parse(r#"Branch_Called("a", CONTEXT="when")"#).nodes(),
        [Node::BranchCalled {
            correct: "a".into(),
            wrong: None,
            context: Some("when".into())
        }]
    );
}

#[test]
fn strings_have_two_escapes() {
    assert_eq!(parse(r#"now("a\"b\\c\d\")")"#), now(r#"a"b\c\d")"#));
    assert_eq!(parse("now(\"a\nb\")"), now("a\nb"));
    assert_eq!(parse(r#"now("")"#), now(""));
    assert_eq!(now(r#"\"é"#).to_string(), r#"now("\\\"é")"#);
    // A key that is no NAME is written as a string.
    let odd = called_with("a", Args::new([("content-type", Value::from("x"))]));
    assert_eq!(odd.to_string(), r#"called_with("a", "content-type"="x")"#);
    assert_eq!(parse(&odd.to_string()), odd);
}

#[test]
fn numbers() {
    let value = |text: &str| {
        let formula = parse(&format!("called_with(\"a\", k={text})"));
        match &formula.nodes()[0] {
            Node::CalledWith(_, args) => args.get("k").cloned().unwrap(),
            node => panic!("{node:?}"),
        }
    };
    assert_eq!(value("- 2"), Value::from(-2));
    assert_eq!(value("1.0"), Value::from(1));
    assert_eq!(value("1e3"), Value::from(1000));
    // 2^53 + 1, and one more than a u64 holds
    assert_ne!(value("9007199254740993"), value("9007199254740992"));
    assert_ne!(value("18446744073709551616"), value("18446744073709551617"));
    for (text, place) in [
        ("called_with(\"a\", k=1e999)", "1e999"),
        ("called_with(\"a\", k=1.)", "1."),
        ("called_with(\"a\", k=0x1f)", "0x1f"),
        (
            "called_n(\"a\", <= 9223372036854775808)",
            "9223372036854775808",
        ),
        ("called_n(\"a\", <= 1.5)", "1.5"),
        ("@1e3(true)", "1e3"),
    ] {
        assert_eq!(said(text).0, place, "{text}: {}", said(text).1);
    }
    assert_eq!(
        parse("called_n(\"a\", <= -9223372036854775808)"),
        called_n("a", Cmp::Le, i64::MIN)
    );
}

/// Each mistake with its place and a part of what is said of it.
#[test]
fn mistakes_are_met_with_help() {
    for (text, place, help) in [
        (r#"calld("a")"#, "calld", "did you mean `called`?"),
        (
            r#"within_step("a", "b", 2)"#,
            "within_step",
            "`within_steps`",
        ),
        (r#"called(deploy)"#, "deploy", "\"deploy\""),
        (
            r#"before("a")"#,
            ")",
            r#"`before` takes two tools: before("a", "b")"#,
        ),
        (r#"before("a", "b", "c")"#, ",", "`before` takes two tools"),
        (r#"called_n("a", 2)"#, "2", r#"called_n("a", <= 2)"#),
        (r#"called_n("a", = 2)"#, "=", "`==`"),
        (r#"called_n("a", =< 2)"#, "=<", "`<=`"),
        (r#"called_n("a", => 2)"#, "=>", "`>=`"),
        (r#"called_n("a", != 2)"#, "!=", "negate the formula"),
        (r#"now("a") => now("b")"#, "=>", "`->`"),
        (r#"now("a") and now("b")"#, "and", "`and` is written `&`"),
        (r#"now("a") OR now("b")"#, "OR", "`OR` is written `|`"),
        (r#"not now("a")"#, "not", "`not` is written `!`"),
        (
            r#"now("a") until now("b")"#,
            "until",
            "`until` is written `U`",
        ),
        (r#"now("a") ; now("b")"#, ";", "no `;`"),
        (r#"now("a") # b"#, "#", "no comments"),
        (r#"now("a") now("b")"#, "now", "join two formulas"),
        (r#"now("a") = now("b")"#, "=", "called_with"),
        (r#"GF now("a")"#, "GF", "`G F`"),
        (r#"U now("a")"#, "U", "stands between two formulas"),
        (r#"now('a')"#, "'a'", "`\"a\"`"),
        ("now(“a”)", "“a”", "`\"a\"`"),
        (r#"now("a"#, "\"", "end it with `\"`"),
        (r#"before("a, "b")"#, "b", "is a quote missing before?"),
        (r#"now("a"))"#, ")", "no `(` that this `)` closes"),
        (
            r#"eventually(called("a"))"#,
            "called",
            "for a formula write F",
        ),
        (r#"in_order("a")"#, "\"a\"", r#"in_order(["a", "b"])"#),
        (r#"in_order([])"#, "]", r#"in_order(["a", "b"])"#),
        (r#"called_with("a", k=foo)"#, "foo", "`\"foo\"`"),
        (
            r#"called_with("a", k=1, k=2)"#,
            "k",
            "each name can have one value",
        ),
        (
            r#"called_with("a", k={x: 1, x: 2})"#,
            "x",
            "each name can have one value",
        ),
        (r#"called_with("a", k=?x)"#, "?x", "forall x in"),
        (
            r#"forall city in args("a", "c"): called_with("b", c=?ciyt)"#,
            "?ciyt",
            "did you mean `?city`?",
        ),
        (
            r#"forall city in args("a", "c"): called_with("b", c=city)"#,
            "city",
            "the variable is written `?city`",
        ),
        (r#"forall x in [?x]: true"#, "?x", "forall x in"),
        (r#"forall ?x in [1]: true"#, "?", "not here"),
        (r#"forall x args("a", "k"): true"#, "args", "forall x in"),
        (
            r#"forall x in arg("a", "k"): true"#,
            "arg",
            "args(\"a\", \"key\")",
        ),
        (
            r#"forall x in cities: true"#,
            "cities",
            "registered function",
        ),
        (r#"predicate(p::q)"#, "p::q", "predicate(few_calls"),
        (r#"predicate("p")"#, "\"p\"", "no quotes"),
        (r#"instance_before("a", "b")"#, ",", r#""a"[1]"#),
        (r#"count_before(now("a"))"#, ")", "count_before(now"),
        (r#"@(now("a"))"#, "(", ""),
        ("", "", ""),
        ("(", "", ""),
    ] {
        let (found, message, said) = said(text);
        assert_eq!(found, place, "{text}: {message}");
        assert!(
            said.contains(help) || message.contains(help),
            "{text}: {message}; {said}"
        );
    }
}

#[test]
fn rendering_points_at_the_characters() {
    let text = "true &\n\tnow(\"é\") ∧ true";
    let error = refuse(text);
    assert_eq!(
        error.render(text),
        "expected an operator or the end of the formula, found `∧`\n\
         2 |     now(\"é\") ∧ true\n  \
         |              ^"
    );
    let long = format!("{}nope{}", "true & ".repeat(100), " & true".repeat(100));
    let rendered = refuse(&long).render(&long);
    let lines: Vec<_> = rendered.lines().collect();
    assert!(lines[1].chars().count() < 140, "{rendered}");
    let mark = lines[2].find('^').unwrap();
    let marked: String = lines[1].chars().skip(mark).take(4).collect();
    assert_eq!(marked, "nope", "{rendered}");
    // A text other than the one that was parsed is no reason to panic.
    assert!(refuse(&long).render("é").contains('^'));
}

/// Runs on a stack as small as any thread has.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(test)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn nesting_is_bounded_and_never_overflows() {
    on_a_small_stack(|| {
        let nested = |open: &str, close: &str, n: usize| {
            format!("{}true{}", open.repeat(n), close.repeat(n))
        };
        for (open, close) in [
            ("(", ")"),
            ("!", ""),
            ("G ", ""),
            ("@0(", ")"),
            ("count_before(", ", > 1)"),
            ("true U ", ""),
            ("true -> ", ""),
            ("X(", ")"),
            ("(", " U true)"),
            ("(", " -> true)"),
        ] {
            let most = MAX_DEPTH - usize::from(open != "(" || close != ")");
            let formula = parse(&nested(open, close, most));
            assert!(formula.depth() <= MAX_DEPTH);
            assert_eq!(parse(&formula.to_string()), formula);
            for more in [most + 1, 100_000] {
                let text = nested(open, close, more);
                let error = refuse(&text);
                assert!(error.message.contains("1024"), "{open}: {}", error.message);
                assert!(error.range.end <= text.len());
            }
        }
        for (quantifier, close) in [("forall x in [1]: ", ""), ("G (exists x in [1]: ", ")")] {
            let formula = parse(&nested(quantifier, close, MAX_QUANTIFIERS));
            assert_eq!(formula.quantifier_depth(), MAX_QUANTIFIERS);
            assert_eq!(parse(&formula.to_string()), formula);
            for more in [MAX_QUANTIFIERS + 1, 100_000] {
                let error = refuse(&nested(quantifier, close, more));
                assert!(
                    error.message.contains("128 quantifiers"),
                    "{}",
                    error.message
                );
            }
        }
        // & in | in & ..: parentheses that are needed.
        let alternating = |n| nested("(true & (true | ", "))", n);
        let formula = parse(&alternating(MAX_DEPTH / 2 - 1));
        assert_eq!(formula.depth(), MAX_DEPTH - 1);
        assert_eq!(parse(&formula.to_string()), formula);
        refuse(&alternating(MAX_DEPTH / 2 + 1));
        // & in & is one &, however it is nested.
        assert_eq!(parse(&nested("(true & ", ")", MAX_DEPTH)).depth(), 2);
    });
}

#[test]
fn the_deepest_formula_prints_and_parses() {
    on_a_small_stack(|| {
        for grow in [
            |f: Formula| !f,
            |f: Formula| f >> truth(true),
            |f: Formula| until(f, truth(true)),
            |f: Formula| until(truth(true), f),
            |f: Formula| (f & truth(true)) | truth(false),
            |f: Formula| next(f | truth(false)),
        ] {
            let mut formula = truth(true);
            loop {
                let deeper = grow(formula.clone());
                if deeper.depth() > MAX_DEPTH {
                    break;
                }
                formula = deeper;
            }
            assert_eq!(parse(&formula.to_string()), formula);
            let deeper = grow(formula);
            if deeper.depth() > MAX_DEPTH {
                assert!(Formula::parse(&deeper.to_string()).is_err());
            }
        }
    });
}

#[test]
fn values_nest_up_to_a_bound() {
    on_a_small_stack(|| {
        for (open, close) in [("[", "]"), ("{a: ", "}")] {
            let text = |n: usize| {
                format!(
                    "called_with(\"a\", k={}1{})",
                    open.repeat(n),
                    close.repeat(n)
                )
            };
            let formula = parse(&text(128));
            assert_eq!(parse(&formula.to_string()), formula);
            for n in [129, 100_000] {
                assert_eq!(said(&text(n)).0, &open[..1]);
            }
        }
    });
}

#[test]
fn long_texts() {
    on_a_small_stack(|| {
        for (chain, node) in [(" & ", Node::And(200_001)), (" | ", Node::Or(200_001))] {
            let text = format!("true{}", format!("{chain}true").repeat(200_000));
            let parsed = parse_with(&text, &mut NoHost).unwrap();
            assert_eq!(parsed.formula.nodes().last(), Some(&node));
            assert_eq!(parsed.spans.last(), Some(&(0..text.len())));
            assert_eq!(parsed.formula.to_string(), text);
        }
        // 10 MB: of one string, of blanks, of more nodes than are allowed, of arguments.
        const MANY: usize = 10_000_000;
        let name = "é".repeat(MANY / 2);
        assert_eq!(parse(&format!("now(\"{name}\")")), now(name.as_str()));
        assert_eq!(parse(&format!("{}true", " ".repeat(MANY))), truth(true));
        let nodes = "true&".repeat(MANY / 5);
        let error = refuse(&nodes);
        assert!(error.message.contains(&MAX_NODES.to_string()));
        assert_eq!(&nodes[error.range.clone()], "true");
        let mut args = String::from("called_with(\"a\"");
        for i in 0..100_000 {
            args += &format!(", k{i}={i}");
        }
        let formula = parse(&(args + ")"));
        assert_eq!(parse(&formula.to_string()), formula);
        refuse(&"[".repeat(MANY));
        refuse(&"\"".repeat(MANY + 1));
        refuse(&"now(\"a\")!".repeat(MANY / 9));
    });
}
