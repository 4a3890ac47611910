//! The five verdicts on a run that is not over, and sets of them.

use std::fmt;
use std::ops::{BitOr, Not};

/// What a formula says of a run that may go on. The order is the one the operators work in: `&`
/// takes the minimum, `|` the maximum, `!` mirrors.
///
/// ```
/// use agentltl_core::Verdict;
/// assert!(Verdict::False < Verdict::PFalse && Verdict::Pending < Verdict::PTrue);
/// assert_eq!(!Verdict::PFalse, Verdict::PTrue);
/// assert_eq!(Verdict::PFalse.to_string(), "PFALSE");
/// assert!(Verdict::PFalse.refuses() && !Verdict::Pending.refuses());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Verdict {
    /// Violated, and no later call can repair it.
    False = 0,
    /// An obligation is not met yet.
    PFalse = 1,
    /// Undecided.
    Pending = 2,
    /// Holds so far; a later call could break it.
    PTrue = 3,
    /// Holds, whatever comes.
    True = 4,
}

impl Verdict {
    /// All five, lowest first.
    pub const ALL: [Verdict; 5] = [
        Verdict::False,
        Verdict::PFalse,
        Verdict::Pending,
        Verdict::PTrue,
        Verdict::True,
    ];

    /// TRUE or FALSE: no later call can change it.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Verdict::False | Verdict::True)
    }

    /// Below PENDING: a call that makes it so is refused.
    #[must_use]
    pub const fn refuses(self) -> bool {
        (self as u8) < Verdict::Pending as u8
    }

    /// PTRUE or TRUE: what an atom must be to hold on a finished run.
    #[must_use]
    pub const fn holds(self) -> bool {
        self as u8 > Verdict::Pending as u8
    }

    /// The name in capitals, as it is printed and serialised.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::False => "FALSE",
            Verdict::PFalse => "PFALSE",
            Verdict::Pending => "PENDING",
            Verdict::PTrue => "PTRUE",
            Verdict::True => "TRUE",
        }
    }

    /// The verdict of that name, in capitals.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Verdict::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == name)
    }
}

impl Not for Verdict {
    type Output = Verdict;
    fn not(self) -> Verdict {
        match self {
            Verdict::False => Verdict::True,
            Verdict::PFalse => Verdict::PTrue,
            Verdict::Pending => Verdict::Pending,
            Verdict::PTrue => Verdict::PFalse,
            Verdict::True => Verdict::False,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A set of verdicts, such as those a formula can reach.
///
/// ```
/// use agentltl_core::{Verdict, VerdictSet};
/// let set = VerdictSet::from_iter([Verdict::True, Verdict::PFalse]);
/// assert!(set.contains(Verdict::True) && !set.contains(Verdict::False));
/// assert_eq!(set.to_string(), "{PFALSE, TRUE}");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct VerdictSet(u8);

impl VerdictSet {
    /// The set of all five.
    pub const ALL: VerdictSet = VerdictSet(0b1_1111);

    /// The set with the given members.
    #[must_use]
    pub const fn of(verdicts: &[Verdict]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < verdicts.len() {
            bits |= 1 << verdicts[i] as u8;
            i += 1;
        }
        VerdictSet(bits)
    }

    /// Is the verdict in the set?
    #[must_use]
    pub const fn contains(self, verdict: Verdict) -> bool {
        self.0 & (1 << verdict as u8) != 0
    }

    /// Is every member of `other` in the set?
    #[must_use]
    pub const fn is_superset(self, other: VerdictSet) -> bool {
        self.0 & other.0 == other.0
    }

    /// The members, lowest first.
    pub fn iter(self) -> impl Iterator<Item = Verdict> {
        Verdict::ALL
            .into_iter()
            .filter(move |verdict| self.contains(*verdict))
    }

    /// Pairwise minimum: what `&` of operands with these sets can reach.
    #[must_use]
    pub fn min(self, other: VerdictSet) -> Self {
        self.pairwise(other, Ord::min)
    }

    /// Pairwise maximum: what `|` of operands with these sets can reach.
    #[must_use]
    pub fn max(self, other: VerdictSet) -> Self {
        self.pairwise(other, Ord::max)
    }

    fn pairwise(self, other: VerdictSet, op: fn(Verdict, Verdict) -> Verdict) -> Self {
        self.iter()
            .flat_map(|a| other.iter().map(move |b| op(a, b)))
            .collect()
    }
}

impl FromIterator<Verdict> for VerdictSet {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Self {
        VerdictSet(
            verdicts
                .into_iter()
                .fold(0, |bits, verdict| bits | 1 << verdict as u8),
        )
    }
}

/// The union.
impl BitOr for VerdictSet {
    type Output = VerdictSet;
    fn bitor(self, other: VerdictSet) -> VerdictSet {
        VerdictSet(self.0 | other.0)
    }
}

/// The set of the mirrored verdicts.
impl Not for VerdictSet {
    type Output = VerdictSet;
    fn not(self) -> VerdictSet {
        self.iter().map(Not::not).collect()
    }
}

impl fmt::Display for VerdictSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, verdict) in self.iter().enumerate() {
            write!(f, "{}{verdict}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("}")
    }
}

impl fmt::Debug for VerdictSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
