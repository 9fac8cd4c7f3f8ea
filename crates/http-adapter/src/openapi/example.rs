//! Examples of responses. A test compares each with its schema.

use crate::metadata::MetadataBody;
use crate::problem::{Fault, OAuthErrorBody, ProblemBody, RateLimitBody};
use application::demo::demo_user_id;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Responses by name.
const EXAMPLES: &str = include_str!("examples.json");
const PUBLIC_URL: &str = "http://127.0.0.1:8080";

/// Declares a function for each response in `examples.json`.
macro_rules! examples {
    ($($name:ident)+) => {$(
        pub(crate) fn $name() -> Value {
            find(stringify!($name))
        }
    )+};
}

examples! { changes erasure ingest introspection key_set profile readiness refresh sleep supplements token }

fn find(name: &str) -> Value {
    let mut examples: BTreeMap<String, Value> = serde_json::from_str(EXAMPLES).unwrap_or_default();
    examples.remove(name).unwrap_or_default()
}

fn value(example: impl Serialize) -> Value {
    serde_json::to_value(example).unwrap_or_default()
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

pub(crate) fn metadata() -> Value {
    value(MetadataBody::new(PUBLIC_URL))
}

/// Returns a fault as `application/problem+json`.
pub(crate) fn problem(fault: Fault) -> Value {
    let row = fault.row();
    value(ProblemBody {
        kind: format!("{PUBLIC_URL}/errors#{}", row.code),
        title: row.title,
        status: row.status,
        detail: row.meaning,
        code: row.code,
        request_id: "7d9f0b2c-4e61-4a83-b5c7-d8e9f0a1b2c3",
        errors: &[],
        limit: (fault == Fault::RateLimited).then_some(RateLimitBody {
            limit: 10_000,
            remaining: 0,
            reset: 1_773_100_800,
        }),
    })
}

/// Returns a fault in the format of the token endpoints.
pub(crate) fn oauth(fault: Fault) -> Value {
    let row = fault.row();
    value(OAuthErrorBody { error: row.oauth, error_description: row.meaning })
}

pub(crate) fn error_list() -> Value {
    let row = Fault::NotFound.row();
    json!({"errors": [{
        "code": row.code,
        "status": row.status,
        "oauth_error": null,
        "title": row.title,
        "meaning": row.meaning,
    }]})
}
