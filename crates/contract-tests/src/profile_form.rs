//! Profiles that people change.

use crate::Harness;
use crate::fixture::{now, seconds, user, user_id};
use crate::service::{assert_rejected, assert_units, audited_at, event_by, recorded};
use application::profile::{ProfileError, Profiles};
use domain::audit::{AuditActor, AuditKind};
use domain::user::{Biology, BodyHeight, ProfileField, ProfileOrigin, ProfileSource, ProfileValue, User};

pub(crate) async fn a_changed_field_is_stored_with_its_source_and_recorded(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let profiles_at =
        |at| Profiles { store: audited_at(harness, seconds(at)), reader: harness.profiles.clone() };
    let profiles = profiles_at(0);
    let height = BodyHeight::from_centimetres(172.5).ok();
    let values = [ProfileValue::Height(height)];
    let is_unknown = |error: &ProfileError| matches!(error, ProfileError::NotFound);
    assert_rejected(harness, "erased", is_unknown, async || profiles.change(user_id(9), &values).await).await;
    let changed = User { biology: Biology { height, ..Biology::default() }, ..user(1) };
    let source = ProfileSource { field: ProfileField::Height, origin: ProfileOrigin::Person, at: now() };
    let event = event_by(AuditActor::Person, AuditKind::UserChanged).user(user_id(1));
    // The second time, nothing changes.
    for (at, count, events) in [(0, 1, vec![event]), (9, 0, vec![])] {
        let profiles = profiles_at(at);
        let changed_fields = assert_units(harness, 1, profiles.change(user_id(1), &values)).await;
        assert_eq!(changed_fields.unwrap(), count);
        let found = profiles.find(user_id(1)).await.unwrap().unwrap();
        assert_eq!((found.user, found.sources), (changed.clone(), vec![source]));
        assert_eq!(recorded(harness).await, events);
    }
}
