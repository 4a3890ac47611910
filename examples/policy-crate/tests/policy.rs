//! What the rules are and what they do, as snapshots: a change of a rule shows in review as a change
//! of what happens to real runs. After a change that is meant, `cargo insta review` or
//! `INSTA_UPDATE=always cargo test` writes the new ones.

use std::error::Error;

use agentltl::testing::{Transcript, expect};
use agentltl::{Action, Trace};
use release_policy::{POLICY, tools};

/// A run as it was recorded.
fn recorded(text: &str) -> Result<Trace, agentltl::TraceError> {
    Trace::from_jsonl(text)
}

#[test]
fn the_policy() {
    insta::assert_snapshot!(POLICY.to_string());
}

#[test]
fn a_hasty_release() -> Result<(), Box<dyn Error>> {
    let run = recorded(include_str!("runs/hasty.jsonl"))?;
    insta::assert_snapshot!(Transcript::of(&POLICY, &run)?.to_string());
    Ok(())
}

#[test]
fn a_release_by_the_rules() -> Result<(), Box<dyn Error>> {
    let run = recorded(include_str!("runs/good.jsonl"))?;
    expect(&POLICY, &run)?.all_allowed()?.may_finish()?;
    Ok(())
}

#[test]
fn a_second_deployment_after_a_rollback() -> Result<(), Box<dyn Error>> {
    use tools::{BUILD, DEPLOY, ROLLBACK, RUN_TESTS};
    let twice = Trace::from_names([RUN_TESTS, BUILD, DEPLOY, DEPLOY]);
    expect(&POLICY, &twice)?.refused(4, Action::Ask, "one_deployment_at_a_time")?;
    let taken_back = Trace::from_names([RUN_TESTS, BUILD, DEPLOY, ROLLBACK, DEPLOY]);
    expect(&POLICY, &taken_back)?.all_allowed()?;
    Ok(())
}
