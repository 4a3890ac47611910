//! AgentLTL beside the Python reference, cedar-policy, regorus and telo: see run.sh.
//!
//! All decide the same calls, and it is asserted that they decide alike, the calls they refuse
//! included. Of several runs the shortest counts, on either side: what disturbs can only make one
//! longer. The exit code tells whether all is at least as fast as it must be.

#[path = "../../support/workload.rs"]
mod workload;

use std::hint::black_box;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use agentltl::monitor::Monitors;
use agentltl::{Enforcer, Formula, ToolCall, Trace};
use workload::{call, calls, candidates, formulas, policy, texts};

type Error = Box<dyn std::error::Error>;

/// The shortest of several runs.
fn best(times: usize, mut run: impl FnMut() -> Duration) -> Duration {
    (0..times).map(|_| run()).min().unwrap_or_default()
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// So many candidates are asked about in turn, and calls are made as they are recorded: what is proposed
/// or has run was in hand a moment ago, and is not read from a list as long as the run. After so many
/// calls, too, every transition has been taken once.
const FEW: usize = 100;

/// How often a run of so many calls is repeated.
fn times(count: usize) -> usize {
    (2_000_000 / count).clamp(15, 200)
}

/// The monitors alone: a check and a record a call.
fn monitors(formulas: &[Formula], count: usize) -> Duration {
    let (calls, candidates) = (calls(FEW), candidates(FEW));
    let mut monitors = Monitors::new(formulas);
    monitors.replay(&calls, 0);
    best(times(count), || {
        monitors.reset();
        timed(|| {
            let few = candidates.iter().zip(&calls).cycle();
            for (candidate, call) in few.take(count) {
                assert!(monitors.check(black_box(candidate)).suspects.is_empty());
                monitors.record(black_box(call));
            }
        })
    })
}

/// The enforcer as it is used, which also stores the calls; `warm` says that it has had a run before,
/// in which its monitors have met what they meet here.
fn enforcer(formulas: &[Formula], count: usize, warm: bool) -> Result<Duration, Error> {
    let mut fresh = Enforcer::new(policy(formulas))?;
    let candidates = candidates(FEW);
    if warm {
        for call in calls(count.min(FEW)) {
            assert!(fresh.check(&call).allowed());
            fresh.record(call);
        }
        fresh.reset();
    }
    Ok(best(times(count), || {
        let mut enforcer = fresh.clone();
        timed(|| {
            for (position, candidate) in candidates.iter().cycle().take(count).enumerate() {
                assert!(enforcer.check(black_box(candidate)).allowed());
                enforcer.record(call(black_box(position)));
            }
        })
    }))
}

/// Making the calls and storing them, and nothing else.
fn store(count: usize) -> Duration {
    best(times(count), || {
        let mut trace = Trace::new();
        let time = timed(|| {
            for position in 0..count {
                trace.push(call(black_box(position)));
            }
        });
        black_box(&trace);
        time
    })
}

/// The seconds that the reference takes for runs of so many calls.
fn reference(python: &str, counts: &[usize]) -> Result<Vec<f64>, Error> {
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
        return Err("the reference failed, or refused a call".into());
    }
    let output = String::from_utf8(output.stdout)?;
    let line = |line: &str| {
        Ok(line
            .split_once(' ')
            .ok_or("a line of the reference")?
            .1
            .parse()?)
    };
    output.lines().map(line).collect()
}

/// Nanoseconds a candidate.
fn each(times: usize, candidates: &[ToolCall], mut run: impl FnMut()) -> f64 {
    best(times, || timed(&mut run)).as_nanos() as f64 / candidates.len() as f64
}

/// A decision by 25 rules "never this tool", in nanoseconds: by the enforcer, by cedar-policy, by
/// regorus. What they are asked is made beforehand: only the decision is measured.
fn never() -> Result<[f64; 3], Error> {
    let formulas: Vec<Formula> = workload::never()
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    let candidates = candidates(1000);
    let refused = || (0..25).map(|i| format!("never{i}"));

    let blocking = formulas.iter().enumerate().map(|(i, formula)| {
        agentltl::Constraint::new(format!("c{i}"), formula.clone())
            .with_severity(agentltl::Severity::PersistentBlock)
    });
    let mut enforcer = Enforcer::new(agentltl::Policy::new(blocking)?)?;
    for tool in refused() {
        assert!(!enforcer.check(&ToolCall::new(tool)).allowed());
    }
    // The first call of a run is not like the others: it starts all constraints.
    enforcer.record(candidates[0].clone());
    for tool in refused() {
        assert!(!enforcer.check(&ToolCall::new(tool)).allowed());
    }
    let ours = each(200, &candidates, || {
        for candidate in &candidates {
            assert!(enforcer.check(black_box(candidate)).allowed());
        }
    });

    let mut policies = String::from("permit(principal, action, resource);\n");
    for tool in refused() {
        policies += &format!("forbid(principal, action == Action::\"{tool}\", resource);\n");
    }
    let policies = cedar_policy::PolicySet::from_str(&policies)?;
    let authorizer = cedar_policy::Authorizer::new();
    let entities = cedar_policy::Entities::empty();
    let request = |tool: &str| -> Result<cedar_policy::Request, Error> {
        Ok(cedar_policy::Request::new(
            r#"User::"agent""#.parse()?,
            format!("Action::\"{tool}\"").parse()?,
            r#"Tool::"any""#.parse()?,
            cedar_policy::Context::empty(),
            None,
        )?)
    };
    let decide = |request: &cedar_policy::Request| {
        authorizer
            .is_authorized(request, &policies, &entities)
            .decision()
    };
    for tool in refused() {
        assert_eq!(decide(&request(&tool)?), cedar_policy::Decision::Deny);
    }
    let requests: Vec<cedar_policy::Request> = candidates
        .iter()
        .map(|call| request(&call.tool_name))
        .collect::<Result<_, _>>()?;
    let cedar = each(20, &candidates, || {
        for request in &requests {
            assert_eq!(decide(black_box(request)), cedar_policy::Decision::Allow);
        }
    });

    let mut rego = String::from("package agent\nimport rego.v1\ndefault deny := false\n");
    for tool in refused() {
        rego += &format!("deny if input.tool == \"{tool}\"\n");
    }
    let mut engine = regorus::Engine::new();
    engine.add_policy("agent.rego".into(), rego)?;
    let compiled = engine.compile_with_entrypoint(&"data.agent.deny".into())?;
    let input = |tool: &str| {
        regorus::Value::from_json_str(&serde_json::json!({ "tool": tool }).to_string())
    };
    for tool in refused() {
        assert_eq!(
            compiled.eval_with_input(input(&tool)?)?,
            regorus::Value::from(true)
        );
    }
    let inputs: Vec<regorus::Value> = candidates
        .iter()
        .map(|call| input(&call.tool_name))
        .collect::<Result<_, _>>()?;
    let allow = regorus::Value::from(false);
    let regorus = each(10, &candidates, || {
        for input in &inputs {
            let denied = compiled.eval_with_input(black_box(input.clone())).ok();
            assert_eq!(denied.as_ref(), Some(&allow));
        }
    });
    Ok([ours, cedar, regorus])
}

/// A step of 25 monitors of formulas that telo can say, too, in nanoseconds: ours (a check and a
/// record) and theirs.
fn telo() -> Result<[f64; 2], Error> {
    use telo::Property;
    use telo::monitor::Monitor;
    use telo::predicate::{ClosurePredicate, Predicates};
    let mut formulas: Vec<Formula> = Vec::new();
    let mut makers: Vec<Box<dyn Fn() -> Monitor<ToolCall>>> = Vec::new();
    for i in 0..25 {
        let (a, b) = (format!("t{}", i % 10), format!("t{}x", (i + 3) % 10));
        formulas.push(
            match i % 2 {
                0 => format!(r#"G(now("{a}") -> X(G(!now("{b}"))))"#),
                _ => format!(r#"G(!now("{b}"))"#),
            }
            .parse()?,
        );
        makers.push(Box::new(move || {
            let mut builder = Predicates::builder();
            let mut is = |tool: &str, name| {
                let tool = tool.to_owned();
                let is = move |call: &ToolCall| call.tool_name == tool;
                Property::atomic(builder.new_predicate(ClosurePredicate::new(is, name)))
            };
            let property = match i % 2 {
                0 => {
                    let (a, b) = (is(&a, "is a"), is(&b, "is b"));
                    Property::always(a.implies(Property::next(Property::never(b))))
                }
                _ => Property::never(is(&b, "is b")),
            };
            let predicates = builder.build();
            let automaton = property.to_monitoring_automaton(&predicates);
            Monitor::new(predicates, automaton)
        }));
    }
    let calls = candidates(1000);
    let mut theirs: Vec<Monitor<ToolCall>> = makers.iter().map(|make| make()).collect();
    let mut ours = Monitors::new(&formulas);
    let their = each(50, &calls, || {
        for call in &calls {
            for monitor in &mut theirs {
                assert!(monitor.next_state(black_box(call)));
            }
        }
    });
    let our = each(50, &calls, || {
        for call in &calls {
            assert!(ours.check(black_box(call)).suspects.is_empty());
            ours.record(call);
        }
    });
    // After all these calls each of the forbidden tools breaks the same formulas here and there.
    for tool in 0..10 {
        let call = ToolCall::new(format!("t{tool}x"));
        let suspects = ours.check(&call).suspects;
        let broken: Vec<usize> = suspects.iter().map(|suspect| suspect.constraint).collect();
        let mut theirs: Vec<Monitor<ToolCall>> = makers.iter().map(|make| make()).collect();
        let refused = theirs.iter_mut().enumerate().filter_map(|(i, monitor)| {
            assert!(calls.iter().all(|call| monitor.next_state(call)));
            (!monitor.next_state(&call)).then_some(i)
        });
        assert_eq!(broken, refused.collect::<Vec<_>>());
        assert!(!broken.is_empty());
    }
    Ok([our, their])
}

/// The table, and whether everything is within its bounds.
struct Table {
    good: bool,
}

impl Table {
    fn row(&mut self, what: &str, theirs: f64, ours: f64, least: f64) {
        let ratio = theirs / ours;
        let missed = ratio < least;
        self.good &= !missed;
        let missed = if missed {
            format!(", less than {}", digits(least))
        } else {
            String::new()
        };
        println!(
            "| {what} | {} | {} | {}{missed} |",
            time(theirs),
            time(ours),
            digits(ratio)
        );
    }

    fn alone(&mut self, what: &str, ours: f64, most: f64) {
        let missed = ours > most;
        self.good &= !missed;
        let missed = if missed {
            format!(", more than {}", time(most))
        } else {
            String::new()
        };
        println!("| {what} | | {}{missed} | |", time(ours));
    }
}

/// A time in nanoseconds, in the unit that suits it.
fn time(nanoseconds: f64) -> String {
    let (number, unit) = match nanoseconds {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    if number < 10.0 {
        format!("{number:.1} {unit}")
    } else {
        format!("{number:.0} {unit}")
    }
}

fn digits(ratio: f64) -> String {
    let mut text = format!("{ratio:.0}");
    if ratio < 10.0 {
        text = format!("{ratio:.1}");
    }
    let mut i = text.find('.').unwrap_or(text.len());
    while i > 3 {
        i -= 3;
        text.insert(i, ',');
    }
    text + " x"
}

fn main() -> Result<ExitCode, Error> {
    let python = std::env::args()
        .nth(1)
        .ok_or("usage: agentltl-compare PYTHON")?;
    let formulas = formulas();
    let mut table = Table { good: true };
    println!("| | theirs | AgentLTL | AgentLTL is faster |\n|---|---:|---:|---:|");
    let counts = [50, 100, 200, 400];
    for (count, seconds) in counts.into_iter().zip(reference(&python, &counts)?) {
        let what = format!("Python reference, a run of {count} calls under 25 constraints");
        let ours = enforcer(&formulas, count, false)?.as_nanos() as f64;
        let least = if count == 400 { 100_000.0 } else { 0.0 };
        table.row(&what, seconds * 1e9, ours, least);
    }
    let [ours, cedar, regorus] = never()?;
    table.row(
        "cedar-policy, a decision by 25 rules \"never this tool\"",
        cedar,
        ours,
        80.0,
    );
    table.row("regorus, the same", regorus, ours, 80.0);
    let [ours, theirs] = telo()?;
    table.row(
        "telo, a step of 25 monitors of `G(a -> X(G(!b)))` and `G(!b)`",
        theirs,
        ours,
        1.0,
    );
    for count in [400, 10_000, 1_000_000] {
        let each = |time: Duration| time.as_nanos() as f64 / count as f64;
        let (whole, stored) = (each(enforcer(&formulas, count, true)?), each(store(count)));
        let beyond = format!(
            "a check and a record under 25 constraints beyond storing the call, over {count} calls"
        );
        table.alone(&beyond, whole - stored, 250.0);
        table.alone(
            "of that, the monitors",
            each(monitors(&formulas, count)),
            250.0,
        );
    }
    Ok(if table.good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
