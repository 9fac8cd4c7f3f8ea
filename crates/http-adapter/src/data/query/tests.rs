//! Compares the parsed parameters with the documented ones.

use super::changes;
use crate::data::{sleep, supplements};
use crate::openapi::openapi_json;
use domain::data_kind::DataKind;
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn the_document_names_the_parameters_that_an_endpoint_knows_and_no_others() {
    let document: Value = serde_json::from_str(&openapi_json()).unwrap();
    for endpoint in DataKind::ALL {
        let known: &[&str] = match endpoint {
            DataKind::Profile => &[],
            DataKind::Sleep => sleep::KNOWN,
            DataKind::Supplements => supplements::KNOWN,
        };
        assert_documented(&document, &format!("/api/v1/{}/{{user_id}}", endpoint.as_str()), known);
    }
    assert_documented(&document, "/api/v1/changes/{user_id}", changes::KNOWN);
}

#[track_caller]
fn assert_documented(document: &Value, path: &str, known: &[&str]) {
    let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
    let in_query = parameters.iter().filter(|parameter| parameter["in"] == "query");
    let documented: BTreeSet<_> = in_query.map(|parameter| parameter["name"].as_str().unwrap()).collect();
    assert_eq!(documented, known.iter().copied().collect(), "{path}");
}
