//! Files that were once read wrongly, with the right results in `cases.json`.

use super::{folder, read_in};
use crate::testing::metric;
use application::ports::import_source::ImportItem;
use domain::sleep::{MetricKind, SleepRecord};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Cases that need a store or a clock, which `scripts/check-samples` has.
const ELSEWHERE: [&str; 3] = ["saa-rounded-then-original", "dsld-unreadable-entry-date", "apple-future.xml"];

#[test]
fn the_files_that_were_read_wrongly_have_the_right_results() {
    let Some(folder) = folder().map(|folder| folder.join("turn-3")).filter(|folder| folder.is_dir()) else {
        return;
    };
    let cases = std::fs::read_to_string(folder.join("cases.json")).unwrap();
    let cases: BTreeMap<String, Value> = serde_json::from_str(&cases).unwrap();
    assert_eq!(cases.len(), 16);
    let problems: Vec<_> = cases
        .iter()
        .filter(|(name, _)| !ELSEWHERE.contains(&name.as_str()))
        .filter_map(|(name, case)| {
            problem(&folder.join(name), case).map(|problem| format!("{name}: {problem}"))
        })
        .collect();
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Returns what differs from the right result.
fn problem(path: &Path, case: &Value) -> Option<String> {
    let has = |member: &str| case.get(member).is_some_and(|flag| *flag == Value::Bool(true));
    let items = match read_in(path, "Europe/Berlin") {
        Ok((_, items)) => items,
        Err(_) if has("or_refused") => return None,
        Err(refusal) => return Some(refusal.to_string()),
    };
    let is_report = |item: &&ImportItem| matches!(item, ImportItem::Rejected(_) | ImportItem::Note(_));
    let reports = items.iter().filter(is_report).count();
    let found = crate::testing::sessions(&items);
    if found.is_empty() && has("may_be_left_out") && reports > 0 || reports > 0 && has("or_reported") {
        return None;
    }
    if has("reports") && reports == 0 {
        return Some("nothing is reported".to_owned());
    }
    let expected = case["sessions"].as_array().unwrap();
    if found.len() != expected.len() && !has("others_allowed") {
        return Some(format!("{} sessions", found.len()));
    }
    let naps = found.iter().filter(|record| record.is_nap() == Some(true)).count() as u64;
    if case["naps_at_most"].as_u64().is_some_and(|most| naps > most) {
        return Some(format!("{naps} naps"));
    }
    expected.iter().find_map(|session| difference(session, &found, case))
}

fn difference(expected: &Value, found: &[SleepRecord], case: &Value) -> Option<String> {
    let (start, end) = (expected[0].as_str().unwrap(), expected[1].as_str().unwrap());
    let Some(record) = found.iter().find(|record| bounds(record) == (start.to_owned(), end.to_owned()))
    else {
        return Some(format!(
            "no session {start} to {end}, but {:?}",
            found.iter().map(bounds).collect::<Vec<_>>()
        ));
    };
    let mut minutes = BTreeMap::new();
    for entry in record.hypnogram().entries() {
        *minutes.entry(entry.stage().as_str()).or_insert(0) += entry.millis() / 60_000;
    }
    for optional in case["stages_may_have"].as_array().into_iter().flatten() {
        minutes.remove(optional.as_str().unwrap());
    }
    if serde_json::to_value(&minutes).unwrap() != expected[2] {
        return Some(format!("minutes {minutes:?}"));
    }
    let mut metrics = case["metrics"][start].as_object().into_iter().flatten();
    metrics.find_map(|(name, value)| wrong_metric(record, name, value))
}

fn wrong_metric(record: &SleepRecord, name: &str, expected: &Value) -> Option<String> {
    let found = metric(record, MetricKind::parse(name).unwrap());
    let is_right = match expected {
        Value::String(_) => found != Some(0.0),
        expected => found == expected.as_f64(),
    };
    (!is_right).then(|| format!("{name} is {found:?}, expected {expected}"))
}

fn bounds(record: &SleepRecord) -> (String, String) {
    let print = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    (print(record.time_in_bed().start()), print(record.time_in_bed().end()))
}
