//! Read counts.

use crate::Harness;
use crate::fixture::{client_id, personal_token, seconds, tally, tally_minute, token_id, user_id};
use chrono::{DateTime, Utc};
use domain::data_kind::DataKind;
use domain::personal_token::PersonalToken;
use domain::read_tally::{ReadKind, ReadTally, Reader, RequestedRange, TallyKey};

/// Stores people 1 and 2.
async fn prepare(harness: &Harness) {
    harness.store_users([1, 2]).await;
}

async fn list(harness: &Harness, user: u64) -> Vec<ReadTally> {
    harness.tallies.list(user_id(user), None, 1000).await.unwrap()
}

fn tally_for(user: u64, reader: Reader, kind: ReadKind, minute: i64) -> ReadTally {
    let tally = tally(minute);
    ReadTally { key: TallyKey { user_id: user_id(user), reader, kind, ..tally.key }, ..tally }
}

fn by_token(token: u64, minute: i64) -> ReadTally {
    tally_for(1, Reader::PersonalToken(token_id(token)), tally(0).key.kind, minute)
}

/// Returns a read count with this range in minutes; `None` is an open end.
fn tally_of_range(from: Option<i64>, to: Option<i64>) -> ReadTally {
    let range = RequestedRange { from: from.map(tally_minute), to: to.map(tally_minute) };
    ReadTally { range, ..tally(0) }
}

pub(crate) async fn a_sum_reads_back_as_added(harness: &Harness) {
    prepare(harness).await;
    let open = ReadTally { range: RequestedRange::default(), requests: 7, items: 0, ..tally(1) };
    let tallies =
        [tally_of_range(None, Some(3)), open, ReadTally { items: 1 << 40, ..tally_of_range(Some(3), None) }];
    for tally in tallies {
        harness.add_tallies(&[tally]).await;
        assert_eq!(list(harness, 1).await, [tally]);
        assert_eq!(harness.tallies.delete_before(tally_minute(99), 9).await.unwrap(), 1);
    }
}

pub(crate) async fn sums_of_one_key_are_added_up_and_their_range_is_widened(harness: &Harness) {
    prepare(harness).await;
    // In one call, and in several.
    harness.add_tallies(&[tally_of_range(Some(5), Some(6)), tally_of_range(Some(4), Some(7))]).await;
    let mut expected = tally_of_range(Some(5), Some(6)).plus(tally_of_range(Some(4), Some(7)));
    let more = [(Some(5), Some(6)), (Some(2), Some(9)), (None, None), (Some(5), Some(6))];
    for (from, to) in more {
        harness.add_tallies(&[tally_of_range(from, to)]).await;
        expected = expected.plus(tally_of_range(from, to));
        assert_eq!(list(harness, 1).await, [expected]);
    }
    assert_eq!((expected.requests, expected.items, expected.range), (6, 60, RequestedRange::default()));
}

pub(crate) async fn one_open_end_leaves_the_other_as_it_is(harness: &Harness) {
    prepare(harness).await;
    harness.add_tallies(&[tally_of_range(Some(5), Some(6))]).await;
    harness.add_tallies(&[tally_of_range(None, Some(4))]).await;
    assert_eq!(list(harness, 1).await[0].range, tally_of_range(None, Some(6)).range);
    harness.add_tallies(&[tally_of_range(Some(1), Some(9))]).await;
    assert_eq!(list(harness, 1).await[0].range, tally_of_range(None, Some(9)).range);
}

pub(crate) async fn every_part_of_the_key_keeps_sums_apart(harness: &Harness) {
    prepare(harness).await;
    let (app, other_app) = (Reader::Client(client_id(1)), Reader::Client(client_id(2)));
    let token = Reader::PersonalToken(token_id(1));
    let mut tallies = Vec::new();
    for kind in ReadKind::all() {
        for reader in [app, other_app, token] {
            tallies.extend([
                tally_for(1, reader, kind, 0),
                tally_for(1, reader, kind, 1),
                tally_for(2, reader, kind, 0),
            ]);
        }
    }
    harness.add_tallies(&tallies).await;
    for number in [1, 2] {
        let found = list(harness, number).await;
        let own: Vec<_> = tallies.iter().filter(|tally| tally.key.user_id == user_id(number)).collect();
        assert_eq!(found.len(), own.len());
        assert!(own.into_iter().all(|tally| found.contains(tally)));
    }
}

pub(crate) async fn racing_sums_are_all_added(harness: &Harness) {
    prepare(harness).await;
    let tasks: Vec<_> = (0..30)
        .map(|number| {
            let harness = harness.clone();
            let (one, two) = (tally(1), tally_for(2, tally(0).key.reader, ReadKind::Refresh, 0));
            // In both orders, which would deadlock a store that locks in the given order.
            let tallies = if number % 2 == 0 { [one, two] } else { [two, one] };
            tokio::spawn(async move { harness.add_tallies(&tallies).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    for number in [1, 2] {
        let [sum] = list(harness, number).await[..] else { panic!("not one sum") };
        assert_eq!((sum.requests, sum.items), (30, 300));
    }
}

pub(crate) async fn read_totals_of_erased_people_are_dropped_and_the_others_kept(harness: &Harness) {
    prepare(harness).await;
    let gone = tally_for(3, tally(0).key.reader, tally(0).key.kind, 0);
    harness.add_tallies(&[gone, tally(0), gone]).await;
    harness.add_tallies(&[gone]).await;
    harness.add_tallies(&[]).await;
    assert_eq!(list(harness, 1).await, [tally(0)]);
    assert_eq!(list(harness, 3).await, []);
}

/// Returns the last use of tokens 1, 2 and 3; the last is person 2's.
async fn last_uses(harness: &Harness) -> [Option<DateTime<Utc>>; 3] {
    let mut tokens = harness.personal_tokens.list_personal_tokens(user_id(1)).await.unwrap();
    tokens.extend(harness.personal_tokens.list_personal_tokens(user_id(2)).await.unwrap());
    [1, 2, 3].map(|number| tokens.iter().find(|token| token.id == token_id(number)).unwrap().last_used_at)
}

pub(crate) async fn the_use_of_personal_tokens_is_noted_and_a_later_one_wins(harness: &Harness) {
    prepare(harness).await;
    let others = PersonalToken { user_id: user_id(2), ..personal_token(3) };
    let used = PersonalToken { last_used_at: Some(tally_minute(2)), ..personal_token(2) };
    harness.store_personal_tokens(&[personal_token(1), used, others]).await;
    let minutes =
        |first: Option<i64>, second: i64| [first.map(tally_minute), Some(tally_minute(second)), None];
    // Neither a client with the same id, nor another person's token, nor a deleted one.
    let client = tally_for(1, Reader::Client(client_id(1)), tally(0).key.kind, 9);
    harness.add_tallies(&[client, by_token(3, 9), by_token(4, 9)]).await;
    assert_eq!(last_uses(harness).await, minutes(None, 2));
    harness.add_tallies(&[by_token(1, 5), by_token(1, 6), by_token(1, 4), by_token(2, 1)]).await;
    assert_eq!(last_uses(harness).await, minutes(Some(6), 2));
    harness.add_tallies(&[by_token(1, 3), by_token(2, 3)]).await;
    assert_eq!(last_uses(harness).await, minutes(Some(6), 3));
}

/// Stores read counts in three minutes, four of them in the second minute.
async fn add_six(harness: &Harness) {
    let kind = |endpoint| tally_for(1, tally(0).key.reader, ReadKind::Data(endpoint), 1);
    let tallies = [
        tally(0),
        kind(DataKind::Supplements),
        tally_for(1, Reader::Client(client_id(2)), tally(0).key.kind, 1),
        kind(DataKind::Profile),
        by_token(1, 1),
        tally(2),
        tally_for(2, tally(0).key.reader, tally(0).key.kind, 3),
    ];
    harness.add_tallies(&tallies).await;
}

pub(crate) async fn read_totals_are_listed_latest_minute_first_and_once_over_all_pages(harness: &Harness) {
    prepare(harness).await;
    add_six(harness).await;
    let all = list(harness, 1).await;
    let minutes: Vec<_> = all.iter().map(|tally| tally.key.minute).collect();
    assert_eq!(minutes, [2, 1, 1, 1, 1, 0].map(tally_minute));
    for limit in 1..=4 {
        let (mut walked, mut after) = (Vec::new(), None);
        // Bounded to one page more than expected, in case of an endless listing.
        for _ in 0..=all.len() {
            let page = harness.tallies.list(user_id(1), after, limit).await.unwrap();
            assert!(page.len() <= usize::try_from(limit).unwrap());
            let Some(last) = page.last() else { break };
            after = Some(last.key);
            walked.extend(page);
        }
        assert_eq!(walked, all, "{limit} a page");
    }
}

pub(crate) async fn sums_of_minutes_long_past_are_deleted_up_to_the_limit(harness: &Harness) {
    prepare(harness).await;
    add_six(harness).await;
    // A count at the cutoff stays.
    assert_eq!(harness.tallies.delete_before(tally_minute(0), 9).await.unwrap(), 0);
    assert_eq!(harness.tallies.delete_before(tally_minute(2), 3).await.unwrap(), 3);
    assert_eq!(harness.tallies.delete_before(tally_minute(2), 3).await.unwrap(), 2);
    assert_eq!(harness.tallies.delete_before(tally_minute(2), 3).await.unwrap(), 0);
    assert_eq!(list(harness, 1).await, [tally(2)]);
    // Of all people.
    assert_eq!(harness.tallies.delete_before(seconds(3600), 9).await.unwrap(), 2);
    assert_eq!(list(harness, 2).await, []);
}
