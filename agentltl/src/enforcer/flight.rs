//! Calls that have started and whose results are not known.

use std::fmt;

/// A call in flight: made by [`Enforcer::start`](super::Enforcer::start), never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct CallId(pub(super) u64);

impl CallId {
    /// The number, for a program that keeps it between processes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The id of that number; one that no call has is refused where it is used.
impl From<u64> for CallId {
    fn from(number: u64) -> Self {
        CallId(number)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where each call in flight stands in the trace. Both ids and positions ascend.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Flights {
    pub(super) open: Vec<(CallId, usize)>,
    pub(super) next: u64,
}

impl Flights {
    /// A call starts at a position past all others.
    pub(super) fn start(&mut self, position: usize) -> CallId {
        let id = CallId(self.next);
        self.next = self.next.saturating_add(1);
        self.open.push((id, position));
        id
    }

    /// The call is not in flight any more; its position.
    pub(super) fn close(&mut self, id: CallId) -> Option<usize> {
        self.index(id).map(|index| self.open.remove(index).1)
    }

    /// The call is not in flight any more, and its place in the trace goes.
    pub(super) fn withdraw(&mut self, id: CallId) -> Option<usize> {
        let index = self.index(id)?;
        let (_, position) = self.open.remove(index);
        for (_, later) in &mut self.open[index..] {
            *later -= 1;
        }
        Some(position)
    }

    fn index(&self, id: CallId) -> Option<usize> {
        self.open.binary_search_by_key(&id, |(id, _)| *id).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_withdrawn_call_moves_the_later_ones() {
        let mut flights = Flights::default();
        let ids = [0, 2, 5].map(|position| flights.start(position));
        assert_eq!(flights.withdraw(ids[1]), Some(2));
        assert_eq!(flights.open, [(ids[0], 0), (ids[2], 4)]);
        assert_eq!(flights.close(ids[2]), Some(4));
        assert_eq!(flights.withdraw(ids[2]), None);
    }
}
