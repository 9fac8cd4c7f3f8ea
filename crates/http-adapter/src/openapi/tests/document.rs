//! Checks that the document matches the server.

use crate::data::dto::query::DATE_PATTERN;
use crate::openapi::openapi_json;
use crate::tests::{Parts, send};
use actix_web::http::StatusCode;
use actix_web::test::TestRequest;
use application::demo::demo_user_id;
use domain::change::{ChangeCursor, ChangePosition, UserFingerprint};
use domain::data_kind::{DataKind, InvalidKinds};
use domain::paging::ChangeLimit;
use domain::time::DateParameter;
use proptest::prelude::*;
use proptest::string::string_regex;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;

fn document() -> Value {
    serde_json::from_str(&openapi_json()).unwrap()
}

/// Resolves a reference; other values are returned as they are.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let Some(reference) = value["$ref"].as_str() else { return value };
    document.pointer(reference.strip_prefix('#').unwrap()).unwrap()
}

/// Lists every operation with its path and method.
fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, item)| {
            let item = item.as_object().unwrap().iter();
            item.map(|(method, operation)| (path.as_str(), method.as_str(), operation))
        })
        .collect()
}

#[test]
fn the_committed_copy_matches_the_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let committed = std::fs::read_to_string(root.join("docs/reference/openapi.json")).unwrap_or_default();
    if committed != openapi_json() {
        std::fs::write(root.join("target/openapi.json"), openapi_json()).unwrap();
        panic!("the API changed: cp target/openapi.json docs/reference/openapi.json");
    }
}

#[test]
fn the_description_names_the_endpoint_for_assistants() {
    // The metadata of the endpoint links to this document, which has no operation for it.
    assert!(document()["info"]["description"].as_str().unwrap().contains("`POST /mcp`"));
}

#[test]
fn every_reference_resolves() {
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
    let document = document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 100);
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn it_is_openapi_3_1_with_every_endpoint_once_and_one_name_for_each_operation() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    let operations = operations(&document);
    let named: Vec<_> = operations.iter().map(|(path, method, _)| format!("{method} {path}")).collect();
    let expected = [
        "get /.well-known/jwks.json",
        "get /.well-known/oauth-authorization-server",
        "get /.well-known/oauth-protected-resource",
        "get /.well-known/oauth-protected-resource/mcp",
        "get /api/refresh",
        "post /api/refresh",
        "get /api/token",
        "post /api/token",
        "get /api/v1/changes/{user_id}",
        "get /api/v1/export/{user_id}",
        "get /api/v1/profile/{user_id}",
        "put /api/v1/profile/{user_id}",
        "get /api/v1/sleep/{user_id}",
        "post /api/v1/sleep/{user_id}",
        "delete /api/v1/sleep/{user_id}/{session_id}",
        "post /api/v1/supplements",
        "get /api/v1/supplements/{user_id}",
        "post /api/v1/supplements/{user_id}/logs",
        "delete /api/v1/supplements/{user_id}/logs/{log_id}",
        "post /api/v1/users",
        "delete /api/v1/users/{user_id}",
        "get /authorize",
        "get /errors",
        "get /livez",
        "post /oauth/introspect",
        "post /oauth/revoke",
        "get /openapi.json",
        "get /readyz",
    ];
    assert_eq!(named, expected);
    let ids: BTreeSet<_> =
        operations.iter().map(|(.., operation)| operation["operationId"].as_str()).collect();
    assert_eq!(ids.len(), operations.len());
}

#[actix_web::test]
async fn every_path_is_routed_and_answers_a_documented_status_without_credentials() {
    let document = document();
    // `page-adapter` serves `/authorize`, and has the same test for it.
    let served = operations(&document).into_iter().filter(|(path, ..)| *path != "/authorize");
    for (path, method, operation) in served {
        let path = path.replace("{user_id}", "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48");
        let request = TestRequest::with_uri(&path).method(method.to_uppercase().parse().unwrap());
        let request = request.insert_header(("accept", "application/json"));
        let answer = send(&Parts::default().build(), request).await;
        assert_ne!(answer.status, StatusCode::NOT_FOUND, "{path}");
        let documented = resolved(&document, &operation["responses"][answer.status.as_str()]);
        let kind = answer.header("content-type").unwrap().split(';').next().unwrap();
        assert!(documented["content"][kind].is_object(), "{method} {path}: {} {kind}", answer.status);
    }
}

#[test]
fn a_data_endpoint_documents_every_status_with_a_schema_and_its_limits() {
    let document = document();
    for endpoint in ["profile", "sleep", "supplements"] {
        let operation = &document["paths"][format!("/api/v1/{endpoint}/{{user_id}}")]["get"];
        let responses = operation["responses"].as_object().unwrap();
        let statuses: Vec<_> = responses.keys().map(String::as_str).collect();
        let expected = ["200", "400", "401", "403", "404", "405", "414", "429", "431", "500", "503"];
        assert_eq!(statuses, expected);
        for (status, response) in responses {
            let response = resolved(&document, response);
            let kind = if status == "200" { "application/json" } else { "application/problem+json" };
            assert!(response["content"][kind]["schema"]["$ref"].is_string(), "{endpoint} {status}");
        }
        for status in ["200", "429"] {
            let headers = &resolved(&document, &responses[status])["headers"];
            assert!(headers["X-RateLimit-Reset"].is_object());
        }
    }
}

#[test]
fn no_two_paths_differ_only_in_their_version() {
    let document = document();
    let paths = document["paths"].as_object().unwrap();
    for path in paths.keys().filter(|path| path.contains("/v1/")) {
        assert!(!paths.contains_key(&path.replacen("/v1/", "/", 1)), "{path}");
    }
}

#[test]
fn the_scopes_of_operations_belong_to_a_flow_of_the_oauth2_scheme() {
    let document = document();
    let flows = &document["components"]["securitySchemes"]["oauth2"]["flows"];
    let (by_consent, by_service_client) = (&flows["authorizationCode"], &flows["clientCredentials"]);
    assert_eq!(by_consent["authorizationUrl"], "http://127.0.0.1:8080/authorize");
    for url in [&by_consent["tokenUrl"], &by_consent["refreshUrl"], &by_service_client["tokenUrl"]] {
        assert_eq!(*url, "http://127.0.0.1:8080/api/token");
    }
    let names = |flow: &Value| flow["scopes"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(by_consent), ["profile", "sleep", "supplements"]);
    let (readable, writable) = (names(by_consent), names(by_service_client));
    let mut seen = BTreeSet::new();
    for (path, _, operation) in operations(&document) {
        for requirement in operation["security"].as_array().into_iter().flatten() {
            for scope in requirement["oauth2"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let flow = if operation["tags"][0] == "data" { &readable } else { &writable };
                assert!(flow.iter().any(|name| name == scope), "{path}: {scope}");
                seen.insert(scope.to_owned());
            }
        }
    }
    // `/oauth/introspect` authenticates the client.
    let expected: BTreeSet<_> =
        readable.into_iter().chain(writable).filter(|scope| scope != "tokens:introspect").collect();
    assert_eq!(seen, expected);
}

#[test]
fn authorization_documents_its_parameters_its_redirect_and_its_error_pages() {
    let document = document();
    let operation = &document["paths"]["/authorize"]["get"];
    let parameters = operation["parameters"].as_array().unwrap();
    let required: Vec<_> = parameters
        .iter()
        .filter(|one| one["required"] == true)
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(required, ["response_type", "client_id", "redirect_uri"]);
    assert_eq!(parameters.len(), 11);
    assert!(operation["responses"]["303"]["headers"]["Location"].is_object());
    for status in ["400", "429", "503"] {
        let response = resolved(&document, &operation["responses"][status]);
        assert!(response["content"]["text/html"].is_object(), "{status}");
    }
    let too_many = resolved(&document, &operation["responses"]["429"]);
    assert!(too_many["headers"]["Retry-After"].is_object());
}

#[test]
fn the_change_feed_documents_expired_cursors() {
    let document = document();
    let operation = &document["paths"]["/api/v1/changes/{user_id}"]["get"];
    let response = resolved(&document, &operation["responses"]["410"]);
    assert!(response["content"]["application/problem+json"].is_object());
    let schema = |name: &str| {
        let parameters = operation["parameters"].as_array().unwrap();
        &parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"]
    };
    assert_eq!(schema("limit")["maximum"], ChangeLimit::MAX);
    let (least, most) = CURSOR_LENGTHS;
    assert_eq!(schema("cursor")["pattern"], format!("^[A-Za-z0-9_-]{{{least},{most}}}$"));
}

/// Minimum and maximum length of a cursor according to its pattern.
const CURSOR_LENGTHS: (usize, usize) = (12, 46);

proptest! {
    #[test]
    fn values_matching_the_patterns_of_the_change_feed_are_accepted(
        types in string_regex("(?:profile|sleep|supplements)(?:,(?:profile|sleep|supplements)){0,2}").unwrap(),
        number in 0..=i64::MAX, starts: bool,
    ) {
        let outcome = DataKind::parse_list(&types);
        prop_assert!(matches!(outcome, Ok(_) | Err(InvalidKinds::Repeated)), "{}", types);
        let position = ChangePosition { number, kind: DataKind::Sleep, id: uuid::Uuid::max() };
        let issued_at = chrono::DateTime::UNIX_EPOCH;
        let user = UserFingerprint::new(demo_user_id());
        let cursor = ChangeCursor { after: (!starts).then_some(position), issued_at, user }.to_string();
        let (least, most) = CURSOR_LENGTHS;
        prop_assert!((least..=most).contains(&cursor.len()), "{}", cursor);
    }
}

#[test]
fn the_example_person_is_the_demo_person() {
    let document = document();
    let demo = demo_user_id().to_string();
    let of_paths: Vec<_> = operations(&document)
        .into_iter()
        .flat_map(|(.., operation)| operation["parameters"].as_array().into_iter().flatten())
        .filter(|parameter| parameter["in"] == "path" && parameter["name"] == "user_id")
        .map(|parameter| parameter["example"].as_str())
        .collect();
    assert_eq!(of_paths, [Some(demo.as_str()); 11]);
}

/// Checks that an example has the members of its schema, at every level.
fn assert_fits(document: &Value, schema: &Value, example: &Value, place: &str) {
    let schema = resolved(document, schema);
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    match example {
        Value::Object(members) if !properties.is_empty() => {
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(members.contains_key(required.as_str().unwrap()), "{place}: no {required}");
            }
            for (name, member) in members {
                let property = properties.get(name).unwrap_or_else(|| panic!("{place}: unknown {name}"));
                assert_fits(document, property, member, &format!("{place}/{name}"));
            }
        }
        Value::Array(items) => {
            for item in items {
                assert_fits(document, &schema["items"], item, place);
            }
        }
        _ => {}
    }
}

#[test]
fn every_example_matches_its_schema() {
    let document = document();
    let mut seen = 0;
    for (path, method, operation) in operations(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = resolved(&document, response);
            for content in response["content"].as_object().into_iter().flat_map(Map::values) {
                let place = format!("{method} {path} {status}");
                assert_fits(&document, &content["schema"], &content["example"], &place);
                seen += usize::from(content["example"].is_object());
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn required_members_are_documented_as_required() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let optional: Vec<_> = schemas
        .iter()
        // `oneOf` schemas have no members; forms and items are requests.
        .filter(|(name, schema)| {
            schema["oneOf"].is_null() && !name.ends_with("Form") && !name.ends_with("Item")
        })
        .flat_map(|(name, schema)| {
            let required = schema["required"].as_array().unwrap();
            let properties = schema["properties"].as_object().unwrap().keys();
            properties
                .filter(|property| !required.iter().any(|one| one == property.as_str()))
                .map(move |property| format!("{name}.{property}"))
        })
        .collect();
    let expected = [
        "Change.record",
        "IntrospectionBody.aud",
        "IntrospectionBody.client_id",
        "IntrospectionBody.exp",
        "IntrospectionBody.iat",
        "IntrospectionBody.iss",
        "IntrospectionBody.jti",
        "IntrospectionBody.scope",
        "IntrospectionBody.sub",
        "IntrospectionBody.token_type",
        "ItemAnswer.code",
        "ItemAnswer.detail",
        "ItemAnswer.field",
        "ItemAnswer.id",
        "ProblemBody.errors",
        "ProblemBody.limit",
        "RefreshBody.refresh_token",
        "SleepSession.raw_sleep",
        "SleepSession.sleep_metric",
    ];
    assert_eq!(optional, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn dates_matching_the_documented_pattern_are_accepted(
        date in string_regex(DATE_PATTERN.trim_matches(['^', '$'])).unwrap()
    ) {
        let leap_day = date.get(5..10) == Some("02-29");
        prop_assert!(leap_day || DateParameter::parse(&date).is_ok(), "{}", date);
    }
}
