//! The writer's output equals that of `serde_json` for the types, byte for byte.

use super::strategy::{records, sessions};
use crate::data::dto::{ChangeDto, ChangedRecord, ChangesAnswer, PaginationDto};
use crate::data::render::page::Items;
use crate::data::render::{ChangeItems, Envelope, FeedEnvelope, SleepItems, SupplementItems, answer};
use crate::data::sleep::{Include, SleepAnswer, SleepSessionDto};
use crate::data::supplements::{SupplementDto, SupplementsAnswer};
use crate::data::tests::sample;
use actix_web::body::to_bytes;
use application::read::{Change, SupplementRecord};
use domain::change::{ChangeCursor, ChangePosition, UserFingerprint};
use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::rate_limit::{RateStatus, RateWindow};
use domain::scope::ScopeSet;
use domain::sleep::SleepSession;
use proptest::prelude::*;
use std::sync::Arc;
use uuid::Uuid;

pub(super) fn envelope() -> Envelope {
    let pagination = PaginationDto {
        current_page: 2,
        has_more: true,
        next_page: Some("/api/sleep/x?startDate=2026-01-01&page=3&pageSize=10".to_owned()),
        prev_page: None,
    };
    let rate = RateStatus::after(5, 1_000, RateWindow::at(crate::tests::NOW));
    Envelope { pagination, rate }
}

pub(super) fn rendered(items: impl Items + Unpin + 'static) -> Vec<u8> {
    let body = answer(items, &envelope()).unwrap().into_body();
    actix_web::rt::System::new().block_on(to_bytes(body)).unwrap().into()
}

pub(super) fn sleep_by_serde(sessions: &[SleepSession], include: Include) -> Vec<u8> {
    let data = sessions.iter().map(|session| SleepSessionDto::new(session, include)).collect();
    let Envelope { pagination, rate } = envelope();
    serde_json::to_vec(&SleepAnswer { data, pagination, limit: rate.into() }).unwrap()
}

pub(super) fn sleep_by_writer(sessions: &[SleepSession], include: Include) -> Vec<u8> {
    let rows = sessions.iter().map(sample::packed).collect();
    rendered(SleepItems::new(rows, include))
}

fn supplements_by_serde(records: &[SupplementRecord], user_id: UserId) -> Vec<u8> {
    let data = records.iter().map(|record| SupplementDto::new(record, user_id)).collect();
    let Envelope { pagination, rate } = envelope();
    serde_json::to_vec(&SupplementsAnswer { data, pagination, limit: rate.into() }).unwrap()
}

/// Change from the store, and the same as a type; positions are not rendered.
type ChangeCase = ((ChangePosition, Change), ChangeDto);

fn case(kind: DataKind, id: Uuid, change: Change, record: Option<ChangedRecord>) -> ChangeCase {
    let op = if record.is_some() { ChangeDto::UPSERT } else { ChangeDto::DELETE };
    let dto = ChangeDto { kind: kind.as_str(), op, id: id.to_string(), record };
    ((ChangePosition { number: 1, kind, id }, change), dto)
}

/// Returns each session and each log, and a deletion after each session.
fn all_changes(sessions: &[SleepSession], records: &[SupplementRecord], user_id: UserId) -> Vec<ChangeCase> {
    let sessions = sessions.iter().flat_map(|session| {
        let record = ChangedRecord::Session(SleepSessionDto::new(session, Include::ALL));
        let change = Change::Session(Box::new(sample::packed(session)));
        let id = session.id.as_uuid();
        [case(DataKind::Sleep, id, change, Some(record)), case(DataKind::Sleep, id, Change::Deleted, None)]
    });
    let logs = records.iter().flat_map(|SupplementRecord { supplement, logs }| {
        logs.iter().map(move |log| {
            let one = SupplementRecord { supplement: supplement.clone(), logs: vec![*log] };
            let record = ChangedRecord::Supplement(SupplementDto::new(&one, user_id));
            let change = Change::Log { supplement: Arc::clone(supplement), log: *log };
            case(DataKind::Supplements, log.id.as_uuid(), change, Some(record))
        })
    });
    sessions.chain(logs).collect()
}

/// Compares as text, for readable failures.
#[track_caller]
fn assert_same(ours: Vec<u8>, theirs: Vec<u8>) {
    assert_eq!(String::from_utf8(ours).unwrap(), String::from_utf8(theirs).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn sessions_are_written_as_serde_writes_them(sessions in sessions(), stages: bool, metrics: bool) {
        let include = Include { stages, metrics };
        assert_same(sleep_by_writer(&sessions, include), sleep_by_serde(&sessions, include));
    }

    #[test]
    fn supplements_are_written_as_serde_writes_them(records in records(), user: u128) {
        let user_id = UserId::from_uuid(Uuid::from_u128(user));
        let items = SupplementItems::new(records.clone(), user_id).unwrap();
        assert_same(rendered(items), supplements_by_serde(&records, user_id));
    }

    #[test]
    fn changes_are_written_as_serde_writes_them(
        sessions in sessions(), records in records(), user: u128, has_more: bool,
    ) {
        let user_id = UserId::from_uuid(Uuid::from_u128(user));
        let (changes, data): (Vec<_>, Vec<_>) = all_changes(&sessions, &records, user_id).into_iter().unzip();
        let after = changes.last().map(|(position, _)| *position);
        let cursor = ChangeCursor { after, issued_at: crate::tests::NOW, user: UserFingerprint::new(user_id) };
        let rate = envelope().rate;
        let items = ChangeItems::new(changes, user_id, ScopeSet::CONSENTABLE).unwrap();
        let body = answer(items, &FeedEnvelope { cursor, has_more, rate }).unwrap().into_body();
        let ours = actix_web::rt::System::new().block_on(to_bytes(body)).unwrap();
        let theirs = ChangesAnswer { data, cursor: cursor.to_string(), has_more, limit: rate.into() };
        assert_same(ours.into(), serde_json::to_vec(&theirs).unwrap());
    }
}

#[test]
fn an_empty_page_is_written_as_serde_writes_it() {
    assert_same(sleep_by_writer(&[], Include::ALL), sleep_by_serde(&[], Include::ALL));
    let user_id = UserId::from_uuid(Uuid::nil());
    let items = SupplementItems::new(Vec::new(), user_id).unwrap();
    assert_same(rendered(items), supplements_by_serde(&[], user_id));
}
