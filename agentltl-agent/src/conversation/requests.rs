//! Calls as models and endpoints write them.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use crate::chat::ToolCallRequest;

/// The arguments that the text is meant to be: an object, or nothing.
pub(super) fn parse_arguments(text: &str) -> Result<Map<String, Json>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text).map_err(|error| error.to_string())? {
        Json::Object(arguments) => Ok(arguments),
        Json::Null => Ok(Map::new()),
        Json::Array(_) => Err("they are an array".to_owned()),
        Json::String(_) => Err("they are a string".to_owned()),
        Json::Number(_) => Err("they are a number".to_owned()),
        Json::Bool(_) => Err("they are a boolean".to_owned()),
    }
}

/// Gives every call an id of its own, and drops a call that is there twice: same id, same tool, same
/// arguments. The provider says it is one call, and running it twice cannot be undone.
pub(super) fn identify(calls: &mut Vec<ToolCallRequest>, step: u64) {
    let mut index = 0;
    while index < calls.len() {
        let (earlier, later) = calls.split_at(index);
        let is_repeated = later
            .first()
            .is_some_and(|call| !call.id.is_empty() && earlier.contains(call));
        if is_repeated {
            calls.remove(index);
        } else {
            index += 1;
        }
    }
    let mut taken: HashSet<String> = calls.iter().map(|call| call.id.clone()).collect();
    let mut seen: HashSet<String> = HashSet::new();
    for (index, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || seen.contains(&call.id) {
            let base = format!("call_{step}_{index}");
            let mut id = base.clone();
            let mut count = 1;
            while !taken.insert(id.clone()) {
                id = format!("{base}_{count}");
                count += 1;
            }
            call.id = id;
        }
        seen.insert(call.id.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(calls: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut calls = calls
            .iter()
            .map(|(id, name)| ToolCallRequest::raw(*name, "{}").with_id(*id))
            .collect();
        identify(&mut calls, 3);
        calls.into_iter().map(|call| (call.id, call.name)).collect()
    }

    fn pairs(calls: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |(id, name): &(&str, &str)| ((*id).to_owned(), (*name).to_owned());
        calls.iter().map(own).collect()
    }

    #[test]
    fn every_call_gets_an_id_of_its_own() {
        assert_eq!(
            ids(&[("a", "x"), ("b", "y")]),
            pairs(&[("a", "x"), ("b", "y")])
        );
        assert_eq!(
            ids(&[("", "x"), ("", "x")]),
            pairs(&[("call_3_0", "x"), ("call_3_1", "x")])
        );
        assert_eq!(
            ids(&[("", "x"), ("call_3_0", "y")]),
            pairs(&[("call_3_0_1", "x"), ("call_3_0", "y")])
        );
        assert_eq!(
            ids(&[("a", "x"), ("a", "y")]),
            pairs(&[("a", "x"), ("call_3_1", "y")])
        );
    }

    #[test]
    fn a_call_that_is_there_twice_is_one_call() {
        assert_eq!(
            ids(&[("a", "x"), ("b", "x"), ("a", "x")]),
            pairs(&[("a", "x"), ("b", "x")])
        );
    }

    #[test]
    fn arguments_are_an_object_or_nothing() {
        for text in ["", "  ", "null", "{}"] {
            assert_eq!(parse_arguments(text), Ok(Map::new()), "{text:?}");
        }
        for text in ["[]", "1", "\"x\"", "{", "{\"a\": 1", "true"] {
            assert!(parse_arguments(text).is_err(), "{text:?}");
        }
    }
}
