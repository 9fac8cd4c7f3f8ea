//! Rejected erasures, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::user_id;
use crate::service::{assert_rejected, audited, prepare, signed_out, stale};
use application::erasure::{Eraser, ErasureError, Erasures};
use domain::id::ClientId;
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
