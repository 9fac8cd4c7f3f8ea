//! Compares the table with the routes that actix serves.

use super::{Audience, Credential, Endpoint, Outcome, authorization_reference};
use crate::openapi::document;
use crate::tests::{Answer, Parts, send};
use actix_web::http::Method;
use actix_web::test::TestRequest;
use std::collections::BTreeSet;
use std::path::Path;

/// Sends a request to an endpoint, with a valid value for each pattern in the path.
async fn ask(endpoint: Endpoint, method: Method) -> Answer {
    let path = endpoint.path().replace("{user_id}", "4b1c5d6e-0000-4000-8000-000000000001");
    let path = path
        .replace("{file}", "index.css")
        .replace("{session_id}", "1")
        .replace("{log_id}", "1")
        .replace("{import_id}", "1");
    send(&Parts::default().build(), TestRequest::default().method(method).uri(&path)).await
}

#[actix_web::test]
async fn every_row_is_served_with_its_methods_and_no_others() {
    for endpoint in Endpoint::ALL {
        let row = endpoint.row();
        let rows =
            row.methods().map(|(method, audience)| (method.parse::<Method>().unwrap(), audience.is_some()));
        let mut allowed: BTreeSet<_> =
            rows.iter().filter(|(_, served)| *served).map(|(method, _)| method.to_string()).collect();
        let unserved = rows.iter().filter(|(_, served)| !*served).map(|(method, _)| method.clone());
        let head = if endpoint.is_health() { None } else { Some(Method::HEAD) };
        let unserved: Vec<_> = unserved.chain([Method::PATCH, Method::TRACE]).chain(head).collect();
        allowed.extend(endpoint.is_health().then(|| "HEAD".to_owned()));
        assert!(!allowed.is_empty(), "{endpoint:?} serves nothing");
        for (method, served) in rows {
            if served {
                let status = ask(*endpoint, method.clone()).await.status.as_u16();
                // Sign-up is closed by default and no email is sent: the handler itself responds with 404.
                let may_be_absent = matches!(endpoint, Endpoint::SignUp | Endpoint::ForgotPassword);
                assert!(status != 405, "{method} {endpoint:?}");
                assert!(status != 404 || may_be_absent, "{method} {endpoint:?}");
            }
        }
        // No row has both of these methods, so the response of the router lists every method that it serves.
        for method in unserved {
            let answer = ask(*endpoint, method.clone()).await;
            assert_eq!(answer.status, 405, "{method} {endpoint:?}");
            let named = answer.header("allow").unwrap_or_default().split(',').map(str::trim);
            let named: BTreeSet<_> = named.map(str::to_owned).collect();
            assert_eq!(named, allowed, "{method} {endpoint:?}");
        }
    }
}

#[test]
fn no_two_rows_have_one_path() {
    let paths: BTreeSet<_> = Endpoint::ALL.iter().map(|endpoint| endpoint.path()).collect();
    assert_eq!(paths.len(), Endpoint::ALL.len());
}

#[test]
fn every_documented_operation_is_in_the_table_with_the_same_methods() {
    let described = document().paths.paths;
    assert!(described.len() > 10);
    for (path, item) in described {
        let found = Endpoint::ALL.iter().find(|endpoint| endpoint.path() == path);
        let row = found.unwrap_or_else(|| panic!("{path} has no row")).row();
        let described = [item.get.is_some(), item.post.is_some(), item.put.is_some(), item.delete.is_some()];
        assert_eq!(row.methods().map(|(_, audience)| audience.is_some()), described, "{path}");
    }
}

#[test]
fn only_the_audience_is_served() {
    let served = |audience: Audience| {
        let credentials = Credential::ALL.into_iter();
        credentials.filter(|one| audience.outcome(*one) == Outcome::Served).collect::<Vec<_>>()
    };
    assert_eq!(served(Audience::Anybody), Credential::ALL);
    assert_eq!(served(Audience::Client), [Credential::ClientSecret]);
    assert_eq!(served(Audience::PersonsForm), [Credential::Form]);
    let reader = Audience::Reader(domain::scope::Scope::Sleep);
    assert_eq!(served(reader), [Credential::Token, Credential::PersonalToken]);
    assert_eq!(served(Audience::Writer(domain::scope::Scope::SleepWrite)), [Credential::ServiceToken]);
    assert_eq!(served(Audience::ReaderOfAny), served(reader));
}

#[test]
fn the_committed_matrix_matches_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let committed = std::fs::read_to_string(root.join("docs/reference/authorization.md")).unwrap_or_default();
    assert!(
        committed == authorization_reference(),
        "the table changed: run scripts/generate and read the difference"
    );
}
