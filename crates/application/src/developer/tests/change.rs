//! Changes of an app by its owner.

use super::*;

async fn change(
    client: Option<Client>,
    form: AppForm<'_>,
) -> (Result<ChangedApp, DeveloperAppError>, Option<Client>, TestStore) {
    let stored: Arc<Mutex<Option<Client>>> = Arc::default();
    let mut unit = with_app(client);
    let noted = Arc::clone(&stored);
    unit.clients.expect_update().times(..=1).returning(move |client| {
        *noted.lock().unwrap() = Some(client.clone());
        Ok(true)
    });
    let prepared = TestStore::new([unit]);
    let session = session(0);
    let command =
        ChangeAppCommand { session: &session, id: client_id(1), form, server: SERVER, address: ADDRESS };
    let outcome = ChangeApp::new(prepared.units.clone(), registered(), entropy(), clock()).run(command).await;
    let stored = stored.lock().unwrap().clone();
    (outcome, stored, prepared)
}

#[tokio::test]
async fn an_approved_app_with_another_name_address_or_more_scopes_is_a_draft_again() {
    for form in [
        AppForm { name: "Night Owl Pro", ..FORM },
        AppForm { redirect_uris: &["https://evil.example/cb"], ..FORM },
        AppForm { redirect_uris: &[REDIRECT_URI, "https://evil.example/cb"], ..FORM },
        AppForm { scopes: &["profile", "sleep", "supplements"], ..FORM },
        AppForm { home_page: Some("https://hawk.example"), ..FORM },
        AppForm { privacy_policy: Some("https://hawk.example"), ..FORM },
    ] {
        let (outcome, stored, prepared) = change(Some(approved()), form).await;
        assert_eq!(outcome.unwrap(), ChangedApp::NeedsReview, "{form:?}");
        assert_eq!(stored.unwrap().review, Review::Draft { owner: user_id(1) });
        prepared.assert_committed(AuditKind::AppChanged);
    }
}

#[tokio::test]
async fn an_approved_app_stays_approved_if_nothing_reviewed_changes() {
    for form in [
        AppForm { scopes: &["sleep"], ..FORM },
        AppForm { contact: "https://owl.example/contact", ..FORM },
        AppForm { home_page: None, privacy_policy: None, ..FORM },
    ] {
        let (outcome, stored, prepared) = change(Some(approved()), form).await;
        assert_eq!(outcome.unwrap(), ChangedApp::SameReview, "{form:?}");
        assert_eq!(stored.unwrap().review, approved().review);
        prepared.assert_committed(AuditKind::AppChanged);
    }
}

#[tokio::test]
async fn a_changed_draft_stays_a_draft_and_the_same_details_store_nothing() {
    let (outcome, stored, _) = change(Some(draft()), AppForm { name: "Other", ..FORM }).await;
    assert_eq!((outcome.unwrap(), stored.unwrap().review), (ChangedApp::SameReview, draft().review));
    let (outcome, stored, prepared) = change(Some(draft()), FORM).await;
    assert_eq!((outcome.unwrap(), stored), (ChangedApp::SameReview, None));
    assert_eq!(prepared.events.all(), []);
}

#[tokio::test]
async fn an_app_does_not_take_a_name_that_imitates_the_server_but_keeps_one_from_the_operator() {
    for name in IMITATIONS {
        let form = AppForm { name, ..FORM };
        let (outcome, stored, prepared) = change(Some(draft()), form).await;
        let Err(DeveloperAppError::Invalid(faults)) = outcome else { panic!("changed to {name}") };
        assert_eq!((faults.as_slice(), stored), ([InvalidAppField::NameReserved].as_slice(), None), "{name}");
        prepared.assert_nothing_stored();
        let named = Client { name: ClientName::parse(name).unwrap(), ..approved() };
        let (outcome, stored, _) = change(Some(named), AppForm { scopes: &["sleep"], ..form }).await;
        assert_eq!(outcome.unwrap(), ChangedApp::SameReview, "{name}");
        assert_eq!(stored.unwrap().name.as_str(), name);
    }
}

#[tokio::test]
async fn a_name_that_imitates_the_server_is_reported_with_the_other_faults() {
    let form = AppForm { name: "Restwell Official", contact: "me", scopes: &[], ..FORM };
    let expected = [InvalidAppField::NameReserved, InvalidAppField::Contact, InvalidAppField::Scopes];
    let registered = register(&TestStore::new([]), 0, form).await;
    let Err(DeveloperAppError::Invalid(faults)) = registered else { panic!("registered") };
    assert_eq!(faults, expected);
    let (changed, stored, prepared) = change(Some(draft()), form).await;
    let Err(DeveloperAppError::Invalid(faults)) = changed else { panic!("changed") };
    assert_eq!((faults.as_slice(), stored), (expected.as_slice(), None));
    prepared.assert_nothing_stored();
}

#[tokio::test]
async fn nobody_changes_the_app_of_another_person_or_of_the_operator() {
    let theirs = own(Review::Draft { owner: user_id(2) });
    for client in [None, Some(app()), Some(theirs)] {
        let (outcome, stored, prepared) = change(client, FORM).await;
        assert!(matches!(outcome, Err(DeveloperAppError::NotFound)), "{outcome:?}");
        assert_eq!(stored, None);
        prepared.assert_nothing_stored();
    }
}
