//! Generated files of each format, imported into a store: each record of a file is stored, counted among the
//! duplicates or rejected, and the numbers of the report are those of the file and of the store.

use crate::e2e::world::{StoreKind, World};
use application::import::{FileInfo, ImportRecords, ImportRecordsCommand, ImportReport};
use application::store::AuditTrail;
use application::store::Store;
use application::user::{NewUser, Users};
use chrono::DateTime;
use domain::id::UserId;
use domain::import::FileName;
use domain::time::TimeZone;
use domain::user::{Biology, Email};
use import_adapter::test_support::{
    GeneratedFile, GeneratedRecord, RecordForm, RecordKind, SUPPLEMENT, layouts,
};
use import_adapter::{FileContext, Format};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;
use sqlite_adapter::{SqliteOptions, SqliteStore};
use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use system_adapter::{SystemClock, SystemEntropy};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Number of files of each layout: few with many records, because an import takes much longer than a record.
const CASES: u32 = 3;

/// A store into which files are imported, each for another person.
struct TargetStore {
    runtime: Runtime,
    world: World,
    store: Arc<SqliteStore>,
    people: AtomicUsize,
}

/// What became of files that were imported twice.
struct Imported {
    user_id: UserId,
    reports: [ImportReport; 2],
    /// Numbers of records that are in the store after each import.
    stored: [i64; 2],
}

impl TargetStore {
    fn new() -> Self {
        let runtime = Runtime::new().expect("runtime");
        let world = runtime.block_on(World::new(StoreKind::Sqlite));
        let path = world.storage_url.trim_start_matches("sqlite://");
        let store = runtime.block_on(SqliteStore::open(path.as_ref(), SqliteOptions::default()));
        let target =
            Self { runtime, world, store: Arc::new(store.expect("store")), people: AtomicUsize::new(0) };
        let label = json!({"type": "supplement", "id": SUPPLEMENT, "name": "Evening Capsule"});
        target.import_twice(Format::Ndjson, None, &[label.to_string().as_bytes()]);
        target
    }

    /// Returns a number that no other file has in its ids.
    fn first_id(&self) -> usize {
        self.people.load(Ordering::Relaxed) * 1_000
    }

    /// Imports files as one folder twice for a new person, after an earlier file, each time after a dry run.
    fn import_twice(&self, format: Format, earlier: Option<&[u8]>, files: &[&[u8]]) -> Imported {
        let user_id = self.create_person();
        if let Some(bytes) = earlier {
            self.import(user_id, format, &self.world.file_of_bytes("earlier", bytes), false);
        }
        let folder = TempDir::new().expect("folder");
        for (number, bytes) in files.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}")), bytes).expect("file");
        }
        let single = folder.path().join("0");
        let path = if files.len() == 1 { single.as_path() } else { folder.path() };
        let path = path.to_str().expect("a path");
        let before = self.stored();
        let [first, again] = [(), ()].map(|()| {
            let preview = self.import(user_id, format, path, true);
            let report = self.import(user_id, format, path, false);
            // A dry run stores nothing, so records that wait for the end of the file do not see the others.
            if earlier.is_none() {
                assert_eq!(totals(&preview), totals(&report), "{preview:?} {report:?} {files:?}");
            }
            (report, self.stored() - before)
        });
        Imported { user_id, reports: [first.0, again.0], stored: [first.1, again.1] }
    }

    fn service_store(&self) -> Store {
        let trail = AuditTrail::new(Arc::new(SystemEntropy), Arc::new(SystemClock));
        Store { units: self.store.clone(), trail }
    }

    fn create_person(&self) -> UserId {
        let number = self.people.fetch_add(1, Ordering::Relaxed);
        let email = Email::parse(&format!("person{number}@example.org")).expect("address");
        let users = Users { store: self.service_store(), reader: self.store.clone() };
        let new = NewUser { id: None, email, home_timezone: TimeZone::UTC, biology: Biology::default() };
        self.runtime.block_on(users.create(new)).expect("person").id
    }

    fn import(&self, user_id: UserId, format: Format, file: &str, dry_run: bool) -> ImportReport {
        let (zone, user_id) = (TimeZone::UTC, Some(user_id));
        let start = DateTime::parse_from_rfc3339("2026-01-10T22:30:00+01:00").ok();
        let context = FileContext { zone, start, user_id, most_unpacked: u64::MAX, scratch: None };
        let opened = import_adapter::open(file.as_ref(), Some(format), context).expect("file of the format");
        let import = ImportRecords { store: self.service_store(), pause: None };
        let about = FileInfo::File { name: FileName::clean("generated"), zone };
        let command = ImportRecordsCommand { user_id, dry_run, overwrite_profile: false, about };
        let imported = import.run(&command, opened.as_ref(), &|_, _| ControlFlow::Continue(()));
        self.runtime.block_on(imported).expect("an import").report
    }

    fn stored(&self) -> i64 {
        let counts = ["sleep_session", "supplement", "intake_log"]
            .map(|table| format!("(SELECT count(*) FROM {table})"));
        self.runtime.block_on(self.world.number(&format!("SELECT {} AS number", counts.join(" + "))))
    }

    /// Returns the minutes that the stages of a person cover.
    fn staged_minutes(&self, user_id: UserId) -> BTreeSet<i64> {
        let lines = self.world.json_lines(&["export", "--user", &user_id.to_string()]);
        let stages = lines.iter().filter_map(|line| line["raw_sleep"].as_array()).flatten();
        let minute = |text: &serde_json::Value| {
            let at = DateTime::parse_from_rfc3339(text.as_str().expect("time")).expect("time");
            at.timestamp() / 60
        };
        stages.flat_map(|stage| minute(&stage["start"])..minute(&stage["end"])).collect()
    }
}

/// Sums the occurrences of the notes with this text.
fn noted(report: &ImportReport, text: &str) -> u64 {
    report.notes.iter().filter(|note| note.reason.contains(text)).map(|note| note.count).sum()
}

/// Returns the number of records that the reader read once although the file repeats them.
fn read_once(report: &ImportReport) -> u64 {
    let notes = report.notes.iter().filter(|note| note.reason.contains("more than once were read once"));
    notes.filter_map(|note| note.amount).sum()
}

/// Returns the number of sessions that a later record of the file replaced.
fn replaced(report: &ImportReport) -> u64 {
    let several = |number: u64| number * noted(report, &format!("replaced {number} overlapping"));
    noted(report, "replaced an overlapping") + (2..20).map(several).sum::<u64>()
}

fn changed(report: &ImportReport) -> u64 {
    [report.sessions, report.supplements, report.logs].iter().map(|counts| counts.new + counts.updated).sum()
}

fn unchanged(report: &ImportReport) -> u64 {
    [report.sessions, report.supplements, report.logs].iter().map(|counts| counts.unchanged).sum()
}

/// Returns the number of records that a report accounts for.
fn accounted(report: &ImportReport) -> u64 {
    let texts = ["one of them was stored", "not stored: an overlapping session"];
    let repeated: u64 = texts.iter().map(|text| noted(report, text)).sum();
    changed(report) + unchanged(report) + report.rejected_total + repeated + read_once(report)
}

/// Returns the numbers that a dry run reports in advance.
fn totals(report: &ImportReport) -> (u64, u64, u64, u64) {
    (changed(report), unchanged(report), report.rejected_total, accounted(report))
}

/// Compares the reports with the number of the files' records, and checks that the second import changes
/// nothing.
fn check_numbers(imported: &Imported, count: usize) -> Result<(), TestCaseError> {
    let Imported { reports: [first, again], stored, .. } = imported;
    let count = u64::try_from(count).expect("a count");
    prop_assert_eq!(accounted(first), count, "{:?}", first);
    prop_assert_eq!(accounted(again), count, "again: {:?}", again);
    prop_assert_eq!(changed(again), 0, "again: {:?}", again);
    prop_assert_eq!(stored[0], stored[1], "again: {:?}", again);
    Ok(())
}

/// Records of which some touch, repeat or overlap others, share an id or are invalid.
fn records() -> impl Strategy<Value = Vec<GeneratedRecord>> {
    let form = prop_oneof![
        8 => Just(RecordForm::Plain),
        2 => Just(RecordForm::SharedId),
        2 => Just(RecordForm::Repeated),
        1 => Just(RecordForm::Unreadable),
        1 => Just(RecordForm::Blank),
    ];
    let gap = prop_oneof![Just(0), -60_i64..60, 61_i64..500];
    let length = prop_oneof![1 => -30_i64..=0, 3 => 1_i64..90, 3 => 90_i64..500];
    prop::collection::vec((gap, length, form), 1..40).prop_map(|drawn| {
        let mut end = 0;
        let place = |(gap, length, form): (i64, i64, RecordForm)| {
            let start = end + gap;
            end = start + length.max(0);
            GeneratedRecord { start, length, form }
        };
        drawn.into_iter().map(place).collect()
    })
}

/// Returns whether a file is empty, because none of its records has a text.
fn is_blank(file: &GeneratedFile) -> bool {
    file.text.trim().is_empty()
}

/// Checks drawn values; fails with the smallest that does not pass.
fn for_each<S: Strategy>(strategy: &S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config =
        Config { cases: CASES, failure_persistence: None, max_shrink_iters: 300, ..Config::default() };
    if let Err(failure) = TestRunner::new(config).run(strategy, check) {
        panic!("{failure}");
    }
}

#[test]
fn each_session_of_a_file_is_stored_counted_or_rejected() {
    let target = TargetStore::new();
    for (format, layout) in layouts(RecordKind::Whole) {
        for_each(&records(), |records| {
            let file = layout.file(target.first_id(), &records);
            prop_assume!(!is_blank(&file));
            let imported = target.import_twice(format, None, &[&file.bytes()]);
            let first = &imported.reports[0];
            let added = u64::try_from(imported.stored[0]).ok();
            prop_assert_eq!(added, Some(changed(first) - replaced(first)), "{:?}\n{}", first, file.text);
            check_numbers(&imported, file.count)
                .map_err(|error| TestCaseError::fail(format!("{error}\n{}", file.text)))
        });
    }
}

#[test]
fn each_session_of_a_file_is_accounted_for_after_an_earlier_import() {
    let target = TargetStore::new();
    for (format, layout) in layouts(RecordKind::Whole) {
        for_each(&(records(), records()), |(earlier, records)| {
            let first_id = target.first_id();
            let [earlier, file] = [&earlier, &records].map(|records| layout.file(first_id, records));
            prop_assume!(!is_blank(&earlier) && !is_blank(&file));
            let imported = target.import_twice(format, Some(&earlier.bytes()), &[&file.bytes()]);
            check_numbers(&imported, file.count)
                .map_err(|error| TestCaseError::fail(format!("{error}\n{}\n{}", earlier.text, file.text)))
        });
    }
}

/// A later export repeats the last record of an earlier one.
#[test]
fn each_session_of_a_folder_of_two_exports_is_stored_counted_or_rejected() {
    let target = TargetStore::new();
    for (format, layout) in layouts(RecordKind::Whole) {
        for_each(&(records(), any::<prop::sample::Index>()), |(records, split)| {
            let (last, first_id) = (split.index(records.len()), target.first_id());
            let has_own_id =
                |record: &&GeneratedRecord| !matches!(record.form, RecordForm::SharedId | RecordForm::Blank);
            let next_id = first_id + records[..last].iter().filter(has_own_id).count();
            let files = [layout.file(first_id, &records[..=last]), layout.file(next_id, &records[last..])];
            prop_assume!(!files.iter().any(is_blank));
            let texts = files.each_ref().map(|file| file.text.as_str());
            let bytes = files.each_ref().map(GeneratedFile::bytes);
            let imported = target.import_twice(format, None, &bytes.each_ref().map(Vec::as_slice));
            check_numbers(&imported, files.iter().map(|file| file.count).sum())
                .map_err(|error| TestCaseError::fail(format!("{error}\n{texts:?}")))
        });
    }
}

#[test]
fn each_sample_of_a_file_is_part_of_a_night_counted_or_rejected() {
    let target = TargetStore::new();
    for (format, layout) in layouts(RecordKind::Sample) {
        for_each(&records(), |records| {
            let file = layout.file(target.first_id(), &records);
            let Imported { user_id, reports: [first, again], stored } =
                target.import_twice(format, None, &[&file.bytes()]);
            let valid: BTreeSet<_> = records
                .iter()
                .filter(|record| record.is_valid())
                .map(|record| (record.start, record.length))
                .collect();
            let minutes = valid.iter().flat_map(|(start, length)| *start..start + length);
            let expected: BTreeSet<i64> = minutes.map(|minute| 1_768_086_000 / 60 + minute).collect();
            prop_assert_eq!(target.staged_minutes(user_id), expected, "{}", file.text);
            let accounted =
                valid.len() + usize::try_from(read_once(&first) + first.rejected_total).expect("a count");
            prop_assert_eq!(accounted, file.count, "{:?}\n{}", first, file.text);
            let sessions = u64::try_from(stored[0]).expect("a count");
            prop_assert_eq!((first.sessions.new, changed(&first)), (sessions, sessions));
            prop_assert_eq!(
                (unchanged(&again), changed(&again)),
                (sessions, 0),
                "{:?}\n{}",
                again,
                file.text
            );
            prop_assert_eq!(
                (read_once(&again), again.rejected_total),
                (read_once(&first), first.rejected_total)
            );
            Ok(())
        });
    }
}

#[test]
fn a_hypnogram_is_one_night_or_one_rejection() {
    let target = TargetStore::new();
    let epochs = prop::collection::vec(prop_oneof![20 => -1_i64..=4, 1 => Just(7)], 1..60);
    for_each(&epochs, |epochs| {
        let text = epochs.iter().map(i64::to_string).collect::<Vec<_>>().join("\n");
        check_numbers(&target.import_twice(Format::Hypnogram, None, &[text.as_bytes()]), 1)
    });
}

#[test]
fn every_format_has_generated_files() {
    let missing = Format::ALL.into_iter().filter(|format| format.fixtures().layouts.is_empty());
    assert_eq!(missing.collect::<Vec<_>>(), [Format::Hypnogram]);
}
