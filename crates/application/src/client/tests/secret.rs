//! Secrets of an app.

use super::*;

#[tokio::test]
async fn a_new_secret_leaves_the_previous_one_live() {
    let mut unit = with_app(draft());
    unit.clients.expect_list_secrets().times(2).returning(|_| Ok(vec![stored_secret(1, None)]));
    unit.clients.expect_insert_secret().times(1).returning(|_, _| Ok(()));
    let (units, person) = (units([unit]), signed_in(0));
    let developer = AppDeveloper { person: &person, app: client_id(1) };
    let newest = Some(stored_secret(1, None).id);
    let secret = clients(&units).rotate_app_secret(developer, newest).await.unwrap();
    assert_eq!(secret.kind(), SecretKind::ClientSecret);
    assert_committed(&units, AuditKind::ClientSecretRotated);
}

#[tokio::test]
async fn one_of_two_live_secrets_is_retired_after_any_sign_in() {
    let id = stored_secret(1, None).id;
    let mut unit = with_app(draft());
    let secrets = vec![stored_secret(1, None), stored_secret(2, None)];
    unit.clients.expect_list_secrets().times(1).return_once(move |_| Ok(secrets));
    let expire = unit.clients.expect_expire_secret().times(1);
    expire.withf(move |_, secret, at| *secret == id && *at == noon()).returning(|_, _, _| Ok(true));
    let (units, person) = (units([unit]), signed_in(900));
    let developer = AppDeveloper { person: &person, app: client_id(1) };
    clients(&units).retire_app_secret(developer, id).await.unwrap();
    assert_committed(&units, AuditKind::ClientSecretRetired);
}
