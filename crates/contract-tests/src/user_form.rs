//! Rejected commands about users, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{now, user, user_id};
use crate::rejection::{assert_rejected, audited, prepare};
use application::ports::storage::Erasure;
use application::user::{NewUser, UserChange, UserError, Users};
use domain::id::ErasureId;
use domain::user::{Email, User};
use uuid::Uuid;

pub(crate) async fn rejected_commands_about_users_open_no_connection(harness: &Harness) {
    prepare(harness).await;
    let email = Email::parse_stored("gaps-000000000001@sandbox.invalid").unwrap();
    harness.store_user(&User { email, ..user(3) }).await;
    harness.store_user(&user(4)).await;
    let mut unit = harness.begin().await;
    let erasure = Erasure { id: ErasureId::from_uuid(Uuid::nil()), at: now() };
    assert!(unit.erasures().erase(user_id(4), erasure).await.unwrap());
    unit.commit().await.unwrap();

    let users = Users { store: audited(harness), reader: harness.profiles.clone() };
    let User { home_timezone, biology, .. } = user(7);
    let create = async |id, number| {
        let User { email, .. } = user(number);
        users.create(NewUser { id, email, home_timezone, biology }).await
    };
    let is_id_taken = |error: &UserError| matches!(error, UserError::IdTaken);
    let is_erased = |error: &UserError| matches!(error, UserError::IdErased);
    let is_email_taken = |error: &UserError| matches!(error, UserError::EmailTaken);
    let is_unknown = |error: &UserError| matches!(error, UserError::NotFound);
    let is_sandbox = |error: &UserError| matches!(error, UserError::SandboxPerson);
    assert_rejected(harness, "create with a taken id", is_id_taken, async || {
        create(Some(user_id(1)), 7).await
    })
    .await;
    assert_rejected(harness, "create with an erased id", is_erased, async || {
        create(Some(user_id(4)), 7).await
    })
    .await;
    assert_rejected(harness, "create with a taken address", is_email_taken, async || create(None, 2).await)
        .await;
    let change = async |number, change| users.change(user_id(number), change).await;
    assert_rejected(harness, "change an unknown person", is_unknown, async || {
        change(9, UserChange::default()).await
    })
    .await;
    let moved = |number| UserChange { email: Some(user(number).email), ..UserChange::default() };
    assert_rejected(harness, "change to a taken address", is_email_taken, async || change(1, moved(2)).await)
        .await;
    assert_rejected(harness, "change the address of a sandbox person", is_sandbox, async || {
        change(3, moved(7)).await
    })
    .await;
    // Nothing was stored, so the address is still free.
    create(Some(user_id(7)), 7).await.unwrap();
}
