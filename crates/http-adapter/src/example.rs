//! Examples of responses in the `OpenAPI` document. A test compares each with its schema.

use application::demo::demo_user_id;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Responses by name.
const EXAMPLES: &str = include_str!("examples.json");

/// Public URL of the server in examples.
pub(crate) const PUBLIC_URL: &str = "http://127.0.0.1:8080";

/// Declares a function for each response in `examples.json`.
macro_rules! examples {
    ($($name:ident)+) => {
        $(pub(crate) fn $name() -> Value {
            find(stringify!($name))
        })+

        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($name)),+];
    };
}

examples! { changes erasure ingest introspection key_set profile readiness refresh sleep supplements token }

fn find(name: &str) -> Value {
    let mut examples: BTreeMap<String, Value> = serde_json::from_str(EXAMPLES).unwrap_or_default();
    examples.remove(name).unwrap_or_default()
}

/// Returns the person of all examples: the demo's, so that the interactive reference works there without
/// changes.
pub(crate) fn user_id() -> String {
    demo_user_id().to_string()
}

/// Returns the first line of an export.
pub(crate) fn export_line() -> String {
    format!("{}\n", json!({"type": "profile", "user_id": user_id(), "home_timezone": "Europe/Berlin"}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_each_example_and_no_other() {
        let examples: BTreeMap<String, Value> = serde_json::from_str(EXAMPLES).unwrap();
        assert_eq!(examples.keys().collect::<Vec<_>>(), NAMES);
        assert!(examples.values().all(Value::is_object));
    }
}
