//! What the expansion of the macros uses. Not for use by hand: it changes without notice.

pub use agentltl_core::packed::{Packed, PackedPolicy};
use agentltl_core::{Formula, Node, Severity};
pub use agentltl_macros::{__constraints, __formula};

/// What a domain function gives.
pub type Entities = Result<Vec<serde_json::Value>, crate::HostError>;

/// What `formula!` gives where it has reported an error.
pub const INVALID_FORMULA: Formula = Formula::from_static(const { &[Node::False] });

/// A formula that `formula!` has read. A string it did not write is the formula that holds nowhere.
#[must_use]
pub fn formula(packed: &'static Packed) -> Formula {
    packed.formula().unwrap_or(INVALID_FORMULA)
}

/// May a formula that is not SAFE have the severity?
#[must_use]
pub const fn lets_pass(severity: Severity) -> bool {
    !severity.is_blocking()
}

/// May a constraint have the weight?
#[must_use]
pub const fn is_weight(weight: f64) -> bool {
    weight.is_finite() && weight >= 0.0
}

/// Is the tool in the list? At compile time, so without iterators.
#[must_use]
pub const fn is_listed(tool: &str, list: &[&str]) -> bool {
    let mut at = 0;
    while at < list.len() {
        if same(tool.as_bytes(), list[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
