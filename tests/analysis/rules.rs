//! Each kind of finding, on the smallest policy that has it.

use agentltl::Severity::{self, Ask, HardStop, PersistentBlock, SoftBlock, Tolerate};
use agentltl::analysis::{Analysis, Lint};
use agentltl::{Constraint, Formula, Policy};

/// The policy of these rules, in the order of names.
fn policy(rules: &[(&str, Severity, &str)]) -> Policy {
    let rules = rules.iter().map(|(name, severity, formula)| {
        let formula = formula.parse::<Formula>().unwrap();
        Constraint::new((*name).to_owned(), formula).with_severity(*severity)
    });
    Policy::new(rules).unwrap()
}

pub(super) fn kinds(analysis: &Analysis) -> Vec<Lint> {
    analysis
        .findings
        .iter()
        .map(|finding| finding.lint)
        .collect()
}

#[test]
fn a_wedge_is_shown_by_its_shortest_run() {
    let policy = policy(&[
        ("then_b", HardStop, r#"G(now("a") -> X(now("b")))"#),
        ("then_c", PersistentBlock, r#"G(now("a") -> X(now("c")))"#),
    ]);
    let analysis = policy.analyze();
    assert_eq!(
        analysis.to_string(),
        "wedge: an agent that obeys gets stuck after this allowed call: `then_b` (HARD_STOP) and \
         `then_c` (PERSISTENT_BLOCK) refuse whatever it calls next
    1. a() -- then_b: PENDING, then_c: PENDING
",
    );
}

#[test]
fn orders_both_ways_contradict_and_disable() {
    let rules = [
        ("one", HardStop, r#"before("a", "b")"#),
        ("other", HardStop, r#"before("b", "a")"#),
    ];
    let open = policy(&rules);
    assert_eq!(kinds(&open.analyze()), [Lint::Contradiction]);
    let closed = Policy::builder()
        .constraints(open.constraints().to_vec())
        .tools(["a", "b"])
        .build()
        .unwrap();
    let analysis = closed.analyze();
    assert_eq!(
        kinds(&analysis),
        [
            Lint::Wedge,
            Lint::UnusableTool,
            Lint::UnusableTool,
            Lint::Contradiction
        ]
    );
    assert!(analysis.findings[0].run.as_ref().unwrap().is_empty());
}

#[test]
fn a_rule_that_another_implies_is_redundant() {
    let policy = policy(&[
        ("never", HardStop, r#"G(!now("rm"))"#),
        ("once", HardStop, r#"called_n("rm", <= 1)"#),
    ]);
    let analysis = policy.analyze();
    assert_eq!(kinds(&analysis), [Lint::Redundant]);
    assert_eq!(analysis.findings[0].constraints, ["once", "never"]);
    let weaker = self::policy(&[
        ("never", Tolerate, r#"G(!now("rm"))"#),
        ("once", HardStop, r#"called_n("rm", <= 1)"#),
    ]);
    assert_eq!(kinds(&weaker.analyze()), []);
}

#[test]
fn a_final_answer_that_cannot_be_given_any_more() {
    let rules = [
        Constraint::new(
            "frozen",
            r#"G(now("deploy") -> X(G(!now("pytest"))))"#.parse().unwrap(),
        ),
        Constraint::new("tested", r#"called("pytest")"#.parse().unwrap())
            .with_severity(Tolerate)
            .on_final_answer(),
    ];
    let analysis = Policy::new(rules).unwrap().analyze();
    assert_eq!(kinds(&analysis), [Lint::DeadEnd]);
    assert_eq!(
        analysis.findings[0].run.as_ref().unwrap().to_string(),
        "deploy()"
    );
}

#[test]
fn what_is_free_is_said() {
    let policy = policy(&[(
        "each",
        HardStop,
        r#"forall v in args("a", "x"): called_with("b", x=?v)"#,
    )]);
    let analysis = policy.analyze();
    assert_eq!(
        (&analysis.findings[..], &analysis.gaps[..]),
        (&[][..], &[][..])
    );
    assert_eq!(
        analysis.free[0].to_string(),
        r#"constraint `each`: `forall v in args("a", "x"): called_with("b", x=?v)` may answer anything"#
    );
}

#[test]
fn rules_over_arguments_that_nothing_breaks() {
    for formula in [
        r#"forall v in args("a", "x"): called_with("a", x=?v)"#,
        r#"forall v in args("a", "x"): G(matches("a", x=?v) -> O(matches("a", x=?v)))"#,
        r#"forall v in args("a", "x"): G(now("b") -> !matches("a", x=?v))"#,
    ] {
        let analysis = policy(&[("rule", HardStop, formula)]).analyze();
        assert_eq!(kinds(&analysis), [Lint::Vacuous], "{formula}");
    }
    for formula in [
        r#"forall v in args("a", "x"): called_with("b", x=?v)"#,
        // It is so of that value alone.
        r#"forall v in args("a", "x"): called_with("a", x=1) -> called_with("a", x=?v) & called_with("b", x=1)"#,
        r#"forall v in args("a", "x"): G(!matches("a", x=1))"#,
        r#"forall v in args("a", "x"): called_with("a", y=?v)"#,
        r#"forall v in args("a", "x"): G(matches("a", x=?v) -> Y(true))"#,
    ] {
        let analysis = policy(&[("rule", HardStop, formula)]).analyze();
        assert_eq!(kinds(&analysis), [], "{formula}");
    }
}

#[test]
fn what_a_human_approves_is_not_unusable() {
    let rules = [
        ("ask", Ask, "false"),
        ("retry", SoftBlock, r#"false R after("a", "a")"#),
    ];
    let with = |rules: &[_]| {
        let rules = policy(rules).constraints().to_vec();
        Policy::builder()
            .constraints(rules)
            .tools(["a", "b"])
            .build()
            .unwrap()
            .analyze()
    };
    assert_eq!(with(&rules).of(Lint::UnusableTool).count(), 0);
    // Until a is called the rule is PFALSE, so that b is refused too.
    assert_eq!(with(&rules[1..]).of(Lint::UnusableTool).count(), 2);
}

#[test]
fn a_rule_that_holds_whatever_happens_is_vacuous() {
    let analysis = policy(&[
        ("any", HardStop, r#"G(now("a") -> O(now("a")))"#),
        (
            "none",
            Tolerate,
            r#"called_n("a", >= 2) & called_n("a", <= 1)"#,
        ),
    ])
    .analyze();
    assert_eq!(kinds(&analysis), [Lint::Vacuous, Lint::Unsatisfiable]);
    assert_eq!(analysis.findings[0].constraints, ["any"]);
    assert_eq!(analysis.findings[1].constraints, ["none"]);
}

/// The findings about one rule, as they print.
fn found(formula: &str) -> String {
    policy(&[("rule", HardStop, formula)]).analyze().to_string()
}

#[test]
fn a_part_that_could_as_well_be_a_constant() {
    // A call is one of one tool.
    assert_eq!(
        found(r#"G(now("a") & !now("b") -> O(now("c")))"#),
        "constant: in `rule`, `!now(\"b\")` is always true where it matters: with `true` in its place \
         the rule refuses the same calls and holds on the same finished runs\n",
    );
    assert_eq!(
        found(r#"G(now("a") -> O(now("c")) | O(now("b") & now("d")))"#),
        "constant: in `rule`, `O(now(\"b\") & now(\"d\"))` is always false where it matters: with `false` \
         in its place the rule refuses the same calls and holds on the same finished runs\n",
    );
    // The largest part is told.
    let formula = r#"G(now("a") -> O(now("c")) | O(now("b") & Y(now("d") & now("e"))))"#;
    let analysis = policy(&[("rule", HardStop, formula)]).analyze();
    let part = analysis.findings[0].part.as_ref().unwrap().to_string();
    assert_eq!(part, r#"O(now("b") & Y(now("d") & now("e")))"#);
}

#[test]
fn what_matters_is_not_constant() {
    for formula in [
        r#"before("a", "b")"#,
        r#"G(now("a") -> O(now("b")))"#,
        r#"G(now("a") -> X(G(!now("a"))))"#,
        r#"(!now("a")) W now("b")"#,
        r#"!called("a") | called_with_result("b", "ok")"#,
        // It is a literal that the author wrote.
        r#"true U now("a")"#,
        r#"false R (now("a") -> X(now("b")))"#,
        r#"F(now("a")) & X true"#,
        // The same finished runs pass without `called`, but other calls are refused.
        r#"before("a", "b") & called("b")"#,
    ] {
        let analysis = policy(&[("rule", Tolerate, formula)]).analyze();
        assert_eq!(analysis, Analysis::default(), "{formula}: {analysis}");
    }
}

/// Rules of the kinds that policies are made of.
fn typical(count: usize) -> Policy {
    let rules = (0..count).map(|i| {
        let (a, b, c) = (
            format!("t{i}"),
            format!("t{}", (i * 7 + 3) % count),
            format!("u{i}"),
        );
        let formula = match i % 8 {
            0 => format!(r#"before("{a}", "{c}")"#),
            1 => format!(r#"called_n("{a}", <= 2)"#),
            2 => format!(r#"G(now("{a}") -> O(now("{b}")))"#),
            3 => format!(r#"G(!matches("{a}", force=true))"#),
            4 => format!(r#"G(now("{a}") -> X(G(!now("{a}"))))"#),
            5 => format!(r#"all_before(["{a}", "{b}"], "{c}")"#),
            6 => format!(r#"!called("{a}") | called_with_result("{b}", "ok")"#),
            _ => format!(r#"(!now("{a}")) W now("{b}")"#),
        };
        let rule = Constraint::new(format!("rule{i}"), formula.parse::<Formula>().unwrap());
        rule.with_severity(if i % 8 == 6 { Tolerate } else { HardStop })
    });
    Policy::new(rules.collect::<Vec<_>>()).unwrap()
}

#[test]
fn an_analysis_ends() {
    for count in [25, 200] {
        let policy = typical(count);
        let start = std::time::Instant::now();
        let analysis = policy.analyze();
        // Only to be seen with --nocapture; far from what would be wrong.
        eprintln!(
            "{count} rules: {:?}, {} findings, {}",
            start.elapsed(),
            analysis.findings.len(),
            analysis
        );
        assert!(start.elapsed().as_secs() < 120);
        if count == 25 {
            assert_eq!(analysis, Analysis::default());
        }
    }
    let start = std::time::Instant::now();
    let steps = vec!["X"; 40].join(" ");
    let formula: Formula = format!(r#"G(now("a") -> {steps} now("b"))"#)
        .parse()
        .unwrap();
    let analysis = Policy::new([Constraint::new("late", formula)])
        .unwrap()
        .analyze();
    eprintln!("pathological: {:?}", start.elapsed());
    assert!(!analysis.gaps.is_empty());
    assert!(start.elapsed().as_secs() < 120);
}
