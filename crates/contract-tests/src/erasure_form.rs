//! Erasures by people, the operator and clients.

use crate::Harness;
use crate::fixture::{client_id, now, user, user_id};
use crate::service::{
    assert_rejected, audited, event_by, prepare, recorded, signed_in_ago, signed_out, stale,
};
use application::erasure::{Eraser, ErasureError, Erasures};
use domain::audit::{AuditActor, AuditKind};
use domain::id::ClientId;
use domain::sandbox::{SandboxPerson, Story};
use domain::session::FRESH_SECONDS;
use domain::user::User;
use uuid::Uuid;

pub(crate) async fn rejected_erasures_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let stale = &stale(person);
    let erasures = Erasures { store: audited(harness) };
    let is_over = |error: &ErasureError| matches!(error, ErasureError::SessionEnded);
    let is_stale = |error: &ErasureError| matches!(error, ErasureError::NotFresh);
    let is_unknown = |error: &ErasureError| matches!(error, ErasureError::NotFound);

    assert_rejected(harness, "erase after signing out", is_over, async || {
        erasures.erase(Eraser::Person(&signed_out(person))).await
    })
    .await;
    assert_rejected(harness, "erase too late", is_stale, async || {
        erasures.erase(Eraser::Person(stale)).await
    })
    .await;
    let client = ClientId::from_uuid(Uuid::nil());
    let (unknown, real) = (user_id(9), user_id(1));
    for (name, eraser) in [
        ("erase an unknown person", Eraser::Operator(unknown)),
        ("erase an unknown person by a client", Eraser::Client(client, unknown)),
        ("erase a real person as one of the sandbox", Eraser::SandboxOwner { user_id: real, owner: None }),
    ] {
        assert_rejected(harness, name, is_unknown, async || erasures.erase(eraser).await).await;
    }
    assert!(harness.profiles.find_profile(real).await.unwrap().is_some());
    assert!(erasures.store.units.begin().await.unwrap().erasures().list(9).await.unwrap().is_empty());
}

pub(crate) async fn an_erasure_leaves_an_anonymous_event_and_a_receipt(harness: &Harness) {
    let client = client_id(1);
    let erasures = Erasures { store: audited(harness) };
    let erased_by = |actor| event_by(actor, AuditKind::UserErased);
    let person = prepare(harness).await;
    let fresh = &signed_in_ago(&person, FRESH_SECONDS - 1);
    // A developer's sandbox people are erased with them, and only those.
    for (number, owner) in [(3, 1), (4, 1), (5, 2)] {
        let (user_id, owner) = (user_id(number), Some(user_id(owner)));
        let person = SandboxPerson { user_id, story: Story::Gaps, owner, records_until: now().date_naive() };
        let mut unit = harness.begin().await;
        unit.users().insert(&User { email: person.email(), ..user(number) }).await.unwrap();
        unit.sandbox().insert(&person).await.unwrap();
        unit.commit().await.unwrap();
    }
    harness.store_user(&user(6)).await;
    for (eraser, gone, event) in [
        (Eraser::Person(fresh), &[1, 3, 4][..], erased_by(AuditActor::Person)),
        (Eraser::Client(client, user_id(6)), &[6], erased_by(AuditActor::Client).client(client)),
        (Eraser::Operator(user_id(2)), &[2, 5], erased_by(AuditActor::Operator)),
    ] {
        let receipt = erasures.erase(eraser).await.unwrap();
        assert_eq!(receipt.at, now());
        let receipts = harness.begin().await.erasures().list(9).await.unwrap();
        assert!(receipts.iter().any(|stored| stored.id == receipt.id), "{receipts:?}");
        for number in gone {
            assert_eq!(harness.profiles.find_profile(user_id(*number)).await.unwrap(), None, "{number}");
        }
        assert_eq!(recorded(harness).await, vec![event; gone.len()]);
    }
    assert_eq!(harness.begin().await.erasures().list(9).await.unwrap().len(), 6);
}
