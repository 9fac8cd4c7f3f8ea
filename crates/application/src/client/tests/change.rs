//! Changes of an app by its owner.

use super::*;

type Outcome = (Result<ChangedApp, AppError>, Option<Client>, Arc<PreparedUnitsOfWork>);

/// Changes an app; returns the outcome and what was stored.
async fn change(client: Client, form: AppForm<'_>) -> Outcome {
    let stored: Arc<Mutex<Option<Client>>> = Arc::default();
    let mut unit = with_app(client);
    let noted = Arc::clone(&stored);
    unit.clients.expect_update().times(..=1).returning(move |client| {
        *noted.lock().unwrap() = Some(client.clone());
        Ok(true)
    });
    let (units, person) = (units([unit]), signed_in(0));
    let developer = AppDeveloper { person: &person, app: client_id(1) };
    let outcome = clients(&units).change_app(developer, form, SERVER).await;
    let stored = stored.lock().unwrap().clone();
    (outcome, stored, units)
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
        let (outcome, stored, units) = change(approved(), form).await;
        assert_eq!(outcome.unwrap(), ChangedApp::NeedsReview, "{form:?}");
        assert_eq!(stored.unwrap().review, Review::Draft { owner: user_id(1) });
        assert_committed(&units, AuditKind::AppChanged);
    }
}

#[tokio::test]
async fn an_approved_app_stays_approved_if_nothing_reviewed_changes() {
    for form in [
        AppForm { scopes: &["sleep"], ..FORM },
        AppForm { contact: "https://owl.example/contact", ..FORM },
        AppForm { home_page: None, privacy_policy: None, ..FORM },
    ] {
        let (outcome, stored, units) = change(approved(), form).await;
        assert_eq!(outcome.unwrap(), ChangedApp::SameReview, "{form:?}");
        assert_eq!(stored.unwrap().review, approved().review);
        assert_committed(&units, AuditKind::AppChanged);
    }
}

#[tokio::test]
async fn a_changed_draft_stays_a_draft_and_the_same_details_store_nothing() {
    let (outcome, stored, _) = change(draft(), AppForm { name: "Other", ..FORM }).await;
    assert_eq!((outcome.unwrap(), stored.unwrap().review), (ChangedApp::SameReview, draft().review));
    let (outcome, stored, units) = change(draft(), FORM).await;
    assert_eq!((outcome.unwrap(), stored), (ChangedApp::SameReview, None));
    assert_eq!(units.events().all(), []);
}

#[tokio::test]
async fn only_a_name_from_the_operator_may_imitate_the_server() {
    for name in IMITATIONS {
        let form = AppForm { name, ..FORM };
        let (outcome, stored, units) = change(draft(), form).await;
        let Err(AppError::Invalid(faults)) = outcome else { panic!("changed to {name}") };
        assert_eq!((faults.as_slice(), stored), ([InvalidAppField::NameReserved].as_slice(), None), "{name}");
        assert_nothing_stored(&units);
        let named = Client { name: ClientName::parse(name).unwrap(), ..approved() };
        let (outcome, stored, _) = change(named, AppForm { scopes: &["sleep"], ..form }).await;
        assert_eq!(outcome.unwrap(), ChangedApp::SameReview, "{name}");
        assert_eq!(stored.unwrap().name.as_str(), name);
    }
}

#[tokio::test]
async fn a_name_that_imitates_the_server_is_reported_with_the_other_faults() {
    let form = AppForm { name: "Restwell Official", contact: "me", scopes: &[], ..FORM };
    let expected = [InvalidAppField::NameReserved, InvalidAppField::Contact, InvalidAppField::Scopes];
    let registered = register(&units([]), form).await;
    let Err(AppError::Invalid(faults)) = registered else { panic!("registered") };
    assert_eq!(faults, expected);
    let (changed, stored, units) = change(draft(), form).await;
    let Err(AppError::Invalid(faults)) = changed else { panic!("changed") };
    assert_eq!((faults.as_slice(), stored), (expected.as_slice(), None));
    assert_nothing_stored(&units);
}
