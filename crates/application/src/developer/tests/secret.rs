//! Secrets of an app.

use super::*;

fn secret_command(session: &Session) -> AppCommand<'_> {
    AppCommand { session, id: client_id(1), address: ADDRESS }
}

#[tokio::test]
async fn a_new_secret_leaves_the_previous_one_live() {
    let mut unit = with_app(Some(draft()));
    unit.clients.expect_list_secrets().times(2).returning(|_| Ok(vec![stored_secret(1, None)]));
    unit.clients.expect_insert_secret().times(1).returning(|_, _| Ok(()));
    let prepared = TestStore::new([unit]);
    let rotate = RotateAppSecret::new(prepared.units.clone(), entropy(), clock());
    let newest = Some(stored_secret(1, None).id);
    let secret = rotate.run(secret_command(&session(0)), newest).await.unwrap();
    assert_eq!(secret.kind(), SecretKind::ClientSecret);
    prepared.assert_committed(AuditKind::ClientSecretRotated);
}

#[tokio::test]
async fn a_secret_is_not_created_if_the_newest_live_one_is_not_the_one_shown() {
    for seen in [Some(stored_secret(1, None).id), Some(stored_secret(3, None).id), None] {
        let mut unit = with_app(Some(draft()));
        unit.clients.expect_list_secrets().times(1).returning(|_| {
            Ok(vec![stored_secret(1, None), stored_secret(2, None), stored_secret(3, Some(noon()))])
        });
        let prepared = TestStore::new([unit]);
        let rotate = RotateAppSecret::new(prepared.units.clone(), entropy(), clock());
        let refused = rotate.run(secret_command(&session(0)), seen).await;
        assert!(matches!(refused, Err(DeveloperAppError::SecretChanged)), "{seen:?}");
        prepared.assert_nothing_stored();
    }
}

#[tokio::test]
async fn a_secret_of_a_public_or_another_persons_app_is_not_rotated() {
    let public = Client { kind: ClientKind::PublicApp, ..draft() };
    for (client, is_found) in [(public, true), (own(Review::Draft { owner: user_id(2) }), false)] {
        let mut unit = with_app(Some(client));
        unit.clients.expect_list_secrets().times(usize::from(is_found)).returning(|_| Ok(Vec::new()));
        let prepared = TestStore::new([unit]);
        let rotate = RotateAppSecret::new(prepared.units.clone(), entropy(), clock());
        let refused = rotate.run(secret_command(&session(0)), None).await.unwrap_err();
        let fits = if is_found {
            matches!(refused, DeveloperAppError::NoSecret)
        } else {
            matches!(refused, DeveloperAppError::NotFound)
        };
        assert!(fits, "{refused:?}");
        prepared.assert_nothing_stored();
    }
    let rotate = RotateAppSecret::new(TestStore::new([]).units, entropy(), clock());
    let stale = rotate.run(secret_command(&session(300)), None).await;
    assert!(matches!(stale, Err(DeveloperAppError::NotFresh)), "{stale:?}");
}

#[tokio::test]
async fn a_secret_is_retired_only_beside_another_live_one() {
    let ended = stored_secret(2, Some(noon()));
    let live = stored_secret(2, None);
    for (other, retired, is_retired) in [(live.clone(), 1, true), (live, 9, false), (ended, 1, false)] {
        let mut unit = with_app(Some(draft()));
        let secrets = vec![stored_secret(1, None), other];
        unit.clients.expect_list_secrets().times(1).return_once(move |_| Ok(secrets));
        unit.clients
            .expect_expire_secret()
            .times(usize::from(is_retired))
            .withf(|_, secret, at| *secret == stored_secret(1, None).id && *at == noon())
            .returning(|_, _, _| Ok(true));
        let prepared = TestStore::new([unit]);
        let retire = RetireAppSecret::new(prepared.units.clone(), entropy(), clock());
        let id = stored_secret(retired, None).id;
        let outcome = retire.run(secret_command(&session(900)), id).await;
        if is_retired {
            outcome.unwrap();
            prepared.assert_committed(AuditKind::ClientSecretRetired);
        } else {
            assert!(matches!(outcome, Err(DeveloperAppError::LastSecret)), "{outcome:?}");
            prepared.assert_nothing_stored();
        }
    }
}
