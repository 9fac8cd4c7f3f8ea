//! Last uses, and failures of the store. The contract suite shows revocations on each store.

use super::{ConnectedApp, Grants, RevokeGrantsError};
use crate::audit::testing::assert_events;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{GrantFilter, MockConnectedAppReader, MockGrantReader, StorageError};
use crate::testing::{grant, noon, one, person, seconds, signed_in, store, units, user_id};
use domain::client::ClientName;
use domain::grant::{Grant, GrantState, RevocationReason};
use mockall::Sequence;
use std::sync::Arc;

fn service(units: &Arc<PreparedUnitsOfWork>) -> Grants {
    let (reader, apps) = (Arc::new(MockGrantReader::new()), Arc::new(MockConnectedAppReader::new()));
    Grants { store: store(units), reader, apps }
}

fn with_apps(apps: MockConnectedAppReader) -> Grants {
    Grants { apps: Arc::new(apps), ..service(&units([])) }
}

/// A unit of work that locks the user, discards codes, and forgets consents if `forgets`, in the order of an
/// erasure, before it fails to revoke grants.
fn failing(forgets: bool, error: fn() -> StorageError) -> MockUnitOfWork {
    let (mut unit, mut order) = (MockUnitOfWork::default(), Sequence::new());
    unit.users.expect_find().times(1).in_sequence(&mut order).returning(|_| Ok(Some(person())));
    let discard = unit.codes.expect_discard_unredeemed().times(1).in_sequence(&mut order);
    discard.returning(|_, _| Ok(0));
    if forgets {
        unit.consents.expect_forget().times(1).in_sequence(&mut order).returning(|_, _| Ok(1));
    }
    let revoke = unit.grants.expect_revoke().times(1).in_sequence(&mut order);
    revoke.returning(move |_, _, _| Err(error()));
    unit
}

#[tokio::test]
async fn a_failed_revocation_is_not_reported_as_one() {
    let (units, endings) = one(failing(false, || StorageError::Unavailable));
    assert!(service(&units).disconnect(&signed_in(0), None).await.is_err());
    assert_eq!(endings.committed(), 0);
}

#[tokio::test]
async fn a_revocation_that_fails_half_way_leaves_nothing_and_records_nothing() {
    let (units, endings) = one(failing(true, || StorageError::Retryable));
    let filter = GrantFilter { user_id: Some(user_id(1)), ..GrantFilter::default() };
    let outcome = service(&units).revoke(filter).await;
    assert!(matches!(outcome, Err(RevokeGrantsError::Storage(StorageError::Retryable))));
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
    assert_events(&units.events(), &[]);
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
