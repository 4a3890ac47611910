//! What a call answers to the questions of a machine.

use std::collections::VecDeque;

use agentltl_core::monitor::{Counter, Input, OverBudget, Unsupported};
use agentltl_core::{Args, Formula, Host, Name, Node, Seq, Value, Verdict};
use serde_json::Value as Json;

use super::WINDOW;
use super::quantified::Quantified;
use crate::call::ToolCall;
use crate::host::{Match, PredicateFn};
use crate::judge::{EvaluationError, hosts};
use crate::matching::Bindings;

/// The monitor cannot tell about a call: Rust code failed, or the budget is used up. The evaluator
/// can.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trouble;

impl From<OverBudget> for Trouble {
    fn from(_: OverBudget) -> Self {
        Trouble
    }
}

impl From<EvaluationError> for Trouble {
    fn from(_: EvaluationError) -> Self {
        Trouble
    }
}

/// A call and where it stands.
#[derive(Clone, Copy)]
pub(super) struct At<'c> {
    pub(super) call: &'c ToolCall,
    pub(super) position: u64,
    /// The calls of the run with this one at their end, where Rust code may have to be asked.
    pub(super) run: Option<&'c [ToolCall]>,
    /// A number that no other look at a call has.
    pub(super) round: u64,
}

#[derive(Clone, Debug)]
enum Question {
    Tool(Name),
    Call(Seq<Name>, Args),
    Pattern(Host, bool),
    Result(Name, Value, Args),
    Later(Tally),
    Position(u64),
    Counted(Tally),
    Quantified(Box<Quantified>),
    LookingBack(Asked),
    AtStart(Asked),
}

/// A predicate with its newest answer, so that it is asked once a call.
#[derive(Clone, Debug)]
struct Asked {
    predicate: Host,
    /// The round it was asked in.
    round: u64,
    answer: u8,
}

/// Reads the letters of a machine.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    questions: Vec<Question>,
}

impl Reader {
    pub(super) fn new(formula: &Formula, inputs: &[Input]) -> Result<Self, Unsupported> {
        let tree = formula.tree();
        let tally =
            |id| Tally::new(&tree.subformula(id)).ok_or(Unsupported::new("an unknown atom"));
        let questions = inputs.iter().map(|input| {
            Ok(match input {
                Input::Tool(tool) => Question::Tool(tool.clone()),
                Input::Call(tools, args) => Question::Call(tools.clone(), args.clone()),
                Input::Pattern(pattern, maybe) => Question::Pattern(pattern.clone(), *maybe),
                Input::Result(tool, result, args) => {
                    Question::Result(tool.clone(), result.clone(), args.clone())
                }
                Input::Later(id) => Question::Later(tally(*id)?),
                Input::Position(position) => Question::Position(*position),
                Input::LookingBack(predicate) => Question::LookingBack(Asked::new(predicate)),
                Input::External(id) => match tree.node(*id) {
                    Node::Forall(variable, domain) | Node::Exists(variable, domain) => {
                        let quantified = tree.subformula(*id);
                        if quantified.unbound_variable().is_some() {
                            return Err(Unsupported::new("a quantifier about an outer variable"));
                        }
                        let forall = matches!(tree.node(*id), Node::Forall(..));
                        let body = tree.subformula(*id - 1);
                        Question::Quantified(Box::new(Quantified::new(
                            forall, variable, domain, &body, false, false,
                        )?))
                    }
                    Node::Predicate { function, .. } => Question::AtStart(Asked::new(function)),
                    _ => Question::Counted(tally(*id)?),
                },
                _ => return Err(Unsupported::new("an unknown question")),
            })
        });
        Ok(Reader {
            questions: questions.collect::<Result<_, _>>()?,
        })
    }

    /// Do the answers follow from the call's tool alone, as long as no call has an agent step?
    pub(super) fn is_simple(&self) -> bool {
        self.questions
            .iter()
            .all(|question| matches!(question, Question::Tool(_) | Question::Later(_)))
    }

    /// Can calls of tools that are not named have different answers?
    pub(super) fn asks_all(&self) -> bool {
        self.questions.iter().any(|question| match question {
            Question::Pattern(..) | Question::LookingBack(_) | Question::AtStart(_) => true,
            Question::Quantified(quantified) => quantified.asks_all(),
            _ => false,
        })
    }

    /// Is Rust code asked about the run, rather than about the call?
    pub(super) fn asks_run(&self) -> bool {
        self.questions.iter().any(|question| match question {
            Question::LookingBack(_) | Question::AtStart(_) => true,
            Question::Quantified(quantified) => quantified.asks_run(),
            _ => false,
        })
    }

    /// The largest position that is asked for.
    pub(super) fn last_position(&self) -> Option<u64> {
        let positions = self.questions.iter().filter_map(|question| match question {
            Question::Position(position) => Some(*position),
            Question::Quantified(quantified) => quantified.last_position(),
            _ => None,
        });
        positions.max()
    }

    /// Does a call that no question names leave everything computed beside the machine as it is?
    pub(super) fn is_calm(&mut self) -> bool {
        self.questions.iter_mut().all(|question| match question {
            Question::Counted(tally) => tally.is_calm(),
            Question::Quantified(quantified) => quantified.is_calm(),
            _ => true,
        })
    }

    /// The answers to a simple machine's questions for a call of the tool, or of one not named.
    pub(super) fn simple(&self, tool: Option<&str>) -> Vec<u8> {
        let answers = self.questions.iter().map(|question| match question {
            Question::Tool(name) => u8::from(Some(name.as_str()) == tool),
            Question::Later(_) => 1,
            Question::Counted(tally) => tally.verdict(),
            Question::Quantified(quantified) => quantified.verdict() as u8,
            _ => 0,
        });
        answers.collect()
    }

    /// The answers, where the variables stand for these.
    pub(super) fn read(
        &mut self,
        at: At<'_>,
        bindings: Bindings<'_>,
        answers: &mut Vec<u8>,
    ) -> Result<(), Trouble> {
        answers.clear();
        for question in &mut self.questions {
            let answer = question.answer(at, bindings)?;
            answers.push(answer);
        }
        Ok(())
    }

    /// The call has been made: what is kept beside the machine moves on. Does it? Otherwise there is
    /// nothing to take back.
    pub(super) fn advance(&mut self, at: At<'_>) -> Result<bool, Trouble> {
        let moves = self.questions.iter().any(|question| match question {
            Question::Later(tally) | Question::Counted(tally) => tally.moves(at.call),
            Question::Quantified(_) => true,
            _ => false,
        });
        if !moves {
            return Ok(false);
        }
        for question in &mut self.questions {
            match question {
                Question::Later(tally) | Question::Counted(tally) => tally.advance(at.call),
                Question::Quantified(quantified) => {
                    quantified.advance(at)?;
                }
                _ => {}
            }
        }
        Ok(true)
    }

    /// Takes the newest call that moved something back. `false` if that is too long ago.
    pub(super) fn undo(&mut self) -> bool {
        self.questions.iter_mut().all(|question| match question {
            Question::Later(tally) | Question::Counted(tally) => tally.undo(),
            Question::Quantified(quantified) => quantified.undo(),
            _ => true,
        })
    }

    /// Is there nothing to take back?
    pub(super) fn is_stateless(&self) -> bool {
        !self.questions.iter().any(|question| {
            matches!(
                question,
                Question::Later(_) | Question::Counted(_) | Question::Quantified(_)
            )
        })
    }

    /// Before the first call again.
    pub(super) fn reset(&mut self) {
        for question in &mut self.questions {
            match question {
                Question::Later(tally) | Question::Counted(tally) => tally.reset(),
                Question::Quantified(quantified) => quantified.reset(),
                _ => {}
            }
        }
    }

    /// The values at the places of variables, if the rest may match: those that the call tells from
    /// all others.
    pub(super) fn mentions<'c>(&self, call: &'c ToolCall, found: &mut Mentions<'c>) {
        for question in &self.questions {
            let (args, result) = match question {
                Question::Call(tools, args)
                    if tools.iter().any(|tool| tool.as_str() == call.tool_name) =>
                {
                    (args, None)
                }
                Question::Result(tool, result, args) if tool.as_str() == call.tool_name => {
                    (args, Some(result))
                }
                _ => continue,
            };
            for (key, value) in args.iter() {
                if let Some(argument) = call.arguments.get(key.as_str()) {
                    found.walk(value, argument);
                }
            }
            if let (Some(value), Some(result)) = (result, &call.result) {
                found.walk(value, result);
            }
        }
    }
}

/// The distinct values that a call mentions.
pub(super) struct Mentions<'c> {
    few: [&'c Json; Mentions::FEW],
    count: usize,
    more: Vec<&'c Json>,
}

impl<'c> Mentions<'c> {
    // So many are kept without allocating.
    const FEW: usize = 6;

    pub(super) fn new() -> Self {
        Mentions {
            few: [&Json::Null; Self::FEW],
            count: 0,
            more: Vec::new(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'c Json> {
        self.few[..self.count].iter().chain(&self.more).copied()
    }

    pub(super) fn add(&mut self, value: &'c Json) {
        if self
            .iter()
            .any(|other| crate::matching::equal(other, value))
        {
            return;
        }
        match self.few.get_mut(self.count) {
            Some(place) => {
                *place = value;
                self.count += 1;
            }
            None => self.more.push(value),
        }
    }

    fn walk(&mut self, value: &Value, json: &'c Json) {
        match (value, json) {
            (Value::Var(_), json) => self.add(json),
            (Value::List(values), Json::Array(items)) => {
                for (value, item) in values.iter().zip(items) {
                    self.walk(value, item);
                }
            }
            (Value::Object(values), Json::Object(fields)) => {
                for (key, value) in values.iter() {
                    if let Some(field) = fields.get(key.as_str()) {
                        self.walk(value, field);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Question {
    fn answer(&mut self, at: At<'_>, bindings: Bindings<'_>) -> Result<u8, Trouble> {
        let call = at.call;
        let is = |tool: &Name| tool.as_str() == call.tool_name;
        Ok(match self {
            Question::Tool(tool) => u8::from(is(tool)),
            Question::Call(tools, args) => {
                u8::from(tools.iter().any(is) && bindings.arguments_match(args, call))
            }
            Question::Pattern(pattern, maybe) => match hosts::pattern(pattern, call)? {
                Match::Yes => 1,
                Match::No => 0,
                Match::Maybe => u8::from(*maybe),
            },
            Question::Result(tool, _, _) if !is(tool) => 0,
            Question::Result(_, Value::Var(_), _)
                if matches!(call.result, Some(Json::Object(_))) =>
            {
                // Every entity that is a part of the result matches it, known by now or not.
                return Err(Trouble);
            }
            Question::Result(_, expected, args) => match &call.result {
                _ if !bindings.arguments_match(args, call) => 0,
                None => 1,
                Some(result) if bindings.result_matches(expected, result) => 3,
                Some(_) => 2,
            },
            Question::Later(tally) => u8::from(tally.is_later(call)),
            Question::Position(position) => u8::from(*position == at.position),
            Question::Counted(tally) => tally.peek(call).1,
            Question::Quantified(quantified) => quantified.peek(at)?.verdict as u8,
            Question::LookingBack(asked) => asked.ask(at, at.position)?,
            Question::AtStart(asked) => asked.ask(at, 0)?,
        })
    }
}

/// Does the predicate's answer at a position depend on the calls up to there only?
pub(super) fn looks_back(predicate: &Host) -> bool {
    predicate
        .get::<PredicateFn>()
        .is_some_and(PredicateFn::looks_back)
}

impl Asked {
    fn new(predicate: &Host) -> Self {
        Asked {
            predicate: predicate.clone(),
            round: 0,
            answer: 0,
        }
    }

    fn ask(&mut self, at: At<'_>, position: u64) -> Result<u8, Trouble> {
        if self.round != at.round {
            let run = at.run.ok_or(Trouble)?;
            let position = usize::try_from(position).map_err(|_| Trouble)?;
            let answer = hosts::predicate(&self.predicate, run, position)?;
            self.answer = match (answer.holds, answer.is_final) {
                (true, true) => Verdict::True,
                (true, false) => Verdict::PTrue,
                (false, false) => Verdict::PFalse,
                (false, true) => Verdict::False,
            } as u8;
            self.round = at.round;
        }
        Ok(self.answer)
    }
}

/// An atom about the whole run, counted beside a machine.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    counter: Counter,
    count: Count,
    /// What it was before the newest calls, the oldest first.
    log: VecDeque<Count>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    register: u64,
    /// The agent step of the call that later ones must come after.
    step: Option<i64>,
}

impl Tally {
    fn new(formula: &Formula) -> Option<Self> {
        let counter = Counter::new(formula)?;
        Some(Tally {
            counter,
            count: Count::default(),
            log: VecDeque::new(),
        })
    }

    fn reset(&mut self) {
        self.count = Count::default();
        self.log.clear();
    }

    fn undo(&mut self) -> bool {
        match self.log.pop_back() {
            Some(count) => {
                self.count = count;
                true
            }
            None => false,
        }
    }

    /// As a letter has it where the call is not counted.
    fn verdict(&self) -> u8 {
        self.counter.verdict(self.count.register) as u8
    }

    fn is_later(&self, call: &ToolCall) -> bool {
        match (self.count.step, call.step) {
            (Some(earlier), Some(step)) => earlier < step,
            _ => true,
        }
    }

    fn is_calm(&self) -> bool {
        let (register, _) = self.counter.step(self.count.register, |_| 0);
        register == self.count.register
    }

    /// What is remembered of a call changes only where the register does.
    fn moves(&self, call: &ToolCall) -> bool {
        self.peek(call).0 != self.count.register
    }

    fn peek(&self, call: &ToolCall) -> (u64, u8) {
        self.counter.step(self.count.register, |input| match input {
            Input::Tool(tool) => u8::from(tool.as_str() == call.tool_name),
            Input::Call(tools, args) => u8::from(
                tools.iter().any(|tool| tool.as_str() == call.tool_name)
                    && Bindings::NONE.arguments_match(args, call),
            ),
            Input::Later(_) => u8::from(self.is_later(call)),
            _ => 0,
        })
    }

    fn advance(&mut self, call: &ToolCall) {
        if self.log.len() == WINDOW {
            self.log.pop_front();
        }
        self.log.push_back(self.count);
        let (register, _) = self.peek(call);
        if self.counter.remembers(self.count.register, register) {
            self.count.step = call.step;
        }
        self.count.register = register;
    }
}
