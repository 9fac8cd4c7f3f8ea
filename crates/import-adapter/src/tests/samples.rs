//! Tests on the public sample files, if they are available.

mod apple_health;
mod fhir;
mod garmin;
mod hypnogram;
mod open_mhealth;
mod oura;
mod sleep_as_android;
mod whoop;
mod withings;

use crate::open;
use crate::testing::context;
use application::ports::import_source::{ImportItem, ImportRefusal};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Expected numbers for a file: sessions, stage entries, labels, ingredients, rejections, notes.
type Counts = [usize; 6];

/// Returns the path of the folder of samples. If there is none, writes a message directly to standard error,
/// which the test harness does not capture.
fn folder() -> Option<PathBuf> {
    // A relative path counts from the workspace, where the test command runs.
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("RESTWELL_SAMPLES").map(|folder| workspace.join(folder));
    if folder.is_none() {
        let message = b"\nNOT RUN: the sample files, because RESTWELL_SAMPLES names no folder of them\n\n";
        std::io::stderr().write_all(message).unwrap();
    }
    folder
}

fn read(path: &Path) -> Result<(&'static str, Vec<ImportItem>), ImportRefusal> {
    let file = open(path, None, context("America/Los_Angeles"))?;
    let mut source = file.open()?;
    let mut items = Vec::new();
    loop {
        let batch = source.next_batch(100)?;
        if batch.is_empty() {
            return Ok((file.formats()[0], items));
        }
        items.extend(batch);
    }
}

fn count(items: &[ImportItem]) -> Counts {
    items.iter().fold([0; 6], |mut counts, item| {
        match item {
            ImportItem::Session(session) => {
                counts[0] += 1;
                counts[1] += session.record.hypnogram().len();
            }
            ImportItem::Supplement(supplement) => {
                counts[2] += 1;
                counts[3] += supplement.label.ingredients().len();
            }
            ImportItem::Rejected(_) => counts[4] += 1,
            ImportItem::Note(_) => counts[5] += 1,
            ImportItem::Profile(_) | ImportItem::LabelsLeftOut => {}
            ImportItem::Log(_) => panic!("no sample has one"),
        }
        counts
    })
}

#[test]
fn the_sample_files_yield_the_expected_records() {
    let Some(folder) = folder() else { return };
    let expected: &[(&str, &str, Counts)] = &[
        ("apple-health/hydawo-synthetic-export.xml", "apple-health", [1, 3, 0, 0, 0, 0]),
        ("constructed/apple-health-multisource.xml", "apple-health", [8, 19, 0, 0, 1, 1]),
        ("fitbit/fitbitnet-GetSleep-stages.json", "fitbit", [1, 1, 0, 0, 0, 2]),
        ("fitbit/shimmer-sleep-date-range-classic.json", "fitbit", [2, 8, 0, 0, 0, 0]),
        ("fitbit/shimmer-sleep-empty-range.json", "fitbit", [0, 0, 0, 0, 0, 0]),
        ("fitbit/shimmer-sleep-v1-multiple.json", "fitbit", [2, 2, 0, 0, 0, 0]),
        ("fitbit/sleepdiary-fitbit-web-export.csv", "fitbit", [1, 0, 0, 0, 3, 1]),
        ("constructed/fitbit-takeout-sleep-2026-03-13.json", "fitbit", [3, 32, 0, 0, 0, 0]),
        ("garmin/anup-dailySleepData-synthetic.json", "garmin", [1, 0, 0, 0, 0, 3]),
        ("garmin/garth-dailySleepData-2021-07-11_20.json", "garmin", [10, 0, 0, 0, 0, 0]),
        ("garmin/garth-dailySleepData-2025-07-07.json", "garmin", [1, 0, 0, 0, 0, 0]),
        ("oura/ouraring-v1-sleep-hypnogram.json", "oura", [1, 22, 0, 0, 0, 0]),
        ("oura/totty-v2-sleep-synthetic.json", "oura", [5, 0, 0, 0, 0, 0]),
        ("constructed/whoop-sleeps.csv", "whoop", [4, 0, 0, 0, 0, 0]),
        ("sleep-as-android/sleep-export.1.csv", "sleep-as-android", [2, 0, 0, 0, 0, 0]),
        ("sleep-as-android/sleep-export.2.csv", "sleep-as-android", [2, 0, 0, 0, 2, 0]),
        ("sleep-as-android/sleep-export.4.zip", "sleep-as-android", [6, 0, 0, 0, 2, 1]),
        ("withings/aiowithings-sleep-raw-2021-04-17_21.json", "withings", [4, 462, 0, 0, 0, 0]),
        ("withings/aiowithings-sleep-summary-2021-03_2021-07.json", "withings", [142, 0, 0, 0, 0, 2]),
        ("withings/shimmer-sleep-measures.json", "withings", [1, 3, 0, 0, 0, 0]),
        ("withings/shimmer-sleep-summary.json", "withings", [2, 0, 0, 0, 0, 0]),
        ("open-mhealth/granola-hk-category-sleep-with-metadata.json", "open-mhealth", [1, 0, 0, 0, 0, 0]),
        ("open-mhealth/sleep-duration-2.0-valid.json", "open-mhealth", [1, 0, 0, 0, 0, 0]),
        (
            "open-mhealth/sleep-episode-1.0-SHOULDFAIL-missing-time-frame.json",
            "open-mhealth",
            [0, 0, 0, 0, 1, 0],
        ),
        ("open-mhealth/sleep-episode-1.0-valid.json", "open-mhealth", [1, 0, 0, 0, 0, 0]),
        // By the schema the latency lies before the time frame, within which 8.5 h asleep and 30 min awake
        // leave no room.
        ("open-mhealth/sleep-episode-1.1-valid.json", "open-mhealth", [1, 0, 0, 0, 0, 1]),
        ("open-mhealth/total-sleep-time-1.0-valid.json", "open-mhealth", [1, 0, 0, 0, 0, 0]),
        ("fhir/Observation-PCDSleepObservation-stage-example.json", "fhir", [1, 1, 0, 0, 0, 0]),
        ("polysomnography/dreem-dodh-scorer_1-0d79f4b1.json", "hypnogram", [1, 60, 0, 0, 0, 0]),
        ("polysomnography/dreem-dodh-scorer_1-119f9726.json", "hypnogram", [1, 64, 0, 0, 0, 0]),
        ("polysomnography/dreem-dodo-scorer_1-16450f5a.json", "hypnogram", [1, 127, 0, 0, 0, 0]),
        ("polysomnography/yasa-full-6hrs-hypno-30s.txt", "hypnogram", [1, 44, 0, 0, 0, 0]),
        ("dsld/label_10098_partial.json", "dsld", [0, 0, 1, 1, 0, 0]),
        ("dsld/label_1027.json", "dsld", [0, 0, 1, 10, 0, 0]),
        ("dsld/label_11243.json", "dsld", [0, 0, 1, 32, 0, 0]),
        ("dsld/label_213478.json", "dsld", [0, 0, 1, 4, 0, 0]),
        ("dsld/label_223521.json", "dsld", [0, 0, 1, 10, 0, 0]),
        ("dsld/label_317998.json", "dsld", [0, 0, 1, 6, 0, 0]),
        ("dsld/label_63294.json", "dsld", [0, 0, 1, 10, 0, 0]),
    ];
    for (name, format, counts) in expected {
        let (found, items) = read(&folder.join(name)).unwrap();
        assert_eq!((found, count(&items)), (*format, *counts), "{name}");
    }
}

#[test]
fn the_sample_with_a_comment_is_refused_at_the_comment() {
    let Some(folder) = folder() else { return };
    let refused = read(&folder.join("fitbit/fitbitnet-SleepLogList-has-comment.json")).unwrap_err();
    assert!(
        matches!(&refused, ImportRefusal::Damaged { place, .. } if place.starts_with("line 64,")),
        "{refused}"
    );
}

#[test]
fn no_other_sample_is_recognised_as_another_format() {
    let Some(folder) = folder() else { return };
    let known = [
        "apple-health",
        "fitbit",
        "oura",
        "garmin",
        "sleep-as-android",
        "withings",
        "dsld",
        "open-mhealth",
        "fhir",
        "polysomnography",
        "constructed",
        "turn-3",
    ];
    for entry in std::fs::read_dir(&folder).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        if known.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        for file in std::fs::read_dir(entry.path()).unwrap().flatten() {
            let opened = open(&file.path(), None, context("UTC")).map(|file| file.formats()[0]);
            assert!(
                matches!(opened, Err(ImportRefusal::NotThisFormat(_))),
                "{}: {opened:?}",
                file.path().display()
            );
        }
    }
}
