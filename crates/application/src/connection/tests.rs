use super::{DisconnectApps, DisconnectAppsCommand, ListConnectedApps};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{GrantFilter, MockConnectedAppReader, StorageError};
use crate::testing::{ADDRESS, client_id, clock, entropy, noon, person, seconds, user_id};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::grant::RevocationReason;
use domain::id::ClientId;
use mockall::Sequence;
use std::sync::Arc;

/// A unit of work that locks user 1, discards the codes, revokes this many grants of this client and deletes
/// this many consents.
fn revoking(client: Option<ClientId>, grants: u64, consents: u64) -> MockUnitOfWork {
    let mut order = Sequence::new();
    let mut unit = MockUnitOfWork::default();
    unit.users
        .expect_find()
        .times(1)
        .in_sequence(&mut order)
        .withf(|id| *id == user_id(1))
        .returning(|_| Ok(Some(person())));
    unit.codes
        .expect_discard_unredeemed()
        .times(1)
        .in_sequence(&mut order)
        .withf(|user, issued_before| *user == Some(user_id(1)) && *issued_before > noon() + seconds(60))
        .returning(|_, _| Ok(1));
    unit.grants
        .expect_revoke()
        .times(1)
        .in_sequence(&mut order)
        .withf(move |filter, at, reason| {
            let meant =
                GrantFilter { user_id: Some(user_id(1)), client_id: client, ..GrantFilter::default() };
            *filter == meant && *at == noon() && *reason == RevocationReason::Person
        })
        .returning(move |_, _, _| Ok(grants));
    unit.consents
        .expect_forget()
        .times(1)
        .withf(move |user, forgotten| *user == Some(user_id(1)) && *forgotten == client)
        .returning(move |_, _| Ok(consents));
    unit
}

async fn disconnect(client: Option<ClientId>, grants: u64, consents: u64) -> (u64, Vec<AuditEvent>) {
    let units = PreparedUnitsOfWork::new([revoking(client, grants, consents)]);
    let (endings, events) = (units.endings(), units.events());
    let disconnect = DisconnectApps::new(Arc::new(units), entropy(), clock());
    let command = DisconnectAppsCommand { user_id: user_id(1), client_id: client, address: ADDRESS };
    let revoked = disconnect.run(command).await.unwrap();
    assert_eq!(endings.committed(), 1);
    (revoked, events.all())
}

#[tokio::test]
async fn disconnecting_an_app_revokes_its_grants_forgets_the_consent_and_voids_codes() {
    let (revoked, events) = disconnect(Some(client_id(1)), 3, 1).await;
    assert_eq!(revoked, 3);
    let [event] = events.try_into().unwrap();
    assert_eq!(
        event,
        AuditEvent::new(event.id, noon(), AuditKind::GrantRevoked, AuditActor::Person)
            .user(user_id(1))
            .client(client_id(1))
            .count(3)
            .from(AddressBlock::containing(ADDRESS))
    );
}

#[tokio::test]
async fn disconnecting_all_apps_records_no_client() {
    let (revoked, events) = disconnect(None, 12, 0).await;
    assert_eq!(revoked, 12);
    let [event] = events.try_into().unwrap();
    assert_eq!((event.client_id, event.count), (None, Some(12)));
}

#[tokio::test]
async fn disconnecting_an_app_without_access_stores_no_event() {
    assert_eq!(disconnect(Some(client_id(1)), 0, 0).await, (0, Vec::new()));
}

#[tokio::test]
async fn a_remembered_consent_that_is_forgotten_without_a_grant_is_reported() {
    let (revoked, events) = disconnect(Some(client_id(1)), 0, 1).await;
    assert_eq!(revoked, 0);
    let [event] = events.try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::GrantRevoked, AuditActor::Person));
    assert_eq!((event.user_id, event.client_id), (Some(user_id(1)), Some(client_id(1))));
    assert_eq!(event.count, Some(0));
}

#[tokio::test]
async fn a_failed_revocation_is_not_reported_as_one() {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().returning(|_| Ok(Some(person())));
    unit.codes.expect_discard_unredeemed().returning(|_, _| Ok(0));
    unit.grants.expect_revoke().times(1).returning(|_, _, _| Err(StorageError::Unavailable));
    let units = PreparedUnitsOfWork::new([unit]);
    let endings = units.endings();
    let command = DisconnectAppsCommand { user_id: user_id(1), client_id: None, address: ADDRESS };
    let outcome = DisconnectApps::new(Arc::new(units), entropy(), clock()).run(command).await;
    assert!(outcome.is_err());
    assert_eq!(endings.committed(), 0);
}

#[tokio::test]
async fn only_the_persons_own_apps_are_listed() {
    let mut apps = MockConnectedAppReader::new();
    apps.expect_list_connected_apps()
        .times(1)
        .withf(|id| *id == user_id(1))
        .returning(|_| Err(StorageError::Unavailable));
    assert!(ListConnectedApps::new(Arc::new(apps)).run(user_id(1)).await.is_err());
}
