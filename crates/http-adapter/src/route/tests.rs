//! Compares the table with the routes that actix serves.

use super::{Audience, Credential, Endpoint, Outcome, authorization_reference};
use crate::openapi::document;
use crate::test_support::{assert_serves_exactly, is_page};
use crate::tests::Parts;
use std::collections::BTreeSet;
use std::path::Path;

#[actix_web::test]
async fn every_row_of_the_api_is_served_with_its_methods_and_no_others() {
    let state = Parts::default().build();
    for endpoint in
        Endpoint::ALL.iter().filter(|endpoint| !is_page(**endpoint) && **endpoint != Endpoint::Mcp)
    {
        assert_serves_exactly(*endpoint, || crate::configure(state.clone())).await;
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
    assert_eq!(served(Audience::Anyone), Credential::ALL);
    assert_eq!(served(Audience::Client), [Credential::ClientSecret]);
    assert_eq!(served(Audience::PersonsForm), [Credential::Form]);
    let reader = Audience::Reader(domain::scope::Scope::Sleep);
    assert_eq!(served(reader), [Credential::Token, Credential::PersonalToken]);
    assert_eq!(served(Audience::Writer(domain::scope::Scope::SleepWrite)), [Credential::ServiceToken]);
    assert_eq!(served(Audience::ReaderOfAny), served(reader));
    let of_persons = [
        Credential::PersonalToken,
        Credential::PersonalTokenOfOtherScope,
        Credential::PersonalTokenOfAnother,
    ];
    assert_eq!(served(Audience::Assistant), of_persons);
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
