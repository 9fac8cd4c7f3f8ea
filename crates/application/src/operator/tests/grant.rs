use super::{one, unavailable};
use crate::audit::testing::{assert_events, event};
use crate::operator::{FindLastUses, RevokeGrants, RevokeGrantsError};
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, RecordedEvents};
use crate::ports::storage::{
    ConnectedApp, GrantFilter, MockConnectedAppReader, MockGrantReader, StorageError,
};
use crate::testing::{client_id, clock, entropy, grant, grant_id, noon, person, seconds, user_id};
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
    grants: u64,
    consents: u64,
}

/// A unit of work that expects exactly this revocation: the user is locked first, and consents are deleted
/// before grants are revoked, as in an erasure.
fn revoking(expected: Expected) -> MockUnitOfWork {
    let Expected { filter, user, client, grants, consents } = expected;
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
    unit.consents
        .expect_forget()
        .times(1)
        .in_sequence(&mut order)
        .withf(move |asked_user, asked_client| *asked_user == user && *asked_client == client)
        .returning(move |_, _| Ok(consents));
    unit.grants
        .expect_revoke()
        .times(1)
        .in_sequence(&mut order)
        .withf(move |asked, at, reason| {
            *asked == filter && *at == noon() && *reason == RevocationReason::Operator
        })
        .returning(move |_, _, _| Ok(grants));
    unit
}

/// A reader that expects [`just_one`] grant and returns these.
fn finding(found: Vec<Grant>) -> Arc<MockGrantReader> {
    let mut grants = MockGrantReader::new();
    grants
        .expect_list_grants()
        .times(1)
        .withf(|filter, after, limit| *filter == just_one() && after.is_none() && *limit == 1)
        .return_once(|_, _, _| Ok(found));
    Arc::new(grants)
}

async fn revoke(
    unit: MockUnitOfWork,
    filter: GrantFilter,
) -> (Result<u64, RevokeGrantsError>, Arc<Endings>, RecordedEvents) {
    let (units, endings) = one(unit);
    let events = units.events();
    let grants = match filter.id {
        Some(_) => finding(vec![grant()]),
        None => Arc::default(),
    };
    let outcome = RevokeGrants::new(units, grants, entropy(), clock()).run(filter).await;
    (outcome, endings, events)
}

fn revoked_event() -> AuditEvent {
    event(AuditActor::Operator, AuditKind::GrantRevoked)
}

#[tokio::test]
async fn an_empty_filter_revokes_nothing() {
    let all_before = GrantFilter { created_before: Some(noon()), ..GrantFilter::default() };
    for filter in [GrantFilter::default(), all_before] {
        let outcome = RevokeGrants::new(unavailable(), Arc::<MockGrantReader>::default(), entropy(), clock())
            .run(filter)
            .await;
        assert!(matches!(outcome, Err(RevokeGrantsError::NothingNamed)));
    }
}

#[tokio::test]
async fn the_grants_of_a_person_are_revoked_their_codes_void_and_their_consents_forgotten() {
    let user = Some(user_id(1));
    let expected = Expected { filter: of_person(), user, client: None, grants: 3, consents: 2 };
    let (outcome, endings, events) = revoke(revoking(expected), of_person()).await;
    assert_eq!(outcome.unwrap(), 3);
    assert_eq!(endings.committed(), 1);
    assert_events(&events, &[revoked_event().user(user_id(1)).count(3)]);
}

#[tokio::test]
async fn the_grants_of_a_client_are_revoked_and_its_remembered_consents_deleted() {
    let client = Some(client_id(1));
    let expected = Expected { filter: of_client(), user: None, client, grants: 3, consents: 0 };
    let (outcome, endings, events) = revoke(revoking(expected), of_client()).await;
    assert_eq!(outcome.unwrap(), 3);
    assert_eq!(endings.committed(), 1);
    assert_events(&events, &[revoked_event().client(client_id(1)).count(3)]);
}

#[tokio::test]
async fn one_grant_is_revoked_with_the_consent_and_codes_that_could_recreate_it() {
    let (user, client) = (Some(user_id(1)), Some(client_id(1)));
    let filter = GrantFilter { user_id: user, client_id: client, ..just_one() };
    let unit = revoking(Expected { filter, user, client, grants: 1, consents: 1 });
    let (outcome, endings, events) = revoke(unit, just_one()).await;
    assert_eq!(outcome.unwrap(), 1);
    assert_eq!(endings.committed(), 1);
    let about = revoked_event().user(user_id(1)).client(client_id(1)).subject(grant_id(1).as_uuid());
    assert_events(&events, &[about.count(1)]);
}

#[tokio::test]
async fn a_grant_that_does_not_exist_changes_nothing() {
    let revoke = RevokeGrants::new(unavailable(), finding(Vec::new()), entropy(), clock());
    assert_eq!(revoke.run(just_one()).await.unwrap(), 0);
}

#[tokio::test]
async fn a_revocation_without_matches_stores_no_event() {
    let user = Some(user_id(1));
    let expected = Expected { filter: of_person(), user, client: None, grants: 0, consents: 0 };
    let (outcome, endings, events) = revoke(revoking(expected), of_person()).await;
    assert_eq!(outcome.unwrap(), 0);
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
    assert_events(&events, &[]);
}

#[tokio::test]
async fn a_consent_that_is_forgotten_without_a_grant_is_reported() {
    let user = Some(user_id(1));
    let expected = Expected { filter: of_person(), user, client: None, grants: 0, consents: 1 };
    let (outcome, endings, events) = revoke(revoking(expected), of_person()).await;
    assert_eq!(outcome.unwrap(), 0);
    assert_eq!(endings.committed(), 1);
    assert_events(&events, &[revoked_event().user(user_id(1)).count(0)]);
}

#[tokio::test]
async fn a_revocation_that_fails_half_way_leaves_nothing_and_records_nothing() {
    let mut unit = MockUnitOfWork::default();
    unit.grants.expect_revoke().returning(|_, _, _| Ok(3));
    unit.consents.expect_forget().returning(|_, _| Err(StorageError::Retryable));
    let (outcome, endings, events) = revoke(unit, of_client()).await;
    assert!(matches!(outcome, Err(RevokeGrantsError::Storage(StorageError::Retryable))));
    assert_eq!(endings.committed(), 0);
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
    let uses = FindLastUses::new(Arc::new(apps)).run(&[grant.clone(), grant]).await.unwrap();
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
async fn of_several_grants_the_refresh_shows_which_was_used_and_one_that_never_did_ends_with_its_first_token()
{
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
    let uses = FindLastUses::new(Arc::new(apps)).run(&[grant.clone(), grant]).await.unwrap();
    assert_eq!(uses[0], uses[1]);
    uses[0].map(|at| (at - noon()).num_seconds())
}

#[tokio::test]
async fn a_revoked_grant_was_used_when_its_app_last_read_before_the_end_while_its_last_token_lived() {
    assert_eq!(last_use_of_revoked(None, None).await, None);
    assert_eq!(last_use_of_revoked(Some(60), None).await, Some(60));
    assert_eq!(last_use_of_revoked(None, Some(600)).await, Some(600));
    assert_eq!(last_use_of_revoked(Some(7_200), Some(9_000)).await, Some(9_000));
    assert_eq!(last_use_of_revoked(Some(7_200), Some(600)).await, Some(7_200));
    // Reads with another grant: no token of this one was valid then, or it did not exist yet.
    assert_eq!(last_use_of_revoked(None, Some(9_000)).await, Some(3_600));
    assert_eq!(last_use_of_revoked(None, Some(-60)).await, None);
}
