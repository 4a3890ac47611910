//! What all runs together come to.

use agentltl::{ComplianceReport, Policy};
use serde::Serialize;

use crate::Outcome;
use crate::error::BadInput;

/// The counts over all runs.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) runs: usize,
    pub(crate) met: usize,
    pub(crate) not_met: usize,
    pub(crate) min_score: f64,
    /// Absent where there is no run.
    pub(crate) mean_score: Option<f64>,
    pub(crate) constraints: Vec<Count>,
    #[serde(skip)]
    pub(crate) bad: Vec<BadInput>,
    #[serde(skip)]
    total: f64,
}

/// How often a rule was violated.
#[derive(Debug, Serialize)]
pub(crate) struct Count {
    pub(crate) name: String,
    pub(crate) violated: usize,
}

impl Summary {
    pub(crate) fn new(policy: &Policy, min_score: f64) -> Self {
        Summary {
            runs: 0,
            met: 0,
            not_met: 0,
            min_score,
            mean_score: None,
            constraints: policy
                .constraints()
                .iter()
                .map(|rule| Count {
                    name: rule.name().to_owned(),
                    violated: 0,
                })
                .collect(),
            bad: Vec::new(),
            total: 0.0,
        }
    }

    /// Counts a run. Does it reach the score asked for?
    pub(crate) fn add(&mut self, report: &ComplianceReport) -> bool {
        self.runs += 1;
        self.total += report.compliance_score;
        self.mean_score = Some(self.total / self.runs as f64);
        for (count, result) in self.constraints.iter_mut().zip(&report.constraints) {
            count.violated += usize::from(!result.passed);
        }
        let met = report.compliance_score >= self.min_score;
        if met {
            self.met += 1;
        } else {
            self.not_met += 1;
        }
        met
    }

    pub(crate) fn outcome(&self) -> Outcome {
        if !self.bad.is_empty() || self.runs == 0 {
            Outcome::BadInput
        } else if self.not_met > 0 {
            Outcome::NotMet
        } else {
            Outcome::Met
        }
    }
}
