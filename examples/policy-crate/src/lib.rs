//! The rules of our release agent, as a crate that every program which runs the agent depends on.
//!
//! A rule that makes no sense does not compile; what the rules do to a run is in the snapshots.
//!
//! ```
//! use agentltl::{Action, Enforcer, ToolCall};
//! use release_policy::{POLICY, tools};
//!
//! let mut enforcer = Enforcer::new(POLICY.clone())?;
//! let decision = enforcer.check(&ToolCall::new(tools::DEPLOY));
//! assert_eq!(decision.action, Action::Stop);
//! assert_eq!(decision.constraint_name(), Some("tests_before_deploy"));
//! # Ok::<(), agentltl::EnforcerError>(())
//! ```

use agentltl::{Policy, constraints};

/// The names of the tools, each written once: a name that is misspelt elsewhere does not compile.
pub mod tools {
    /// Runs the tests.
    pub const RUN_TESTS: &str = "run_tests";
    /// Builds what is to be deployed.
    pub const BUILD: &str = "build";
    /// Puts a build into production.
    pub const DEPLOY: &str = "deploy";
    /// Takes the last deployment back.
    pub const ROLLBACK: &str = "rollback";
    /// Tells the team.
    pub const NOTIFY: &str = "notify";
}

/// The rules.
pub static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    #![default_severity(PERSISTENT_BLOCK)]
    #![tools(tools::RUN_TESTS, tools::BUILD, tools::DEPLOY, tools::ROLLBACK, tools::NOTIFY)]

    /// Nothing goes to production untested.
    #[weight(3.0)]
    #[repair("Call run_tests and build first.")]
    tests_before_deploy: HARD_STOP = all_before([tools::RUN_TESTS, tools::BUILD], tools::DEPLOY);

    /// A second deployment is a human's decision, unless the first was taken back.
    #[repair("Roll back first, or ask.")]
    one_deployment_at_a_time: ASK =
        G(now(tools::DEPLOY) -> !Y((!now(tools::ROLLBACK)) S now(tools::DEPLOY)));

    /// There is nothing to take back before the first deployment.
    rollback_after_deploy = G(now(tools::ROLLBACK) -> O(now(tools::DEPLOY)));

    /// The team hears of every release, at the latest when the agent is done.
    #[applies_to_final_answer]
    #[repair("Call notify.")]
    team_is_told: TOLERATE = called(tools::DEPLOY) -> called(tools::NOTIFY);
};
