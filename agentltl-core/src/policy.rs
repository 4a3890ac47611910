//! A list of rules.

mod check;
mod error;
#[cfg(any(feature = "toml", feature = "serde"))]
mod file;
#[cfg(feature = "json")]
mod json;
#[cfg(any(feature = "toml", feature = "serde"))]
mod place;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "toml")]
mod toml;
mod write;

use std::fmt;

use crate::classify::ClassificationReport;
use crate::constraint::Constraint;
use crate::packed::{Packed, PackedPolicy, Rules};
use crate::severity::Severity;
use crate::text::{Name, Seq};

pub use error::{PolicyError, PolicyProblem, Position, Problem};

/// A list of rules with distinct names, and the severity of those that name none.
///
/// Two policies are equal if they have equal rules and the same default severity, whatever was
/// asked of them when they were made.
///
/// ```
/// use agentltl_core::{build::*, Cmp, Constraint, Policy};
/// let policy = Policy::new([
///     Constraint::new("fetch_first", before("fetch_data", "process_data")),
///     Constraint::new("save_once", called_n("save_results", Cmp::Eq, 1)).with_weight(0.5),
/// ])?;
/// assert_eq!(policy.constraints().len(), 2);
/// assert_eq!(policy.get("save_once").map(Constraint::weight), Some(0.5));
/// # Ok::<(), agentltl_core::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Policy {
    constraints: Rules,
    default_severity: Severity,
    tools: Seq<Name>,
    strict: bool,
}

impl Policy {
    /// What `constraints!` gives where it has reported an error: no program comes to run with it.
    #[doc(hidden)]
    #[allow(clippy::declare_interior_mutable_const)] // each use is a policy of its own
    pub const INVALID: Policy = Policy {
        constraints: Rules::packed(&PackedPolicy {
            rules: Packed {
                text: "",
                names: &[],
                hosts: &[],
            },
            severities: &[],
            weights: &[],
            default_severity: Severity::HardStop,
            tools: &[],
            strict: false,
        }),
        default_severity: Severity::HardStop,
        tools: Seq::from_static(&[]),
        strict: false,
    };

    /// What `constraints!` makes of rules that it has checked.
    #[doc(hidden)]
    #[must_use]
    pub const fn __from_packed(packed: &'static PackedPolicy) -> Self {
        Policy {
            constraints: Rules::packed(packed),
            default_severity: packed.default_severity,
            tools: Seq::from_static(packed.tools),
            strict: packed.strict,
        }
    }

    /// A policy of these rules, with the default severity HARD_STOP.
    ///
    /// # Errors
    /// Every rule that has no name, the name of an earlier one, a weight that is negative or not
    /// finite, a variable that no quantifier binds, operators nested deeper than
    /// [`MAX_DEPTH`](crate::MAX_DEPTH), quantifiers deeper than
    /// [`MAX_QUANTIFIERS`](crate::MAX_QUANTIFIERS), or what only functions can build and no text can
    /// say: an empty list of tools, a value nested deeper than 128 levels, a field twice.
    pub fn new(constraints: impl IntoIterator<Item = Constraint>) -> Result<Self, PolicyError> {
        Policy::builder().constraints(constraints).build()
    }

    /// A policy with settings of its own.
    pub fn builder() -> PolicyBuilder {
        PolicyBuilder::default()
    }

    /// The rules, in order.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The rule of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Constraint> {
        self.constraints
            .iter()
            .find(|constraint| constraint.name() == name)
    }

    /// The severity of rules that name none.
    #[must_use]
    pub fn default_severity(&self) -> Severity {
        self.default_severity
    }

    /// The severity that applies to a rule of this policy.
    #[must_use]
    pub fn severity_of(&self, constraint: &Constraint) -> Severity {
        constraint.severity().unwrap_or(self.default_severity)
    }

    /// The tools the rules were checked to speak of; empty where any tool may be named.
    #[must_use]
    pub fn tools(&self) -> &[Name] {
        &self.tools
    }

    /// Was the policy made with [`PolicyBuilder::strict_runtime_safety`]?
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// What the classifier says of each rule and its severity, in order.
    #[must_use]
    pub fn classify(&self) -> Vec<ClassificationReport> {
        self.constraints
            .iter()
            .map(|constraint| self.classify_one(constraint))
            .collect()
    }

    fn classify_one(&self, constraint: &Constraint) -> ClassificationReport {
        ClassificationReport::new(
            constraint.name(),
            constraint.formula(),
            self.severity_of(constraint),
            constraint.applies_to_final_answer(),
        )
    }

    /// Do all classes suit their severities?
    ///
    /// # Errors
    /// Every rule whose class does not, with the report.
    ///
    /// ```
    /// use agentltl_core::{build::*, Constraint, Policy};
    /// let policy = Policy::new([Constraint::new("finish", eventually(called("done")))])?;
    /// let error = policy.check_strict().unwrap_err();
    /// assert!(error.to_string().contains("INERT"));
    /// # Ok::<(), agentltl_core::PolicyError>(())
    /// ```
    pub fn check_strict(&self) -> Result<(), PolicyError> {
        PolicyError::unless_empty(
            self.constraints
                .iter()
                .enumerate()
                .filter_map(|(index, constraint)| {
                    let report = self.classify_one(constraint);
                    (!report.compatible).then(|| {
                        PolicyProblem::of_rule(index, constraint.name(), Problem::Mismatch(report))
                    })
                })
                .collect(),
        )
    }
}

impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.constraints == other.constraints && self.default_severity == other.default_severity
    }
}

/// What the classifier says of each rule of a policy; see [`Policy::classify`].
///
/// ```
/// use agentltl_core::{build::*, classify_constraints, Constraint, Policy, RuntimeSafety};
/// let policy = Policy::new([Constraint::new("order", before("a", "b"))])?;
/// let reports = classify_constraints(&policy);
/// assert_eq!(reports[0].classification, RuntimeSafety::Safe);
/// # Ok::<(), agentltl_core::PolicyError>(())
/// ```
#[must_use]
pub fn classify_constraints(policy: &Policy) -> Vec<ClassificationReport> {
    policy.classify()
}

/// Makes a [`Policy`] with settings; see [`Policy::builder`].
///
/// ```
/// use agentltl_core::{build::*, Constraint, Policy, Severity};
/// let error = Policy::builder()
///     .default_severity(Severity::SoftBlock)
///     .tools(["fetch_data", "process_data"])
///     .strict_runtime_safety()
///     .constraint(Constraint::new("order", before("fetch_dta", "process_data")))
///     .build()
///     .unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "constraint `order`: unknown tool \"fetch_dta\"; did you mean \"fetch_data\"?",
/// );
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct PolicyBuilder {
    constraints: Vec<Constraint>,
    default_severity: Severity,
    tools: Vec<Name>,
    strict: bool,
}

impl PolicyBuilder {
    /// Appends a rule.
    pub fn constraint(mut self, constraint: Constraint) -> Self {
        self.constraints.push(constraint);
        self
    }

    /// Appends rules.
    pub fn constraints(mut self, constraints: impl IntoIterator<Item = Constraint>) -> Self {
        self.constraints.extend(constraints);
        self
    }

    /// The severity of rules that name none; HARD_STOP where this is not called.
    pub fn default_severity(mut self, severity: Severity) -> Self {
        self.default_severity = severity;
        self
    }

    /// The tools there are: a rule may then speak of no other.
    pub fn tools<T: Into<Name>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Refuses a rule whose class does not suit its severity, see [`Policy::check_strict`].
    pub fn strict_runtime_safety(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The policy.
    ///
    /// # Errors
    /// As [`Policy::new`], and every rule that speaks of a tool not listed or, where that was asked
    /// for, whose class does not suit its severity.
    pub fn build(self) -> Result<Policy, PolicyError> {
        let policy = Policy {
            constraints: self.constraints.into(),
            default_severity: self.default_severity,
            tools: self.tools.into(),
            strict: self.strict,
        };
        let mut problems = check::problems(&policy);
        // A formula with an unbound variable or too deep has no class worth reporting.
        if problems.is_empty() && policy.strict {
            problems = policy
                .check_strict()
                .map_or_else(|error| error.into_problems(), |()| Vec::new());
        }
        PolicyError::unless_empty(problems).map(|()| policy)
    }
}

/// The rules with their severities, classes and formulas, one after the other: for people, and for
/// snapshot tests.
///
/// ```
/// use agentltl_core::{build::*, Constraint, Policy, Severity};
/// let policy = Policy::new([Constraint::new("order", before("a", "b"))
///     .with_weight(2.0)
///     .with_repair("Call a first.")])?;
/// assert_eq!(
///     policy.to_string(),
///     "1 constraint, default severity HARD_STOP
/// order: HARD_STOP, weight 2, SAFE {FALSE, PENDING, TRUE}
///     before(\"a\", \"b\")
///     repair: Call a first.
/// ",
/// );
/// # Ok::<(), agentltl_core::PolicyError>(())
/// ```
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.constraints.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(
            f,
            "{count} constraint{plural}, default severity {}",
            self.default_severity
        )?;
        if self.strict {
            f.write_str(", strict runtime safety")?;
        }
        f.write_str("\n")?;
        if !self.tools.is_empty() {
            f.write_str("tools:")?;
            for (i, tool) in self.tools.iter().enumerate() {
                write!(f, "{} {tool:?}", if i == 0 { "" } else { "," })?;
            }
            f.write_str("\n")?;
        }
        for (constraint, report) in self.constraints.iter().zip(self.classify()) {
            write!(
                f,
                "{}: {}, weight {}, {} {}",
                constraint.name(),
                report.assigned_severity,
                constraint.weight(),
                report.classification,
                report.reachable,
            )?;
            if constraint.applies_to_final_answer() {
                f.write_str(", applies to the final answer")?;
            }
            if !report.compatible {
                f.write_str(", MISMATCH")?;
            }
            writeln!(f, "\n    {}", report.formula)?;
            if !constraint.description().is_empty() {
                writeln!(f, "    description: {}", constraint.description())?;
            }
            if !constraint.repair().is_empty() {
                writeln!(f, "    repair: {}", constraint.repair())?;
            }
        }
        Ok(())
    }
}
