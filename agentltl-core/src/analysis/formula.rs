//! What can be proved about formulas alone.

use super::alphabet::Alphabet;
use super::free::is_free_of_code;
use super::search::Goal;
use super::table::{Budget, holds_empty};
use super::tables::{Kind, Tables};
use super::view::World;
use super::{NotAnalysed, SampleRun};
use crate::formula::Formula;
use crate::text::Name;

/// The look-ups a question may spend.
const BUDGET: u64 = 1_000_000;

/// The shortest finished run on which each formula holds or does not, as told.
fn find(goals: &[(&Formula, bool)]) -> Result<Option<SampleRun>, NotAnalysed> {
    let mut tables = Tables::default();
    let mut tools: Vec<Name> = Vec::new();
    let mut wanted = Vec::new();
    for (formula, holds) in goals {
        if !is_free_of_code(formula) {
            return Err(NotAnalysed::new("it has a quantifier, or asks Rust code"));
        }
        wanted.push(Goal {
            table: tables.add(formula, Kind::Finished)?,
            holds: *holds,
            empty: holds_empty(formula),
        });
        tools.extend(formula.tools().into_iter().cloned());
    }
    tools.sort_unstable();
    tools.dedup();
    let alphabet = Alphabet::new(&mut tables, tools, false)?;
    let mut world = World { tables, alphabet };
    let path = world.find(&wanted, false, &mut Budget::new(BUDGET))?;
    Ok(path.map(|path| world.sample(&path)))
}

/// What holds of finished runs: of calls that come one at a time, of any tools, the run without calls
/// included.
impl Formula {
    /// Does some finished run meet the formula?
    ///
    /// ```
    /// use agentltl_core::build::*;
    /// assert!(!(before("a", "b") & before("b", "a")).is_satisfiable()?);
    /// # Ok::<(), agentltl_core::analysis::NotAnalysed>(())
    /// ```
    ///
    /// # Errors
    /// Where that cannot be explored: quantifiers, Rust code, or too many states.
    pub fn is_satisfiable(&self) -> Result<bool, NotAnalysed> {
        Ok(self.witness()?.is_some())
    }

    /// Does every finished run meet the formula?
    ///
    /// ```
    /// use agentltl_core::build::*;
    /// assert!((globally(now("a")) >> !called("b")).is_valid()?);
    /// # Ok::<(), agentltl_core::analysis::NotAnalysed>(())
    /// ```
    ///
    /// # Errors
    /// As [`Formula::is_satisfiable`].
    pub fn is_valid(&self) -> Result<bool, NotAnalysed> {
        Ok(self.counterexample()?.is_none())
    }

    /// Does every finished run that meets this formula meet the other?
    ///
    /// ```
    /// use agentltl_core::build::*;
    /// assert!(before("a", "b").implies(&called("a"))?);
    /// # Ok::<(), agentltl_core::analysis::NotAnalysed>(())
    /// ```
    ///
    /// # Errors
    /// As [`Formula::is_satisfiable`].
    pub fn implies(&self, other: &Formula) -> Result<bool, NotAnalysed> {
        Ok(find(&[(self, true), (other, false)])?.is_none())
    }

    /// Do the same finished runs meet both?
    ///
    /// ```
    /// use agentltl_core::build::*;
    /// let infinitely_often = globally(eventually(now("a")));
    /// // A run has a last call, at which both say the same, but not of the run without calls.
    /// assert!(!infinitely_often.equivalent_to(&eventually(globally(now("a"))))?);
    /// # Ok::<(), agentltl_core::analysis::NotAnalysed>(())
    /// ```
    ///
    /// # Errors
    /// As [`Formula::is_satisfiable`].
    pub fn equivalent_to(&self, other: &Formula) -> Result<bool, NotAnalysed> {
        Ok(self.implies(other)? && other.implies(self)?)
    }

    /// The shortest finished run that meets the formula, if there is one.
    ///
    /// ```
    /// use agentltl_core::build::*;
    /// let run = in_order(["a", "b"]).witness()?.expect("it can be met");
    /// assert_eq!(run.to_string(), "a(), b()");
    /// # Ok::<(), agentltl_core::analysis::NotAnalysed>(())
    /// ```
    ///
    /// # Errors
    /// As [`Formula::is_satisfiable`].
    pub fn witness(&self) -> Result<Option<SampleRun>, NotAnalysed> {
        find(&[(self, true)])
    }

    /// The shortest finished run that does not meet the formula, if there is one.
    ///
    /// ```
    /// use agentltl_core::build::*;
    /// let run = globally(!now("rm")).counterexample()?.expect("it can be broken");
    /// assert_eq!(run.to_string(), "rm()");
    /// # Ok::<(), agentltl_core::analysis::NotAnalysed>(())
    /// ```
    ///
    /// # Errors
    /// As [`Formula::is_satisfiable`].
    pub fn counterexample(&self) -> Result<Option<SampleRun>, NotAnalysed> {
        find(&[(self, false)])
    }
}
