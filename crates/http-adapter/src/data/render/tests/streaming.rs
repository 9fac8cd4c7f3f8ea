//! Large pages: whole, in chunks, and their memory.

use super::equality::{envelope, sleep_by_serde, sleep_by_writer};
use crate::data::render::page::PageBody;
use crate::data::render::{SleepItems, SupplementItems, answer};
use crate::data::sleep::Include;
use crate::data::tests::sample;
use actix_web::body::{BodySize, MessageBody};
use application::read::PackedSleepRow;
use domain::id::UserId;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use uuid::Uuid;

fn nights(count: u32) -> Vec<PackedSleepRow> {
    (0..count).map(|number| sample::packed(&sample::night(number % 1_000))).collect()
}

fn next<B: MessageBody<Error: std::fmt::Debug> + Unpin>(body: &mut B) -> Option<actix_web::web::Bytes> {
    match Pin::new(body).poll_next(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(chunk) => chunk.map(Result::unwrap),
        Poll::Pending => panic!("rendering never waits"),
    }
}

#[test]
fn a_page_of_ten_thousand_sessions_arrives_whole_and_equals_the_types() {
    let sessions: Vec<_> = (0..10_000).map(|number| sample::night(number % 1_000)).collect();
    let ours = sleep_by_writer(&sessions, Include::ALL);
    assert!(ours.len() > 10_000_000);
    assert!(ours == sleep_by_serde(&sessions, Include::ALL));
}

#[test]
fn a_small_page_is_sent_whole_with_its_length_and_a_large_one_in_chunks() {
    let size = |count| {
        let items = SleepItems::new(nights(count), Include::ALL);
        answer(items, &envelope()).unwrap().body().size()
    };
    assert!(matches!(size(0), BodySize::Sized(1..)));
    assert!(matches!(size(30), BodySize::Sized(1..)));
    assert_eq!(size(1_000), BodySize::Stream);
}

#[test]
fn a_page_of_known_length_is_sent_in_pieces_of_that_total_length() {
    let items = SleepItems::new(nights(100), Include::ALL);
    let mut body = answer(items, &envelope()).unwrap().into_body();
    let BodySize::Sized(length) = body.size() else { panic!("it has no length") };
    assert!(length > 64 * 1024, "{length}");
    let pieces: Vec<_> = std::iter::from_fn(|| next(&mut body)).collect();
    assert!(pieces.iter().all(|piece| piece.len() < 64 * 1024));
    assert_eq!(pieces.iter().map(|piece| piece.len() as u64).sum::<u64>(), length);
    assert_eq!(pieces.concat().last(), Some(&b'}'));
}

#[test]
fn rows_are_freed_as_they_are_rendered() {
    const COUNT: u32 = 2_000;
    let items = SleepItems::new(nights(COUNT), Include::ALL);
    let mut body = PageBody::new(items, b"]}".to_vec());
    let mut rendered = 0;
    let mut rows_left = body.items().rows_left();
    assert_eq!(rows_left, 2_000);
    while let Some(chunk) = next(&mut body) {
        assert!(chunk.len() < 80 * 1024, "{}", chunk.len());
        rendered += chunk.windows(6).filter(|window| window == b"{\"id\":").count();
        assert_eq!(rendered + body.items().rows_left(), 2_000);
        assert!(body.items().rows_left() < rows_left || rendered == 2_000);
        rows_left = body.items().rows_left();
    }
    assert_eq!(rendered, 2_000);
}

#[test]
fn a_page_in_memory_is_as_large_as_its_packed_rows() {
    // The fixed part of a row; packed parts add about 180 bytes for an ordinary night.
    assert!(size_of::<PackedSleepRow>() <= 136);
}

#[test]
fn a_record_with_many_logs_is_split_into_chunks() {
    let items = SupplementItems::new(vec![sample::record(1, 5_000)], UserId::from_uuid(Uuid::nil())).unwrap();
    let mut body = PageBody::new(items, b"]}".to_vec());
    let mut chunks = 0;
    while let Some(chunk) = next(&mut body) {
        assert!(chunk.len() < 80 * 1024, "{}", chunk.len());
        chunks += 1;
    }
    assert!(chunks > 10, "{chunks}");
}
