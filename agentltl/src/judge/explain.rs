//! Why a formula holds or fails, in words for people and models.

use std::fmt::Write as _;

use agentltl_core::{Name, Node, NodeId, Pattern, Verdict};

use super::atoms::{self, Fact};
use super::table::{Evaluator, Mode};
use super::{EvaluationError, hosts};
use crate::matching::{Binding, Bindings};

/// How far down the formula the reason is sought.
const DEPTH: usize = 8;
/// How many parts of a conjunction or disjunction are spelt out.
const PARTS: usize = 3;
/// How long a piece of formula or value may be in a text.
const CLIP: usize = 160;

/// Why the subformula is as it is at the position.
pub(super) fn explain(
    evaluator: &Evaluator<'_, '_, '_, '_>,
    id: NodeId,
    position: usize,
    bindings: Bindings<'_>,
) -> Result<String, EvaluationError> {
    let mut text = Explainer {
        evaluator,
        bindings,
    }
    .why(id, position, DEPTH)?;
    if let Some(first) = text.get(..1) {
        let upper = first.to_uppercase();
        text.replace_range(..1, &upper);
    }
    text.push('.');
    Ok(text)
}

#[derive(Clone, Copy)]
struct Explainer<'e, 'v, 'r, 'a, 'f> {
    evaluator: &'e Evaluator<'v, 'r, 'a, 'f>,
    bindings: Bindings<'e>,
}

type Text = Result<String, EvaluationError>;

impl Explainer<'_, '_, '_, '_, '_> {
    /// The verdicts of a subformula from position 0 on.
    fn verdicts(&self, id: NodeId) -> Result<impl Fn(usize) -> Verdict + use<>, EvaluationError> {
        let table = self.evaluator.table(id, self.bindings)?;
        let column = table.column(id).cloned();
        Ok(move |position| {
            column
                .as_ref()
                .map_or(Verdict::Pending, |column| column.at(position))
        })
    }

    fn fails(&self, verdict: Verdict) -> bool {
        match self.evaluator.mode {
            Mode::Running => verdict.refuses(),
            Mode::Finished => verdict == Verdict::False,
        }
    }

    fn formula(&self, id: NodeId) -> String {
        format!(
            "`{}`",
            clip(&self.evaluator.plan.tree.subformula(id).to_string())
        )
    }

    fn why(&self, id: NodeId, position: usize, depth: usize) -> Text {
        let tree = &self.evaluator.plan.tree;
        let node = tree.node(id);
        let run = self.evaluator.run;
        if let Some(fact) = atoms::fact(node, run, self.bindings) {
            return Ok(self.atom(node, id, fact));
        }
        let fails = self.fails(self.verdicts(id)?(position));
        let children = tree.children(id);
        let plain = |how: &str| {
            Ok(format!(
                "{} {how}{}",
                self.formula(id),
                at(position, run.len())
            ))
        };
        if depth == 0 {
            return plain(if fails { "does not hold" } else { "holds" });
        }
        let why = |id, position| self.why(id, position, depth - 1);
        match node {
            Node::Now(tool) => Ok(match run.calls().get(position) {
                None => "no call has been made".to_owned(),
                Some(call) if call.tool_name == tool.as_str() => {
                    format!("{} is `{}`", call_at(position), tool.as_str())
                }
                Some(call) => {
                    let other = clip(&call.tool_name);
                    format!(
                        "{} is `{other}`, not `{}`",
                        call_at(position),
                        tool.as_str()
                    )
                }
            }),
            Node::Matches(pattern) => Ok(match run.calls().get(position) {
                None => "no call has been made".to_owned(),
                Some(call) => {
                    let how = match pattern {
                        Pattern::Host { pattern, .. } => match hosts::pattern(pattern, call)? {
                            crate::Match::Maybe => "may match",
                            crate::Match::Yes => "matches",
                            crate::Match::No => "does not match",
                        },
                        _ if fails => "does not match",
                        _ => "matches",
                    };
                    let tool = clip(&call.tool_name);
                    format!(
                        "{} (`{tool}`) {how} {}",
                        call_at(position),
                        self.formula(id)
                    )
                }
            }),
            Node::Predicate { function, .. } => {
                let answer = hosts::predicate(function, run.calls(), position)?;
                Ok(answer.note.map_or_else(
                    || {
                        let says = if answer.holds { "yes" } else { "no" };
                        format!("the predicate `{}` says {says}", function.name())
                    },
                    |note| clip(&note),
                ))
            }
            Node::And(_) if fails => self.parts(children, position, depth, true, " and "),
            Node::Or(_) if fails => Ok(format!(
                "none of the alternatives holds: {}",
                self.parts(children, position, depth, false, "; ")?
            )),
            Node::Or(_) => {
                for child in children {
                    if !self.fails(self.verdicts(*child)?(position)) {
                        return why(*child, position);
                    }
                }
                plain("holds")
            }
            Node::Implies if fails => Ok(format!(
                "{}, so {} has to hold, but {}",
                why(children[0], position)?,
                self.formula(children[1]),
                why(children[1], position)?
            )),
            Node::Not => {
                let inner = why(id - 1, position)?;
                Ok(if fails {
                    format!("{inner}, which must not be")
                } else {
                    inner
                })
            }
            Node::Next if position + 1 >= run.len() => {
                Ok(format!("no call follows {}", call_at(position)))
            }
            Node::Next => why(id - 1, position + 1),
            Node::At(k) => match usize::try_from(*k) {
                Ok(k) if k < run.len() => why(id - 1, k),
                _ => Ok(format!("there is no call at position {k}")),
            },
            Node::Previous if position == 0 => Ok("no call comes before the first".to_owned()),
            Node::Previous => why(id - 1, position - 1),
            Node::Globally | Node::Historically if fails => {
                let verdicts = self.verdicts(id - 1)?;
                let mut range = match node {
                    Node::Globally => position..run.len(),
                    _ => 0..position + 1,
                };
                match range.find(|i| self.fails(verdicts(*i))) {
                    Some(i) => why(id - 1, i),
                    None => plain("does not hold"),
                }
            }
            Node::Eventually if fails => Ok(format!("{} never held", self.formula(id - 1))),
            Node::Once if fails => Ok(format!(
                "{} has not held up to {}",
                self.formula(id - 1),
                call_at(position)
            )),
            Node::Once | Node::Eventually => {
                let verdicts = self.verdicts(id - 1)?;
                let mut range = match node {
                    Node::Eventually => position..run.len(),
                    _ => 0..(position + 1).min(run.len()),
                };
                match range.find(|i| verdicts(*i).holds()) {
                    Some(i) => Ok(format!("{} held at {}", self.formula(id - 1), call_at(i))),
                    None => plain("is not decided yet"),
                }
            }
            Node::CountBefore(bound) => {
                let verdicts = self.verdicts(id - 1)?;
                let held = (0..position)
                    .filter(|i| verdicts(*i) == Verdict::True)
                    .count();
                Ok(format!(
                    "{} held {} before {}; {} asks for {bound}",
                    self.formula(id - 1),
                    times(held as u64),
                    call_at(position),
                    self.formula(id),
                ))
            }
            Node::Forall(name, domain) | Node::Exists(name, domain) => {
                let entities = run.entities(domain, self.bindings)?;
                let universal = matches!(node, Node::Forall(..));
                for entity in &entities {
                    let binding = Binding {
                        outer: self.bindings,
                        name,
                        value: entity,
                    };
                    let inner = Explainer {
                        evaluator: self.evaluator,
                        bindings: Bindings::of(&binding),
                    };
                    let decides = fails == universal;
                    if decides && self.fails(inner.verdicts(id - 1)?(position)) == universal {
                        let value = clip(&entity.to_string());
                        let reason = inner.why(id - 1, position, depth - 1)?;
                        return Ok(format!("for {name} = {value}: {reason}"));
                    }
                }
                let count = entities.len();
                Ok(match (universal, count) {
                    (true, 0) => format!("there is no {name} yet"),
                    (true, _) => format!("it holds for each {name} ({count})"),
                    (false, _) => format!("it holds for no {name} (of {count})"),
                })
            }
            _ => plain(if fails { "does not hold" } else { "holds" }),
        }
    }

    /// The reasons of the operands that fail (or of all), the first few of them.
    fn parts(
        &self,
        children: &[NodeId],
        position: usize,
        depth: usize,
        failing: bool,
        between: &str,
    ) -> Text {
        let mut text = String::new();
        let (mut shown, mut more) = (0, 0);
        for child in children {
            if failing && !self.fails(self.verdicts(*child)?(position)) {
                continue;
            }
            if shown == PARTS {
                more += 1;
                continue;
            }
            if shown > 0 {
                text.push_str(between);
            }
            text.push_str(&self.why(*child, position, depth - 1)?);
            shown += 1;
        }
        if more > 0 {
            let _ = write!(text, "{between}{more} more");
        }
        Ok(text)
    }

    /// Atoms about the whole run.
    fn atom(&self, node: &Node, id: NodeId, fact: Fact) -> String {
        let run = self.evaluator.run;
        let first = |tool: &Name| run.first(tool.as_str());
        let finished = self.evaluator.mode == Mode::Finished;
        let missing = |tool: &Name| {
            let when = if finished {
                "was never called"
            } else {
                "has not been called yet"
            };
            format!("`{}` {when}", clip(tool.as_str()))
        };
        let came = |tool: &Name, position: usize| {
            format!("`{}` ({})", clip(tool.as_str()), call_at(position))
        };
        match node {
            Node::True | Node::False => format!("{} is constant", self.formula(id)),
            Node::Called(tool) => match first(tool) {
                Some(position) => format!("{} was called", came(tool, position)),
                None => missing(tool),
            },
            Node::CalledN(tool, bound) => format!(
                "`{}` was called {}; the rule asks for {bound}",
                clip(tool.as_str()),
                times(fact.count.unwrap_or(0)),
            ),
            Node::CalledWith(tool, args) => {
                match (
                    run.matching(tool.as_str(), args, self.bindings).first(),
                    first(tool),
                ) {
                    (Some(position), _) => {
                        format!(
                            "{} fits {}",
                            came(tool, *position as usize),
                            self.formula(id)
                        )
                    }
                    (None, Some(_)) => {
                        format!(
                            "no call of `{}` fits {}",
                            clip(tool.as_str()),
                            self.formula(id)
                        )
                    }
                    (None, None) => missing(tool),
                }
            }
            Node::CalledWithResult(tool, ..) => match (fact.verdict, first(tool)) {
                (Verdict::True, _) => {
                    format!(
                        "a call of `{}` fits {}",
                        clip(tool.as_str()),
                        self.formula(id)
                    )
                }
                (_, None) => missing(tool),
                (Verdict::Pending, _) => {
                    format!("the result of `{}` is not known yet", clip(tool.as_str()))
                }
                _ => format!(
                    "no call of `{}` fits {}",
                    clip(tool.as_str()),
                    self.formula(id)
                ),
            },
            Node::Before(a, b) => match (first(a), first(b)) {
                (Some(_), None) => format!("{}, so nothing came before it", missing(b)),
                (None, None) => format!("neither `{}` nor {}", clip(a.as_str()), missing(b)),
                (None, Some(b_at)) => format!("{} came and {}", came(b, b_at), missing(a)),
                (Some(a_at), Some(b_at)) if fact.verdict == Verdict::True => {
                    format!("{} came before {}", came(a, a_at), came(b, b_at))
                }
                (Some(a_at), Some(b_at)) if a_at < b_at => {
                    format!(
                        "{} and {} ran in the same step",
                        came(a, a_at),
                        came(b, b_at)
                    )
                }
                (Some(a_at), Some(b_at)) => {
                    format!("{} came before {}", came(b, b_at), came(a, a_at))
                }
            },
            Node::After(a, b) => match (first(a), first(b)) {
                (Some(a_at), Some(b_at)) if a_at > b_at => {
                    format!("{} came after {}", came(a, a_at), came(b, b_at))
                }
                (Some(a_at), Some(b_at)) => {
                    format!("{} did not come after {}", came(a, a_at), came(b, b_at))
                }
                (Some(a_at), None) => format!("{} came and {}", came(a, a_at), missing(b)),
                (None, _) => missing(a),
            },
            Node::AllBefore(tools, gate) => match first(gate) {
                None => missing(gate),
                Some(at) => {
                    let late: Vec<_> = tools
                        .iter()
                        .filter(|tool| first(tool).is_none_or(|first| first >= at))
                        .map(|tool| format!("`{}`", tool.as_str()))
                        .collect();
                    if late.is_empty() {
                        format!(
                            "all of {} tools came before {}",
                            tools.len(),
                            came(gate, at)
                        )
                    } else {
                        let late = clip(&late.join(", "));
                        format!("{} came and before it not {late}", came(gate, at))
                    }
                }
            },
            Node::InOrder(tools) => format!(
                "{} of the {} tools in {} came in that order",
                atoms::in_order(run.calls(), tools),
                tools.len(),
                self.formula(id),
            ),
            Node::BranchCalled {
                correct,
                wrong,
                context,
            } => {
                let context = context
                    .as_ref()
                    .map_or(String::new(), |c| format!(" ({})", clip(c)));
                let text = match (
                    wrong.as_ref().and_then(|w| Some((w, first(w)?))),
                    first(correct),
                ) {
                    (Some((wrong, at)), _) => {
                        format!("{} was called, which is the wrong branch", came(wrong, at))
                    }
                    (None, Some(at)) => {
                        format!(
                            "{} was called, which is the right branch",
                            came(correct, at)
                        )
                    }
                    (None, None) => missing(correct),
                };
                text + &context
            }
            Node::WithinSteps(a, b, steps) => match first(a) {
                None => missing(a),
                Some(at) => {
                    let next = run
                        .positions(b.as_str())
                        .iter()
                        .find(|p| **p as usize >= at);
                    match next {
                        Some(next) => format!(
                            "{} came {} after {}; at most {steps} are allowed",
                            came(b, *next as usize),
                            calls(*next as usize - at),
                            came(a, at),
                        ),
                        None => format!(
                            "`{}` has not come within {steps} calls of {}",
                            clip(b.as_str()),
                            came(a, at)
                        ),
                    }
                }
            },
            Node::InstanceBefore(a, n, b, m) => {
                let nth = |tool: &Name, n: i64| match run.nth(tool.as_str(), n) {
                    Some(at) => format!("call {n} of `{}` is {}", clip(tool.as_str()), call_at(at)),
                    None => format!("there is no call {n} of `{}`", clip(tool.as_str())),
                };
                format!("{} and {}", nth(a, *n), nth(b, *m))
            }
            _ => format!("{} is {}", self.formula(id), fact.verdict),
        }
    }
}

fn call_at(position: usize) -> String {
    format!("call #{}", position + 1)
}

fn at(position: usize, len: usize) -> String {
    if len == 0 {
        String::new()
    } else {
        format!(" at {}", call_at(position))
    }
}

fn times(count: u64) -> String {
    match count {
        0 => "not at all".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

fn calls(count: usize) -> String {
    if count == 1 {
        "1 call".to_owned()
    } else {
        format!("{count} calls")
    }
}

/// The text on one line, cut where it is too long.
fn clip(text: &str) -> String {
    let mut short: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(CLIP + 1)
        .collect();
    if let Some((end, _)) = short.char_indices().nth(CLIP) {
        short.truncate(end);
        short.push('…');
    }
    short
}
