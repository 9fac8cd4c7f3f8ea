use super::access;
use crate::access::GrantedAccess;
use crate::audit::testing::RecordedReads;
use crate::ports::storage::{Change, ChangePage, ChangePageQuery, MockChangeReader};
use crate::read::{ReadChanges, ReadChangesError, ReadChangesQuery};
use crate::testing::{clock, noon, scopes, user_id};
use chrono::TimeDelta;
use domain::change::{ChangeCursor, ChangePosition, UserFingerprint};
use domain::data_kind::DataKind;
use domain::read_tally::ReadKind;
use std::sync::Arc;
use uuid::Uuid;

fn position(number: i64, kind: DataKind) -> ChangePosition {
    ChangePosition { number, kind, id: Uuid::from_u128(7) }
}

fn query() -> ReadChangesQuery {
    ReadChangesQuery { cursor: None, kinds: None, limit: 20 }
}

fn cursor(days_ago: i64) -> ChangeCursor {
    let after = Some(position(3, DataKind::Sleep));
    let issued_at = noon() - TimeDelta::days(days_ago);
    ChangeCursor { after, issued_at, user: UserFingerprint::new(user_id(1)) }
}

fn reader(page: ChangePage, expected: ChangePageQuery) -> Arc<MockChangeReader> {
    let mut reader = MockChangeReader::new();
    reader.expect_changes().withf(move |query| *query == expected).return_once(move |_| Ok(page));
    Arc::new(reader)
}

fn expected(after: Option<ChangePosition>, kinds: &[DataKind]) -> ChangePageQuery {
    ChangePageQuery { user_id: user_id(1), after, kinds: kinds.to_vec(), limit: 20 }
}

fn only_sleep() -> GrantedAccess {
    GrantedAccess { usable: scopes("sleep"), ..access() }
}

#[tokio::test]
async fn without_types_all_kinds_of_the_scopes_are_read() {
    let reads = Arc::new(RecordedReads::default());
    let reader = reader(ChangePage::default(), expected(None, &[DataKind::Sleep]));
    let answer =
        ReadChanges::new(reader, reads.recorder(), clock()).run(&only_sleep(), query()).await.unwrap();
    assert_eq!(answer.cursor, ChangeCursor { after: None, ..cursor(0) });
    assert!(!answer.has_more && reads.all().is_empty());
}

#[tokio::test]
async fn a_kind_outside_the_scopes_is_rejected() {
    let reads = Arc::new(RecordedReads::default());
    let asked = ReadChangesQuery { kinds: Some(DataKind::ALL.to_vec()), ..query() };
    let use_case = ReadChanges::new(Arc::new(MockChangeReader::new()), reads.recorder(), clock());
    let outcome = use_case.run(&only_sleep(), asked).await;
    let Err(ReadChangesError::InsufficientScope { needed }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(needed, scopes("profile supplements"));
}

#[tokio::test]
async fn an_expired_cursor_is_rejected_and_a_younger_one_continues() {
    let reads = Arc::new(RecordedReads::default());
    let after = Some(position(3, DataKind::Sleep));
    let reader = reader(ChangePage::default(), expected(after, &DataKind::ALL));
    let use_case = ReadChanges::new(reader, reads.recorder(), clock());
    let old = ReadChangesQuery { cursor: Some(cursor(91)), ..query() };
    assert!(matches!(use_case.run(&access(), old).await, Err(ReadChangesError::CursorExpired)));
    let young = ReadChangesQuery { cursor: Some(cursor(89)), ..query() };
    let answer = use_case.run(&access(), young).await.unwrap();
    assert_eq!(answer.cursor, ChangeCursor { after, ..cursor(0) });
}

#[tokio::test]
async fn another_users_cursor_is_rejected_before_a_query() {
    let reads = Arc::new(RecordedReads::default());
    let use_case = ReadChanges::new(Arc::new(MockChangeReader::new()), reads.recorder(), clock());
    // Another user's cursor is reported as such even when it is also expired: a new read would fail again.
    for days_ago in [1, 91] {
        let other = ChangeCursor { user: UserFingerprint::new(user_id(2)), ..cursor(days_ago) };
        let asked = ReadChangesQuery { cursor: Some(other), ..query() };
        let outcome = use_case.run(&access(), asked).await;
        assert!(matches!(outcome, Err(ReadChangesError::OtherPersonsCursor)), "{outcome:?}");
    }
    assert!(reads.all().is_empty());
}

#[tokio::test]
async fn a_cursor_from_the_future_is_rejected() {
    let reads = Arc::new(RecordedReads::default());
    let use_case = ReadChanges::new(Arc::new(MockChangeReader::new()), reads.recorder(), clock());
    let outcome = use_case.run(&access(), ReadChangesQuery { cursor: Some(cursor(-1)), ..query() }).await;
    assert!(matches!(outcome, Err(ReadChangesError::CursorExpired)), "{outcome:?}");
}

#[tokio::test]
async fn a_cursor_beyond_the_latest_change_is_rejected_and_not_recorded_as_a_read() {
    let reads = Arc::new(RecordedReads::default());
    let page = ChangePage { is_ahead: true, ..ChangePage::default() };
    let reader = reader(page, expected(Some(position(3, DataKind::Sleep)), &DataKind::ALL));
    let asked = ReadChangesQuery { cursor: Some(cursor(1)), ..query() };
    let outcome = ReadChanges::new(reader, reads.recorder(), clock()).run(&access(), asked).await;
    assert!(matches!(outcome, Err(ReadChangesError::CursorExpired)), "{outcome:?}");
    assert!(reads.all().is_empty());
}

#[tokio::test]
async fn the_cursor_keeps_its_time_until_the_last_page() {
    let reads = Arc::new(RecordedReads::default());
    let changed = position(4, DataKind::Supplements);
    let page = ChangePage { changes: vec![(changed, Change::Deleted)], has_more: true, is_ahead: false };
    let reader = reader(page, expected(Some(position(3, DataKind::Sleep)), &DataKind::ALL));
    let use_case = ReadChanges::new(reader, reads.recorder(), clock());
    let asked = ReadChangesQuery { cursor: Some(cursor(5)), ..query() };
    let answer = use_case.run(&access(), asked).await.unwrap();
    assert_eq!(answer.cursor, ChangeCursor { after: Some(changed), ..cursor(5) });
}

#[tokio::test]
async fn changes_are_recorded_as_reads_of_each_kind() {
    let reads = Arc::new(RecordedReads::default());
    let changed = [(4, DataKind::Sleep), (5, DataKind::Profile), (6, DataKind::Sleep)];
    let deletions = changed.map(|(number, kind)| (position(number, kind), Change::Deleted)).to_vec();
    let reader =
        reader(ChangePage { changes: deletions, ..ChangePage::default() }, expected(None, &DataKind::ALL));
    ReadChanges::new(reader, reads.recorder(), clock()).run(&access(), query()).await.unwrap();
    let tallies: Vec<_> = reads.all().iter().map(|tally| (tally.key.kind, tally.items)).collect();
    assert_eq!(tallies, [(ReadKind::Data(DataKind::Profile), 1), (ReadKind::Data(DataKind::Sleep), 2)]);
}
