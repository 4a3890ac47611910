//! 140 recorded conversations, judged as the reference judges them.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use common::{Folder, shared};
use serde_json::Value as Json;

#[test]
fn scores_and_decisions_are_those_of_the_reference() {
    let (Some(traces), Some(policy), Some(expected)) = (
        shared("traces/airline-gpt4o.jsonl"),
        shared("traces/airline-policy.toml"),
        shared("traces/airline-expected.json"),
    ) else {
        eprintln!("skipped: the recorded conversations are not there");
        return;
    };
    let (traces, policy) = (traces.to_str().unwrap(), policy.to_str().unwrap());
    let expected: Vec<Json> =
        serde_json::from_str(&std::fs::read_to_string(expected).unwrap()).unwrap();
    let folder = Folder::new();

    let verified = folder.run(&["verify", traces, "--policy", policy, "--format", "json"]);
    assert_eq!(verified.code, 1, "{}", verified.err);
    let verified: Json = serde_json::from_str(&verified.out).unwrap();
    let runs = verified["runs"].as_array().unwrap();

    let replayed = folder.run(&["replay", traces, "--policy", policy, "--format", "json"]);
    assert_eq!(replayed.code, 1, "{}", replayed.err);
    let replayed: Vec<Json> = serde_json::from_str(&replayed.out).unwrap();

    assert_eq!(
        (runs.len(), replayed.len()),
        (expected.len(), expected.len())
    );
    for (index, ((run, replay), expected)) in runs.iter().zip(&replayed).zip(&expected).enumerate()
    {
        assert_eq!(run["line"], index + 1);
        assert_eq!(run["compliance_score"], expected["score"], "{index}");
        assert_eq!(run["compliance_label"], expected["label"], "{index}");
        let failed: Vec<&Json> = run["constraints"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|result| result["passed"] == false)
            .map(|result| &result["name"])
            .collect();
        assert_eq!(
            serde_json::to_value(failed).unwrap(),
            expected["failed"],
            "{index}"
        );
        let actions: Vec<Json> = replay["calls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| {
                let decision = &call["decision"];
                let name = &decision["violations"][0]["constraint_name"];
                serde_json::json!([decision["action"], name])
            })
            .collect();
        assert_eq!(
            serde_json::to_value(actions).unwrap(),
            expected["actions"],
            "{index}"
        );
    }
}
