//! Intake logs in a unit of work, and listed for an export.

use crate::Harness;
use crate::fixture::{
    catalogue_key, conflict, keyed_log, log, log_id, microsecond, now, seconds, supplement, supplement_id,
    user, user_id,
};
use application::ports::storage::UniqueKey;
use domain::supplement::{IntakeLog, IntakeLogRecord, Servings};

async fn prepare(harness: &Harness) {
    for number in [1, 2] {
        harness.store_user(&user(number)).await;
        harness.store_supplement(&catalogue_key(number), &supplement(number)).await;
    }
}

async fn find(harness: &Harness, person: u64, numbers: &[u64]) -> Vec<IntakeLog> {
    let ids: Vec<_> = numbers.iter().copied().map(log_id).collect();
    let mut found = harness.begin().await.intake_logs().find_many(user_id(person), &ids).await.unwrap();
    found.sort_by_key(|log| log.id);
    found
}

/// Returns logs that differ in every possible way.
fn odd_logs() -> Vec<IntakeLog> {
    let made_of = |number, at: &str, servings, key: Option<String>| {
        let servings = Servings::new(servings).unwrap();
        let record = IntakeLogRecord::new(supplement_id(1), at.parse().unwrap(), servings, key);
        record.unwrap().with_id(log_id(number))
    };
    vec![
        made_of(1, "0001-01-01T00:00:00Z", 10_000.0, None),
        made_of(2, "9999-12-31T23:59:59.999999Z", f64::MIN_POSITIVE, Some("ü".repeat(200))),
        made_of(3, "1969-12-31T23:59:59.000001Z", 0.1 + 0.2, Some("'; -- \\".to_owned())),
    ]
}

pub(crate) async fn a_log_reads_back_as_stored(harness: &Harness) {
    prepare(harness).await;
    harness.store_logs(user_id(1), &odd_logs()).await;
    assert_eq!(find(harness, 1, &[1, 2, 3]).await, odd_logs());
}

pub(crate) async fn only_the_persons_own_logs_are_found_by_id(harness: &Harness) {
    prepare(harness).await;
    harness.store_logs(user_id(1), &[log(1, 1, now())]).await;
    harness.store_logs(user_id(2), &[log(2, 1, now())]).await;
    assert_eq!(find(harness, 1, &[1, 1, 2, 3]).await, [log(1, 1, now())]);
    assert_eq!(find(harness, 1, &[]).await, []);
}

pub(crate) async fn a_taken_id_or_external_key_is_a_conflict_and_stores_none(harness: &Harness) {
    prepare(harness).await;
    harness.store_logs(user_id(1), &[keyed_log(1, 1, now(), Some("a"))]).await;
    let mut unit = harness.begin().await;
    for taken in [log(1, 2, seconds(9)), keyed_log(3, 2, seconds(9), Some("a"))] {
        let logs = [log(2, 1, now()), taken];
        assert_eq!(conflict(unit.intake_logs().insert(user_id(1), &logs).await), UniqueKey::IntakeLog);
    }
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 1, &[1, 2, 3]).await, [keyed_log(1, 1, now(), Some("a"))]);
}

pub(crate) async fn logs_without_a_key_and_keys_of_other_people_never_conflict(harness: &Harness) {
    prepare(harness).await;
    let logs = [
        log(1, 1, now()),
        log(2, 1, now()),
        keyed_log(3, 1, now(), Some("a")),
        keyed_log(4, 1, now(), Some("A")),
    ];
    harness.store_logs(user_id(1), &logs).await;
    harness.store_logs(user_id(2), &[keyed_log(5, 1, now(), Some("a"))]).await;
    assert_eq!(find(harness, 1, &[1, 2, 3, 4, 5]).await, logs);
}

pub(crate) async fn candidates_include_logs_with_the_key_or_the_supplement_and_time_of_a_record(
    harness: &Harness,
) {
    prepare(harness).await;
    let by_key = keyed_log(1, 1, seconds(50), Some("a"));
    let by_time = log(2, 1, now());
    let twin = keyed_log(3, 1, now(), Some("b"));
    harness.store_logs(user_id(1), &[by_key.clone(), by_time.clone(), twin.clone()]).await;
    harness.store_logs(user_id(2), &[keyed_log(4, 1, now(), Some("a"))]).await;
    let mut unit = harness.begin().await;
    let records = [keyed_log(9, 2, seconds(7), Some("a")).record, log(9, 1, now()).record];
    let found = unit.intake_logs().find_candidates(user_id(1), &records).await.unwrap();
    for expected in [by_key, by_time, twin] {
        assert_eq!(found.iter().filter(|log| **log == expected).count(), 1);
    }
    assert!(found.iter().all(|log| log.id != log_id(4)));
    let nothing = [keyed_log(9, 2, seconds(7), Some("c")).record];
    assert!(unit.intake_logs().find_candidates(user_id(3), &nothing).await.unwrap().is_empty());
}

pub(crate) async fn candidates_of_many_records_are_returned_once(harness: &Harness) {
    prepare(harness).await;
    let logs: Vec<_> = (1..=1500u64)
        .map(|number| {
            let key = format!("key {number}");
            keyed_log(number, number % 2 + 1, seconds(i64::try_from(number).unwrap()), Some(&key))
        })
        .collect();
    harness.store_logs(user_id(1), &logs).await;
    let records: Vec<_> = logs.iter().map(|log| log.record.clone()).collect();
    let mut unit = harness.begin().await;
    let mut found = unit.intake_logs().find_candidates(user_id(1), &records).await.unwrap();
    found.sort_by_key(|log| log.id);
    assert!(found == logs, "{} of {}", found.len(), logs.len());
}

pub(crate) async fn an_update_overwrites_everything(harness: &Harness) {
    prepare(harness).await;
    harness.store_logs(user_id(1), &[keyed_log(1, 1, now(), Some("a")), log(2, 1, now())]).await;
    let record = IntakeLogRecord::new(supplement_id(2), seconds(-9), Servings::new(7.25).unwrap(), None);
    let changed = record.unwrap().with_id(log_id(1));
    for changed in [changed, keyed_log(1, 1, seconds(3), Some("b"))] {
        assert!(commit!(harness, intake_logs().update(user_id(1), &changed)));
        assert_eq!(find(harness, 1, &[1, 2]).await, [changed, log(2, 1, now())]);
    }
}

pub(crate) async fn updating_an_unknown_log_is_reported(harness: &Harness) {
    prepare(harness).await;
    harness.store_logs(user_id(2), &[log(1, 1, now())]).await;
    let mut unit = harness.begin().await;
    assert!(!unit.intake_logs().update(user_id(1), &log(1, 2, seconds(1))).await.unwrap());
    assert!(!unit.intake_logs().update(user_id(2), &log(2, 2, seconds(1))).await.unwrap());
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 2, &[1, 2]).await, [log(1, 1, now())]);
}

pub(crate) async fn an_update_to_a_taken_external_key_is_a_conflict(harness: &Harness) {
    prepare(harness).await;
    harness.store_logs(user_id(1), &[keyed_log(1, 1, now(), Some("a")), log(2, 1, now())]).await;
    let mut unit = harness.begin().await;
    let taken = keyed_log(2, 1, now(), Some("a"));
    assert_eq!(conflict(unit.intake_logs().update(user_id(1), &taken).await), UniqueKey::IntakeLog);
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 1, &[2]).await, [log(2, 1, now())]);
}

pub(crate) async fn a_walk_returns_all_logs_oldest_first(harness: &Harness) {
    prepare(harness).await;
    let logs = [
        log(4, 1, now()),
        log(2, 2, now()),
        log(3, 1, seconds(-1)),
        keyed_log(1, 2, seconds(9), Some("a")),
        log(5, 1, now() + microsecond()),
    ];
    harness.store_logs(user_id(1), &logs).await;
    harness.store_logs(user_id(2), &[log(6, 1, now())]).await;
    let [fourth, second, third, first, fifth] = logs;
    let expected = [third, second, fourth, fifth, first];
    let mut walked = Vec::new();
    let mut after = None;
    loop {
        let part = harness.supplements.walk_logs(user_id(1), after, 2).await.unwrap();
        assert!(part.len() <= 2);
        let Some(last) = part.last() else { break };
        after = Some((last.record.created_at(), last.id));
        walked.extend(part);
    }
    assert_eq!(walked, expected);
    assert_eq!(harness.supplements.walk_logs(user_id(3), None, 2).await.unwrap(), []);
}

pub(crate) async fn deleting_counts_the_logs_that_the_person_had(harness: &Harness) {
    prepare(harness).await;
    let logs = [log(1, 1, now()), log(2, 2, now()), keyed_log(3, 1, now(), Some("a"))];
    harness.store_logs(user_id(1), &logs).await;
    harness.store_logs(user_id(2), &[log(4, 1, now())]).await;
    let mut unit = harness.begin().await;
    let ids = [1, 3, 4, 5].map(log_id);
    assert_eq!(unit.intake_logs().delete(user_id(1), &ids).await.unwrap(), 2);
    assert_eq!(unit.intake_logs().delete(user_id(1), &[]).await.unwrap(), 0);
    // A deleted key is free within the same unit of work.
    let heir = keyed_log(6, 2, now(), Some("a"));
    unit.intake_logs().insert(user_id(1), std::slice::from_ref(&heir)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 1, &[1, 2, 3, 6]).await, [log(2, 2, now()), heir]);
    assert_eq!(find(harness, 2, &[4]).await, [log(4, 1, now())]);
}
