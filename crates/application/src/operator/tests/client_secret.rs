use super::one;
use crate::audit::testing::{assert_events, event};
use crate::operator::{ClientError, RotateClientSecret};
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{app, client_id, clock, entropy, noon, seconds, stored_secret};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{ClientSecret, MAX_LIVE_SECRETS};
use domain::id::ClientSecretId;
use domain::secret::SecretKind;
use std::sync::{Arc, Mutex};

type Ends = Vec<(ClientSecretId, DateTime<Utc>)>;

/// Rotates the secret of a client that has these; returns which of them got which end, and checks what is
/// new.
async fn rotate(secrets: Vec<ClientSecret>, overlap: Option<TimeDelta>) -> Ends {
    let ends: Arc<Mutex<Ends>> = Arc::default();
    let new = Arc::new(Mutex::new(None));
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().times(1).returning(|_| Ok(Some(app())));
    unit.clients
        .expect_list_secrets()
        .times(1)
        .withf(|id| *id == client_id(1))
        .return_once(move |_| Ok(secrets));
    let noted = Arc::clone(&ends);
    unit.clients.expect_expire_secret().returning(move |client, secret, at| {
        assert_eq!(client, client_id(1));
        noted.lock().unwrap().push((secret, at));
        Ok(true)
    });
    let noted = Arc::clone(&new);
    unit.clients.expect_insert_secret().times(1).returning(move |client, secret| {
        assert_eq!(client, client_id(1));
        *noted.lock().unwrap() = Some(secret.clone());
        Ok(())
    });
    let (units, endings) = one(unit);
    let events = units.events();
    let secret = RotateClientSecret::new(units, entropy(), clock()).run(client_id(1), overlap).await.unwrap();

    let stored = new.lock().unwrap().clone().unwrap();
    assert_eq!(secret.kind(), SecretKind::ClientSecret);
    let rotated = event(AuditActor::Operator, AuditKind::ClientSecretRotated).client(client_id(1));
    assert_events(&events, &[rotated.subject(stored.id.as_uuid())]);
    assert_eq!((stored.hash, stored.created_at, stored.expires_at), (secret.hash(), noon(), None));
    assert_eq!(endings.committed(), 1);
    let mut ends = ends.lock().unwrap().clone();
    ends.sort();
    ends
}

fn ends(number: u8, at: DateTime<Utc>) -> (ClientSecretId, DateTime<Utc>) {
    (stored_secret(number, None).id, at)
}

#[tokio::test]
async fn the_secret_before_lives_on_for_the_overlap() {
    let day = TimeDelta::days(1);
    assert_eq!(rotate(vec![stored_secret(1, None)], Some(day)).await, [ends(1, noon() + day)]);
}

#[tokio::test]
async fn without_an_overlap_the_secret_before_lives_until_the_next_rotation() {
    assert_eq!(rotate(vec![stored_secret(1, None)], None).await, []);
}

#[tokio::test]
async fn an_overlap_of_nothing_ends_the_secret_before_at_once() {
    assert_eq!(rotate(vec![stored_secret(1, None)], Some(TimeDelta::zero())).await, [ends(1, noon())]);
}

#[tokio::test]
async fn an_overlap_beyond_all_time_is_no_end() {
    assert_eq!(rotate(vec![stored_secret(1, None)], Some(TimeDelta::MAX)).await, []);
}

#[tokio::test]
async fn of_two_secrets_before_the_older_ends_now() {
    let secrets = vec![stored_secret(1, None), stored_secret(2, None)];
    let hour = TimeDelta::hours(1);
    assert_eq!(rotate(secrets.clone(), Some(hour)).await, [ends(1, noon()), ends(2, noon() + hour)]);
    assert_eq!(rotate(secrets, None).await, [ends(1, noon())]);
}

#[tokio::test]
async fn a_rotation_leaves_two_live_secrets_at_most_however_many_there_were() {
    let before: Vec<_> = (1..=5).map(|number| stored_secret(number, None)).collect();
    let ended = rotate(before.clone(), None).await;
    assert_eq!(before.len() - ended.len() + 1, MAX_LIVE_SECRETS);
    assert!(ended.iter().all(|(id, at)| *id != stored_secret(5, None).id && *at == noon()));
}

#[tokio::test]
async fn an_end_that_comes_earlier_stays() {
    let soon = noon() + seconds(10);
    assert_eq!(rotate(vec![stored_secret(1, Some(soon))], Some(TimeDelta::days(1))).await, [ends(1, soon)]);
}

#[tokio::test]
async fn a_secret_that_ended_before_is_left_alone() {
    let secrets = vec![stored_secret(1, Some(noon())), stored_secret(2, None)];
    assert_eq!(rotate(secrets, Some(TimeDelta::zero())).await, [ends(2, noon())]);
}

#[tokio::test]
async fn a_client_whose_secrets_all_ended_gets_a_new_one() {
    assert_eq!(rotate(vec![stored_secret(1, Some(noon()))], None).await, []);
}

#[tokio::test]
async fn no_secret_is_made_for_a_client_that_does_not_exist() {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().times(1).returning(|_| Ok(None));
    let (units, endings) = one(unit);
    let outcome = RotateClientSecret::new(units, entropy(), clock()).run(client_id(1), None).await;
    assert!(matches!(outcome, Err(ClientError::NotFound)));
    assert_eq!(endings.committed(), 0);
}

#[tokio::test]
async fn a_secret_that_cannot_be_stored_is_not_given_out() {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().returning(|_| Ok(Some(app())));
    unit.clients.expect_list_secrets().returning(|_| Ok(Vec::new()));
    unit.clients.expect_insert_secret().returning(|_, _| Err(StorageError::Retryable));
    let (units, endings) = one(unit);
    let events = units.events();
    let outcome = RotateClientSecret::new(units, entropy(), clock()).run(client_id(1), None).await;
    assert!(matches!(outcome, Err(ClientError::Storage(StorageError::Retryable))));
    assert_eq!(endings.committed(), 0);
    assert_events(&events, &[]);
}
