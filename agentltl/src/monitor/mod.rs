//! Constraints watched call by call, at a cost that does not grow with the run.
//!
//! Each constraint is a machine ([`agentltl_core::monitor`]) whose transitions are remembered as they
//! are first taken, so that a check is a table look-up a constraint. An index from tool to
//! constraints skips those the call cannot move.
//!
//! What a machine cannot follow, within its budget, is left to the evaluator, which is exact and reads
//! the run: [`Monitors::is_watched`] tells. That are
//!
//! - a quantifier under a temporal operator whose body speaks of positions, as in
//!   `F(forall v in args("a", "x"): matches("b", x=?v))` (under `G` alone it is watched);
//! - a quantifier inside another that uses the outer one's variable;
//! - a domain in Rust;
//! - a predicate under a temporal operator that does not say that it looks back only;
//! - `H` under `G` over something undecided, as in `G(H(F(now("a"))))`;
//! - several instances behind `Y` or `@k` under `G`, as in `G(Y(now("a") & now("b")))` where a side
//!   is not settled by its position, such as `F(now("a"))`;
//! - `count_before` with a number of 1000 or more;
//! - a machine over its budget ([`Machine::BUDGET`](agentltl_core::monitor::Machine::BUDGET)), or one
//!   that meets more than 4096 different letters.

mod classes;
mod hash;
mod lazy;
mod part;
mod quantified;
mod reader;

use std::collections::{BTreeMap, VecDeque};

use agentltl_core::{Formula, Verdict};

use crate::call::ToolCall;
use hash::QuickMap;
use lazy::{LetterId, StateId};
use part::{Moved, Part};
use reader::At;

/// What is to be said of a call, of the constraints of which there is something to say.
#[derive(Debug)]
pub struct Check<'m> {
    /// The constraints that the call breaks, or that only the evaluator can tell about.
    pub suspects: &'m [Suspect],
    /// How many other constraints are violated but were before the call.
    pub already_broken: u64,
    /// How many parts of constraints were looked at.
    pub looked_at: u64,
}

/// A constraint of which a call must be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// The constraint, by the place of its formula.
    pub constraint: usize,
    /// Is it known that the call breaks it? Otherwise the evaluator must be asked.
    pub breaks: bool,
}

/// A constraint.
#[derive(Clone, Debug)]
struct Watch {
    /// Its parts, by number.
    parts: std::ops::Range<u32>,
    /// How many of the parts are violated.
    low: u32,
    /// Is a violation that no call is blamed for worth telling?
    newest: bool,
    /// The verdict on the empty run.
    empty: Verdict,
    /// Has it been left to the evaluator, until the run changes?
    given_up: bool,
}

#[derive(Clone, Debug)]
struct Watched {
    part: Part,
    watch: u32,
    verdict: Verdict,
    /// Its place among the restless, or `CALM`.
    place: u32,
    /// The last round that looked at it.
    round: u64,
}

const CALM: u32 = u32::MAX;

/// For each tool the parts that name it, while they are gathered.
type ByTool = BTreeMap<Box<str>, Vec<(u32, Option<LetterId>)>>;

/// How many calls can be taken back. Where the run changes further back, it is read again whole.
const WINDOW: usize = 256;

/// How to take back what a call did to a part.
#[derive(Clone, Copy, Debug)]
struct Undo {
    part: u32,
    mark: (StateId, u32),
    /// Has what is kept beside the machine moved?
    beside: bool,
    verdict: Verdict,
    calm: bool,
}

/// What a part becomes.
#[derive(Clone, Copy, Debug)]
struct Change {
    watch: u32,
    /// By how much the number of violated parts changes.
    low: i32,
    breaks: bool,
    unknown: bool,
}

/// The constraints of a policy, watched together.
///
/// ```
/// use agentltl::{ToolCall, build::*, monitor::Monitors};
/// let never = globally(!now("rm"));
/// let mut monitors = Monitors::new([&never]);
/// monitors.record(&ToolCall::new("ls"));
/// assert!(monitors.check(&ToolCall::new("ls")).suspects.is_empty());
/// assert!(monitors.check(&ToolCall::new("rm")).suspects[0].breaks);
/// ```
#[derive(Clone, Debug)]
pub struct Monitors {
    watches: Vec<Watch>,
    parts: Vec<Watched>,
    /// For each tool the range of those of `named` that name it.
    by_tool: QuickMap<Box<str>, std::ops::Range<u32>>,
    /// Parts, with the letter where the tool alone tells it.
    named: Vec<(u32, Option<LetterId>)>,
    /// The parts that any call may move.
    restless: Vec<u32>,
    /// The constraints left to the evaluator.
    given_up: Vec<u32>,
    /// How many constraints have a violated part.
    low: u64,
    position: u64,
    /// How to take the newest calls back.
    log: VecDeque<Undo>,
    /// For each of these calls how many entries the log has, the oldest first.
    logged: VecDeque<u32>,
    asks_run: bool,
    round: u64,
    changes: Vec<Change>,
    suspects: Vec<Suspect>,
}

impl Monitors {
    /// Monitors for the formulas, before the first call.
    pub fn new<'f>(formulas: impl IntoIterator<Item = &'f Formula>) -> Self {
        let mut monitors = Monitors {
            watches: Vec::new(),
            parts: Vec::new(),
            by_tool: QuickMap::default(),
            named: Vec::new(),
            restless: Vec::new(),
            given_up: Vec::new(),
            low: 0,
            position: 0,
            log: VecDeque::new(),
            logged: VecDeque::new(),
            asks_run: false,
            round: 0,
            changes: Vec::new(),
            suspects: Vec::new(),
        };
        let mut by_tool = BTreeMap::new();
        for formula in formulas {
            monitors.watch(formula, &mut by_tool);
        }
        for (tool, parts) in by_tool {
            let start = monitors.named.len() as u32;
            monitors.named.extend(parts);
            let range = start..monitors.named.len() as u32;
            monitors.by_tool.insert(tool, range);
        }
        monitors.asks_run = monitors.parts.iter().any(|watched| watched.part.asks_run());
        monitors.reset();
        monitors
    }

    fn watch(&mut self, formula: &Formula, by_tool: &mut ByTool) {
        let watch = self.watches.len() as u32;
        let first = self.parts.len() as u32;
        let newest = agentltl_core::monitor::is_newest_only(formula);
        let empty = crate::judge::verdict(formula, &[]);
        if let (Ok(parts), Ok(_)) = (part::parts(formula), &empty) {
            for (mut part, formula) in parts {
                let number = self.parts.len() as u32;
                for tool in formula.tools() {
                    let letter = part.named(tool.as_str());
                    if letter.is_some() && letter == part.other() {
                        continue;
                    }
                    by_tool
                        .entry(tool.as_str().into())
                        .or_default()
                        .push((number, letter));
                }
                self.parts.push(Watched {
                    part,
                    watch,
                    verdict: Verdict::Pending,
                    place: CALM,
                    round: 0,
                });
            }
        }
        self.watches.push(Watch {
            parts: first..self.parts.len() as u32,
            low: 0,
            newest,
            empty: empty.unwrap_or(Verdict::Pending),
            given_up: false,
        });
    }

    /// Before the first call again.
    pub fn reset(&mut self) {
        self.position = 0;
        self.low = 0;
        self.log.clear();
        self.logged.clear();
        self.given_up.clear();
        self.restless.clear();
        for (number, watch) in (0..).zip(&mut self.watches) {
            watch.low = 0;
            watch.given_up = watch.parts.is_empty();
            if watch.given_up {
                self.given_up.push(number);
            }
        }
        // The first call starts everything.
        for (number, watched) in (0..).zip(&mut self.parts) {
            watched.part.reset();
            watched.verdict = Verdict::Pending;
            watched.place = self.restless.len() as u32;
            self.restless.push(number);
        }
    }

    /// Is the constraint watched in constant time, rather than left to the evaluator?
    #[must_use]
    pub fn is_watched(&self, constraint: usize) -> bool {
        self.watches
            .get(constraint)
            .is_some_and(|watch| !watch.given_up)
    }

    /// The running verdict of a constraint; `None` if it is left to the evaluator.
    #[must_use]
    pub fn verdict(&self, constraint: usize) -> Option<Verdict> {
        let watch = self
            .watches
            .get(constraint)
            .filter(|watch| !watch.given_up)?;
        if self.position == 0 {
            return Some(watch.empty);
        }
        let parts = watch.parts.start as usize..watch.parts.end as usize;
        self.parts[parts]
            .iter()
            .map(|watched| watched.verdict)
            .min()
    }

    /// Do some constraints ask Rust code about the run? Then [`check_in`](Self::check_in) and
    /// [`record_in`](Self::record_in) tell more than `check` and `record`, which leave those to the
    /// evaluator.
    #[must_use]
    pub fn asks_run(&self) -> bool {
        self.asks_run
    }

    /// What the constraints say of a call that would come next. It has no result and no step.
    pub fn check(&mut self, call: &ToolCall) -> Check<'_> {
        self.check_call(call, None)
    }

    /// [`check`](Self::check) of the last of the calls, the others being those that were recorded.
    pub fn check_in(&mut self, run: &[ToolCall]) -> Check<'_> {
        match run.last() {
            Some(call) => self.check_call(call, Some(run)),
            None => Check {
                suspects: &[],
                already_broken: self.low,
                looked_at: 0,
            },
        }
    }

    fn check_call(&mut self, call: &ToolCall, run: Option<&[ToolCall]>) -> Check<'_> {
        self.suspects.clear();
        self.changes.clear();
        let mut looked_at = 0;
        self.visit(call, run, |monitors, number, at, named| {
            looked_at += 1;
            let watched = &mut monitors.parts[number as usize];
            let watch = &monitors.watches[watched.watch as usize];
            if watch.given_up {
                return;
            }
            let was_low = watched.verdict.refuses();
            let change = match watched.part.peek(at, named) {
                Ok(outcome) => {
                    let low = outcome.verdict.refuses();
                    if !low && !was_low {
                        return;
                    }
                    Change {
                        watch: watched.watch,
                        low: i32::from(low) - i32::from(was_low),
                        breaks: outcome.breaks,
                        unknown: false,
                    }
                }
                Err(_) => Change {
                    watch: watched.watch,
                    low: 0,
                    breaks: false,
                    unknown: true,
                },
            };
            monitors.changes.push(change);
        });
        let mut low = self.low;
        if self.changes.is_empty() && self.given_up.is_empty() {
            return Check {
                suspects: &[],
                already_broken: low,
                looked_at,
            };
        }
        self.changes.sort_unstable_by_key(|change| change.watch);
        for changes in self.changes.chunk_by(|a, b| a.watch == b.watch) {
            let watch = &self.watches[changes[0].watch as usize];
            let breaks = changes.iter().any(|change| change.breaks);
            if breaks || changes.iter().any(|change| change.unknown) {
                self.suspects.push(Suspect {
                    constraint: changes[0].watch as usize,
                    breaks,
                });
                low -= u64::from(watch.low > 0 && !watch.newest);
            } else if !watch.newest {
                let after = changes
                    .iter()
                    .fold(watch.low as i32, |low, change| low + change.low);
                low = low - u64::from(watch.low > 0) + u64::from(after > 0);
            }
        }
        for constraint in &self.given_up {
            self.suspects.push(Suspect {
                constraint: *constraint as usize,
                breaks: false,
            });
        }
        if !self.given_up.is_empty() {
            self.suspects
                .sort_unstable_by_key(|suspect| suspect.constraint);
        }
        Check {
            suspects: &self.suspects,
            already_broken: low,
            looked_at,
        }
    }

    /// The call has been made.
    pub fn record(&mut self, call: &ToolCall) {
        self.record_call(call, None);
    }

    /// The last of the calls has been made; the others are those that were recorded.
    pub fn record_in(&mut self, run: &[ToolCall]) {
        if let Some(call) = run.last() {
            self.record_call(call, Some(run));
        }
    }

    fn record_call(&mut self, call: &ToolCall, run: Option<&[ToolCall]>) {
        if self.logged.len() == WINDOW {
            for _ in 0..self.logged.pop_front().unwrap_or(0) {
                self.log.pop_front();
            }
        }
        let before = self.log.len();
        self.visit(call, run, |monitors, number, at, named| {
            let watched = &mut monitors.parts[number as usize];
            let watch = watched.watch as usize;
            if monitors.watches[watch].given_up {
                return;
            }
            let mut undo = Undo {
                part: number,
                mark: watched.part.mark(),
                beside: false,
                verdict: watched.verdict,
                calm: watched.place == CALM,
            };
            let Ok((outcome, moved)) = watched.part.advance(at, named) else {
                monitors.give_up(watch);
                return;
            };
            let still = moved == Moved::default() && outcome.verdict == undo.verdict;
            // What is calm stays so until it moves.
            if still && undo.calm {
                return;
            }
            let calm = watched.part.is_calm(at.position + 1);
            if still && !calm {
                return;
            }
            undo.beside = moved.beside;
            monitors.log.push_back(undo);
            monitors.set_calm(number, calm);
            monitors.set_verdict(number, outcome.verdict);
        });
        self.logged.push_back((self.log.len() - before) as u32);
        self.position += 1;
    }

    /// The run changed: its calls are these, and only those before `from` are what they were.
    pub fn replay(&mut self, calls: &[ToolCall], from: usize) {
        if !self.rewind(from as u64) {
            self.reset();
        }
        for end in self.position as usize..calls.len() {
            self.record_in(&calls[..=end]);
        }
    }

    /// Takes calls back, down to a position. `false` if that is too long ago, and nothing is right.
    fn rewind(&mut self, position: u64) -> bool {
        while self.position > position {
            let Some(entries) = self.logged.pop_back() else {
                return false;
            };
            self.position -= 1;
            for _ in 0..entries {
                let Some(undo) = self.log.pop_back() else {
                    return false;
                };
                let watched = &mut self.parts[undo.part as usize];
                if self.watches[watched.watch as usize].given_up {
                    continue;
                }
                if !watched.part.undo(undo.mark, undo.beside) {
                    return false;
                }
                self.set_calm(undo.part, undo.calm);
                self.set_verdict(undo.part, undo.verdict);
            }
        }
        true
    }

    fn set_verdict(&mut self, number: u32, verdict: Verdict) {
        let watched = &mut self.parts[number as usize];
        let (low, was_low) = (verdict.refuses(), watched.verdict.refuses());
        watched.verdict = verdict;
        if low != was_low {
            let watch = &mut self.watches[watched.watch as usize];
            let before = watch.low > 0;
            watch.low = if low { watch.low + 1 } else { watch.low - 1 };
            if !watch.newest {
                self.low = self.low + u64::from(watch.low > 0) - u64::from(before);
            }
        }
    }

    fn give_up(&mut self, number: usize) {
        let watch = &mut self.watches[number];
        watch.given_up = true;
        self.low -= u64::from(watch.low > 0 && !watch.newest);
        for part in watch.parts.clone() {
            self.set_calm(part, true);
        }
        self.given_up.push(number as u32);
    }

    fn set_calm(&mut self, number: u32, calm: bool) {
        let place = self.parts[number as usize].place;
        if calm && place != CALM {
            self.restless.swap_remove(place as usize);
            if let Some(moved) = self.restless.get(place as usize) {
                self.parts[*moved as usize].place = place;
            }
            self.parts[number as usize].place = CALM;
        } else if !calm && place == CALM {
            self.parts[number as usize].place = self.restless.len() as u32;
            self.restless.push(number);
        }
    }

    /// Calls `look` with each part that the call may move or that any call may move.
    fn visit(
        &mut self,
        call: &ToolCall,
        run: Option<&[ToolCall]>,
        mut look: impl FnMut(&mut Self, u32, At<'_>, Option<LetterId>),
    ) {
        self.round += 1;
        let at = At {
            call,
            position: self.position,
            run,
            round: self.round,
        };
        let round = self.round;
        let range = self.by_tool.get(call.tool_name.as_str());
        for i in range.cloned().unwrap_or_default() {
            let (number, letter) = self.named[i as usize];
            self.parts[number as usize].round = round;
            look(self, number, at, letter);
        }
        // From the end: `look` may take the part it is given out of the list.
        let mut i = self.restless.len();
        while i > 0 {
            i -= 1;
            let Some(number) = self.restless.get(i).copied() else {
                continue;
            };
            let watched = &mut self.parts[number as usize];
            if watched.round != round {
                watched.round = round;
                let other = watched.part.other();
                look(self, number, at, other);
            }
        }
    }
}
