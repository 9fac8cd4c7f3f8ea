//! Sleep sessions, changed in a unit of work and listed for an export.

use crate::Harness;
use crate::fixture::{
    conflict, minute, now, now_millis, session, session_from, session_id, time_in_bed, user_id, with_stages,
};
use application::ports::storage::UniqueKey;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{
    Hypnogram, MetricKind, MetricValue, SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SleepSession,
    SleepSource, TimeInBed,
};
use domain::time::UtcOffset;

async fn prepare(harness: &Harness) {
    harness.store_users([1, 2]).await;
}

/// Returns a person's sessions with these numbers, sorted by id.
async fn find(harness: &Harness, person: u64, numbers: &[u64]) -> Vec<SleepSession> {
    let ids: Vec<_> = numbers.iter().copied().map(session_id).collect();
    let mut found = harness.begin().await.sleep().find_many(user_id(person), &ids).await.unwrap();
    found.sort_by_key(|session| session.id);
    found
}

fn numbered(number: u64, head: SleepRecordHead) -> SleepSession {
    SleepSession { id: session_id(number), record: with_stages(head), updated_at: now_millis() }
}

fn head(start: DateTime<Utc>, source: Option<&str>, key: SessionKey) -> SleepRecordHead {
    let source = source.map(|name| SleepSource::parse(name).unwrap());
    SleepRecordHead { key, source, time_in_bed: time_in_bed(start, 480), is_nap: None }
}

/// Returns sessions that differ in every possible way.
fn odd_sessions() -> Vec<SleepSession> {
    let start = minute(0) + TimeDelta::milliseconds(1);
    let frame = |end, at_start, at_end| TimeInBed::new(start, end, at_start, at_end).unwrap();
    let week = start + TimeDelta::milliseconds(TimeInBed::MAX_MILLIS);
    let plain = head(minute(0), None, SessionKey::from_source(&"é".repeat(200)).unwrap());
    let nap = SleepRecordHead {
        key: SessionKey::derived_from(start),
        source: Some(SleepSource::parse(&"\u{a0}🛏".repeat(50)).unwrap()),
        time_in_bed: frame(start + TimeDelta::milliseconds(1), UtcOffset::from_minutes(-1080), None),
        is_nap: Some(true),
    };
    let long = SleepRecordHead {
        key: SessionKey::from_source("'; \"quoted\" -- %_\\").unwrap(),
        time_in_bed: frame(week, None, UtcOffset::from_minutes(1080)),
        ..nap.clone()
    };
    let first = DateTime::UNIX_EPOCH;
    let last: DateTime<Utc> = "9999-12-31T23:59:59.999Z".parse().unwrap();
    let earliest = TimeInBed::new(first, first + TimeDelta::milliseconds(1), None, None).unwrap();
    let latest = TimeInBed::new(last - TimeDelta::hours(9), last, None, None).unwrap();
    let keyed = |key: &str, time_in_bed, is_nap| SleepRecordHead {
        key: SessionKey::from_source(key).unwrap(),
        source: None,
        time_in_bed,
        is_nap,
    };
    let values = vec![
        (MetricKind::TimeNightAsleep, MetricValue::from_f64(0.1 + 0.2).unwrap()),
        (MetricKind::SleepEfficiency, MetricValue::from_f64(93.75).unwrap()),
        (MetricKind::SleepWakeups, MetricValue::from_count(7)),
    ];
    let metrics = SleepMetrics::from_reported(&long.time_in_bed, values).unwrap();
    let records = [
        with_stages(plain),
        SleepRecord::from_stages(nap, Hypnogram::empty()).unwrap(),
        SleepRecord::from_metrics(long, metrics).unwrap(),
        SleepRecord::from_stages(keyed("first", earliest, None), Hypnogram::empty()).unwrap(),
        SleepRecord::from_stages(keyed("last", latest, Some(false)), Hypnogram::empty()).unwrap(),
    ];
    let session =
        |(number, record)| SleepSession { id: session_id(number), record, updated_at: now_millis() };
    (1..).zip(records).map(session).collect()
}

pub(crate) async fn a_session_reads_back_as_stored(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &odd_sessions()).await;
    assert_eq!(find(harness, 1, &[1, 2, 3, 4, 5]).await, odd_sessions());
    assert_eq!(harness.sleep.walk(user_id(1), None, 10).await.unwrap().len(), 5);
}

pub(crate) async fn a_taken_id_is_a_conflict(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let mut unit = harness.begin().await;
    let same_id = session_from(1, minute(5000), Some("tracker"), "other");
    assert_eq!(conflict(unit.sleep().insert(user_id(1), &[same_id]).await), UniqueKey::SleepSession);
    unit.sleep().insert(user_id(1), &[session(2, 600)]).await.unwrap();
    // If one id is taken, none of the batch is stored, and the unit of work stays usable.
    let same_id = session_from(1, minute(6000), Some("tracker"), "another");
    let several = [session(3, 1200), same_id, session(4, 1800)];
    assert_eq!(conflict(unit.sleep().insert(user_id(1), &several).await), UniqueKey::SleepSession);
    unit.sleep().insert(user_id(1), &[session(3, 1200), session(4, 1800)]).await.unwrap();
    unit.commit().await.unwrap();
    let all = [session(1, 0), session(2, 600), session(3, 1200), session(4, 1800)];
    assert_eq!(find(harness, 1, &[1, 2, 3, 4]).await, all);
}

pub(crate) async fn a_taken_key_is_a_conflict_with_and_without_a_source(harness: &Harness) {
    prepare(harness).await;
    for (number, source) in [(1, Some("tracker")), (11, None)] {
        harness.store_sessions(user_id(1), &[session_from(number, minute(0), source, "a")]).await;
        let mut unit = harness.begin().await;
        let same_key = session_from(number + 1, minute(9000), source, "a");
        assert_eq!(conflict(unit.sleep().insert(user_id(1), &[same_key]).await), UniqueKey::SleepSession);
    }
}

pub(crate) async fn keys_differ_by_person_source_kind_case_and_blank(harness: &Harness) {
    prepare(harness).await;
    let derived = SessionKey::derived_from(minute(0));
    let given = SessionKey::from_source(derived.as_str()).unwrap();
    let sessions = [
        numbered(1, head(minute(0), Some("a"), derived.clone())),
        numbered(2, head(minute(0), Some("a"), given)),
        numbered(3, head(minute(0), Some("b"), derived.clone())),
        numbered(4, head(minute(0), None, derived)),
        session_from(5, minute(0), Some("a"), "key"),
        session_from(6, minute(0), Some("a"), "Key"),
        session_from(7, minute(0), Some("a"), "key "),
    ];
    harness.store_sessions(user_id(1), &sessions).await;
    assert_eq!(find(harness, 1, &[1, 2, 3, 4, 5, 6, 7]).await, sessions);
    harness.store_sessions(user_id(2), &[session_from(8, minute(0), Some("a"), "key")]).await;
}

pub(crate) async fn candidates_include_sessions_with_the_source_and_key_of_a_record(harness: &Harness) {
    prepare(harness).await;
    let sessions = [session(1, 0), session(2, 600), session_from(3, minute(0), None, "log-1")];
    harness.store_sessions(user_id(1), &sessions).await;
    harness.store_sessions(user_id(2), &[session(4, 0)]).await;
    // Far apart in time, so that only the key matches.
    let moved = session_from(9, minute(500_000), Some("tracker"), "log-1").record.head().clone();
    let unknown = session_from(9, minute(600_000), None, "log-1").record.head().clone();
    let mut unit = harness.begin().await;
    let found = unit.sleep().find_candidates(user_id(1), &[moved, unknown]).await.unwrap();
    assert!(found.contains(&sessions[0]) && found.contains(&sessions[2]));
    assert!(found.iter().all(|session| session.id != session_id(4)));
    assert!(unit.sleep().find_candidates(user_id(1), &[]).await.unwrap().len() <= 3);
}

pub(crate) async fn candidates_include_overlapping_sessions_of_the_same_source(harness: &Harness) {
    prepare(harness).await;
    let week = TimeDelta::milliseconds(TimeInBed::MAX_MILLIS);
    let derived =
        |number, start, source| numbered(number, head(start, Some(source), SessionKey::derived_from(start)));
    let mut long = head(minute(0), Some("tracker"), SessionKey::derived_from(minute(0)));
    long.time_in_bed = TimeInBed::new(minute(0), minute(0) + week, None, None).unwrap();
    let end = minute(0) + week;
    let millisecond = TimeDelta::milliseconds(1);
    harness
        .store_sessions(
            user_id(1),
            &[
                numbered(1, long),
                // Ends before; overlaps by a millisecond; has another source.
                derived(2, end - TimeDelta::hours(9), "tracker"),
                derived(3, end - TimeDelta::hours(8), "tracker"),
                derived(4, end - millisecond, "other"),
            ],
        )
        .await;
    harness.store_sessions(user_id(2), &[derived(5, end - millisecond, "tracker")]).await;
    for key in [SessionKey::from_source("new").unwrap(), SessionKey::derived_from(end - millisecond)] {
        let record = head(end - millisecond, Some("tracker"), key);
        // The first has the maximum duration.
        assert_eq!(candidates(harness, &[record]).await, [1, 3]);
    }
}

pub(crate) async fn candidates_of_overlapping_records_are_returned_once(harness: &Harness) {
    prepare(harness).await;
    let derived = |number: u64, start: i64, end: i64| {
        let mut head = head(minute(start), Some("tracker"), SessionKey::derived_from(minute(start)));
        head.time_in_bed = TimeInBed::new(minute(start), minute(end), None, None).unwrap();
        numbered(number, head)
    };
    // Each within the previous one, as records with external ids may be; then two adjacent ones.
    let mut sessions: Vec<_> =
        (0_i64..300).map(|nth| derived(1 + nth.unsigned_abs(), nth, 2_000 - nth)).collect();
    sessions.extend([derived(301, -480, 0), derived(302, 2_001, 2_481)]);
    harness.store_sessions(user_id(1), &sessions).await;
    let start = |nth: i64| minute(nth) + TimeDelta::milliseconds(1);
    let nested = |nth: i64| {
        let mut head = head(start(nth), Some("tracker"), SessionKey::derived_from(start(nth)));
        head.time_in_bed = TimeInBed::new(start(nth), minute(2_000 - nth), None, None).unwrap();
        head
    };
    let records: Vec<_> = (0..300).map(nested).collect();
    assert_eq!(candidates(harness, &records).await, (1..=300).collect::<Vec<_>>());
}

/// Lists the numbers of the candidates, up to 1000, for records of person 1.
async fn candidates(harness: &Harness, records: &[SleepRecordHead]) -> Vec<u64> {
    let found = harness.begin().await.sleep().find_candidates(user_id(1), records).await.unwrap();
    let number =
        |session: &SleepSession| (1..=1000).find(|number| session_id(*number) == session.id).unwrap();
    let mut numbers: Vec<_> = found.iter().map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// Checks that an import does not load every overlapping log with its stages.
pub(crate) async fn candidates_include_only_those_overlapping_logs_that_may_match(harness: &Harness) {
    prepare(harness).await;
    let at = |seconds, number| minute(0) + TimeDelta::seconds(seconds) + TimeDelta::milliseconds(number);
    let of = |seconds, number: u64| {
        let key = SessionKey::from_source(&format!("log {number}")).unwrap();
        head(at(seconds, i64::try_from(number).unwrap()), Some("tracker"), key)
    };
    let without_stages = |number| {
        let record = SleepRecord::from_stages(of(2, number), Hypnogram::empty()).unwrap();
        SleepSession { record, ..session(number, 0) }
    };
    let mut other_end = of(2, 3);
    other_end.time_in_bed = time_in_bed(other_end.time_in_bed.start(), 481);
    let elsewhere = SleepRecordHead { source: SleepSource::parse("other").ok(), ..of(0, 4) };
    let mut sessions = vec![
        // The minute before, the minute after, another end, another source.
        numbered(1, of(-1, 1)),
        numbered(2, of(60, 2)),
        numbered(3, other_end),
        numbered(4, elsewhere),
    ];
    // Within the same minute, earlier starts have greater ids.
    sessions.extend((100..400).map(|number| numbered(number, of(10, number))));
    sessions.extend((400..700).map(without_stages));
    sessions.push(numbered(800, of(0, 800)));
    sessions.push(SleepSession { record: without_stages(0).record, ..session(801, 0) });
    sessions.push(numbered(900, head(at(3, 0), Some("tracker"), SessionKey::derived_from(at(3, 0)))));
    harness.store_sessions(user_id(1), &sessions).await;
    harness.store_sessions(user_id(2), &[numbered(1000, of(0, 0))]).await;

    let derived = |start| head(start, Some("tracker"), SessionKey::derived_from(start));
    assert_eq!(candidates(harness, &[derived(at(30, 0))]).await, [800, 801, 900]);
    assert_eq!(candidates(harness, &[derived(at(0, 0)), derived(at(59, 999))]).await, [800, 801, 900]);
    assert_eq!(candidates(harness, &[derived(at(90, 0))]).await, [2, 900]);
    // Found by its key at any time; a log matches no other log.
    assert_eq!(candidates(harness, &[of(0, 555)]).await, [555, 900]);
    assert_eq!(candidates(harness, &[of(0, 9_999), derived(at(30, 0))]).await, [800, 801, 900]);
}

pub(crate) async fn candidates_of_many_records_are_returned_once(harness: &Harness) {
    prepare(harness).await;
    let sessions: Vec<_> =
        (1..=1500).map(|number| session(number, i64::try_from(number).unwrap() * 700)).collect();
    harness.store_sessions(user_id(1), &sessions).await;
    let records: Vec<_> = sessions.iter().map(|session| session.record.head().clone()).collect();
    let mut unit = harness.begin().await;
    let mut found = unit.sleep().find_candidates(user_id(1), &records).await.unwrap();
    found.sort_by_key(|session| session.id);
    assert!(found == sessions, "{} of {}", found.len(), sessions.len());
    let ids: Vec<_> = sessions.iter().map(|session| session.id).collect();
    assert_eq!(unit.sleep().find_many(user_id(1), &ids).await.unwrap().len(), 1500);
    assert_eq!(unit.sleep().delete(user_id(1), &ids).await.unwrap(), 1500);
}

pub(crate) async fn only_the_persons_own_sessions_are_found_by_id(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    harness.store_sessions(user_id(2), &[session(2, 0)]).await;
    assert_eq!(find(harness, 1, &[1, 1, 2, 3]).await, [session(1, 0)]);
    assert_eq!(find(harness, 1, &[]).await, []);
}

pub(crate) async fn an_update_overwrites_everything_and_moves_the_start(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0), session(2, 600)]).await;
    let mut replacements = odd_sessions();
    replacements.push(session(1, -5000));
    for replacement in replacements {
        let moved = SleepSession { id: session_id(1), updated_at: now_millis(), ..replacement };
        assert!(commit!(harness, sleep().update(user_id(1), &moved)));
        assert_eq!(find(harness, 1, &[1, 2]).await, [moved, session(2, 600)]);
    }
    let walked = harness.sleep.walk(user_id(1), None, 10).await.unwrap();
    assert_eq!(walked, [session(1, -5000), session(2, 600)]);
}

pub(crate) async fn updating_an_unknown_session_is_reported(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(2), &[session(1, 0)]).await;
    let mut unit = harness.begin().await;
    assert!(!unit.sleep().update(user_id(1), &session(1, 60)).await.unwrap());
    assert!(!unit.sleep().update(user_id(2), &session(2, 60)).await.unwrap());
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 2, &[1, 2]).await, [session(1, 0)]);
    assert_eq!(find(harness, 1, &[1]).await, []);
}

pub(crate) async fn an_update_to_a_taken_key_is_a_conflict_and_changes_nothing(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0), session(2, 600)]).await;
    let mut unit = harness.begin().await;
    let taken = session_from(2, minute(900), Some("tracker"), "log-1");
    assert_eq!(conflict(unit.sleep().update(user_id(1), &taken).await), UniqueKey::SleepSession);
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 1, &[1, 2]).await, [session(1, 0), session(2, 600)]);
}

pub(crate) async fn deleting_counts_the_sessions_that_the_person_had(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0), session(2, 600), session(3, 1200)]).await;
    harness.store_sessions(user_id(2), &[session(4, 0)]).await;
    let mut unit = harness.begin().await;
    let ids = [session_id(1), session_id(3), session_id(4), session_id(5)];
    assert_eq!(unit.sleep().delete(user_id(1), &ids).await.unwrap(), 2);
    assert_eq!(unit.sleep().delete(user_id(1), &[]).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 1, &[1, 2, 3]).await, [session(2, 600)]);
    assert_eq!(find(harness, 2, &[4]).await, [session(4, 0)]);
}

pub(crate) async fn a_deleted_key_is_free_within_the_same_unit_of_work(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.sleep().delete(user_id(1), &[session_id(1)]).await.unwrap(), 1);
    let heir = session_from(2, minute(0), Some("tracker"), "log-1");
    unit.sleep().insert(user_id(1), std::slice::from_ref(&heir)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 1, &[1, 2]).await, [heir]);
}

pub(crate) async fn a_reader_finds_only_the_persons_own_session(harness: &Harness) {
    prepare(harness).await;
    harness.store_sessions(user_id(1), &[session(1, 0), session(2, 600)]).await;
    harness.store_sessions(user_id(2), &[session(3, 0)]).await;
    let find = async |person, number| harness.sleep.find(user_id(person), session_id(number)).await.unwrap();
    assert_eq!(find(1, 2).await, Some(session(2, 600)));
    assert_eq!(find(1, 3).await, None);
    assert_eq!(find(2, 3).await, Some(session(3, 0)));
    assert_eq!(find(3, 1).await, None);
}

pub(crate) async fn a_walk_returns_whole_sessions_oldest_first(harness: &Harness) {
    prepare(harness).await;
    // Two at the same time, and stored out of order.
    let sessions = [session(4, 600), session(2, 600), session(3, 0), session(1, 900), session(5, 600)];
    harness.store_sessions(user_id(1), &sessions).await;
    harness.store_sessions(user_id(2), &[session(6, 600)]).await;
    let expected = [session(3, 0), session(2, 600), session(4, 600), session(5, 600), session(1, 900)];
    let mut walked = Vec::new();
    let mut after = None;
    loop {
        let part = harness.sleep.walk(user_id(1), after, 2).await.unwrap();
        assert!(part.len() <= 2);
        let Some(last) = part.last() else { break };
        after = Some((last.record.time_in_bed().start_millis(), last.id));
        walked.extend(part);
    }
    assert_eq!(walked, expected);
    assert_eq!(harness.sleep.walk(user_id(3), None, 2).await.unwrap(), []);
    let before_all = Some((now().timestamp_millis() - 1_000_000_000_000, session_id(1)));
    assert_eq!(harness.sleep.walk(user_id(1), before_all, 9).await.unwrap(), expected);
}
