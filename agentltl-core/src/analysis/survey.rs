//! What is known of a table once it is explored whole.

use super::NotAnalysed;
use super::table::{Budget, LetterId, NEVER, Step, Table};

/// Larger tables are not explored whole to know how far it is to where they hold.
const MAX_MAPPED: usize = 200;

impl Table {
    /// For each state how many calls it takes at least until the formula may hold, or may not;
    /// [`NEVER`] where it never does. `None` where the table is too large to tell.
    pub(super) fn map(
        &mut self,
        hold: bool,
        budget: &mut Budget,
    ) -> Result<Option<&[u32]>, NotAnalysed> {
        if self.maps[usize::from(hold)].is_none() {
            let map = self.new_map(hold, budget)?;
            self.maps[usize::from(hold)] = Some(map);
        }
        let map = self.maps[usize::from(hold)].as_deref();
        Ok(map.filter(|map| !map.is_empty()))
    }

    /// For each letter: may it be refused in some state, and must it?
    pub(super) fn refused(
        &mut self,
        budget: &mut Budget,
    ) -> Result<(Vec<bool>, Vec<bool>), NotAnalysed> {
        if let Some(refused) = &self.refused {
            return Ok(refused.clone());
        }
        let mut may = vec![false; self.letters() as usize];
        let mut must = may.clone();
        let mut state = Table::START;
        while state < self.states() {
            for letter in 0..self.letters() {
                let step = self.step(state, letter, budget)?;
                may[letter as usize] |= step.may_break;
                must[letter as usize] |= step.must_break;
            }
            state += 1;
        }
        self.refused = Some((may.clone(), must.clone()));
        Ok((may, must))
    }

    /// Is it all the same to finished runs whether calls with this letter are made, if the formula
    /// holds on the run without calls as told?
    pub(super) fn ignores(
        &mut self,
        idle: LetterId,
        empty: Option<bool>,
        budget: &mut Budget,
    ) -> Result<bool, NotAnalysed> {
        if self.map(true, budget)?.is_none() || self.raw.is_none() {
            return Ok(false);
        }
        let same = |a: Step, b: Step| (a.may_hold, a.must_hold) == (b.may_hold, b.must_hold);
        let first = self.step(Table::START, idle, budget)?;
        if (Some(first.may_hold), Some(first.must_hold)) != (empty, empty) {
            return Ok(false);
        }
        for letter in 0..self.letters() {
            let one = self.step(Table::START, letter, budget)?;
            let other = self.step(first.next, letter, budget)?;
            if one.next != other.next || !same(one, other) {
                return Ok(false);
            }
        }
        for state in 0..self.states() {
            for letter in 0..self.letters() {
                let step = self.step(state, letter, budget)?;
                let then = self.step(step.next, idle, budget)?;
                if then.next != step.next || !same(step, then) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn new_map(&mut self, hold: bool, budget: &mut Budget) -> Result<Vec<u32>, NotAnalysed> {
        let mut state = Table::START;
        while state < self.states() {
            if self.states() as usize > MAX_MAPPED {
                return Ok(Vec::new());
            }
            for letter in 0..self.letters() {
                self.step(state, letter, budget)?;
            }
            state += 1;
        }
        let mut map = vec![NEVER; self.states() as usize];
        let mut distance = 1;
        let mut changed = true;
        while changed {
            changed = false;
            for (state, row) in self.steps.iter().enumerate() {
                let reaches = |step: &Step| match distance {
                    1 => step.may(hold),
                    _ => map[step.next as usize] == distance - 1,
                };
                if map[state] == NEVER && row.iter().any(reaches) {
                    map[state] = distance;
                    changed = true;
                }
            }
            distance += 1;
        }
        Ok(map)
    }
}
