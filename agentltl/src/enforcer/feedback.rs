//! The default feedback: written for a model to act on.

use std::fmt::Write as _;

use super::Enforcer;
use super::decision::{Action, Decision, Violation};
use super::settings::SoftBlockMode;

/// The message for the agent whose call is refused: the rule, what about this call broke it, how to
/// comply, and what repeating the call would do. Empty where the call is allowed.
///
/// A renderer of your own can start from it; see [`EnforcerBuilder::render`](super::EnforcerBuilder::render).
///
/// ```
/// use agentltl::{feedback, Enforcer, Policy};
/// let enforcer = Enforcer::builder(Policy::default())
///     .render(|decision, enforcer| format!("{}\nAsk #ops for help.", feedback(decision, enforcer)))
///     .build()?;
/// # Ok::<(), agentltl::EnforcerError>(())
/// ```
#[must_use]
pub fn feedback(decision: &Decision, enforcer: &Enforcer) -> String {
    let Some(violation) = decision.violation() else {
        return String::new();
    };
    let mut text = String::new();
    let name = &violation.constraint_name;
    let tool = violation.tool_name.as_deref().unwrap_or_default();
    // Writing to a string cannot fail.
    if decision.latched {
        let _ = write!(
            text,
            "[STOPPED] Not executed: the run was stopped by the rule `{name}` and has not been resumed."
        );
        let _ = write!(
            text,
            "\nReason: the call of `{tool}` at step {}: {}",
            violation.step_number,
            clip(&violation.detail)
        );
        text.push_str(
            "\nNo tool call runs until a human resumes the run. Make no further calls; report where you are.",
        );
        return text;
    }
    let severity = violation.severity_name();
    let escalation = if decision.escalated {
        ", ESCALATED"
    } else {
        ""
    };
    let _ = write!(
        text,
        "[{severity}{escalation}] The call of `{tool}` was not executed."
    );
    let _ = write!(text, "\nRule `{name}`: {}", rule(violation));
    let _ = write!(text, "\nWhat breaks it: {}", clip(&violation.detail));
    if violation.uncertain {
        text.push_str(
            "\nThis is a possible match only: what the call touches is known when it runs, so it is refused to be safe.",
        );
    }
    if !violation.repair.trim().is_empty() {
        let _ = write!(text, "\nHow to comply: {}", violation.repair.trim());
    }
    let others = &decision.violations[1..];
    if !others.is_empty() {
        let rules = if others.len() == 1 { "rule" } else { "rules" };
        let _ = write!(
            text,
            "\nThe call breaks {} more {rules}; a change that meets all of them saves another refusal:",
            others.len()
        );
        for (number, other) in (2..).zip(others) {
            let advice = match other.advice() {
                "" => &other.detail,
                advice => advice,
            };
            let _ = write!(
                text,
                "\n  {number}. `{}`: {}",
                other.constraint_name,
                clip(advice)
            );
        }
    }
    let _ = write!(
        text,
        "\nIf you repeat it: {}",
        consequence(decision, enforcer)
    );
    text
}

/// The rule in words, or as a formula where nobody put it in words.
fn rule(violation: &Violation) -> String {
    match violation.description.trim() {
        "" => clip(&violation.formula),
        description => clip(description),
    }
}

/// What repeating the call would do.
fn consequence(decision: &Decision, enforcer: &Enforcer) -> String {
    let settings = &enforcer.settings;
    let stop = if settings.latch_stop {
        "it is refused, as is every other call until a human resumes the run. Report where you are."
    } else {
        "it is refused again. The run stops here; do not look for a way around the rule."
    };
    let used_up = decision.soft_block.map(|count| {
        format!(
            "This rule has refused too many calls ({count}, {} mode)",
            count.mode
        )
    });
    match decision.action {
        Action::Stop => match used_up {
            Some(used_up) => format!("{stop} {used_up}."),
            None => stop.to_owned(),
        },
        Action::Ask => match used_up {
            Some(used_up) => format!(
                "it is refused again. {used_up}, so a human has been asked to decide; wait for the answer."
            ),
            None => {
                "it is refused again. A human has been asked to approve it; do not work around \
                     the rule meanwhile."
                    .to_owned()
            }
        },
        Action::Block => {
            "it is refused every time, whatever the reason. Do something else.".to_owned()
        }
        Action::Warn => {
            "exactly this call, with the same arguments, runs if it is your very next one. \
                         Do that only if you are sure it is needed; otherwise comply."
                .to_owned()
        }
        Action::Retry => {
            let target = match settings.escalate_to {
                agentltl_core::Severity::Ask => "a human is asked to decide",
                _ => "the run stops",
            };
            let Some(count) = decision.soft_block else {
                return format!("it is refused again, and in the end {target}.");
            };
            let in_a_row = match (count.mode, count.consecutive) {
                (SoftBlockMode::Cumulative, _) | (_, false) => "",
                _ => " in a row",
            };
            format!(
                "it is refused again. Refusal {} of {}{in_a_row} for this rule; at {} {target}. Choose a call that complies.",
                count.used, count.limit, count.limit
            )
        }
        Action::Allow => String::new(),
    }
}

/// What the agent is told when it wants to finish too early.
pub(super) fn unfinished(unmet: &[Violation], shown: usize) -> String {
    let mut text = String::from("Not finished yet. These rules of the task are still unmet:");
    for violation in unmet.iter().take(shown) {
        let advice = match violation.advice() {
            "" => &violation.detail,
            advice => advice,
        };
        let _ = write!(
            text,
            "\n  - `{}`: {}",
            violation.constraint_name,
            clip(advice)
        );
    }
    if unmet.len() > shown {
        let _ = write!(text, "\n  - and {} more", unmet.len() - shown);
    }
    text.push_str(
        "\nDo what they ask for, then give your final answer. If one cannot apply here, say so and finish.",
    );
    text
}

/// One line of bounded length.
fn clip(text: &str) -> String {
    const LIMIT: usize = 400;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
