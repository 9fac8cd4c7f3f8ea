//! Changes that are rejected before the store is used. The contract suite shows the others on each store.

use super::*;
use crate::ports::storage::MockProfileReader;
use crate::testing::{noon, store, units, user_id};
use chrono::Days;
use domain::user::{BirthDate, BodyHeight};

/// Changes these values, and returns the error; no unit of work begins.
async fn rejection(values: &[ProfileValue]) -> ProfileError {
    let units = units([]);
    let profiles = Profiles { store: store(&units), reader: Arc::new(MockProfileReader::new()) };
    let error = profiles.change(user_id(1), values).await.unwrap_err();
    assert_eq!(units.endings().opened(), 0);
    error
}

#[tokio::test]
async fn the_time_of_creation_cannot_be_changed() {
    assert!(matches!(rejection(&[ProfileValue::CreatedAt(noon())]).await, ProfileError::Fixed));
}

#[tokio::test]
async fn a_birth_date_in_the_future_is_rejected() {
    let birth = BirthDate::new(noon().date_naive() + Days::new(2)).ok();
    let height = ProfileValue::Height(BodyHeight::from_centimetres(172.0).ok());
    let error = rejection(&[height, ProfileValue::BirthDate(birth)]).await;
    assert_eq!(error.to_string(), "birth date is in the future");
}
