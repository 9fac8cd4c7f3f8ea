//! The record of reads.

use super::sample;
use super::world::{ENDPOINTS, USER, World, parts, paths, sleep_of};
use crate::tests::{NOW, Parts, RecordedReads};
use application::ports::system::ReadLedger;
use chrono::{DateTime, Utc};
use domain::data_kind::DataKind;
use domain::id::{ClientId, UserId};
use domain::read_tally::{ReadKind, ReadTally, Reader, RequestedRange, TallyKey};
use std::sync::Arc;
use uuid::Uuid;

fn tally_of_read(endpoint: DataKind, items: u64, range: RequestedRange) -> ReadTally {
    let reader = Reader::Client(ClientId::from_uuid(Uuid::nil()));
    let key = TallyKey::at(NOW, UserId::parse(USER).unwrap(), reader, ReadKind::Data(endpoint));
    ReadTally { key, requests: 1, items, range }
}

/// Returns a server and its recorded reads.
fn counting(parts: Parts) -> (World, Arc<RecordedReads>) {
    let reads = Arc::clone(&parts.reads);
    (World::new(parts), reads)
}

fn moment(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[actix_web::test]
async fn each_response_is_counted_by_reader_person_endpoint_and_minute() {
    let (world, reads) = counting(parts());
    let of_endpoint = [
        tally_of_read(DataKind::Profile, 1, RequestedRange::default()),
        tally_of_read(DataKind::Sleep, 0, RequestedRange::default()),
        tally_of_read(DataKind::Supplements, 0, RequestedRange::default()),
    ];
    for (endpoint, expected) in ENDPOINTS.into_iter().zip(of_endpoint) {
        for path in paths(endpoint, USER) {
            assert_eq!(world.get(&path).await.status, 200);
            assert_eq!(reads.take(), [expected]);
        }
    }
}

#[actix_web::test]
async fn the_records_of_the_page_and_the_range_that_was_asked_for_are_counted() {
    let rows = (1..=3).map(|number| sample::packed(&sample::night(number))).collect();
    let (world, reads) = counting(Parts { sleep: sleep_of(rows), ..parts() });
    let path = &paths("sleep", USER)[0];
    let asked = "startDate=2000-01-01T00:00:00Z&endDate=2100-01-01T00:00:00Z&pageSize=2";
    assert_eq!(world.get(&format!("{path}?{asked}")).await.status, 200);
    let (from, to) = (moment("2000-01-01T00:00:00Z"), moment("2100-01-01T00:00:00Z"));
    let range = RequestedRange { from: Some(from), to: Some(to) };
    assert_eq!(reads.take(), [tally_of_read(DataKind::Sleep, 2, range)]);
}

#[actix_web::test]
async fn rejected_requests_are_not_counted() {
    let (world, reads) = counting(parts());
    for endpoint in ENDPOINTS {
        let path = &paths(endpoint, USER)[0];
        assert_eq!(world.get(&format!("{path}?x=%zz")).await.status, 400);
        assert_eq!(world.get_authorized(path, &[]).await.status, 401);
        assert_eq!(world.get(&paths(endpoint, super::world::OTHER)[0]).await.status, 403);
    }
    assert_eq!(reads.take(), []);
}
