//! What the proofs about a policy cost. The macros run them in the compiler, without optimisation:
//!
//!     cargo bench --profile dev --bench analysis
//!
//! Each time is the best of some; fails where a bound of the project is exceeded.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::exit)]

use std::time::{Duration, Instant};

use agentltl::{Constraint, Formula, Policy, Severity};

/// Rules of the kinds that policies are made of, over so many tools. Where they are `sound`, each asks
/// for an order in which the tools are counted; otherwise some contradict each other.
fn typical(count: usize, tools: usize, sound: bool) -> Policy {
    policy((0..count).map(|i| {
        let at = (i + i / 12) % tools;
        let (earlier, later) = match sound {
            true => (at * 5 / 7, at + 1 + i * 3 % 5),
            false => ((i * 7 + 3) % tools, (i * 3 + tools / 2) % tools),
        };
        let earlier = if earlier == at { tools + 9 } else { earlier };
        let (a, b, c) = (
            format!("\"t{at}\""),
            format!("\"t{earlier}\""),
            format!("\"t{later}\""),
        );
        match i % 12 {
            0 => format!("before({a}, {c})"),
            1 => format!("called_n({a}, <= 2)"),
            2 => format!("G(now({a}) -> O(now({b})))"),
            3 => format!("G(!matches({a}, force=true))"),
            4 => format!("G(now({a}) -> X(G(!now({a}))))"),
            5 => format!("all_before([{a}, {b}], {c})"),
            6 => format!("!called({a}) | called_with_result({b}, \"ok\")"),
            7 => format!("(!now({a})) W now({b})"),
            8 => format!("G(now({a}) -> F(now({c})))"),
            9 => format!("instance_before({a}[1], {c}[1])"),
            10 => format!("within_steps({a}, \"t{}\", 5)", at + 1),
            _ => format!("after({c}, {a})"),
        }
    }))
}

/// As above, some of them over the values of arguments.
fn quantified(count: usize) -> Policy {
    let mut rules: Vec<Constraint> = typical(count, 2 * count, true).constraints().to_vec();
    for (i, rule) in rules.iter_mut().enumerate().filter(|(i, _)| i % 6 == 5) {
        let formula = match i % 12 {
            5 => format!("forall v in args(\"t{i}\", \"id\"): called_with(\"u{i}\", id=?v)"),
            _ => format!(
                "forall v in args(\"t{i}\", \"id\"): \
                 G(matches(\"t{i}\", id=?v) -> O(matches(\"u{i}\", id=?v)))"
            ),
        };
        *rule = Constraint::new(format!("rule{i}"), formula.parse().unwrap())
            .with_severity(Severity::Tolerate);
    }
    Policy::new(rules).unwrap()
}

fn policy(formulas: impl Iterator<Item = String>) -> Policy {
    let rules = formulas.enumerate().map(|(i, formula)| {
        let formula: Formula = formula.parse().unwrap();
        // What can only be met later is not to be enforced at once.
        let severity = match i % 12 {
            6 | 11 => Severity::Tolerate,
            _ => Severity::HardStop,
        };
        Constraint::new(format!("rule{i}"), formula).with_severity(severity)
    });
    Policy::new(rules.collect::<Vec<_>>()).unwrap()
}

fn one(formula: String) -> Policy {
    policy([formula].into_iter())
}

fn pathological() -> Vec<(&'static str, Policy)> {
    let nested = (0..12).fold("now(\"end\")".to_owned(), |rest, i| {
        format!("(now(\"t{i}\") | now(\"u{i}\")) U ({rest})")
    });
    let next = format!("G(now(\"a\") -> {}now(\"b\"))", "X ".repeat(20));
    let tools: Vec<_> = (0..30).map(|i| format!("\"t{i}\"")).collect();
    let conjuncts: Vec<_> = (0..200)
        .map(|i| {
            format!(
                "(now(\"t{i}\") -> X(!now(\"t{}\") W now(\"t{}\")))",
                i + 1,
                i + 2
            )
        })
        .collect();
    let orders = (0..40).map(|i| format!("before(\"t{i}\", \"t{}\")", (i * 7 + 1) % 40));
    let counts = (0..50).map(|i| match i % 2 {
        0 => format!("called_n(\"t{i}\", <= {})", 7 + i),
        _ => format!(
            "G(now(\"t{}\") -> X((!now(\"t{i}\")) W now(\"t{}\")))",
            i - 1,
            i + 1
        ),
    });
    vec![
        ("nested untils", one(nested)),
        ("X^20 under G", one(next)),
        (
            "all_before of 30",
            one(format!("all_before([{}], \"gate\")", tools.join(", "))),
        ),
        (
            "200 conjuncts under G",
            one(format!("G({})", conjuncts.join(" & "))),
        ),
        ("orderings of 40 tools", policy(orders)),
        ("counts and waits", policy(counts)),
    ]
}

fn main() {
    let mut rows = vec![
        ("25 rules", 50, typical(25, 50, true)),
        ("25 rules, 12 tools", 50, typical(25, 12, true)),
        ("25 rules, quantified", 50, quantified(25)),
        ("25 rules, contradictory", 50, typical(25, 30, false)),
        ("200 rules", 1000, typical(200, 400, true)),
        ("200 rules, 60 tools", 1000, typical(200, 60, true)),
        ("200 rules, contradictory", 1000, typical(200, 60, false)),
    ];
    rows.extend(
        pathological()
            .into_iter()
            .map(|(name, policy)| (name, 1000, policy)),
    );
    println!(
        "{:24} {:>10} {:>8} {:>9} {:>6}",
        "", "time", "bound", "findings", "gaps"
    );
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.iter().any(|argument| argument == "--verbose");
    let only = arguments
        .iter()
        .find(|argument| !argument.starts_with("--"));
    if let Some(only) = only {
        rows.retain(|(name, ..)| name.contains(only.as_str()));
    }
    let mut slow = false;
    for (name, bound, policy) in rows {
        let mut best = Duration::MAX;
        let mut analysis = policy.analyze();
        for _ in 0..5 {
            let start = Instant::now();
            analysis = policy.analyze();
            best = best.min(start.elapsed());
        }
        println!(
            "{name:24} {:>7.1} ms {bound:>5} ms {:>9} {:>6}",
            best.as_secs_f64() * 1e3,
            analysis.findings.len(),
            analysis.gaps.len()
        );
        if verbose {
            println!("{analysis}");
        }
        slow |= best.as_millis() > bound;
    }
    if slow {
        std::process::exit(1);
    }
}
