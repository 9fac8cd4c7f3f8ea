//! What is rejected within an open unit of work: it returns its connection.

use crate::Harness;
use crate::fixture::{grant, label, now, supplement_id, user, user_id};
use crate::service::{assert_level, assert_rejected, audited, prepare, recorded};
use application::intake::{IntakeError, Intakes, NewIntake};
use application::profile::{ProfileError, Profiles};
use domain::grant::Grant;
use domain::id::{FormId, IntakeLogId};
use domain::supplement::Servings;
use uuid::Uuid;

pub(crate) async fn a_unit_of_work_dropped_in_any_state_opens_no_connection(harness: &Harness) {
    prepare(harness).await;
    assert_level(harness, "begun", async || {
        drop(harness.begin().await);
        Err::<(), _>(())
    })
    .await;
    assert_level(harness, "read", async || {
        harness.begin().await.users().find(user_id(9)).await.unwrap().ok_or(())
    })
    .await;
    assert_level(harness, "written", async || {
        let mut unit = harness.begin().await;
        unit.users().insert(&user(8)).await.unwrap();
        Err::<(), _>(())
    })
    .await;
    assert_level(harness, "conflict", async || {
        let mut unit = harness.begin().await;
        unit.users().insert(&user(1)).await
    })
    .await;
    assert_level(harness, "failed", async || {
        let mut unit = harness.begin().await;
        unit.grants().insert(&Grant { user_id: user_id(9), ..grant(1) }).await
    })
    .await;
    assert_eq!(harness.profiles.find_profile(user_id(8)).await.unwrap(), None);
    harness.store_user(&user(8)).await;
}

pub(crate) async fn rejected_changes_of_records_open_no_connection(harness: &Harness) {
    let person = prepare(harness).await.user_id;
    let form = FormId::from_uuid(Uuid::nil());
    let log_id = IntakeLogId::from_uuid(Uuid::nil());
    let servings = Servings::new(1.0).unwrap();
    let intakes = Intakes { store: audited(harness), reader: harness.supplements.clone() };
    let new = NewIntake { form, supplement_id: supplement_id(9), taken_at: now(), servings };
    let is_unknown = |error: &IntakeError| matches!(error, IntakeError::UnknownSupplement);
    let is_no_entry = |error: &IntakeError| matches!(error, IntakeError::UnknownEntry);
    let is_sent = |error: &IntakeError| matches!(error, IntakeError::SentBefore);
    assert_rejected(harness, "log an unknown supplement", is_unknown, async || {
        intakes.log(person, new).await
    })
    .await;
    assert_rejected(harness, "change an unknown intake", is_no_entry, async || {
        intakes.change(person, log_id, now(), servings).await
    })
    .await;
    let delete = async || intakes.delete(None, person, log_id).await.unwrap().then_some(()).ok_or(());
    assert_level(harness, "delete an unknown intake", delete).await;
    assert_rejected(harness, "change an unknown product", is_unknown, async || {
        intakes.change_product(person, supplement_id(9), label("Other")).await
    })
    .await;
    assert_eq!(recorded(harness).await, []);
    let product = intakes.create_product(person, form, label("Product")).await.unwrap();
    let found = intakes.find_supplement(person, product).await.unwrap();
    assert_eq!(found.map(|(_, supplement)| supplement.id), Some(product));
    assert_eq!(intakes.find_supplement(user_id(2), product).await.unwrap(), None);
    assert_rejected(harness, "create another product by the same form", is_sent, async || {
        intakes.create_product(person, form, label("Other")).await
    })
    .await;
    let new = NewIntake { supplement_id: product, ..new };
    intakes.log(person, new).await.unwrap();
    let other = NewIntake { servings: Servings::new(2.0).unwrap(), ..new };
    assert_rejected(harness, "log another intake by the same form", is_sent, async || {
        intakes.log(person, other).await
    })
    .await;
    let delete = async || intakes.delete_product(person, product).await.unwrap().then_some(()).ok_or(());
    assert_level(harness, "delete a logged product", delete).await;
    let profiles = Profiles { store: audited(harness), reader: harness.profiles.clone() };
    let is_nobody = |error: &ProfileError| matches!(error, ProfileError::NotFound);
    assert_rejected(harness, "change an unknown profile", is_nobody, async || {
        profiles.change(user_id(9), &[]).await
    })
    .await;
}
