//! Rust code in formulas: predicates, call patterns and quantifier domains.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use agentltl_core::{Domain, Formula, Host, Text, build};
use serde_json::Value as Json;

use crate::call::ToolCall;

/// What a predicate says at a position.
///
/// ```
/// use agentltl::Answer;
/// assert_eq!(Answer::from(true), Answer::new(true));
/// assert!(Answer::new(false).finally().is_final);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// Does the predicate hold?
    pub holds: bool,
    /// Can no later call change that?
    pub is_final: bool,
    /// Why, for people and models.
    pub note: Option<String>,
    /// Why there is no answer, if there is none: then the call that is being judged is refused, and
    /// a finished run does not comply.
    pub error: Option<String>,
}

impl Answer {
    /// An answer that a later call may change: PTRUE or PFALSE.
    #[must_use]
    pub const fn new(holds: bool) -> Self {
        Answer {
            holds,
            is_final: false,
            note: None,
            error: None,
        }
    }

    /// No answer, and the reason.
    ///
    /// ```
    /// use agentltl::Answer;
    /// let answer = Answer::from("seven".parse::<u8>().map(|n| n < 9));
    /// assert_eq!(answer, Answer::failed("invalid digit found in string"));
    /// ```
    #[must_use]
    pub fn failed(reason: impl Into<String>) -> Self {
        Answer {
            error: Some(reason.into()),
            ..Answer::new(false)
        }
    }

    /// The answer as one that no later call can change: TRUE or FALSE.
    #[must_use]
    pub fn finally(mut self) -> Self {
        self.is_final = true;
        self
    }

    /// The answer with its reason.
    #[must_use]
    pub fn because(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Self {
        Answer::new(holds)
    }
}

/// An error is no answer: see [`Answer::failed`].
impl<A: Into<Answer>, E: fmt::Display> From<Result<A, E>> for Answer {
    fn from(result: Result<A, E>) -> Self {
        result.map_or_else(|error| Answer::failed(error.to_string()), Into::into)
    }
}

/// A predicate: given the calls of the run and the position judged, does it hold?
///
/// The position may be one past the last call (on a run without calls). What a `Predicate` node of
/// a formula holds as its [`Host`].
#[derive(Clone)]
pub struct PredicateFn {
    ask: Repr<AskPredicate>,
    looks_back: bool,
}

/// A quantifier's domain: the entities found in the calls of the run; repeated ones count once.
/// What `Domain::Host` of a formula holds as its [`Host`].
#[derive(Clone)]
pub struct DomainFn(Ask);

/// Asks about a single call; see [`CallPattern`]. What `Pattern::Host` of a formula holds as its
/// [`Host`].
#[derive(Clone)]
pub struct PatternFn(Repr<dyn CallPattern>);

type AskPredicate = dyn Fn(&[ToolCall], usize) -> Answer + Send + Sync;
type AskDomain = dyn Fn(&[ToolCall]) -> Vec<Json> + Send + Sync;
type TryDomain = dyn Fn(&[ToolCall]) -> Result<Vec<Json>, HostError> + Send + Sync;

#[derive(Clone)]
enum Ask {
    Static(&'static AskDomain),
    TryStatic(&'static TryDomain),
    Shared(Arc<TryDomain>),
}

enum Repr<T: ?Sized + 'static> {
    Static(&'static T),
    Shared(Arc<T>),
}

impl<T: ?Sized> Clone for Repr<T> {
    fn clone(&self) -> Self {
        match self {
            Repr::Static(item) => Repr::Static(item),
            Repr::Shared(item) => Repr::Shared(Arc::clone(item)),
        }
    }
}

impl<T: ?Sized> Repr<T> {
    fn get(&self) -> &T {
        match self {
            Repr::Static(item) => item,
            Repr::Shared(item) => item,
        }
    }
}

/// Whether a call matches a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Match {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// That will only be known when the call runs.
    Maybe,
}

impl From<bool> for Match {
    fn from(matches: bool) -> Self {
        if matches { Match::Yes } else { Match::No }
    }
}

/// Why Rust code in a formula could not answer.
pub type HostError = Box<dyn Error + Send + Sync>;

/// A question about a single call that the language cannot say: globs, files that exist, ranges.
///
/// The answer must depend on the call alone: the same call, the same answer. A closure that takes a
/// `&ToolCall` and returns a [`Match`], a `bool`, or a `Result` of one of them is a pattern.
pub trait CallPattern: Send + Sync {
    /// Does the call match? Its result is not known while it is being judged.
    ///
    /// # Errors
    /// Where that cannot be told; the call is then refused.
    fn matches(&self, call: &ToolCall) -> Result<Match, HostError>;
}

impl<F: Fn(&ToolCall) -> R + Send + Sync, R: MatchResult> CallPattern for F {
    fn matches(&self, call: &ToolCall) -> Result<Match, HostError> {
        self(call).into_match()
    }
}

/// What a closure may return to be a [`CallPattern`].
pub trait MatchResult {
    /// The answer, or why there is none.
    ///
    /// # Errors
    /// Where the value is an error.
    fn into_match(self) -> Result<Match, HostError>;
}

impl MatchResult for Match {
    fn into_match(self) -> Result<Match, HostError> {
        Ok(self)
    }
}

impl MatchResult for bool {
    fn into_match(self) -> Result<Match, HostError> {
        Ok(self.into())
    }
}

impl<M: Into<Match>, E: Into<HostError>> MatchResult for Result<M, E> {
    fn into_match(self) -> Result<Match, HostError> {
        self.map(Into::into).map_err(Into::into)
    }
}

/// What the function of a quantifier's domain may return in `constraints!`: the entities, or a
/// `Result` of them.
///
/// ```
/// use agentltl::DomainResult as _;
/// let known: Result<_, &str> = Ok(vec!["SEA".into()]);
/// assert_eq!(known.into_entities()?, ["SEA"]);
/// assert!(Err::<Vec<_>, _>("not today").into_entities().is_err());
/// # Ok::<(), agentltl::HostError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a domain returns `Vec<serde_json::Value>` or a `Result` of it, not `{Self}`",
    label = "this function is the domain of a quantifier"
)]
pub trait DomainResult {
    /// The entities, or why there are none to be told.
    ///
    /// # Errors
    /// Where the value is an error.
    fn into_entities(self) -> Result<Vec<Json>, HostError>;
}

impl DomainResult for Vec<Json> {
    fn into_entities(self) -> Result<Vec<Json>, HostError> {
        Ok(self)
    }
}

impl<E: Into<HostError>> DomainResult for Result<Vec<Json>, E> {
    fn into_entities(self) -> Result<Vec<Json>, HostError> {
        self.map_err(Into::into)
    }
}

impl PredicateFn {
    /// A predicate that is part of the program; usable in a `static`.
    #[must_use]
    pub const fn from_static(predicate: &'static AskPredicate) -> Self {
        PredicateFn {
            ask: Repr::Static(predicate),
            looks_back: false,
        }
    }

    /// A predicate made at run time.
    pub fn new<A: Into<Answer>>(
        predicate: impl Fn(&[ToolCall], usize) -> A + Send + Sync + 'static,
    ) -> Self {
        let ask = move |calls: &[ToolCall], position| predicate(calls, position).into();
        PredicateFn {
            ask: Repr::Shared(Arc::new(ask)),
            looks_back: false,
        }
    }

    /// The predicate as one that is only shown the calls up to the position judged. What it says
    /// there never changes, so it is asked once a call instead of at every position each time.
    #[must_use]
    pub const fn looking_back(mut self) -> Self {
        self.looks_back = true;
        self
    }

    /// Is it only shown the calls up to the position judged?
    #[must_use]
    pub const fn looks_back(&self) -> bool {
        self.looks_back
    }

    /// Asks the predicate.
    #[must_use]
    pub fn ask(&self, calls: &[ToolCall], position: usize) -> Answer {
        let end = calls.len().min(position.saturating_add(1));
        let shown = if self.looks_back {
            &calls[..end]
        } else {
            calls
        };
        self.ask.get()(shown, position)
    }
}

impl DomainFn {
    /// A domain that is part of the program; usable in a `static`.
    #[must_use]
    pub const fn from_static(domain: &'static AskDomain) -> Self {
        DomainFn(Ask::Static(domain))
    }

    /// A domain that is part of the program and may be unable to answer; usable in a `static`.
    ///
    /// ```
    /// use agentltl::{DomainFn, HostError, ToolCall};
    /// static NONE: DomainFn = DomainFn::try_from_static(&|_: &[ToolCall]| Err("not today".into()));
    /// assert_eq!(NONE.entities(&[]).unwrap_err().to_string(), "not today");
    /// ```
    #[must_use]
    pub const fn try_from_static(domain: &'static TryDomain) -> Self {
        DomainFn(Ask::TryStatic(domain))
    }

    /// A domain made at run time.
    pub fn new(domain: impl Fn(&[ToolCall]) -> Vec<Json> + Send + Sync + 'static) -> Self {
        DomainFn::try_new(move |calls| Ok::<_, HostError>(domain(calls)))
    }

    /// A domain made at run time that may be unable to answer.
    pub fn try_new<E: Into<HostError>>(
        domain: impl Fn(&[ToolCall]) -> Result<Vec<Json>, E> + Send + Sync + 'static,
    ) -> Self {
        DomainFn(Ask::Shared(Arc::new(move |calls: &[ToolCall]| {
            domain(calls).map_err(Into::into)
        })))
    }

    /// The entities in the run.
    ///
    /// # Errors
    /// What the domain returns as one.
    pub fn entities(&self, calls: &[ToolCall]) -> Result<Vec<Json>, HostError> {
        match &self.0 {
            Ask::Static(domain) => Ok(domain(calls)),
            Ask::TryStatic(domain) => domain(calls),
            Ask::Shared(domain) => domain(calls),
        }
    }
}

impl PatternFn {
    /// A pattern that is part of the program; usable in a `static`.
    #[must_use]
    pub const fn from_static(pattern: &'static dyn CallPattern) -> Self {
        PatternFn(Repr::Static(pattern))
    }

    /// A pattern made at run time.
    pub fn new(pattern: impl CallPattern + 'static) -> Self {
        PatternFn(Repr::Shared(Arc::new(pattern)))
    }

    /// Asks the pattern.
    ///
    /// # Errors
    /// What the pattern returns as one.
    pub fn ask(&self, call: &ToolCall) -> Result<Match, HostError> {
        self.0.get().matches(call)
    }
}

macro_rules! opaque_debug {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}
opaque_debug!(PredicateFn, DomainFn, PatternFn);

/// `predicate(name)`: Rust code decides at each position. `runtime_safe` declares whether its
/// violations are final (`Some(true)`), can be repaired (`Some(false)`), or nothing.
///
/// ```
/// use agentltl::{predicate, ToolCall};
/// let few = predicate("few_calls", Some(true), |calls: &[ToolCall], _| calls.len() < 100);
/// assert_eq!(few.to_string(), "predicate(few_calls, runtime_safe=true)");
/// ```
pub fn predicate<A: Into<Answer>>(
    name: impl Into<Text>,
    runtime_safe: Option<bool>,
    predicate: impl Fn(&[ToolCall], usize) -> A + Send + Sync + 'static,
) -> Formula {
    build::predicate_host(
        Host::new(name, Arc::new(PredicateFn::new(predicate))),
        runtime_safe,
    )
}

/// `predicate(name)` by Rust code that looks back only: it is shown the calls up to the one at the
/// position judged, which is the last (there is none on a run without calls), and is asked once a
/// call. `runtime_safe` is as for [`predicate`].
///
/// ```
/// use agentltl::{predicate_looking_back, ToolCall, Trace, Verdict, build::globally, verdict};
/// let cheap = predicate_looking_back("cheap", None, |calls: &[ToolCall]| calls.len() < 3);
/// let run = Trace::from_names(["a", "b", "c"]);
/// assert_eq!(verdict(&globally(cheap), &run)?, Verdict::PFalse);
/// # Ok::<(), agentltl::EvaluationError>(())
/// ```
pub fn predicate_looking_back<A: Into<Answer>>(
    name: impl Into<Text>,
    runtime_safe: Option<bool>,
    predicate: impl Fn(&[ToolCall]) -> A + Send + Sync + 'static,
) -> Formula {
    let predicate = PredicateFn::new(move |calls: &[ToolCall], _| predicate(calls)).looking_back();
    build::predicate_host(Host::new(name, Arc::new(predicate)), runtime_safe)
}

/// A quantifier's domain found by Rust code.
pub fn domain(
    name: impl Into<Text>,
    domain: impl Fn(&[ToolCall]) -> Vec<Json> + Send + Sync + 'static,
) -> Domain {
    Domain::Host(Host::new(name, Arc::new(DomainFn::new(domain))))
}

/// A quantifier's domain found by Rust code that may be unable to answer: then a call that is being
/// judged is refused, and a finished run does not comply.
///
/// ```
/// use agentltl::{ToolCall, build::*, judge, try_domain};
/// let files = try_domain("files", |_: &[ToolCall]| std::fs::read_dir("no such folder").map(|_| vec![]));
/// let rule = forall("f", files, called("read"));
/// assert!(judge(&rule, &[ToolCall::new("write")]).is_err());
/// ```
pub fn try_domain<E: Into<HostError>>(
    name: impl Into<Text>,
    domain: impl Fn(&[ToolCall]) -> Result<Vec<Json>, E> + Send + Sync + 'static,
) -> Domain {
    Domain::Host(Host::new(name, Arc::new(DomainFn::try_new(domain))))
}

/// `matches` with a pattern in Rust; `maybe` says whether "maybe" counts as a match: `true` where
/// that is the cautious reading (a forbidden call), `false` where it is not (a required one).
pub fn matches_pattern(
    name: impl Into<Text>,
    pattern: impl CallPattern + 'static,
    maybe: bool,
) -> Formula {
    build::matches_host(Host::new(name, Arc::new(PatternFn::new(pattern))), maybe)
}
