//! Scoring a finished run.

use std::fmt;

use agentltl_core::{Constraint, Name, Node, Policy, nearest};
use serde::{Deserialize, Serialize};

use crate::call::ToolCall;
use crate::judge::{Finding, Run};

/// Judges a finished run by each rule of the policy, and scores it.
///
/// For weights of your own see [`Verification`].
///
/// ```
/// use agentltl::{build::*, verify, Cmp, ComplianceLabel, Constraint, Policy, Trace};
/// let policy = Policy::new([
///     Constraint::new("in_order", before("fetch", "save")).with_weight(4.0),
///     Constraint::new("save_once", called_n("save", Cmp::Eq, 1)),
/// ])?;
/// let report = verify(&policy, &Trace::from_names(["fetch", "save", "save"]));
/// assert_eq!(report.compliance_score, 0.8);
/// assert_eq!(report.compliance_label, ComplianceLabel::Partial);
/// assert_eq!(report.violated().collect::<Vec<_>>(), ["save_once"]);
/// # Ok::<(), agentltl::PolicyError>(())
/// ```
#[must_use]
pub fn verify(policy: &Policy, calls: &[ToolCall]) -> ComplianceReport {
    Verification::new(policy).run(calls)
}

/// [`verify`] with other weights than the policy's.
///
/// ```
/// use agentltl::{build::*, Constraint, Policy, Trace, Verification};
/// let policy = Policy::new([
///     Constraint::new("in_order", before("fetch", "save")),
///     Constraint::new("logged", called("log")),
/// ])?;
/// let verification = Verification::new(&policy).with_weight("in_order", 3.0)?;
/// let report = verification.run(&Trace::from_names(["fetch", "save"]));
/// assert_eq!(report.compliance_score, 0.75);
/// assert!(Verification::new(&policy).with_weight("in_oder", 3.0).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Verification<'p> {
    policy: &'p Policy,
    weights: Vec<f64>,
}

impl<'p> Verification<'p> {
    /// With the policy's own weights.
    pub fn new(policy: &'p Policy) -> Self {
        Verification {
            policy,
            weights: policy
                .constraints()
                .iter()
                .map(Constraint::weight)
                .collect(),
        }
    }

    /// With another weight for the rule of that name.
    ///
    /// # Errors
    /// Where the policy has no such rule, or the weight is negative or not finite.
    pub fn with_weight(mut self, name: &str, weight: f64) -> Result<Self, WeightError> {
        let rules = self.policy.constraints();
        let Some(index) = rules.iter().position(|rule| rule.name() == name) else {
            return Err(WeightError::UnknownConstraint {
                name: name.to_owned(),
                suggestion: nearest(name, rules.iter().map(Constraint::name)).map(str::to_owned),
            });
        };
        if !weight.is_finite() || weight < 0.0 {
            let name = name.to_owned();
            return Err(WeightError::BadWeight { name, weight });
        }
        self.weights[index] = weight;
        Ok(self)
    }

    /// With other weights for the rules of those names.
    ///
    /// # Errors
    /// As [`Verification::with_weight`], for the first that is wrong.
    pub fn with_weights<N: AsRef<str>>(
        self,
        weights: impl IntoIterator<Item = (N, f64)>,
    ) -> Result<Self, WeightError> {
        weights.into_iter().try_fold(self, |this, (name, weight)| {
            this.with_weight(name.as_ref(), weight)
        })
    }

    /// Judges a finished run by each rule, and scores it. A rule whose Rust code panics counts as
    /// violated, and its detail says so.
    #[must_use]
    pub fn run(&self, calls: &[ToolCall]) -> ComplianceReport {
        let rules = self.policy.constraints();
        let run = Run::new(calls);
        let constraints: Vec<ConstraintResult> = rules
            .iter()
            .zip(&self.weights)
            .map(|(rule, weight)| judged(rule, *weight, &run))
            .collect();
        let compliance_score = score(&constraints);
        ComplianceReport {
            compliance_score,
            compliance_label: ComplianceLabel::of(compliance_score),
            details: details(rules, &constraints, calls),
            tool_sequence: calls.iter().map(|call| call.tool_name.clone()).collect(),
            constraints,
        }
    }
}

/// A weight that a [`Verification`] cannot use.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WeightError {
    /// The policy has no rule of that name.
    UnknownConstraint {
        /// The name.
        name: String,
        /// The rule whose name is nearest, if one is near.
        suggestion: Option<String>,
    },
    /// The weight is negative or not finite.
    BadWeight {
        /// The rule it is for.
        name: String,
        /// The weight.
        weight: f64,
    },
}

impl fmt::Display for WeightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightError::UnknownConstraint { name, suggestion } => {
                write!(f, "the policy has no constraint `{name}`")?;
                suggestion
                    .as_ref()
                    .map_or(Ok(()), |near| write!(f, "; did you mean `{near}`?"))
            }
            WeightError::BadWeight { name, weight } => {
                write!(
                    f,
                    "constraint `{name}`: the weight {weight} is negative or not finite"
                )
            }
        }
    }
}

impl std::error::Error for WeightError {}

/// How a finished run did by a policy. Serialises with the reference library's field names; its
/// `Display` is for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComplianceReport {
    /// 1 minus the share of the weights that belong to violated rules, rounded to six places;
    /// 1 where those weights sum to 0.
    pub compliance_score: f64,
    /// What the score amounts to.
    pub compliance_label: ComplianceLabel,
    /// The outcome in a sentence or two.
    pub details: String,
    /// The names of the tools called, in order.
    pub tool_sequence: Vec<String>,
    /// How the run did by each rule, in the policy's order.
    pub constraints: Vec<ConstraintResult>,
}

impl ComplianceReport {
    /// The names of the rules that are violated.
    pub fn violated(&self) -> impl Iterator<Item = &str> {
        self.constraints
            .iter()
            .filter(|result| !result.passed)
            .map(|result| result.name.as_str())
    }
}

/// How a finished run did by one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConstraintResult {
    /// The rule's name.
    pub name: String,
    /// Its weight in this score.
    pub weight: f64,
    /// Does it hold on the run?
    pub passed: bool,
    /// Why it holds, or why it does not.
    pub detail: String,
    /// Why the rule exists; may be empty.
    pub description: String,
    /// What the agent should do about a violation; may be empty.
    pub repair: String,
}

/// What a score amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ComplianceLabel {
    /// The score is 1.
    Full,
    /// The score is between 0 and 1.
    Partial,
    /// The score is 0.
    Violation,
}

impl ComplianceLabel {
    fn of(score: f64) -> Self {
        if score >= 1.0 {
            ComplianceLabel::Full
        } else if score <= 0.0 {
            ComplianceLabel::Violation
        } else {
            ComplianceLabel::Partial
        }
    }

    /// The name in capitals, as it is printed and serialised.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ComplianceLabel::Full => "FULL",
            ComplianceLabel::Partial => "PARTIAL",
            ComplianceLabel::Violation => "VIOLATION",
        }
    }
}

impl fmt::Display for ComplianceLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for ComplianceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A long run is shown by its ends.
        const SHOWN: usize = 20;
        let calls = self.tool_sequence.len();
        f.write_str("calls     : ")?;
        if calls == 0 {
            f.write_str("none")?;
        }
        for (i, tool) in self.tool_sequence.iter().enumerate() {
            let arrow = if i == 0 { "" } else { " -> " };
            if calls <= SHOWN || i < SHOWN / 2 || i >= calls - SHOWN / 2 {
                write!(f, "{arrow}{tool}")?;
            } else if i == SHOWN / 2 {
                write!(f, "{arrow}({} more)", calls - SHOWN)?;
            }
        }
        writeln!(
            f,
            "\ncompliance: {} ({:.2})",
            self.compliance_label, self.compliance_score
        )?;
        let width = self
            .constraints
            .iter()
            .map(|result| result.name.chars().count())
            .max()
            .unwrap_or(0);
        for result in &self.constraints {
            let mark = if result.passed { "PASS" } else { "FAIL" };
            let ConstraintResult {
                name,
                weight,
                detail,
                ..
            } = result;
            write!(f, "\n  [{mark}] {name:width$} (weight {weight}): {detail}")?;
        }
        if !self.constraints.is_empty() {
            writeln!(f)?;
        }
        Ok(())
    }
}

fn judged(rule: &Constraint, weight: f64, run: &Run<'_>) -> ConstraintResult {
    // What cannot be judged does not count as kept.
    let (passed, detail) = match run.finding(rule.formula()) {
        Ok(Finding { holds, detail, .. }) => (holds, detail),
        Err(error) => (false, error.to_string()),
    };
    ConstraintResult {
        name: rule.name().to_owned(),
        weight,
        passed,
        detail,
        description: rule.description().to_owned(),
        repair: rule.repair().to_owned(),
    }
}

fn score(results: &[ConstraintResult]) -> f64 {
    let sum = |scale: f64| {
        let add = |(total, violated), result: &ConstraintResult| {
            let weight = result.weight / scale;
            (
                total + weight,
                if result.passed {
                    violated
                } else {
                    violated + weight
                },
            )
        };
        results.iter().fold((0.0, 0.0), add)
    };
    let (mut total, mut violated): (f64, f64) = sum(1.0);
    if total.is_infinite() {
        // Each weight is finite, so each share of the largest is at most 1.
        let largest = results
            .iter()
            .fold(0.0, |most: f64, result| most.max(result.weight));
        (total, violated) = sum(largest);
    }
    if violated == 0.0 {
        return 1.0;
    }
    // Six places, rounded from the exact decimal value. Formatting does exactly that.
    let score = 1.0 - violated / total;
    format!("{score:.6}").parse().unwrap_or(score)
}

fn details(rules: &[Constraint], results: &[ConstraintResult], calls: &[ToolCall]) -> String {
    let failed = || {
        rules
            .iter()
            .zip(results)
            .filter(|(_, result)| !result.passed)
    };
    let names: Vec<&str> = failed().map(|(_, result)| result.name.as_str()).collect();
    if names.is_empty() {
        return "Every constraint holds.".to_owned();
    }
    let mut missing: Vec<&str> = Vec::new();
    for tool in failed().flat_map(|(rule, _)| needed(rule)) {
        let tool = tool.as_str();
        if !missing.contains(&tool) && calls.iter().all(|call| call.tool_name != tool) {
            missing.push(tool);
        }
    }
    let mut text = format!("Violated: {}.", names.join(", "));
    if !missing.is_empty() {
        text.push_str(&format!(" Never called: {}.", missing.join(", ")));
    }
    text
}

/// The tools a rule cannot do without, where its formula is a single atom that says so.
fn needed(rule: &Constraint) -> Vec<&Name> {
    match rule.formula().nodes() {
        [Node::Called(tool) | Node::CalledWith(tool, _) | Node::CalledWithResult(tool, ..)] => {
            vec![tool]
        }
        [Node::Before(a, b) | Node::After(a, b)] => vec![a, b],
        [Node::BranchCalled { correct, .. }] => vec![correct],
        _ => Vec::new(),
    }
}
