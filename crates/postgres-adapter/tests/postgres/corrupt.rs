//! Stored values that the program cannot have written: errors name their place and omit the value.

use crate::made_up::*;
use crate::made_up_sign_in::*;
use application::ports::storage::{
    AccessReader, AuditFilter, AuditReader, AuthorizationRequestReader, ClientReader, ConnectedAppReader,
    GrantFilter, GrantReader, PersonalTokenReader, ProfileReader, SessionReader, SleepReader, StorageError,
};
use postgres_adapter::test_support::TestDatabase;

fn place<T: std::fmt::Debug>(result: Result<T, StorageError>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, StorageError::Corrupt { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("LEAKME"));
    error.to_string()
}

#[tokio::test]
async fn a_corrupt_value_is_named_by_table_column_and_row() {
    let database = TestDatabase::create().await;
    let (store, vandal) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let mut unit = begin(&store).await;
    unit.sleep().insert(user_id(1), &[session(1)]).await.unwrap();
    unit.commit().await.unwrap();
    vandal.batch_execute("UPDATE account SET home_timezone = 'LEAKME'").await.unwrap();
    let profile = place(store.find_profile(user_id(1)).await);
    assert_eq!(profile, format!("corrupt value in account.home_timezone, row {}", user_id(1)));
    vandal.batch_execute("UPDATE sleep_session SET stages = 'LEAKME'").await.unwrap();
    let walked = place(store.walk(user_id(1), None, 10).await);
    let id = session(1).id;
    assert_eq!(walked, format!("corrupt value in sleep_session.stages or metrics, row {id}"));
}

#[tokio::test]
async fn a_corrupt_value_behind_a_sign_in_is_named_by_its_place_too() {
    let database = TestDatabase::create().await;
    let (store, vandal) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let mut unit = begin(&store).await;
    unit.sessions().insert(&browser_session(4, 1)).await.unwrap();
    unit.authorization_requests().insert(&request(5)).await.unwrap();
    unit.personal_tokens().insert(&token(6, 1)).await.unwrap();
    unit.grants().insert(&grant(7, 1)).await.unwrap();
    unit.outbox().insert(&message(8)).await.unwrap();
    unit.commit().await.unwrap();
    for vandalism in [
        "UPDATE authorization_request SET scopes = 'LEAKME'",
        "UPDATE personal_token SET scopes = 'LEAKME', name = E'LEAKME\\n'",
        "UPDATE access_grant SET last_used_address = 'LEAKME'",
        "UPDATE outbox SET attempts = -2",
        "INSERT INTO audit_event (id, at, kind, actor) VALUES (md5('')::uuid, now(), 'LEAKME', 'server')",
        "UPDATE account SET email = 'LEAKME'",
    ] {
        vandal.batch_execute(vandalism).await.unwrap();
    }
    let mut unit = begin(&store).await;
    let places = [
        place(store.find_session(&browser_session(4, 1).token_hash).await),
        place(store.find_authorization_request(request(5).id).await),
        place(store.find_personal_access(&token(6, 1).token_hash).await),
        place(store.list_personal_tokens(user_id(1)).await),
        place(store.list_grants(GrantFilter::default(), None, 10).await),
        place(store.list_connected_apps(user_id(1)).await),
        place(unit.outbox().claim(at(100), at(200), 10).await),
        place(store.list_events(AuditFilter::default(), None, 10).await),
    ];
    let id = |number| uuid::Uuid::from_u128(number);
    assert_eq!(
        places,
        [
            format!("corrupt value in account.email, row {}", user_id(1)),
            format!("corrupt value in authorization_request.scopes, row {}", id(5)),
            format!("corrupt value in personal_token.scopes, row {}", id(6)),
            format!("corrupt value in personal_token.name, row {}", id(6)),
            format!("corrupt value in access_grant.last_used_address, row {}", id(7)),
            format!("corrupt value in access_grant.last_used_address, row {}", client().id),
            format!("corrupt value in outbox.attempts, row {}", id(8)),
            "corrupt value in audit_event.kind, row d41d8cd9-8f00-b204-e980-0998ecf8427e".to_owned(),
        ]
    );
}

#[tokio::test]
async fn names_and_redirect_uris_are_read_without_what_a_later_rule_refuses() {
    let database = TestDatabase::create().await;
    let (store, before) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let mut unit = begin(&store).await;
    unit.personal_tokens().insert(&token(6, 1)).await.unwrap();
    unit.commit().await.unwrap();
    before
        .batch_execute(
            "UPDATE client SET name = E'Owl\\u202e', redirect_uris = ARRAY['http://127.1/', 'https://x/'];
             UPDATE personal_token SET name = E'Note\\u200bbook'",
        )
        .await
        .unwrap();
    let client = store.find_with_secrets(client().id).await.unwrap().unwrap().client;
    let uris: Vec<_> = client.redirect_uris.iter().map(domain::client::RedirectUri::as_str).collect();
    assert_eq!((client.name.as_str(), uris), ("Owl", vec!["https://x/"]));
    let tokens = store.list_personal_tokens(user_id(1)).await.unwrap();
    assert_eq!(tokens[0].name.as_str(), "Notebook");
}
