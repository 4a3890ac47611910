#![doc = include_str!("../README.md")]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod call;
mod enforcer;
mod host;
mod judge;
mod matching;
pub mod monitor;
mod registry;
mod report;
mod sample;
mod store;
pub mod testing;
mod trace;

pub use agentltl_core::*;

pub use call::{Generation, ToolCall};
pub use enforcer::{
    Action, BlockedCall, BoxError, CallId, Chain, ConstraintStatus, ConstraintViolationError,
    Decision, Dropped, Enforcer, EnforcerBuilder, EnforcerError, Fault, FromStateError, InFlight,
    NotInFlight, OverrideRecord, Proposal, RunStatus, SharedEnforcer, SoftBlockCount,
    SoftBlockMode, StateError, StateLimits, UnknownSoftBlockMode, Violation, ViolationRecord,
    ViolationType, feedback, parse_state,
};
pub use host::{
    Answer, CallPattern, DomainFn, DomainResult, HostError, Match, MatchResult, PatternFn,
    PredicateFn, domain, matches_pattern, predicate, predicate_looking_back, try_domain,
};
pub use judge::{
    Breach, EvaluationError, Finding, Judgement, Run, Segment, Witness, holds, judge, verdict,
};
pub use matching::{equal as json_equal, value_to_json};
pub use registry::Registry;
pub use report::{
    ComplianceLabel, ComplianceReport, ConstraintResult, Verification, WeightError, verify,
};
pub use store::{FileStore, StoreError};
pub use trace::{RecordedRun, Trace, TraceError, TraceFormat, TraceProblem, UnknownTraceFormat};

/// A [`Policy`] that is checked when the program is compiled, and for which nothing is parsed when it
/// runs.
///
/// Formulas are bare tokens, in which Rust paths stand for tool names, predicates and domains, or
/// string literals. A formula that cannot be read does not compile; nor does, under
/// `#![strict_runtime_safety]`, one whose [class](RuntimeSafety) does not suit its severity, which
/// is otherwise a warning of the lint `deprecated`. The expression can stand in a plain `static`.
///
/// ```
/// use agentltl::{constraints, Policy, Severity, ToolCall};
///
/// struct DeployTool;
/// impl DeployTool {
///     const NAME: &'static str = "deploy";
/// }
///
/// fn is_short(calls: &[ToolCall], _position: usize) -> bool {
///     calls.len() <= 100
/// }
///
/// static POLICY: Policy = constraints! {
///     #![strict_runtime_safety]
///     #![default_severity(SOFT_BLOCK)]
///     #![tools("fetch_data", "process_data", DeployTool::NAME, "pytest")]
///
///     /// Raw data is fetched before it is processed.
///     #[weight(2.0)]
///     #[repair("Call fetch_data first.")]
///     fetch_first: HARD_STOP = before("fetch_data", "process_data");
///
///     "one-deploy": BLOCK_AND_WARN = r#"G(now("deploy") -> X(G(!now("deploy"))))"#;
///     deploy_once: PERSISTENT_BLOCK = called_n(DeployTool::NAME, <= 1);
///     short = predicate(is_short, runtime_safe=true);
///
///     #[applies_to_final_answer]
///     tests_ran: TOLERATE = called("pytest");
/// };
///
/// assert_eq!(POLICY.constraints().len(), 5);
/// assert_eq!(POLICY.constraints()[0].repair(), "Call fetch_data first.");
/// assert_eq!(POLICY.severity_of(&POLICY.constraints()[3]), Severity::SoftBlock);
/// ```
///
/// A predicate is a path to a `fn(&[ToolCall], usize) -> impl Into<Answer>`, a domain to a
/// `fn(&[ToolCall]) -> Vec<serde_json::Value>` or to one that returns a `Result` of that, a tool to a
/// constant `&str`. A severity or weight may be any constant expression.
///
/// The rules are also [analysed](Policy::analyze) together. What is found is an error or a warning at
/// the first rule it is about, with the shortest run that shows it: under `#![strict_runtime_safety]`
/// the lints `unsatisfiable`, `contradiction` and `wedge` are errors, all else is a warning.
/// `#![allow(..)]`, `#![warn(..)]` and `#![deny(..)]` change that for the policy, `#[allow(..)]` and its
/// like for a rule; the last one counts. Nothing is said that depends on a value which only rustc
/// knows, nor of a policy of more than 256 rules.
///
/// ```compile_fail
/// static POLICY: agentltl::Policy = agentltl::constraints! {
///     #![strict_runtime_safety]
///     #![allow(redundant)]
///     save_needs_fetch: HARD_STOP = before("fetch", "save");
///     fetch_needs_save: HARD_STOP = before("save", "fetch"); // no run meets both
/// };
/// ```
///
/// With the feature `toml` the rules may stand in a file next to `Cargo.toml`, in the schema of
/// [`Policy::from_toml`](crate::Policy::from_toml): `constraints!(include = "policy.toml")`. It is
/// checked when the program is compiled, and read again when it changes; errors name the file, the
/// line and the column. Lint levels stand in front: `constraints!(#![allow(redundant)] include = ..)`.
#[macro_export]
macro_rules! constraints {
    ($($tokens:tt)*) => { $crate::__private::__constraints! { [$crate] $($tokens)* } };
}

/// A [`Formula`] that is checked when the program is compiled, in the same language as in
/// [`constraints!`](crate::constraints).
///
/// ```
/// use agentltl::{build, formula};
/// const DEPLOY: &str = "deploy";
/// let tested = formula!(before("pytest", DEPLOY) & called_n(DEPLOY, <= 1));
/// assert_eq!(tested.to_string(), r#"before("pytest", "deploy") & called_n("deploy", <= 1)"#);
/// assert_eq!(formula!(r#"now("a") | now("b")"#), build::now("a") | build::now("b"));
/// ```
#[macro_export]
macro_rules! formula {
    ($($tokens:tt)*) => { $crate::__private::__formula! { [$crate] $($tokens)* } };
}
