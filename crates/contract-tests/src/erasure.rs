//! What is left when a person is erased.

use crate::Harness;
use crate::fixture::{
    browser, client, client_id, consent, event, hash, link, password_hash, personal_token, request,
    request_id, secret, tally, user, user_id,
};
use application::ports::storage::AuditFilter;
use domain::authorization_request::AuthorizationRequest;
use domain::password_link::PasswordLinkPurpose;
use domain::user::User;

/// Stores a person with one of everything that signing in, consent and personal tokens leave behind.
async fn store(harness: &Harness, number: u64) {
    let id = user_id(number);
    let person = user(number);
    harness.store_user(&person).await;
    let mut link = link(number);
    link.purpose = PasswordLinkPurpose::Reset { user_id: id };
    let (mut session, mut token, mut tally) = (browser(number), personal_token(number), tally(0));
    (session.user_id, token.user_id, tally.key.user_id) = (id, id, id);
    let request = AuthorizationRequest { user_id: Some(id), ..request(number) };
    let mut unit = harness.begin().await;
    unit.passwords().set(id, &password_hash(number), person.created_at).await.unwrap();
    unit.password_links().insert(&link).await.unwrap();
    unit.sessions().insert(&session).await.unwrap();
    unit.authorization_requests().insert(&request).await.unwrap();
    unit.consents().remember(&consent(number, 1)).await.unwrap();
    unit.personal_tokens().insert(&token).await.unwrap();
    unit.audit().append(&event(number, 0).user(id).client(client_id(1))).await.unwrap();
    unit.commit().await.unwrap();
    harness.add_tallies(&[tally]).await;
}

/// Tells of each kind of thing whether it is stored under a person: credentials, password, link, session, request,
/// consent, token, access by it, sums of reads.
async fn stored_of(harness: &Harness, number: u64) -> [bool; 9] {
    let (id, hash) = (user_id(number), hash(number));
    let User { email, .. } = user(number);
    let credentials = harness.credentials.find_credentials(&email).await.unwrap();
    let session = harness.sessions.find_session(&hash).await.unwrap();
    let access = harness.access.find_personal_access(&hash).await.unwrap();
    let tallies = harness.tallies.list(id, None, 9).await.unwrap();
    let mut unit = harness.begin().await;
    [
        credentials.is_some(),
        unit.passwords().find(id).await.unwrap().is_some(),
        unit.password_links().find(&hash).await.unwrap().is_some(),
        session.is_some() && !unit.sessions().list(id).await.unwrap().is_empty(),
        unit.authorization_requests().find(request_id(number)).await.unwrap().is_some(),
        unit.consents().find(id, client_id(1)).await.unwrap().is_some(),
        !unit.personal_tokens().list(id).await.unwrap().is_empty(),
        access.is_some(),
        !tallies.is_empty(),
    ]
}

pub(crate) async fn an_erased_person_leaves_nothing_but_the_audit_trail(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    store(harness, 1).await;
    store(harness, 2).await;
    assert_eq!(stored_of(harness, 1).await, [true; 9]);
    let mut unit = harness.begin().await;
    assert!(unit.users().delete(user_id(1)).await.unwrap());
    unit.commit().await.unwrap();
    assert_eq!(stored_of(harness, 1).await, [false; 9]);
    assert_eq!(stored_of(harness, 2).await, [true; 9]);
    for number in [1, 2] {
        let filter = AuditFilter { user_id: Some(user_id(number)), ..AuditFilter::default() };
        let events = harness.audit.list_events(filter, None, 9).await.unwrap();
        assert_eq!(events, [event(number, 0).user(user_id(number)).client(client_id(1))]);
    }
}

pub(crate) async fn an_erasure_that_is_rolled_back_leaves_everything(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    store(harness, 1).await;
    let mut unit = harness.begin().await;
    assert!(unit.users().delete(user_id(1)).await.unwrap());
    unit.rollback().await.unwrap();
    assert_eq!(stored_of(harness, 1).await, [true; 9]);
}

pub(crate) async fn a_link_to_sign_up_survives_the_erasure_of_its_address(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut link = link(1);
    link.purpose = PasswordLinkPurpose::SignUp { email: user(1).email };
    let mut unit = harness.begin().await;
    unit.password_links().insert(&link).await.unwrap();
    assert!(unit.users().delete(user_id(1)).await.unwrap());
    assert_eq!(unit.password_links().find(&hash(1)).await.unwrap(), Some(link));
}
