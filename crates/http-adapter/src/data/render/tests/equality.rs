//! The writer's text is what `serde_json` writes of the types, to the byte.

use super::strategy::{records, sessions};
use crate::data::dto::{
    Include, PaginationDto, SleepAnswer, SleepSessionDto, SupplementDto, SupplementsAnswer,
};
use crate::data::render::page::Items;
use crate::data::render::{Envelope, SleepItems, SupplementItems, answer};
use crate::data::tests::sample;
use actix_web::body::to_bytes;
use application::ports::storage::SupplementRecord;
use domain::id::UserId;
use domain::rate_limit::{RateStatus, RateWindow};
use domain::sleep::SleepSession;
use proptest::prelude::*;
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
    let body = answer(items, &envelope()).into_body();
    actix_web::rt::System::new().block_on(to_bytes(body)).unwrap().into()
}

pub(super) fn sleep_by_serde(sessions: &[SleepSession], include: Include) -> Vec<u8> {
    let data = sessions.iter().map(|session| SleepSessionDto::new(session, include)).collect();
    let Envelope { pagination, rate } = envelope();
    serde_json::to_vec(&SleepAnswer { data, pagination, limit: rate.into() }).unwrap()
}

pub(super) fn sleep_by_writer(sessions: &[SleepSession], include: Include) -> Vec<u8> {
    let rows = sessions.iter().map(sample::packed).collect();
    rendered(SleepItems::new(rows, include).unwrap())
}

fn supplements_by_serde(records: &[SupplementRecord], user_id: UserId) -> Vec<u8> {
    let data = records.iter().map(|record| SupplementDto::new(record, user_id)).collect();
    let Envelope { pagination, rate } = envelope();
    serde_json::to_vec(&SupplementsAnswer { data, pagination, limit: rate.into() }).unwrap()
}

/// Compares as text, which a failing test can show.
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
}

#[test]
fn an_empty_page_is_written_as_serde_writes_it() {
    assert_same(sleep_by_writer(&[], Include::ALL), sleep_by_serde(&[], Include::ALL));
    let user_id = UserId::from_uuid(Uuid::nil());
    let items = SupplementItems::new(Vec::new(), user_id).unwrap();
    assert_same(rendered(items), supplements_by_serde(&[], user_id));
}
