//! What concerns the server itself.

use super::example;
use super::parameter::string;
use super::response::{ErrorForm, Group, json};
use super::schema::reference;
use crate::metadata::MetadataBody;
use crate::problem::{ErrorList, Fault};
use crate::route;
use serde_json::json;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, PathItem};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder};
use utoipa::openapi::{ContentBuilder, Response};

pub(super) const TAG: &str = "server";

pub(super) const ERRORS: Group = Group { name: "Server", faults: &[], form: ErrorForm::Problem };
pub(super) const READINESS_ERRORS: Group =
    Group { name: "Readiness", faults: &[Fault::NotReady], form: ErrorForm::Problem };

pub(super) fn paths() -> Vec<(String, PathItem)> {
    vec![
        path(
            route::path::METADATA,
            "readMetadata",
            "What the authorization server can do, and where (RFC 8414)",
            json("What it can do", reference::<MetadataBody>(), example::metadata()).build(),
            &ERRORS,
        ),
        path(
            route::path::KEY_SET,
            "readKeySet",
            "The public keys of access tokens (RFC 7517)",
            key_set(),
            &ERRORS,
        ),
        path("/livez", "isLive", "Whether the process runs", liveness(), &ERRORS),
        path("/readyz", "isReady", "Whether the process can serve", readiness(), &READINESS_ERRORS),
        path("/openapi.json", "readDocument", "This document", this_document(), &ERRORS),
        path("/errors", "readErrors", "What each error code means", error_reference(), &ERRORS),
    ]
}

fn path(path: &str, name: &str, summary: &str, good: Response, errors: &Group) -> (String, PathItem) {
    let operation = OperationBuilder::new()
        .operation_id(Some(name))
        .tag(TAG)
        .summary(Some(summary))
        .response("200", good);
    (path.to_owned(), PathItem::new(HttpMethod::Get, errors.refer(operation).build()))
}

fn liveness() -> Response {
    let schema = ObjectBuilder::new().property("status", ok()).required("status").build();
    json("It is", schema, json!({"status": "ok"})).build()
}

fn readiness() -> Response {
    let checks = ObjectBuilder::new()
        .description(Some(
            "What serving takes, by name. Which there are depends on the settings. `writes` may also name the reason why \
             the store refuses them.",
        ))
        .additional_properties(Some(
            string().enum_values(Some(["ok", "disk_full", "disk_read_only", "disk_error"])),
        ))
        .build();
    let schema = ObjectBuilder::new()
        .property(
            "status",
            string()
                .enum_values(Some(["ok", "read_only"]))
                .description(Some("`read_only` while the store refuses writes and answers reads.")),
        )
        .required("status")
        .property("checks", checks)
        .required("checks")
        .build();
    let all =
        json!({"database": "ok", "schema": "ok", "keys": "ok", "clock": "ok", "writes": "ok", "drain": "ok"});
    json("It is", schema, json!({"status": "ok", "checks": all})).build()
}

fn ok() -> ObjectBuilder {
    string().enum_values(Some(["ok"]))
}

fn key_set() -> Response {
    let fixed = |value: &str| string().enum_values(Some([value]));
    let key = ["kty", "crv", "alg", "use", "kid", "x"].into_iter().fold(
        ObjectBuilder::new()
            .property("kty", fixed("OKP"))
            .property("crv", fixed("Ed25519"))
            .property("alg", fixed("EdDSA"))
            .property("use", fixed("sig"))
            .property("kid", super::parameter::uuid())
            .property("x", string().description(Some("The public key, base64url (RFC 8037)."))),
        ObjectBuilder::required,
    );
    let schema = ObjectBuilder::new()
        .property("keys", ArrayBuilder::new().items(key.build()))
        .required("keys")
        .build();
    let example = json!({"keys": [{
        "kty": "OKP",
        "crv": "Ed25519",
        "alg": "EdDSA",
        "use": "sig",
        "kid": "0a9b8c7d-6e5f-4a3b-9c2d-1e0f9a8b7c6d",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    }]});
    json("The keys whose signatures are accepted", schema, example).build()
}

fn this_document() -> Response {
    let schema = ObjectBuilder::new().property("openapi", string()).required("openapi").build();
    json("The document", schema, json!({"openapi": "3.1.0"})).build()
}

fn error_reference() -> Response {
    let text = || ContentBuilder::new().schema(Some(string().build())).build();
    let row = Fault::NotFound.row();
    let example = json!({"errors": [{
        "code": row.code,
        "status": row.status,
        "oauth_error": null,
        "title": row.title,
        "meaning": row.meaning,
    }]});
    json(
        "The reference: a page with an anchor for each code, JSON or Markdown",
        reference::<ErrorList>(),
        example,
    )
    .content("text/html", text())
    .content("text/markdown", text())
    .build()
}
