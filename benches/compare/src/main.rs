//! AgentLTL beside the Python reference, cedar-policy, regorus and telo. See run.sh.

use std::hint::black_box;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use agentltl::monitor::Monitors;
use agentltl::{Constraint, Enforcer, Formula, Policy, Severity, ToolCall};

type Error = Box<dyn std::error::Error>;

/// 25 constraints over ten tools; the tools that end in x are never called.
fn texts() -> Vec<String> {
    (0..25)
        .map(|i| {
            let (a, b) = (format!("t{}", i % 10), format!("t{}", (i + 3) % 10));
            match i % 4 {
                0 => format!(r#"G(now("{a}") -> X(G(!now("{b}x"))))"#),
                1 => format!(r#"G(!now("{a}x"))"#),
                2 => format!(r#"before("{a}", "{b}x")"#),
                _ => format!(r#"G(now("{a}") -> F(now("{b}")))"#),
            }
        })
        .collect()
}

fn calls(count: usize) -> Vec<ToolCall> {
    (0..count).map(|i| ToolCall::new(format!("t{}", i % 10)).with_result("ok")).collect()
}

fn candidates(count: usize) -> Vec<ToolCall> {
    (0..count).map(|i| ToolCall::new(format!("t{}", i % 10))).collect()
}

/// The shortest of several runs: what disturbs can only make it longer.
fn best(times: usize, mut run: impl FnMut() -> Duration) -> Duration {
    (0..times).map(|_| run()).min().unwrap_or_default()
}

/// Monitors alone: a check and a record a call.
fn monitors(formulas: &[Formula], count: usize) -> Duration {
    let (calls, candidates) = (calls(count), candidates(count));
    best(5, || {
        let mut monitors = Monitors::new(formulas);
        let start = Instant::now();
        for (candidate, call) in candidates.iter().zip(&calls) {
            assert!(monitors.check(black_box(candidate)).suspects.is_empty());
            monitors.record(call);
        }
        start.elapsed()
    })
}

/// The whole enforcer, which also stores the calls.
fn enforcer(formulas: &[Formula], count: usize) -> Result<Duration, Error> {
    let constraints = formulas.iter().enumerate().map(|(i, formula)| {
        Constraint::new(format!("c{i}"), formula.clone()).with_severity(Severity::Tolerate)
    });
    let policy = Policy::new(constraints)?;
    let calls = calls(count);
    let mut shortest = Duration::MAX;
    for _ in 0..5 {
        let mut enforcer = Enforcer::new(policy.clone())?;
        let calls = calls.clone();
        let start = Instant::now();
        for call in calls {
            assert!(enforcer.check(black_box(&call)).allowed());
            enforcer.record(call);
        }
        shortest = shortest.min(start.elapsed());
    }
    Ok(shortest)
}

fn reference(python: &str, counts: &[usize]) -> Result<Vec<(usize, f64)>, Error> {
    let mut child = Command::new(python)
        .arg("reference.py")
        .args(counts.iter().map(usize::to_string))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(texts().join("\n").as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err("the reference failed".into());
    }
    let mut times = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let (count, seconds) = line.split_once(' ').ok_or("a line of the reference")?;
        times.push((count.parse()?, seconds.parse()?));
    }
    Ok(times)
}

/// One decision with 25 rules "never this tool", in nanoseconds, for each way to make it.
fn never() -> Result<Vec<(&'static str, f64)>, Error> {
    let formulas: Vec<Formula> =
        (0..25).map(|i| format!(r#"G(!now("never{i}"))"#).parse()).collect::<Result<_, _>>()?;
    let candidates = candidates(1000);
    let each = |times: usize, run: &mut dyn FnMut()| {
        let time = best(times, || {
            let start = Instant::now();
            run();
            start.elapsed()
        });
        time.as_nanos() as f64 / candidates.len() as f64
    };

    let mut monitors = Monitors::new(&formulas);
    monitors.record(&candidates[0]);
    let ours = each(200, &mut || {
        for candidate in &candidates {
            assert!(monitors.check(black_box(candidate)).suspects.is_empty());
        }
    });

    // The requests are made beforehand; only the decision is measured.
    let mut policies = String::from("permit(principal, action, resource);\n");
    for i in 0..25 {
        policies += &format!("forbid(principal, action == Action::\"never{i}\", resource);\n");
    }
    let policies = cedar_policy::PolicySet::from_str(&policies)?;
    let authorizer = cedar_policy::Authorizer::new();
    let entities = cedar_policy::Entities::empty();
    let mut requests = Vec::new();
    for candidate in &candidates {
        requests.push(cedar_policy::Request::new(
            r#"User::"agent""#.parse()?,
            format!("Action::\"{}\"", candidate.tool_name).parse()?,
            r#"Tool::"any""#.parse()?,
            cedar_policy::Context::empty(),
            None,
        )?);
    }
    let cedar = each(10, &mut || {
        for request in &requests {
            let response = authorizer.is_authorized(black_box(request), &policies, &entities);
            assert_eq!(response.decision(), cedar_policy::Decision::Allow);
        }
    });

    let mut rego = String::from("package agent\nimport rego.v1\ndefault deny := false\n");
    for i in 0..25 {
        rego += &format!("deny if input.tool == \"never{i}\"\n");
    }
    let mut engine = regorus::Engine::new();
    engine.add_policy("agent.rego".into(), rego)?;
    let compiled = engine.compile_with_entrypoint(&"data.agent.deny".into())?;
    let inputs: Vec<regorus::Value> = candidates
        .iter()
        .map(|candidate| {
            let input = serde_json::json!({"tool": candidate.tool_name}).to_string();
            regorus::Value::from_json_str(&input)
        })
        .collect::<Result<_, _>>()?;
    let denied = compiled.eval_with_input(regorus::Value::from_json_str(r#"{"tool": "never7"}"#)?)?;
    assert_eq!(denied, regorus::Value::from(true));
    let regorus = each(3, &mut || {
        for input in &inputs {
            let denied = compiled.eval_with_input(black_box(input.clone())).ok();
            assert_eq!(denied, Some(regorus::Value::from(false)));
        }
    });
    Ok(vec![("AgentLTL", ours), ("cedar-policy", cedar), ("regorus", regorus)])
}

/// 25 monitors of the formulas that telo can say, too: nanoseconds a step of all of them.
fn telo() -> Result<[f64; 2], Error> {
    use telo::{Property, monitor::Monitor, predicate::ClosurePredicate, Predicates};
    let mut theirs = Vec::new();
    let mut formulas: Vec<Formula> = Vec::new();
    for i in 0..25 {
        let (a, b) = (format!("t{}", i % 10), format!("t{}x", (i + 3) % 10));
        let mut builder = Predicates::builder();
        let mut is = |tool: String| {
            Property::atomic(builder.new_predicate(ClosurePredicate::new(
                move |call: &ToolCall| call.tool_name == tool,
                "the call is of the tool",
            )))
        };
        let (text, property) = if i % 2 == 0 {
            (
                format!(r#"G(now("{a}") -> X(G(!now("{b}"))))"#),
                Property::always(is(a).implies(Property::next(Property::never(is(b))))),
            )
        } else {
            (format!(r#"G(!now("{b}"))"#), Property::never(is(b)))
        };
        let predicates = builder.build();
        let automaton = property.to_monitoring_automaton(&predicates);
        theirs.push(Monitor::new(predicates, automaton));
        formulas.push(text.parse()?);
    }
    let calls = candidates(1000);
    let their = best(50, || {
        let start = Instant::now();
        for call in &calls {
            for monitor in &mut theirs {
                assert!(monitor.next_state(black_box(call)));
            }
        }
        start.elapsed()
    });
    let mut monitors = Monitors::new(&formulas);
    let our = best(50, || {
        let start = Instant::now();
        for call in &calls {
            assert!(monitors.check(black_box(call)).suspects.is_empty());
            monitors.record(call);
        }
        start.elapsed()
    });
    Ok([our, their].map(|time| time.as_nanos() as f64 / 1000.0))
}

fn main() -> Result<(), Error> {
    let python = std::env::args().nth(1).ok_or("usage: agentltl-compare PYTHON")?;
    let formulas: Vec<Formula> =
        texts().iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let counts = [50, 100, 200, 400];
    let reference = reference(&python, &counts)?;
    println!("25 constraints, a check and a record a call\n");
    println!("| calls | reference | Enforcer | monitors alone | a call | reference / monitors | reference / Enforcer |");
    println!("|---:|---:|---:|---:|---:|---:|---:|");
    for count in [50, 100, 200, 400, 10_000, 1_000_000] {
        let (alone, whole) = (monitors(&formulas, count), enforcer(&formulas, count)?);
        let theirs = reference.iter().find(|(other, _)| *other == count).map(|(_, time)| *time);
        let seconds = theirs.map_or(String::new(), |time| format!("{time:.2} s"));
        let times = |ours: Duration| {
            theirs.map_or(String::new(), |time| format!("{:.0}", time / ours.as_secs_f64()))
        };
        println!(
            "| {count} | {seconds} | {whole:.1?} | {alone:.1?} | {:.0} ns | {} | {} |",
            alone.as_nanos() as f64 / count as f64,
            times(alone),
            times(whole)
        );
    }
    println!("\n25 rules \"never this tool\", a decision\n\n| | time | AgentLTL is faster |\n|---|---:|---:|");
    let never = never()?;
    for (name, time) in &never {
        println!("| {name} | {time:.0} ns | {:.0} x |", time / never[0].1);
    }
    let [our, their] = telo()?;
    println!("\n25 monitors of `G(a -> X(G(!b)))` and `G(!b)`, a step of all (ours: a check and a record)\n");
    println!("| AgentLTL | telo |\n|---:|---:|\n| {our:.0} ns | {their:.0} ns |");
    Ok(())
}
