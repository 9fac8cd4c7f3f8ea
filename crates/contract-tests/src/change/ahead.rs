//! Positions ahead of a store that was restored to an earlier state.

use super::{all, prepare, store_many, update_profile};
use crate::Harness;
use crate::fixture::{user, user_id};
use application::ports::storage::{ChangePage, ChangePageQuery};
use domain::change::ChangePosition;
use domain::data_kind::DataKind;

pub(crate) async fn a_position_that_the_persons_changes_have_not_reached_is_ahead(harness: &Harness) {
    prepare(harness).await;
    store_many(harness).await;
    let last = all(harness).await.last().unwrap().0;
    let page = async |person, number, kinds: &[DataKind]| {
        let after = Some(ChangePosition { number, ..last });
        let query = ChangePageQuery { user_id: user_id(person), after, kinds: kinds.to_vec(), limit: 9 };
        harness.changes.changes(query).await.unwrap()
    };
    let ahead = ChangePage { is_ahead: true, ..ChangePage::default() };
    // Whatever the kinds: numbers are per person, not per kind.
    for kinds in [&DataKind::ALL[..], &[DataKind::Profile], &[]] {
        assert_eq!(page(1, last.number, kinds).await, ChangePage::default());
        assert_eq!(page(1, last.number + 1, kinds).await, ahead);
        assert_eq!(page(1, i64::MAX, kinds).await, ahead);
    }
    // Numbers are per person, and a deleted person has none.
    assert_eq!(page(2, 1, &DataKind::ALL).await, ahead);
    assert_eq!(page(3, 1, &DataKind::ALL).await, ChangePage::default());
    // The next write reaches the number that was ahead.
    update_profile(harness, &user(1)).await;
    assert!(!page(1, last.number + 1, &DataKind::ALL).await.is_ahead);
}
