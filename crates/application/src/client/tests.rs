//! Rejections before the store is used, and failures of it. The contract suite shows the others on each
//! store.

mod operator;
mod rotation;

use super::{AppError, AppForm, Clients, CreatedClient, InvalidAppField};
use crate::access::DailyLimits;
use crate::ports::storage::test_support::PreparedUnitsOfWork;
use crate::ports::storage::{ClientReader, MockClientReader, MockClientUsageStore, MockGrantReader};
use crate::testing::{REDIRECT_URI, app, client_id, signed_in, store, units};
use domain::client::{Client, ClientName, InvalidRedirectUri, ServerNames};
use std::sync::Arc;

const FORM: AppForm<'static> = AppForm {
    name: "Night Owl",
    home_page: None,
    privacy_policy: Some("https://owl.example/privacy"),
    contact: "dev@owl.example",
    redirect_uris: &[REDIRECT_URI],
    scopes: &["profile", "sleep"],
};

/// Clients of this store, some of which are registered, without grants and requests.
fn clients(units: &Arc<PreparedUnitsOfWork>) -> Clients {
    Clients {
        store: store(units),
        reader: registered(),
        grants: Arc::new(MockGrantReader::new()),
        usage: Arc::new(MockClientUsageStore::new()),
        limits: DailyLimits::default(),
    }
}

/// Reader of two apps of the operator, one at a time, so that a later page is read.
fn registered() -> Arc<dyn ClientReader> {
    let clients = [(11, "Moon Diary"), (12, "Star Diary")].map(|(number, name)| Client {
        id: client_id(number),
        name: ClientName::parse(name).unwrap(),
        ..app()
    });
    let mut reader = MockClientReader::new();
    reader.expect_list_clients().returning(move |after, limit| {
        assert_eq!(limit, 500);
        Ok(clients.iter().filter(|client| Some(client.id) > after).take(1).cloned().collect())
    });
    Arc::new(reader)
}

async fn register(units: &Arc<PreparedUnitsOfWork>, form: AppForm<'_>) -> Result<CreatedClient, AppError> {
    clients(units).register_app(&signed_in(299), form, false, ServerNames::default()).await
}

#[tokio::test]
async fn every_fault_of_the_details_is_reported_at_once() {
    let form = AppForm {
        name: "Night\u{200b}Owl",
        home_page: Some("http://owl.example"),
        privacy_policy: Some("javascript:alert(1)"),
        contact: "nobody",
        redirect_uris: &[REDIRECT_URI, "http://owl.example/cb", "https://owl.example/cb#x"],
        scopes: &["sleep", "sleep:write"],
    };
    let units = units([]);
    let Err(AppError::Invalid(faults)) = register(&units, form).await else { panic!("registered") };
    let expected = [
        InvalidAppField::Name,
        InvalidAppField::HomePage,
        InvalidAppField::PrivacyPolicy,
        InvalidAppField::Contact,
        InvalidAppField::RedirectUri(2, InvalidRedirectUri::Scheme),
        InvalidAppField::RedirectUri(3, InvalidRedirectUri::Fragment),
        InvalidAppField::Scopes,
    ];
    assert_eq!(faults, expected);
    assert_eq!(units.endings().opened(), 0);
}

#[tokio::test]
async fn a_registration_needs_a_scope_and_one_to_ten_redirect_uris() {
    for (form, fault) in [
        (AppForm { scopes: &[], ..FORM }, InvalidAppField::Scopes),
        (AppForm { scopes: &["everything"], ..FORM }, InvalidAppField::Scopes),
        (AppForm { redirect_uris: &[], ..FORM }, InvalidAppField::NoRedirectUri),
        (AppForm { redirect_uris: &[REDIRECT_URI; 11], ..FORM }, InvalidAppField::TooManyRedirectUris),
    ] {
        let rejected = register(&units([]), form).await;
        assert!(matches!(&rejected, Err(AppError::Invalid(faults)) if *faults == [fault]), "{rejected:?}");
    }
}

#[tokio::test]
async fn a_name_like_that_of_an_app_on_any_page_is_rejected() {
    for name in ["M\u{43e}on-Diary", "Star Dairy"] {
        let units = units([]);
        let rejected = register(&units, AppForm { name, ..FORM }).await;
        let Err(AppError::Invalid(faults)) = rejected else { panic!("registered {name}") };
        assert_eq!(faults, [InvalidAppField::NameReserved], "{name}");
        assert_eq!(units.endings().opened(), 0);
    }
}

#[tokio::test]
async fn a_name_that_imitates_the_server_is_reported_with_the_other_faults() {
    let form = AppForm { name: "Restwell Official", contact: "me", scopes: &[], ..FORM };
    let Err(AppError::Invalid(faults)) = register(&units([]), form).await else { panic!("registered") };
    assert_eq!(faults, [InvalidAppField::NameReserved, InvalidAppField::Contact, InvalidAppField::Scopes]);
}
