use super::super::testing::{between, derived_head, entry, given_head, minute};
use super::{Reconciliation, SleepRecord, SleepSession, SleepSessionId, is_same_sleep, reconcile};
use crate::sleep::{Hypnogram, SessionKey, SleepMetrics, SleepRecordHead, SourceTotals, Stage, TimeInBed};
use Reconciliation::{Insert, Replace, Unchanged};
use chrono::Duration;
use proptest::prelude::*;
use uuid::Uuid;

fn id(number: u128) -> SleepSessionId {
    SleepSessionId::from_uuid(Uuid::from_u128(number))
}

fn record(head: SleepRecordHead) -> SleepRecord {
    SleepRecord::from_stages(head, Hypnogram::empty()).unwrap()
}

fn keyed(key: &str, start: i64, end: i64) -> SleepRecord {
    record(given_head(key, between(start, end)))
}

fn derived(start: i64, end: i64) -> SleepRecord {
    record(derived_head(between(start, end)))
}

/// The same record with one stage for all of its time in bed.
fn staged(record: &SleepRecord) -> SleepRecord {
    let frame = record.time_in_bed();
    let minutes = |time| chrono::DateTime::signed_duration_since(time, minute(0)).num_minutes();
    let stage = entry(Stage::Light, minutes(frame.start()), minutes(frame.end()));
    SleepRecord::from_stages(record.head().clone(), Hypnogram::new(vec![stage], frame).unwrap()).unwrap()
}

/// The same record with a total.
fn with_totals(record: &SleepRecord) -> SleepRecord {
    let totals = SourceTotals { asleep: Some(std::time::Duration::from_mins(15)), ..SourceTotals::default() };
    let (metrics, _) = SleepMetrics::from_totals(record.time_in_bed(), &totals);
    SleepRecord::from_metrics(record.head().clone(), metrics).unwrap()
}

fn stored_session(number: u128, record: SleepRecord) -> SleepSession {
    SleepSession { id: id(number), record, updated_at: minute(1_000) }
}

/// Applies the decision to the list, as an import does.
fn import(sessions: &mut Vec<SleepSession>, record: SleepRecord, next: u128) -> Reconciliation {
    let decision = reconcile(sessions, &record);
    match &decision {
        Unchanged(_) => {}
        Replace { id, removes } => {
            sessions.retain(|session| !removes.contains(&session.id));
            sessions
                .iter_mut()
                .filter(|session| session.id == *id)
                .for_each(|session| session.record = record.clone());
        }
        Insert { removes } => {
            sessions.retain(|session| !removes.contains(&session.id));
            sessions.push(stored_session(next, record));
        }
    }
    decision
}

#[test]
fn the_same_record_again_is_unchanged() {
    for record in [keyed("7", 0, 480), derived(0, 480)] {
        assert_eq!(reconcile(&[stored_session(1, record.clone())], &record), Unchanged(id(1)));
    }
}

#[test]
fn the_same_key_with_another_content_replaces() {
    let decision = reconcile(&[stored_session(1, keyed("7", 0, 480))], &keyed("7", 600, 900));
    assert_eq!(decision, Replace { id: id(1), removes: vec![] });
}

#[test]
fn a_record_without_id_is_the_log_with_the_same_minutes() {
    let start = minute(0) + Duration::seconds(30);
    let log = TimeInBed::new(start, minute(480) + Duration::seconds(59), None, None).unwrap();
    let log = stored_session(1, record(given_head("7", log)));
    assert_eq!(reconcile(&[log], &derived(0, 480)), Unchanged(id(1)));
}

#[test]
fn a_log_replaces_the_record_without_id_and_keeps_its_session() {
    let mut sessions = vec![stored_session(1, derived(0, 480))];
    let decision = import(&mut sessions, keyed("7", 0, 480), 2);
    assert_eq!(decision, Replace { id: id(1), removes: vec![] });
    assert_eq!(import(&mut sessions, derived(0, 480), 3), Unchanged(id(1)));
    assert_eq!(import(&mut sessions, keyed("7", 0, 480), 3), Unchanged(id(1)));
}

#[test]
fn a_longer_record_joins_the_sessions_that_it_overlaps() {
    let sessions = [
        stored_session(1, derived(0, 100)),
        stored_session(2, derived(200, 300)),
        stored_session(3, derived(400, 500)),
    ];
    assert_eq!(reconcile(&sessions, &derived(-10, 250)), Insert { removes: vec![id(1), id(2)] });
    let same_start = reconcile(&sessions, &derived(0, 450));
    assert_eq!(same_start, Replace { id: id(1), removes: vec![id(2), id(3)] });
}

#[test]
fn a_record_that_touches_a_session_is_another_one() {
    let night = [stored_session(1, derived(0, 480))];
    let staged_night = [stored_session(1, staged(&derived(0, 480)))];
    for other in [derived(479, 510), derived(-30, 1), keyed("7", 100, 130), keyed("7", 470, 700)] {
        assert_eq!(reconcile(&night, &other), Insert { removes: vec![] }, "{other:?}");
        assert_eq!(reconcile(&staged_night, &other), Insert { removes: vec![] }, "{other:?}");
    }
}

#[test]
fn a_part_of_a_session_that_is_not_more_detailed_is_that_session() {
    for part in [derived(100, 130), derived(470, 488)] {
        for night in [derived(0, 480), staged(&derived(0, 480))] {
            let known = [stored_session(1, night)];
            assert_eq!(reconcile(&known, &part), Unchanged(id(1)), "{part:?}");
        }
    }
    let night = [stored_session(1, derived(0, 480))];
    assert_eq!(reconcile(&night, &derived(0, 30)), Replace { id: id(1), removes: vec![] });
}

/// Asserts that two records are stored beside each other in either order, and change nothing a second time.
fn assert_are_two_sessions(one: &SleepRecord, other: &SleepRecord) {
    for order in [[one, other], [other, one]] {
        let mut sessions = Vec::new();
        for (number, record) in (1..).zip(order) {
            assert_eq!(import(&mut sessions, record.clone(), number), Insert { removes: vec![] });
        }
        for (number, record) in (1..).zip(order) {
            assert_eq!(import(&mut sessions, record.clone(), 9), Unchanged(id(number)));
        }
    }
}

#[test]
fn a_night_and_a_more_detailed_part_of_it_are_two_sessions_in_either_order() {
    for (night, part) in [
        (derived(0, 480), staged(&derived(100, 130))),
        (derived(0, 480), with_totals(&derived(100, 130))),
        (with_totals(&derived(0, 480)), staged(&derived(465, 490))),
    ] {
        assert_are_two_sessions(&night, &part);
    }
}

#[test]
fn a_version_of_a_night_replaces_only_what_is_not_more_detailed() {
    let versions = [derived(0, 480), with_totals(&derived(10, 480)), staged(&derived(-20, 400))];
    for (rank, stored) in versions.iter().enumerate() {
        for (other, record) in versions.iter().enumerate().filter(|(other, _)| *other != rank) {
            let expected = if other > rank { Insert { removes: vec![id(1)] } } else { Unchanged(id(1)) };
            assert_eq!(reconcile(&[stored_session(1, stored.clone())], record), expected);
        }
    }
    let corrected = with_totals(&derived(30, 480));
    let night = stored_session(1, versions[1].clone());
    assert_eq!(reconcile(&[night], &corrected), Insert { removes: vec![id(1)] });
}

#[test]
fn adjacent_sessions_are_kept() {
    let sessions = [stored_session(1, derived(0, 100)), stored_session(2, derived(200, 300))];
    assert_eq!(reconcile(&sessions, &derived(100, 200)), Insert { removes: vec![] });
}

#[test]
fn logs_are_never_removed_by_overlap_and_remove_nothing() {
    let sessions = [stored_session(1, keyed("7", 0, 480)), stored_session(2, derived(490, 510))];
    for record in [keyed("8", 10, 500), derived(10, 480), keyed("8", 0, 480), keyed("8", 480, 520)] {
        assert_eq!(reconcile(&sessions, &record), Insert { removes: vec![] });
    }
    let moved = keyed("7", 485, 515);
    assert_eq!(reconcile(&sessions, &moved), Replace { id: id(1), removes: vec![] });
}

#[test]
fn sessions_of_another_source_are_passed_over() {
    let of_another = |key: &str| {
        let head = given_head(key, between(0, 480));
        record(SleepRecordHead { source: None, ..head })
    };
    let another_derived = record(SleepRecordHead { source: None, ..derived_head(between(0, 480)) });
    let sessions = [stored_session(1, of_another("7")), stored_session(2, another_derived)];
    for record in [keyed("7", 0, 480), derived(0, 480), derived(0, 470)] {
        assert_eq!(reconcile(&sessions, &record), Insert { removes: vec![] });
    }
}

#[test]
fn a_start_in_the_same_minute_keeps_the_session_though_the_key_differs() {
    let start = minute(0) + Duration::seconds(20);
    let later = TimeInBed::new(start, minute(480), None, None).unwrap();
    let mut sessions = vec![stored_session(1, derived(0, 480))];
    assert_eq!(import(&mut sessions, record(derived_head(later)), 2), Replace { id: id(1), removes: vec![] });
    assert_eq!(sessions[0].record.key(), &SessionKey::derived_from(start));
}

#[test]
fn importing_an_export_twice_changes_nothing() {
    let export = [
        derived(0, 480),
        derived(700, 730),
        keyed("7", 1_440, 1_900),
        keyed("8", 1_800, 2_000),
        derived(2_000, 2_100),
    ];
    let mut sessions = vec![stored_session(90, derived(-30, 30)), stored_session(91, derived(1_500, 1_600))];
    for (number, record) in (1..).zip(export.clone()) {
        import(&mut sessions, record, number);
    }
    assert_eq!(sessions.iter().map(|session| session.id).collect::<Vec<_>>(), [91, 1, 2, 3, 4, 5].map(id));
    let before = sessions.clone();
    for record in export {
        assert!(matches!(import(&mut sessions, record, 99), Unchanged(_)));
    }
    assert_eq!(sessions, before);
}

#[test]
fn a_record_with_stages_replaces_a_log_without_stages_for_good() {
    let (log, stages) = (keyed("7", 0, 480), staged(&derived(0, 480)));
    let mut sessions = vec![stored_session(1, log.clone())];
    assert_eq!(import(&mut sessions, stages.clone(), 2), Replace { id: id(1), removes: vec![] });
    for again in [log, derived(0, 480), stages.clone()] {
        assert_eq!(import(&mut sessions, again, 3), Unchanged(id(1)));
    }
    assert_eq!(sessions, [stored_session(1, stages)]);
}

#[test]
fn a_log_with_stages_beats_a_record_with_stages_in_either_order() {
    let (log, record) = (staged(&keyed("7", 0, 480)), staged(&derived(0, 480)));
    assert_eq!(reconcile(&[stored_session(1, log.clone())], &record), Unchanged(id(1)));
    assert_eq!(reconcile(&[stored_session(1, record)], &log), Replace { id: id(1), removes: vec![] });
}

#[test]
fn of_two_logs_of_the_same_minutes_the_one_with_stages_is_the_record() {
    let sessions = [stored_session(1, keyed("7", 0, 480)), stored_session(2, staged(&keyed("8", 0, 480)))];
    assert_eq!(reconcile(&sessions, &staged(&derived(0, 480))), Unchanged(id(2)));
}

#[test]
fn a_log_that_its_source_reports_again_without_stages_is_corrected() {
    let sessions = [stored_session(1, staged(&keyed("7", 0, 480)))];
    assert_eq!(reconcile(&sessions, &keyed("7", 0, 490)), Replace { id: id(1), removes: vec![] });
}

#[test]
fn a_log_and_a_record_without_id_of_other_minutes_are_two_sessions() {
    let (log, record) = (staged(&keyed("7", 0, 480)), derived(1, 479));
    assert_are_two_sessions(&log, &record);
}

/// Generates two records, of which only one has stages and only one may have a given key: with the same
/// minutes, or both with a derived key and the same sleep.
fn with_and_without_stages() -> impl Strategy<Value = (SleepRecord, SleepRecord)> {
    let twins = (0_i64..500, 1_i64..900, 0..3_u8).prop_map(|(start, length, logged)| {
        let end = start + length;
        let one = |is_log| if is_log { keyed("7", start, end) } else { derived(start, end) };
        (one(logged == 1), staged(&one(logged == 2)))
    });
    let overlapping =
        (0_i64..500, 1_i64..900, 1_i64..900, 0_i64..900).prop_map(|(start, rich, poor, before)| {
            let begin = start - before.min(poor - 1);
            (derived(begin, begin + poor), staged(&derived(start, start + rich)))
        });
    let same_sleep = overlapping.prop_filter("share half", |(poor, rich)| is_same_sleep(poor, rich));
    prop_oneof![twins, same_sleep]
}

/// Generates a record of a few minutes, with or without a given key and stages.
fn any_record() -> impl Strategy<Value = SleepRecord> {
    (0_i64..4, 1_i64..4, prop::option::weighted(0.7, 0_u8..30), any::<bool>()).prop_map(
        |(start, length, log, has_stages)| {
            let key = log.map(|number| number.to_string());
            let plain =
                key.map_or_else(|| derived(start, start + length), |key| keyed(&key, start, start + length));
            if has_stages { staged(&plain) } else { plain }
        },
    )
}

proptest! {
    #[test]
    fn importing_in_either_order_ends_with_the_stages((poor, rich) in with_and_without_stages()) {
        for order in [[poor.clone(), rich.clone()], [rich.clone(), poor.clone()]] {
            let mut sessions = Vec::new();
            for (number, record) in (1..).zip(order.clone()) {
                import(&mut sessions, record, number);
            }
            prop_assert_eq!(sessions.iter().map(|session| &session.record).collect::<Vec<_>>(), [&rich]);
            for record in order {
                prop_assert!(matches!(import(&mut sessions, record, 9), Unchanged(_)));
            }
        }
    }

    /// Stores look up no more than what is documented as sufficient.
    #[test]
    fn of_logs_the_first_twin_with_stages_and_the_first_without_are_enough(
        records in prop::collection::vec(any_record(), 0..20),
        record in any_record(),
    ) {
        let mut sessions: Vec<SleepSession> = Vec::new();
        for (number, other) in (1..).zip(records) {
            if sessions.iter().all(|session| session.record.key() != other.key()) {
                sessions.push(stored_session(number, other));
            }
        }
        let mut met = Vec::new();
        let mut is_enough = |session: &&SleepSession| {
            let (is_log, has_stages) = (super::is_log(session), !session.record.hypnogram().is_empty());
            let is_first_twin = super::is_twin(session, &record) && !met.contains(&(is_log, has_stages));
            if is_first_twin {
                met.push((is_log, has_stages));
            }
            session.record.key() == record.key()
                || !is_log && session.record.time_in_bed().overlaps(record.time_in_bed())
                || is_log && !record.key().is_given() && is_first_twin
        };
        let enough: Vec<_> = sessions.iter().filter(&mut is_enough).cloned().collect();
        prop_assert_eq!(reconcile(&enough, &record), reconcile(&sessions, &record));
    }
}
