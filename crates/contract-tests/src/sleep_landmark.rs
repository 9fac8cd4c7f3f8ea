//! Pages of sleep sessions that are found from a place that was remembered.

use crate::Harness;
use crate::fixture::{minute, page, session, session_id, user, user_id};
use application::ports::storage::{
    RecordsState, SleepLandmark, SleepLandmarks, SleepPage, SleepPageQuery, SleepPosition,
};
use domain::paging::SortDirection::{self, Ascending, Descending};
use domain::time::DateRange;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::sync::Mutex;

/// Minutes from the start of one session to that of the next, where a case does not say otherwise.
const APART: i64 = 600;

fn query(number: u64, size: u16, sort: SortDirection) -> SleepPageQuery {
    SleepPageQuery {
        user_id: user_id(1),
        range: DateRange::default(),
        page: page(number, size, sort),
        with_stages: false,
        with_metrics: false,
        known: None,
    }
}

async fn read(harness: &Harness, query: SleepPageQuery) -> SleepPage {
    harness.sleep.page(query).await.unwrap()
}

/// Reads a page as a process does that remembers.
async fn read_by(harness: &Harness, landmarks: &Mutex<SleepLandmarks>, query: SleepPageQuery) -> SleepPage {
    let known = landmarks.lock().unwrap().nearest(&query);
    let page = read(harness, SleepPageQuery { known, ..query }).await;
    landmarks.lock().unwrap().learn(&query, &page);
    page
}

/// Stores a person with sessions of these numbers, one after the other in time.
async fn prepare(harness: &Harness, numbers: std::ops::RangeInclusive<u64>) {
    harness.store_user(&user(1)).await;
    let sessions: Vec<_> = numbers.map(|number| session(number, start(number))).collect();
    harness.store_sessions(user_id(1), &sessions).await;
}

fn start(number: u64) -> i64 {
    i64::try_from(number).unwrap() * APART
}

/// One thing that happens; a session is named by a small number, and may or may not be there.
#[derive(Debug, Clone)]
enum Step {
    Store { number: u64, start: i64 },
    Delete { numbers: Vec<u64> },
    ChangeProfile,
    Read { by: usize, query: SleepPageQuery },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Few starts, so that many sessions begin together.
    let at = || 0..12_i64;
    let store = (1..60_u64, at()).prop_map(|(number, at)| Step::Store { number, start: at * APART });
    let delete = prop::collection::vec(1..60_u64, 1..5).prop_map(|numbers| Step::Delete { numbers });
    let range = (prop::option::of(at()), prop::option::of(at())).prop_map(|(one, other)| {
        let (start, end) = match (one, other) {
            (Some(one), Some(other)) => (Some(one.min(other)), Some(one.max(other))),
            open => open,
        };
        DateRange::new(start.map(|at| minute(at * APART)), end.map(|at| minute(at * APART))).unwrap()
    });
    let range = prop_oneof![Just(DateRange::default()), range];
    let size = prop_oneof![Just(1_u16), Just(3), Just(7), 1..20_u16];
    let sort = prop_oneof![Just(Ascending), Just(Descending)];
    let read = (0..2_usize, 1..30_u64, size, sort, range).prop_map(|(by, number, size, sort, range)| {
        Step::Read { by, query: SleepPageQuery { range, ..query(number, size, sort) } }
    });
    let step = prop_oneof![3 => store, 1 => delete, 1 => Just(Step::ChangeProfile), 12 => read];
    prop::collection::vec(step, 500)
}

async fn write(harness: &Harness, step: &Step) {
    let mut unit = harness.begin().await;
    match step {
        Step::Store { number, start } => {
            let night = session(*number, *start);
            if !unit.sleep().update(user_id(1), &night).await.unwrap() {
                unit.sleep().insert(user_id(1), &[night]).await.unwrap();
            }
        }
        Step::Delete { numbers } => {
            let ids: Vec<_> = numbers.iter().copied().map(session_id).collect();
            unit.sleep().delete(user_id(1), &ids).await.unwrap();
        }
        Step::ChangeProfile => {
            unit.users().update(&user(1)).await.unwrap();
        }
        Step::Read { .. } => {}
    }
    unit.commit().await.unwrap();
}

pub(crate) async fn pages_are_the_same_with_landmarks_and_without_whatever_is_written_between(
    harness: &Harness,
) {
    prepare(harness, 1..=40).await;
    let replicas = [Mutex::<SleepLandmarks>::default(), Mutex::default()];
    let steps = steps().new_tree(&mut TestRunner::default()).unwrap().current();
    for (place, step) in steps.iter().enumerate() {
        let Step::Read { by, query } = step else {
            write(harness, step).await;
            continue;
        };
        let expected = read(harness, *query).await;
        assert_eq!(read_by(harness, &replicas[*by], *query).await, expected, "step {place} of {steps:?}");
    }
}

fn change_number(page: &SleepPage) -> i64 {
    page.state.unwrap().change_number
}

fn position(number: u64) -> SleepPosition {
    (minute(start(number)).timestamp_millis(), session_id(number))
}

pub(crate) async fn every_later_page_tells_the_state_of_its_snapshot_and_where_the_next_begins(
    harness: &Harness,
) {
    prepare(harness, 1..=20).await;
    let first = read(harness, query(1, 7, Descending)).await;
    assert_eq!((first.state, first.next), (None, Some(position(13))));
    let state = read(harness, query(2, 7, Descending)).await.state;
    for (sort, begins) in [(Ascending, 15), (Descending, 6)] {
        let second = read(harness, query(2, 7, sort)).await;
        assert_eq!((second.next, second.state), (Some(position(begins)), state));
        let third = read(harness, query(3, 7, sort)).await;
        assert_eq!((third.rows.len(), third.next, third.state), (6, None, state));
    }
    write(harness, &Step::ChangeProfile).await;
    let after = read(harness, query(2, 7, Descending)).await;
    assert_eq!(change_number(&after), state.unwrap().change_number + 1);
}

pub(crate) async fn a_landmark_of_another_state_makes_no_difference(harness: &Harness) {
    prepare(harness, 1..=20).await;
    let fourth = query(4, 5, Descending);
    let expected = read(harness, fourth).await;
    let state = expected.state.unwrap();
    let landmark = |state| {
        let known = SleepLandmark { skipped: 14, position: position(18), state };
        SleepPageQuery { known: Some(known), ..fourth }
    };
    for other in [state.change_number - 1, state.change_number + 1, -1, i64::MIN, i64::MAX] {
        let other = RecordsState { change_number: other, ..state };
        assert_eq!(read(harness, landmark(other)).await, expected, "{other:?}");
    }
    // One of this state is followed, right or wrong: the page then begins one session after the named one.
    assert_eq!(read(harness, landmark(state)).await.rows[0].id, session_id(17));
}

pub(crate) async fn a_landmark_beyond_the_page_makes_no_difference(harness: &Harness) {
    prepare(harness, 1..=20).await;
    for (sort, beyond) in [(Ascending, 16), (Descending, 5)] {
        let second = query(2, 5, sort);
        let expected = read(harness, second).await;
        let known = SleepLandmark { skipped: 15, position: position(beyond), state: expected.state.unwrap() };
        assert_eq!(read(harness, SleepPageQuery { known: Some(known), ..second }).await, expected);
    }
}

/// How many sessions there are at any time.
const HELD: u64 = 40;
/// How often the oldest one gives way to a younger one.
const MOVES: u64 = 60;

pub(crate) async fn pages_that_race_a_writer_are_those_of_their_state_on_two_replicas(harness: &Harness) {
    prepare(harness, 1..=HELD).await;
    let began = read(harness, query(2, 1, Ascending)).await;
    let began = change_number(&began);
    let writer = {
        let harness = harness.clone();
        tokio::spawn(async move {
            for number in 1..=MOVES {
                let mut unit = harness.begin().await;
                let young = session(HELD + number, start(HELD + number));
                assert_eq!(unit.sleep().delete(user_id(1), &[session_id(number)]).await.unwrap(), 1);
                unit.sleep().insert(user_id(1), &[young]).await.unwrap();
                unit.commit().await.unwrap();
            }
        })
    };
    let replicas = [Mutex::<SleepLandmarks>::default(), Mutex::default()];
    let mut rounds = 0;
    loop {
        let is_over = writer.is_finished();
        for landmarks in &replicas {
            for (number, sort) in [(3, Descending), (6, Descending), (4, Ascending), (6, Ascending)] {
                let page = read_by(harness, landmarks, query(number, 7, sort)).await;
                // So many have given way, in the snapshot of the page: its sessions follow from that.
                let moved = u64::try_from(change_number(&page) - began).unwrap();
                let before = (number - 1) * 7;
                let expected: Vec<_> = (before..HELD.min(before + 7))
                    .map(|place| if sort == Ascending { 1 + place } else { HELD - place } + moved)
                    .map(session_id)
                    .collect();
                let found: Vec<_> = page.rows.iter().map(|row| row.id).collect();
                assert_eq!(found, expected, "{sort:?} {number} after {moved}");
            }
        }
        rounds += 1;
        if is_over {
            break;
        }
    }
    writer.await.unwrap();
    assert!(rounds > 1);
    let last = read_by(harness, &replicas[0], query(6, 7, Descending)).await;
    assert_eq!(change_number(&last), began + i64::try_from(MOVES).unwrap());
}
