//! Secrets that the operator rotates.

use super::clients;
use crate::audit::testing::{assert_events, event};
use crate::client::ClientError;
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{app, client_id, noon, one, seconds, stored_secret};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{ClientSecret, MAX_LIVE_SECRETS};
use domain::id::ClientSecretId;
use domain::secret::SecretKind;
use std::sync::{Arc, Mutex};

type Ends = Vec<(ClientSecretId, DateTime<Utc>)>;

/// Rotates the secret of a client that has these; returns the new expiry of each, and checks the new secret.
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
    let secret = clients(&units).rotate_secret(client_id(1), overlap).await.unwrap();

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
async fn the_newest_secret_stays_live_for_the_overlap_and_older_ones_end_now() {
    let (one, hour, soon) = (|| stored_secret(1, None), TimeDelta::hours(1), noon() + seconds(10));
    let ended = || stored_secret(1, Some(noon()));
    for (secrets, overlap, expected) in [
        (vec![one()], Some(hour), vec![ends(1, noon() + hour)]),
        (vec![one()], Some(TimeDelta::zero()), vec![ends(1, noon())]),
        // Until the next rotation, or for longer than a time can express.
        (vec![one()], None, vec![]),
        (vec![one()], Some(TimeDelta::MAX), vec![]),
        (vec![one(), stored_secret(2, None)], Some(hour), vec![ends(1, noon()), ends(2, noon() + hour)]),
        (vec![one(), stored_secret(2, None)], None, vec![ends(1, noon())]),
        // An earlier end stays, and so does one that has passed.
        (vec![stored_secret(1, Some(soon))], Some(hour), vec![ends(1, soon)]),
        (vec![ended(), stored_secret(2, None)], Some(TimeDelta::zero()), vec![ends(2, noon())]),
        (vec![ended()], None, vec![]),
    ] {
        let case = format!("{secrets:?} {overlap:?}");
        assert_eq!(rotate(secrets, overlap).await, expected, "{case}");
    }
}

#[tokio::test]
async fn a_rotation_leaves_at_most_two_live_secrets() {
    let before: Vec<_> = (1..=5).map(|number| stored_secret(number, None)).collect();
    let ended = rotate(before.clone(), None).await;
    assert_eq!(before.len() - ended.len() + 1, MAX_LIVE_SECRETS);
    assert!(ended.iter().all(|(id, at)| *id != stored_secret(5, None).id && *at == noon()));
}

#[tokio::test]
async fn a_secret_that_cannot_be_stored_is_not_returned() {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().returning(|_| Ok(Some(app())));
    unit.clients.expect_list_secrets().returning(|_| Ok(Vec::new()));
    unit.clients.expect_insert_secret().returning(|_, _| Err(StorageError::Retryable));
    let (units, endings) = one(unit);
    let events = units.events();
    let outcome = clients(&units).rotate_secret(client_id(1), None).await;
    assert!(matches!(outcome, Err(ClientError::Storage(StorageError::Retryable))));
    assert_eq!(endings.committed(), 0);
    assert_events(&events, &[]);
}
