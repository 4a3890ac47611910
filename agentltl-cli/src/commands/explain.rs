//! `agentltl explain`: a formula in words, by its verdicts, and by runs.

mod search;
mod words;

use std::io::Write;

use agentltl::{Formula, Node, RuntimeSafety, Trace, Verdict};

use crate::Outcome;
use crate::args::Explain;
use crate::error::Failure;
use crate::policy;
use crate::screen::{BAD, Plain, STRONG, Screen, WEAK};
use search::{Example, Wanted, shortest};

pub(crate) fn run(options: &Explain, screen: &mut Screen) -> Result<Outcome, Failure> {
    if let Some(text) = &options.formula {
        let formula = formula(text, screen)?;
        explain(&formula, screen)?;
    } else if let Some(path) = &options.policy {
        let policy = policy::load(path, screen)?;
        let wanted = |name: &str| options.rule.as_deref().is_none_or(|rule| rule == name);
        let mut found = false;
        for rule in policy
            .constraints()
            .iter()
            .filter(|rule| wanted(rule.name()))
        {
            found = true;
            let (name, severity) = (Plain(rule.name()), policy.severity_of(rule));
            writeln!(screen.out(), "{STRONG}{name}{STRONG:#}: {severity}")?;
            if !rule.description().is_empty() {
                writeln!(screen.out(), "{}", Plain(rule.description()))?;
            }
            explain(rule.formula(), screen)?;
            writeln!(screen.out())?;
        }
        if let (false, Some(name)) = (found, &options.rule) {
            let names = policy.constraints().iter().map(agentltl::Constraint::name);
            let near = agentltl::nearest(name, names)
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let message = format!("the policy has no constraint `{name}`{near}");
            return Err(Failure::Input(message));
        }
    }
    Ok(Outcome::Met)
}

/// Reads a formula from the command line; what is wrong with it is shown.
pub(crate) fn formula(text: &str, screen: &mut Screen) -> Result<Formula, Failure> {
    match Formula::parse(text) {
        Ok(formula) => Ok(formula),
        Err(error) => {
            screen.report(BAD, "error", &Plain(&error.render(text)).to_string());
            Err(Failure::Input("this is not a formula".to_owned()))
        }
    }
}

fn explain(formula: &Formula, screen: &mut Screen) -> Result<(), Failure> {
    let out = screen.out();
    let mut line =
        |label: &str, text: &str| writeln!(out, "{WEAK}{label:10}{WEAK:#}{}", Plain(text));
    line("formula", &formula.to_string())?;
    line("in words", &words::sentence(formula))?;
    line("verdicts", &verdicts(formula))?;
    line("class", &class(formula))?;
    for (label, wanted) in [
        ("violated", Wanted::Violated),
        ("satisfied", Wanted::Satisfied),
    ] {
        line(label, &by(shortest(formula, wanted)))?;
    }
    Ok(())
}

fn verdicts(formula: &Formula) -> String {
    let meaning = |verdict| match verdict {
        Verdict::False => "FALSE (violated for good)",
        Verdict::PFalse => "PFALSE (an obligation is not met yet)",
        Verdict::Pending => "PENDING (undecided)",
        Verdict::PTrue => "PTRUE (holds so far)",
        Verdict::True => "TRUE (holds for good)",
    };
    let all: Vec<&str> = formula.reachable().iter().map(meaning).collect();
    all.join(", ")
}

/// The class, and what makes it so.
fn class(formula: &Formula) -> String {
    let class = formula.runtime_safety();
    let why = match class {
        RuntimeSafety::Safe => {
            "it fails only for good, so each refusal points at a real violation by the refused call"
                .to_owned()
        }
        RuntimeSafety::Inert => {
            "it cannot fail before the run ends, so it never refuses a call; check it on the final \
             answer"
                .to_owned()
        }
        RuntimeSafety::Unsafe => format!(
            "{} can be unmet while it can still be met, and then every call would be refused",
            culprit(formula)
        ),
        RuntimeSafety::Ambiguous => {
            "a predicate in it does not declare whether its violations are \
                                     final (runtime_safe=true or false)"
                .to_owned()
        }
    };
    format!("{class}: {why}")
}

/// The smallest part that is open with an obligation: the one to change.
fn culprit(formula: &Formula) -> String {
    let tree = formula.tree();
    let reach = formula.reach();
    let mut id = tree.root();
    let mut open = Verdict::PFalse;
    // Down to the operand the verdict comes from; under `!`, and left of `->`, it is mirrored.
    loop {
        let mirrored = |child: usize| {
            let is_left = tree.children(id).first() == Some(&child);
            matches!(tree.node(id), Node::Not) || matches!(tree.node(id), Node::Implies) && is_left
        };
        let next = tree.children(id).iter().copied().find_map(|child| {
            let wanted = if mirrored(child) { !open } else { open };
            reach[child]
                .verdicts
                .contains(wanted)
                .then_some((child, wanted))
        });
        match next {
            Some((child, wanted)) => (id, open) = (child, wanted),
            None => return format!("`{}`", tree.subformula(id)),
        }
    }
}

fn by(found: Example) -> String {
    match found {
        Example::Run(trace) if trace.is_empty() => "by the run without calls".to_owned(),
        Example::Run(trace) => format!("by {}", run_text(&trace)),
        Example::None { length } => {
            format!("by no run of up to {length} calls of the tools it names and one other")
        }
        Example::Unasked(why) => format!("not searched: {why}"),
    }
}

fn run_text(trace: &Trace) -> String {
    let calls: Vec<String> = trace
        .iter()
        .map(|call| {
            let arguments: Vec<String> = call
                .arguments
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            let result = call
                .result
                .as_ref()
                .map_or_else(String::new, |result| format!(" = {result}"));
            format!("{}({}){result}", call.tool_name, arguments.join(", "))
        })
        .collect();
    calls.join(", ")
}
