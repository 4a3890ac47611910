#![doc = include_str!("../README.md")]

mod approval;
mod guard;
mod run;

pub use approval::{Approval, ApprovalRequest};
pub use guard::Guard;
pub use run::GuardedRun;
