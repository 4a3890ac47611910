//! The JSON schema of a tool's arguments.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The JSON schema of a type, as endpoints expect it of a tool's arguments: an object, with nested
/// types in place.
///
/// ```
/// use agentltl_agent::parameters_of;
/// #[derive(schemars::JsonSchema)]
/// struct Search {
///     /// What to look for.
///     query: String,
///     limit: Option<u8>,
/// }
/// let schema = parameters_of::<Search>();
/// assert_eq!(schema["properties"]["query"]["description"], "What to look for.");
/// assert_eq!(schema["required"], serde_json::json!(["query"]));
/// ```
#[must_use]
pub fn parameters_of<T: JsonSchema>() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of the Rust type says nothing to a model.
    schema.remove("title");
    let is_object = schema
        .get("type")
        .is_some_and(|kind| kind.as_str() == Some("object"));
    if is_object && schema.get("properties").is_none() {
        schema.insert("properties".to_owned(), Json::Object(Map::new()));
    }
    schema.to_value()
}

/// The arguments of a tool that takes none. Whatever a model passes is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoArguments {}

impl JsonSchema for NoArguments {
    fn schema_name() -> Cow<'static, str> {
        "NoArguments".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "properties": {}})
    }
}
