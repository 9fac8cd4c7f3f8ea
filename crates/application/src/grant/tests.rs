use super::{ConnectedApp, Grants, RevokeGrantsError};
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork, RecordedEvents};
use crate::ports::storage::{GrantFilter, MockConnectedAppReader, MockGrantReader, StorageError};
use crate::testing::{
    ADDRESS, client_id, grant, grant_id, noon, one, person, seconds, signed_in, store, units, user_id,
};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::ClientName;
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::id::{ClientId, UserId};
use mockall::Sequence;
use std::sync::Arc;

fn of_person() -> GrantFilter {
    GrantFilter { user_id: Some(user_id(1)), ..GrantFilter::default() }
}

fn of_client() -> GrantFilter {
    GrantFilter { client_id: Some(client_id(1)), ..GrantFilter::default() }
}

fn just_one() -> GrantFilter {
    GrantFilter { id: Some(grant_id(1)), ..GrantFilter::default() }
}

/// Expected effects of a revocation.
#[derive(Clone, Copy)]
struct Expected {
    filter: GrantFilter,
    user: Option<UserId>,
    client: Option<ClientId>,
    reason: RevocationReason,
    grants: u64,
    consents: u64,
}

/// A unit of work that expects exactly this revocation. The user is locked first. The operator deletes
/// consents before grants are revoked, as an erasure does.
fn revoking(expected: Expected) -> MockUnitOfWork {
    let Expected { filter, user, client, reason, grants, consents } = expected;
    let mut order = Sequence::new();
    let mut unit = MockUnitOfWork::default();
    if let Some(user_id) = user {
        unit.users
            .expect_find()
            .times(1)
            .in_sequence(&mut order)
            .withf(move |asked| *asked == user_id)
            .returning(|_| Ok(Some(person())));
        unit.codes
            .expect_discard_unredeemed()
            .times(1)
            .in_sequence(&mut order)
            .withf(move |asked, before| *asked == user && *before > noon() + seconds(60))
            .returning(|_, _| Ok(0));
    }
    let forgetting = unit.consents.expect_forget();
    forgetting
        .times(1)
        .withf(move |asked_user, asked_client| *asked_user == user && *asked_client == client)
        .returning(move |_, _| Ok(consents));
    if reason == RevocationReason::Operator {
        forgetting.in_sequence(&mut order);
    }
    unit.grants
        .expect_revoke()
        .times(1)
        .in_sequence(&mut order)
        .withf(move |asked, at, asked_reason| *asked == filter && *at == noon() && *asked_reason == reason)
        .returning(move |_, _, _| Ok(grants));
    unit
}

fn service(units: &Arc<PreparedUnitsOfWork>, reader: MockGrantReader) -> Grants {
    Grants { store: store(units), reader: Arc::new(reader), apps: Arc::new(MockConnectedAppReader::new()) }
}

fn with_apps(apps: MockConnectedAppReader) -> Grants {
    Grants { apps: Arc::new(apps), ..service(&units([]), MockGrantReader::new()) }
}

/// Returns the number of revoked grants, and the events.
async fn disconnect(client: Option<ClientId>, grants: u64, consents: u64) -> (u64, RecordedEvents) {
    let filter = GrantFilter { client_id: client, ..of_person() };
    let (user, reason) = (Some(user_id(1)), RevocationReason::Person);
    let (units, endings) = one(revoking(Expected { filter, user, client, reason, grants, consents }));
    let events = units.events();
    let revoked = service(&units, MockGrantReader::new()).disconnect(&signed_in(0), client).await.unwrap();
    assert_eq!(endings.committed(), 1);
    (revoked, events)
}

fn disconnected_event() -> AuditEvent {
    let event = event(AuditActor::Person, AuditKind::GrantRevoked).user(user_id(1));
    event.from(AddressBlock::containing(ADDRESS))
}

#[tokio::test]
async fn disconnecting_an_app_revokes_its_grants_forgets_the_consent_and_voids_codes() {
    let (revoked, events) = disconnect(Some(client_id(1)), 3, 1).await;
    assert_eq!(revoked, 3);
    assert_events(&events, &[disconnected_event().client(client_id(1)).count(3)]);
}

#[tokio::test]
async fn disconnecting_all_apps_records_no_client() {
    let (revoked, events) = disconnect(None, 12, 0).await;
    assert_eq!(revoked, 12);
    assert_events(&events, &[disconnected_event().count(12)]);
}

#[tokio::test]
async fn disconnecting_an_app_without_access_stores_no_event() {
    let (revoked, events) = disconnect(Some(client_id(1)), 0, 0).await;
    assert_eq!(revoked, 0);
    assert_events(&events, &[]);
}

#[tokio::test]
async fn a_remembered_consent_that_is_forgotten_without_a_grant_is_reported() {
    let (revoked, events) = disconnect(Some(client_id(1)), 0, 1).await;
    assert_eq!(revoked, 0);
    assert_events(&events, &[disconnected_event().client(client_id(1)).count(0)]);
}

#[tokio::test]
async fn a_failed_revocation_is_not_reported_as_one() {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().returning(|_| Ok(Some(person())));
    unit.codes.expect_discard_unredeemed().returning(|_, _| Ok(0));
    unit.grants.expect_revoke().times(1).returning(|_, _, _| Err(StorageError::Unavailable));
    let (units, endings) = one(unit);
    assert!(service(&units, MockGrantReader::new()).disconnect(&signed_in(0), None).await.is_err());
    assert_eq!(endings.committed(), 0);
}

#[tokio::test]
async fn only_the_persons_own_apps_are_listed() {
    let mut apps = MockConnectedAppReader::new();
    apps.expect_list_connected_apps()
        .times(1)
        .withf(|id| *id == user_id(1))
        .returning(|_| Err(StorageError::Unavailable));
    assert!(with_apps(apps).list_apps(user_id(1)).await.is_err());
}

/// A reader that expects [`just_one`] grant and returns these.
fn finding(found: Vec<Grant>) -> MockGrantReader {
    let mut grants = MockGrantReader::new();
    grants
        .expect_list_grants()
        .times(1)
        .withf(|filter, after, limit| *filter == just_one() && after.is_none() && *limit == 1)
        .return_once(|_, _, _| Ok(found));
    grants
}

async fn revoke(
    unit: MockUnitOfWork,
    filter: GrantFilter,
) -> (Result<u64, RevokeGrantsError>, Arc<Endings>, RecordedEvents) {
    let (units, endings) = one(unit);
    let events = units.events();
    let reader = match filter.id {
        Some(_) => finding(vec![grant()]),
        None => MockGrantReader::new(),
    };
    (service(&units, reader).revoke(filter).await, endings, events)
}

/// The operator revokes the grants of a person who has this many grants and consents.
async fn revoke_of_person(grants: u64, consents: u64) -> (u64, Arc<Endings>, RecordedEvents) {
    let (user, reason) = (Some(user_id(1)), RevocationReason::Operator);
    let expected = Expected { filter: of_person(), user, client: None, reason, grants, consents };
    let (outcome, endings, events) = revoke(revoking(expected), of_person()).await;
    (outcome.unwrap(), endings, events)
}

fn revoked_event() -> AuditEvent {
    event(AuditActor::Operator, AuditKind::GrantRevoked)
}

#[tokio::test]
async fn an_empty_filter_revokes_nothing() {
    let all_before = GrantFilter { created_before: Some(noon()), ..GrantFilter::default() };
    for filter in [GrantFilter::default(), all_before] {
        let outcome = service(&units([]), MockGrantReader::new()).revoke(filter).await;
        assert!(matches!(outcome, Err(RevokeGrantsError::NothingNamed)));
    }
}

#[tokio::test]
async fn a_persons_grants_are_revoked_their_codes_void_and_consents_forgotten() {
    let (revoked, endings, events) = revoke_of_person(3, 2).await;
    assert_eq!((revoked, endings.committed()), (3, 1));
    assert_events(&events, &[revoked_event().user(user_id(1)).count(3)]);
}

#[tokio::test]
async fn the_grants_of_a_client_are_revoked_and_its_remembered_consents_deleted() {
    let (client, reason) = (Some(client_id(1)), RevocationReason::Operator);
    let unit = revoking(Expected { filter: of_client(), user: None, client, reason, grants: 3, consents: 0 });
    let (outcome, endings, events) = revoke(unit, of_client()).await;
    assert_eq!(outcome.unwrap(), 3);
    assert_eq!(endings.committed(), 1);
    assert_events(&events, &[revoked_event().client(client_id(1)).count(3)]);
}

#[tokio::test]
async fn one_grant_is_revoked_with_the_consent_and_codes_that_could_recreate_it() {
    let (user, client, reason) = (Some(user_id(1)), Some(client_id(1)), RevocationReason::Operator);
    let filter = GrantFilter { user_id: user, client_id: client, ..just_one() };
    let unit = revoking(Expected { filter, user, client, reason, grants: 1, consents: 1 });
    let (outcome, endings, events) = revoke(unit, just_one()).await;
    assert_eq!(outcome.unwrap(), 1);
    assert_eq!(endings.committed(), 1);
    let about = revoked_event().user(user_id(1)).client(client_id(1)).subject(grant_id(1).as_uuid());
    assert_events(&events, &[about.count(1)]);
}

#[tokio::test]
async fn a_grant_that_does_not_exist_changes_nothing() {
    assert_eq!(service(&units([]), finding(Vec::new())).revoke(just_one()).await.unwrap(), 0);
}

#[tokio::test]
async fn a_revocation_without_matches_stores_no_event() {
    let (revoked, endings, events) = revoke_of_person(0, 0).await;
    assert_eq!((revoked, endings.committed(), endings.rolled_back()), (0, 0, 1));
    assert_events(&events, &[]);
}

#[tokio::test]
async fn a_consent_that_is_forgotten_without_a_grant_is_reported() {
    let (revoked, endings, events) = revoke_of_person(0, 1).await;
    assert_eq!((revoked, endings.committed()), (0, 1));
    assert_events(&events, &[revoked_event().user(user_id(1)).count(0)]);
}

#[tokio::test]
async fn a_revocation_that_fails_half_way_leaves_nothing_and_records_nothing() {
    let mut unit = MockUnitOfWork::default();
    unit.consents.expect_forget().returning(|_, _| Ok(1));
    unit.grants.expect_revoke().returning(|_, _, _| Err(StorageError::Retryable));
    let (outcome, endings, events) = revoke(unit, of_client()).await;
    assert!(matches!(outcome, Err(RevokeGrantsError::Storage(StorageError::Retryable))));
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
    assert_events(&events, &[]);
}

/// The app of [`grant`] with this many live grants and this last use, in seconds after noon.
fn app(grants: u32, last_used: Option<i64>) -> ConnectedApp {
    let Grant { client_id, scopes, created_at, .. } = grant();
    ConnectedApp {
        client_id,
        name: ClientName::parse("Night Owl").unwrap(),
        scopes,
        grants,
        since: created_at,
        last_used_at: last_used.map(|after| noon() + seconds(after)),
        last_used_from: None,
        is_remembered: false,
        is_public: false,
    }
}

/// Returns the last use, in seconds after noon, of a grant created at noon and refreshed then.
async fn last_use(refreshed: Option<i64>, app: ConnectedApp) -> Option<i64> {
    let last_used_at = refreshed.map(|after| noon() + seconds(after));
    let grant = Grant { created_at: noon(), last_used_at, ..grant() };
    let mut apps = MockConnectedAppReader::new();
    apps.expect_list_connected_apps().times(1).returning(move |_| Ok(vec![app.clone()]));
    let uses = with_apps(apps).last_uses(&[grant.clone(), grant]).await.unwrap();
    assert_eq!(uses[0], uses[1]);
    uses[0].map(|at| (at - noon()).num_seconds())
}

#[tokio::test]
async fn the_one_grant_of_an_app_was_used_when_the_app_refreshed_or_read() {
    assert_eq!(last_use(None, app(1, None)).await, None);
    assert_eq!(last_use(None, app(1, Some(600))).await, Some(600));
    assert_eq!(last_use(Some(60), app(1, Some(9000))).await, Some(9000));
    // The minute of its creation began before it; earlier reads used another grant.
    assert_eq!(last_use(None, app(1, Some(-59))).await, Some(0));
    assert_eq!(last_use(None, app(1, Some(-60))).await, None);
}

#[tokio::test]
async fn a_grant_among_several_was_used_at_its_refresh_or_with_its_first_token() {
    assert_eq!(last_use(Some(60), app(2, Some(9000))).await, Some(60));
    assert_eq!(last_use(None, app(2, Some(600))).await, Some(600));
    assert_eq!(last_use(None, app(2, Some(9000))).await, Some(3600));
    assert_eq!(last_use(None, app(2, None)).await, None);
}

/// Returns the last use, in seconds after noon, of a revoked grant created at noon, given its refresh and
/// revocation and the app's last read before that.
async fn last_use_of_revoked(refreshed: Option<i64>, read: Option<i64>) -> Option<i64> {
    let after = |seconds_after: i64| noon() + seconds(seconds_after);
    let end = after(90_000);
    let state = GrantState::Revoked { at: end, reason: RevocationReason::Operator };
    let grant = Grant { created_at: noon(), last_used_at: refreshed.map(after), state, ..grant() };
    let mut apps = MockConnectedAppReader::new();
    let asked = [(grant.client_id, end); 2];
    apps.expect_list_last_reads()
        .times(1)
        .withf(move |_, until| *until == asked)
        .returning(move |_, _| Ok(vec![read.map(after); 2]));
    let uses = with_apps(apps).last_uses(&[grant.clone(), grant]).await.unwrap();
    assert_eq!(uses[0], uses[1]);
    uses[0].map(|at| (at - noon()).num_seconds())
}

#[tokio::test]
async fn a_revoked_grant_was_used_when_its_app_last_read_with_its_last_token() {
    assert_eq!(last_use_of_revoked(None, None).await, None);
    assert_eq!(last_use_of_revoked(Some(60), None).await, Some(60));
    assert_eq!(last_use_of_revoked(None, Some(600)).await, Some(600));
    assert_eq!(last_use_of_revoked(Some(7_200), Some(9_000)).await, Some(9_000));
    assert_eq!(last_use_of_revoked(Some(7_200), Some(600)).await, Some(7_200));
    // Reads with another grant: no token of this one was valid then, or it did not exist yet.
    assert_eq!(last_use_of_revoked(None, Some(9_000)).await, Some(3_600));
    assert_eq!(last_use_of_revoked(None, Some(-60)).await, None);
}
