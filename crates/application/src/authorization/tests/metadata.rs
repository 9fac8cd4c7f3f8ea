//! Clients with a metadata document.

use super::begin::{Outcome, begin, good};
use super::*;
use crate::authorization::{
    AuthorizationParameters, AuthorizationStep, BeginAuthorizationError, NOT_ACTIVE, ParameterValue,
    UNKNOWN_CLIENT, UNKNOWN_REDIRECT_URI,
};
use crate::ports::storage::UniqueKey;
use crate::ports::system::FetchedMetadata;
use chrono::TimeDelta;
use domain::client::{
    ClientStatus, InvalidMetadataUrl, MetadataContent, MetadataDocument, MetadataError, MetadataFields,
    MetadataUrl,
};
use domain::outbound::OutboundError;

const URL: &str = "https://owl.example/client.json";

fn url() -> MetadataUrl {
    MetadataUrl::parse(URL).unwrap()
}

fn listed() -> MetadataPolicy {
    MetadataPolicy::Listed(vec!["owl.example".to_owned()])
}

fn fields() -> MetadataFields {
    MetadataFields {
        client_id: Some(URL.to_owned()),
        client_name: Some("Night Owl".to_owned()),
        redirect_uris: vec![REDIRECT_URI.to_owned()],
        ..MetadataFields::default()
    }
}

/// The client of the document, created an hour ago, fresh for this number of seconds.
fn stored(fresh_for: i64) -> Client {
    let document = MetadataDocument { url: url(), fresh_until: noon() + seconds(fresh_for) };
    MetadataContent::check(&fields(), &url()).unwrap().into_client(document, noon() - seconds(3600))
}

/// A request with the URL, from a visitor without a session.
fn asking() -> AuthorizationParameters<'static> {
    AuthorizationParameters {
        client_id: Some(URL),
        code_challenge: ParameterValue::Once(CHALLENGE),
        code_challenge_method: ParameterValue::Once("S256"),
        ..good()
    }
}

/// A world in which the store has this client, and the host responds with this document, if at all asked.
fn world(
    units: impl IntoIterator<Item = MockUnitOfWork>,
    client: Option<Client>,
    served: Option<Result<FetchedMetadata, MetadataError>>,
) -> World {
    let mut world = World::new(units);
    world.clients = client_reader(..=1, move |id| {
        assert_eq!(id, url().client_id());
        Ok(client.clone().map(without_secrets))
    });
    if let Some(served) = served {
        world.metadata.expect_read().times(1).withf(|asked| *asked == url()).return_once(move |_| served);
    }
    world.failures = counters(.., |keys, at, window| {
        Ok(vec![FailureCount { count: 1, window_ends_at: at + window }; keys.len()])
    });
    World { metadata_policy: listed(), ..world }
}

fn served(fields: MetadataFields) -> FetchedMetadata {
    FetchedMetadata { fields, max_age: None }
}

/// A unit of work that finds this client, and stores it once with this outcome.
fn storing_as(
    before: Option<Client>,
    store: impl Fn(&Client) -> Result<(), StorageError> + Send + 'static,
) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    let is_new = before.is_none();
    unit.clients.expect_find().times(1).return_once(move |_| Ok(before));
    if is_new {
        unit.clients.expect_insert().times(1).returning(store);
    } else {
        unit.clients.expect_update().times(1).returning(move |client| store(client).map(|()| true));
    }
    unit
}

/// A unit of work that finds this client and expects it to be stored; records what is stored.
fn storing(before: Option<Client>) -> (MockUnitOfWork, Captured<Client>) {
    let note = Captured::default();
    let stored = Arc::clone(&note);
    let unit = storing_as(before, move |client| {
        *stored.lock().unwrap() = Some(client.clone());
        Ok(())
    });
    (unit, note)
}

/// A unit of work that stores the authorization request.
fn asked_for() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    expect_request(&mut unit);
    unit
}

fn assert_fault(outcome: &Outcome, expected: MetadataError) {
    assert!(
        matches!(outcome, Err(BeginAuthorizationError::Metadata(fault)) if *fault == expected),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn only_a_document_of_a_listed_host_may_have_a_name_that_claims_a_review() {
    for name in ["Restwell", "Night Owl ✔", "Verified Owl"] {
        let document = || served(MetadataFields { client_name: Some(name.to_owned()), ..fields() });
        let any = World {
            metadata_policy: MetadataPolicy::Any(Vec::new()),
            ..world([], None, Some(Ok(document())))
        };
        assert_fault(&begin(any, asking(), None).await.0, MetadataError::ReservedName);
        let (unit, note) = storing(None);
        let (outcome, _) =
            begin(world([unit, asked_for()], None, Some(Ok(document()))), asking(), None).await;
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(captured(&note).name.as_str(), name);
    }
}

#[tokio::test]
async fn an_unknown_url_is_fetched_and_stored_as_created_by_the_server() {
    let (unit, note) = storing(None);
    let (outcome, effects) =
        begin(world([unit, asked_for()], None, Some(Ok(served(fields())))), asking(), None).await;
    assert!(matches!(outcome, Ok(AuthorizationStep::SignIn { .. })), "{outcome:?}");
    let document = MetadataDocument { url: url(), fresh_until: noon() + TimeDelta::hours(1) };
    assert_eq!(captured(&note), Client { document: Some(document), created_at: noon(), ..stored(0) });
    let [event] = &effects.events.all()[..] else { panic!("one event") };
    assert_eq!((event.kind, event.actor), (AuditKind::ClientCreated, AuditActor::Server));
    assert_eq!(event.client_id, Some(url().client_id()));
}

/// CIMD section 4.4.
#[tokio::test]
async fn the_lifetime_of_a_document_is_5_minutes_to_24_hours() {
    for (max_age, expected) in [(-1, 300), (0, 300), (301, 301), (86_399, 86_399), (1_000_000, 86_400)] {
        let (unit, note) = storing(None);
        let fetched = FetchedMetadata { fields: fields(), max_age: Some(seconds(max_age)) };
        let world = world([unit, asked_for()], None, Some(Ok(fetched)));
        assert!(begin(world, asking(), None).await.0.is_ok());
        assert_eq!(captured(&note).document.unwrap().fresh_until, noon() + seconds(expected), "{max_age}");
    }
}

#[tokio::test]
async fn a_fresh_document_is_not_fetched() {
    let (outcome, _) = begin(world([asked_for()], Some(stored(1)), None), asking(), None).await;
    assert!(matches!(outcome, Ok(AuthorizationStep::SignIn { .. })), "{outcome:?}");
}

#[tokio::test]
async fn an_expired_document_is_fetched_again_without_an_event_if_it_is_the_same() {
    let (unit, note) = storing(Some(stored(0)));
    let (outcome, effects) =
        begin(world([unit, asked_for()], Some(stored(0)), Some(Ok(served(fields())))), asking(), None).await;
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(captured(&note), stored(3600));
    assert_eq!(effects.events.all(), []);
}

#[tokio::test]
async fn changed_redirect_uris_are_seen_after_expiry_and_end_remembered_consents() {
    let (mut unit, note) = storing(Some(stored(0)));
    let forgets = |user: &Option<_>, client: &Option<_>| user.is_none() && *client == Some(url().client_id());
    unit.consents.expect_forget().times(1).withf(forgets).returning(|_, _| Ok(2));
    let changed = MetadataFields { redirect_uris: vec!["https://owl.example/new".to_owned()], ..fields() };
    let (outcome, effects) =
        begin(world([unit], Some(stored(0)), Some(Ok(served(changed)))), asking(), None).await;
    // The request still has the old one.
    assert!(
        matches!(outcome, Err(BeginAuthorizationError::Rejected { reason: UNKNOWN_REDIRECT_URI, .. })),
        "{outcome:?}"
    );
    assert_eq!(captured(&note).redirect_uris[0].as_str(), "https://owl.example/new");
    let [event] = &effects.events.all()[..] else { panic!("one event") };
    assert_eq!((event.kind, event.actor), (AuditKind::ClientChanged, AuditActor::Server));
}

/// CIMD section 4.3.
#[tokio::test]
async fn an_expired_document_that_cannot_be_fetched_is_not_used_and_nothing_stored() {
    for fault in [
        MetadataError::NoResponse(OutboundError::Forbidden),
        MetadataError::Status,
        MetadataError::TooLarge,
        MetadataError::ContentType,
        MetadataError::NotJson,
        MetadataError::Busy,
    ] {
        let (outcome, effects) = begin(world([], Some(stored(0)), Some(Err(fault))), asking(), None).await;
        assert_fault(&outcome, fault);
        effects.assert_untouched();
    }
}

/// CIMD section 4.1.
#[tokio::test]
async fn a_document_with_another_id_is_not_stored() {
    let lie = MetadataFields { client_id: Some("https://owl.example/other.json".to_owned()), ..fields() };
    let (outcome, effects) = begin(world([], None, Some(Ok(served(lie)))), asking(), None).await;
    assert_fault(&outcome, MetadataError::OtherClientId);
    effects.assert_untouched();
}

/// CIMD section 4.4.
#[tokio::test]
async fn an_invalid_new_version_of_an_expired_document_changes_nothing() {
    let other_id = Some("https://owl.example/other.json".to_owned());
    for (invalid, fault) in [
        (MetadataFields { client_id: other_id, ..fields() }, MetadataError::OtherClientId),
        (MetadataFields { has_secret: true, ..fields() }, MetadataError::Secret),
        (MetadataFields { redirect_uris: Vec::new(), ..fields() }, MetadataError::RedirectUris),
    ] {
        // No unit of work is prepared, so one that opens fails.
        let (outcome, effects) =
            begin(world([], Some(stored(0)), Some(Ok(served(invalid)))), asking(), None).await;
        assert_fault(&outcome, fault);
        effects.assert_untouched();
    }
}

/// CIMD section 3.
#[tokio::test]
async fn a_url_that_cannot_be_a_client_id_is_not_fetched() {
    let parameters = AuthorizationParameters { client_id: Some("https://owl.example/"), ..asking() };
    let (outcome, _) = begin(world([], None, None), parameters, None).await;
    assert_fault(&outcome, MetadataError::Url(InvalidMetadataUrl::NoPath));
}

#[tokio::test]
async fn a_host_that_the_operator_did_not_list_is_not_fetched() {
    for (policy, fault) in [
        (MetadataPolicy::Off, MetadataError::Off),
        (MetadataPolicy::Listed(vec!["other.example".to_owned()]), MetadataError::HostNotListed),
    ] {
        let world = World { metadata_policy: policy, ..world([], Some(stored(60)), None) };
        assert_fault(&begin(world, asking(), None).await.0, fault);
    }
}

#[tokio::test]
async fn a_disabled_client_is_not_fetched_or_accepted_and_a_race_leaves_it_so() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..stored(0) };
    let (outcome, _) = begin(world([], Some(disabled.clone()), None), asking(), None).await;
    assert!(
        matches!(outcome, Err(BeginAuthorizationError::Rejected { reason: NOT_ACTIVE, .. })),
        "{outcome:?}"
    );
    let (unit, note) = storing(Some(disabled.clone()));
    let (outcome, _) =
        begin(world([unit], Some(stored(0)), Some(Ok(served(fields())))), asking(), None).await;
    assert!(
        matches!(outcome, Err(BeginAuthorizationError::Rejected { reason: NOT_ACTIVE, .. })),
        "{outcome:?}"
    );
    assert_eq!(captured(&note).status, disabled.status);
}

#[tokio::test]
async fn two_concurrent_first_fetches_both_succeed() {
    let unit = storing_as(None, |_| Err(StorageError::Conflict(UniqueKey::ClientId)));
    let (outcome, effects) =
        begin(world([unit, asked_for()], None, Some(Ok(served(fields())))), asking(), None).await;
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(effects.events.all(), []);
}

#[tokio::test]
async fn a_network_can_cause_at_most_30_fetches_in_ten_minutes() {
    let world = world([], None, None).counting(31);
    let (outcome, _) = begin(world, asking(), None).await;
    let expected = BeginAuthorizationError::TooManyRequests { retry_after_seconds: 90 };
    assert_eq!(outcome.unwrap_err().to_string(), expected.to_string());
}

#[tokio::test]
async fn the_stored_id_is_not_a_client_id() {
    let id = url().client_id().to_string();
    let parameters = AuthorizationParameters { client_id: Some(&id), ..asking() };
    let (outcome, _) = begin(world([], Some(stored(60)), None), parameters, None).await;
    assert!(
        matches!(outcome, Err(BeginAuthorizationError::Rejected { reason: UNKNOWN_CLIENT, .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn an_app_of_an_unlisted_host_needs_consent_each_time() {
    for (policy, force_consent) in [(listed(), false), (MetadataPolicy::Any(Vec::new()), true)] {
        let mut unit = MockUnitOfWork::default();
        let note = expect_request(&mut unit);
        let world = World { metadata_policy: policy, ..world([unit], Some(stored(60)), None) };
        assert!(begin(world, asking(), None).await.0.is_ok());
        assert_eq!(captured(&note).force_consent, force_consent);
    }
}
