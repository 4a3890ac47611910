//! The atoms that speak of the whole run, as small registers: what must be remembered of the calls so
//! far to know the verdict.

use crate::node::{Bound, Cmp, Node};
use crate::verdict::Verdict;

use Verdict::{False, PFalse, PTrue, Pending, True};

/// A register; 0 before the first call.
pub(super) type Register = u64;

const DECIDED_TRUE: Register = 1 << 62;
const DECIDED_FALSE: Register = 1 << 63;

/// The most tools an `all_before` can wait for here.
pub(super) const MAX_TOOLS: usize = 60;

/// What an atom asks of each call, by the place of the answer in a letter.
#[derive(Clone, Debug)]
pub(super) enum Atom {
    /// called, called_with
    Called(usize),
    CalledN(usize, Bound),
    Before {
        a: usize,
        b: usize,
        later: usize,
    },
    After(usize, usize),
    AllBefore(Vec<usize>, usize),
    InOrder {
        tools: Vec<usize>,
        later: usize,
    },
    Branch(usize, Option<usize>),
    Result(usize),
    Within(usize, usize, i64),
    Instance {
        a: usize,
        n: i64,
        b: usize,
        m: i64,
        later: usize,
    },
    /// Computed elsewhere.
    External(usize),
}

/// A result that is no candidate, not known yet, another one, the one asked for.
pub(super) const RESULT_UNKNOWN: u8 = 1;
pub(super) const RESULT_OTHER: u8 = 2;
pub(super) const RESULT_MATCHES: u8 = 3;

/// In the letter of something computed elsewhere: the call is one more that it counts.
pub(super) const COUNTED: u8 = 8;

impl Atom {
    /// Is it one whose number of calls tells one failure from the next?
    pub(super) const fn counts(node: &Node) -> bool {
        matches!(
            node,
            Node::Called(_) | Node::CalledN(..) | Node::CalledWith(..) | Node::CalledWithResult(..)
        )
    }

    /// The register after a call.
    pub(super) fn step(&self, register: Register, letter: &[u8]) -> Register {
        let is = |input: usize| letter[input] != 0;
        match self {
            Atom::Called(call) => register | Register::from(is(*call)),
            Atom::CalledN(call, bound) => {
                // One more than the number: what is beyond makes no difference.
                let limit = bound.number.max(0).unsigned_abs() + 1;
                (register + Register::from(is(*call))).min(limit)
            }
            Atom::Before { a, b, later } => match register {
                0 if is(*b) => 3,
                0 if is(*a) => 1,
                1 if is(*b) => 2 + Register::from(!is(*later)),
                _ => register,
            },
            Atom::After(a, b) => match register {
                0 if is(*a) => 3,
                0 if is(*b) => 1,
                1 if is(*a) => 2,
                _ => register,
            },
            Atom::AllBefore(..) if register >= DECIDED_TRUE => register,
            Atom::AllBefore(tools, gate) if is(*gate) => {
                if register.count_ones() as usize == tools.len() {
                    DECIDED_TRUE
                } else {
                    DECIDED_FALSE
                }
            }
            Atom::AllBefore(tools, _) => {
                tools.iter().enumerate().fold(register, |seen, (i, tool)| {
                    seen | Register::from(is(*tool)) << i
                })
            }
            Atom::InOrder { tools, later } => match tools.get(register as usize) {
                Some(tool) if is(*tool) && is(*later) => register + 1,
                _ => register,
            },
            Atom::Branch(correct, wrong) => match wrong {
                _ if register == 2 => 2,
                Some(wrong) if is(*wrong) => 2,
                _ => register | Register::from(is(*correct)),
            },
            Atom::Result(result) => match letter[*result] {
                RESULT_MATCHES => 2,
                RESULT_UNKNOWN => register.max(1),
                _ => register,
            },
            Atom::Within(a, b, steps) => {
                // 0 before a, 1 TRUE, 2 FALSE, 3 + the number of calls since a.
                let distance = match register {
                    0 if is(*a) => 0,
                    0..=2 => return register,
                    since => since - 3,
                };
                if i128::from(distance) > i128::from(*steps) {
                    2
                } else if is(*b) {
                    1
                } else if i128::from(distance) + 1 > i128::from(*steps) {
                    2
                } else {
                    3 + distance + 1
                }
            }
            Atom::Instance { a, n, b, m, later } => {
                if register >= DECIDED_TRUE {
                    return register;
                }
                let (mut seen_a, mut seen_b) = (register >> 31, register & 0x7fff_ffff);
                if is(*b) && *m > 0 {
                    seen_b += 1;
                    if seen_b == m.unsigned_abs() {
                        let came = *n > 0 && seen_a >= n.unsigned_abs() && is(*later);
                        return if came { DECIDED_TRUE } else { DECIDED_FALSE };
                    }
                }
                if is(*a) && *n > 0 && seen_a < n.unsigned_abs() {
                    seen_a += 1;
                }
                seen_a << 31 | seen_b
            }
            Atom::External(input) => Register::from(letter[*input] % COUNTED),
        }
    }

    /// Is the call one more of those the atom counts?
    pub(super) fn counted(&self, letter: &[u8]) -> bool {
        match self {
            Atom::Called(call) | Atom::CalledN(call, _) => letter[*call] != 0,
            Atom::Result(result) => letter[*result] >= RESULT_OTHER,
            Atom::External(input) => letter[*input] >= COUNTED,
            _ => false,
        }
    }

    /// Is the call that made this change the one later ones must come after?
    pub(super) fn remembers(&self, before: Register, after: Register) -> bool {
        match self {
            Atom::Before { .. } => before == 0 && after == 1,
            Atom::InOrder { .. } => after > before,
            Atom::Instance { n, .. } => {
                let reached = |register: Register| {
                    register < DECIDED_TRUE && *n > 0 && register >> 31 == n.unsigned_abs()
                };
                reached(after) && !reached(before)
            }
            _ => false,
        }
    }

    /// The register as part of a state: what is computed elsewhere is remembered there.
    pub(super) const fn kept(&self, register: Register) -> Register {
        match self {
            Atom::External(_) => 0,
            _ => register,
        }
    }

    /// The verdict on the calls so far.
    pub(super) fn verdict(&self, register: Register) -> Verdict {
        let decided = |verdict: Register| match verdict {
            2 => True,
            3 => False,
            _ => Pending,
        };
        match self {
            Atom::Called(_) if register == 0 => PFalse,
            Atom::Called(_) => True,
            Atom::CalledN(_, bound) => counted(*bound, register),
            Atom::Before { .. } => decided(register),
            Atom::After(..) if register < 2 => PFalse,
            Atom::After(..) => decided(register),
            Atom::AllBefore(..) | Atom::Instance { .. } => match register {
                DECIDED_TRUE => True,
                DECIDED_FALSE => False,
                _ => Pending,
            },
            Atom::InOrder { tools, .. } if register as usize >= tools.len() => True,
            Atom::InOrder { .. } => Pending,
            Atom::Branch(_, wrong) => match (register, wrong) {
                (0, _) => Pending,
                (1, Some(_)) => PTrue,
                (1, None) => True,
                _ => False,
            },
            Atom::Result(_) => match register {
                0 => PFalse,
                1 => Pending,
                _ => True,
            },
            Atom::Within(..) => match register {
                1 => True,
                2 => False,
                _ => Pending,
            },
            Atom::External(_) => Verdict::ALL
                .get(register as usize)
                .copied()
                .unwrap_or(Pending),
        }
    }
}

fn counted(bound: Bound, count: u64) -> Verdict {
    let admitted = bound.admits(count);
    match bound.cmp {
        Cmp::Le | Cmp::Lt if admitted => PTrue,
        Cmp::Le | Cmp::Lt => False,
        Cmp::Ge | Cmp::Gt if admitted => True,
        Cmp::Ge | Cmp::Gt => PFalse,
        Cmp::Eq if admitted => PTrue,
        Cmp::Eq if i128::from(count) > i128::from(bound.number) => False,
        Cmp::Eq => PFalse,
    }
}
