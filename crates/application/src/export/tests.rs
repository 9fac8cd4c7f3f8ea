mod trace;

use super::{ExportQuery, ExportRecords, ExportRecordsError, Exporter};
use crate::audit::testing::RecordedReads;
use crate::ports::export_writer::{ExportItem, ExportNotWritten, ExportSection, ExportWriter};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{MockProfileReader, MockSleepReader, MockSupplementReader, StorageError};
use crate::ports::system::MockPause;
use crate::record::RecordReaders;
use crate::store::AuditTrail;
use crate::store::Store;
use crate::testing::{clock, entropy, noon, person, profile_reader, user_id};
use chrono::{DateTime, TimeDelta, Utc};
use domain::data_kind::DataKind;
use domain::id::{ClientId, IntakeLogId, SleepSessionId, SupplementId};
use domain::read_tally::{ReadKind, Reader};
use domain::scope::{Scope, ScopeSet};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSession, Stage, StageEntry, TimeInBed,
};
use domain::supplement::{
    CatalogueKey, IntakeLog, IntakeLogRecord, Servings, Supplement, SupplementLabel, SupplementLabelFields,
};
use mockall::TimesRange;
use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

/// Records what it is asked to write; fails after this many records.
struct RecordingWriter {
    sections: &'static [ExportSection],
    kept: Arc<Mutex<Vec<ExportItem>>>,
    bytes: Vec<u8>,
    room: usize,
}

impl ExportWriter for RecordingWriter {
    fn sections(&self) -> &'static [ExportSection] {
        self.sections
    }

    fn begin(&mut self, section: ExportSection) -> Result<(), ExportNotWritten> {
        write!(self.bytes, "{section:?} ").map_err(|error| ExportNotWritten(error.to_string()))
    }

    fn write(&mut self, item: &ExportItem) -> Result<(), ExportNotWritten> {
        let mut kept = self.kept.lock().unwrap();
        if kept.len() == self.room {
            return Err(ExportNotWritten("no room".to_owned()));
        }
        self.bytes.extend_from_slice(b"+ ");
        kept.push(item.clone());
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ExportNotWritten> {
        self.bytes.extend_from_slice(b"end");
        Ok(())
    }

    fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

const SECTIONS: &[ExportSection] =
    &[ExportSection::Profile, ExportSection::Supplements, ExportSection::Sessions, ExportSection::Logs];

fn hours(number: u32) -> DateTime<Utc> {
    noon() + TimeDelta::hours(i64::from(number))
}

fn session(number: u32) -> SleepSession {
    session_of(number, 0)
}

/// A session with this many stages of one second each.
fn session_of(number: u32, stages: u32) -> SleepSession {
    let time_in_bed = TimeInBed::new(hours(number), hours(number + 1), None, None).unwrap();
    let key = SessionKey::derived_from(time_in_bed.start());
    let head = SleepRecordHead { key, source: None, time_in_bed, is_nap: None };
    let second = |count: u32| hours(number) + TimeDelta::seconds(i64::from(count));
    let stages = (0..stages)
        .map(|count| StageEntry::new(Stage::Light, second(count), second(count + 1)).unwrap())
        .collect();
    let record = SleepRecord::from_stages(head, Hypnogram::new(stages, &time_in_bed).unwrap()).unwrap();
    SleepSession {
        id: SleepSessionId::from_uuid(Uuid::from_u128(u128::from(number))),
        record,
        updated_at: noon(),
    }
}

fn supplement_id() -> SupplementId {
    SupplementId::from_uuid(Uuid::from_u128(5))
}

fn supplement() -> (CatalogueKey, Supplement) {
    let fields = SupplementLabelFields { name: "Magnesium".to_owned(), ..SupplementLabelFields::default() };
    let label = SupplementLabel::new(fields).unwrap();
    let key = CatalogueKey::new("dsld".to_owned(), "17".to_owned()).unwrap();
    (key, Supplement::enter(supplement_id(), label, noon()))
}

fn log(number: u32) -> IntakeLog {
    let servings = Servings::new(1.0).unwrap();
    IntakeLogRecord::new(supplement_id(), hours(number), servings, None)
        .unwrap()
        .with_id(IntakeLogId::from_uuid(Uuid::from_u128(u128::from(number))))
}

fn profiles() -> Arc<MockProfileReader> {
    profile_reader(|id| Ok((id == user_id(1)).then(person)))
}

/// Sleep of user 1 that is read this many times, each time after a session or from the start.
fn walking(
    times: impl Into<TimesRange>,
    mut walk: impl FnMut(Option<(i64, SleepSessionId)>, u32) -> Result<Vec<SleepSession>, StorageError>
    + Send
    + 'static,
) -> MockSleepReader {
    let mut sleep = MockSleepReader::new();
    sleep.expect_walk().times(times).returning(move |user, after, limit| {
        assert!(user == user_id(1) && (1..=1000).contains(&limit));
        walk(after, limit)
    });
    sleep
}

/// Supplements of user 1 that are read this many times, and their logs.
fn logged(
    times: impl Into<TimesRange>,
    mut list: impl FnMut() -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> + Send + 'static,
    mut walk: impl FnMut(Option<(DateTime<Utc>, IntakeLogId)>, u32) -> Result<Vec<IntakeLog>, StorageError>
    + Send
    + 'static,
) -> MockSupplementReader {
    let mut supplements = MockSupplementReader::new();
    supplements.expect_list_logged().times(times).returning(move |user| {
        assert_eq!(user, user_id(1));
        list()
    });
    supplements.expect_walk_logs().returning(move |user, after, limit| {
        assert!(user == user_id(1) && (1..=1000).contains(&limit));
        walk(after, limit)
    });
    supplements
}

/// Two batches of sessions, then none; each request must continue after the last session of the previous
/// batch.
fn sleep() -> MockSleepReader {
    let position = |number| (session(number).record.time_in_bed().start_millis(), session(number).id);
    let mut batches = VecDeque::from([
        (None, vec![session(1), session(2)]),
        (Some(position(2)), vec![session(3)]),
        (Some(position(3)), Vec::new()),
    ]);
    walking(3, move |from, _| {
        let (after, batch) = batches.pop_front().unwrap();
        assert_eq!(from, after);
        Ok(batch)
    })
}

/// One supplement and two batches of logs, requested in the same way.
fn supplements() -> MockSupplementReader {
    let mut batches = VecDeque::from([
        (None, vec![log(1), log(2)]),
        (Some((hours(2), log(2).id)), vec![log(3)]),
        (Some((hours(3), log(3).id)), Vec::new()),
    ]);
    logged(
        1,
        || Ok(vec![supplement()]),
        move |from, _| {
            let (after, batch) = batches.pop_front().unwrap();
            assert_eq!(from, after);
            Ok(batch)
        },
    )
}

/// Result of an export: chunks, records, outcome and recorded reads.
struct ExportResult {
    pieces: Vec<String>,
    items: Vec<ExportItem>,
    outcome: Result<(), ExportRecordsError>,
    reads: Vec<(ReadKind, u64)>,
    /// Pauses before retries.
    waited: Vec<Duration>,
}

async fn export(
    (profiles, sleep, supplements): (Arc<MockProfileReader>, MockSleepReader, MockSupplementReader),
    sections: &'static [ExportSection],
    scopes: ScopeSet,
    room: usize,
) -> ExportResult {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let writer = RecordingWriter { sections, kept: kept.clone(), bytes: Vec::new(), room };
    let held = Arc::new(RecordedReads::default());
    let reader = Reader::Client(ClientId::from_uuid(Uuid::from_u128(3)));
    let query = ExportQuery { user_id: user_id(1), scopes, by: Exporter::Reader(reader, held.recorder()) };
    let mut pause = MockPause::new();
    let waited = Arc::new(Mutex::new(Vec::new()));
    let kept_waits = waited.clone();
    pause.expect_pause().returning(move |length| kept_waits.lock().unwrap().push(length));
    let readers = RecordReaders { profiles, sleep: Arc::new(sleep), supplements: Arc::new(supplements) };
    let units = Arc::new(PreparedUnitsOfWork::new([MockUnitOfWork::default()]));
    let store = Store { units, trail: AuditTrail::new(entropy(), clock()) };
    let export = ExportRecords::new(readers, Arc::new(pause), store);
    let mut pieces = Vec::new();
    let outcome = match export.open(query, Box::new(writer)).await {
        Err(error) => Err(error),
        Ok(mut export) => loop {
            match export.next().await {
                // A step that only reads writes nothing.
                Ok(Some(piece)) if piece.is_empty() => {}
                Ok(Some(piece)) => pieces.push(String::from_utf8(piece).unwrap()),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        },
    };
    let items = kept.lock().unwrap().clone();
    let reads = held.all().iter().map(|tally| (tally.key.kind, tally.items)).collect();
    let waited = waited.lock().unwrap().clone();
    ExportResult { pieces, items, outcome, reads, waited }
}

#[tokio::test]
async fn an_export_is_profile_supplements_sessions_and_logs_batch_by_batch() {
    let all = (profiles(), sleep(), supplements());
    let exported = export(all, SECTIONS, ScopeSet::CONSENTABLE, 99).await;
    exported.outcome.unwrap();
    let session = |number| ExportItem::Session(Box::new(session(number)));
    let log = |number| ExportItem::Log(Box::new(log(number)));
    let expected = [
        ExportItem::Profile(Box::new(person())),
        ExportItem::Supplement(Box::new(supplement())),
        session(1),
        session(2),
        session(3),
        log(1),
        log(2),
        log(3),
    ];
    assert_eq!(exported.items, expected);
    let pieces = "Profile |+ |Supplements |+ |Sessions |+ + |+ |Logs |+ + |+ |end";
    assert_eq!(exported.pieces.join("|"), pieces);
    let read = |endpoint, items| (ReadKind::Data(endpoint), items);
    let reads = [read(DataKind::Profile, 1), read(DataKind::Sleep, 3), read(DataKind::Supplements, 1)];
    assert_eq!(exported.reads, reads);
}

#[tokio::test]
async fn data_outside_the_scopes_is_not_read() {
    let nothing = (profiles(), sleep(), MockSupplementReader::new());
    let exported = export(nothing, SECTIONS, [Scope::Sleep].into_iter().collect(), 99).await;
    exported.outcome.unwrap();
    assert_eq!(exported.pieces.concat(), "Sessions + + + end");
    assert_eq!(exported.reads, [(ReadKind::Data(DataKind::Sleep), 3)]);
}

#[tokio::test]
async fn records_of_a_format_with_two_parts_are_read_twice_and_counted_once() {
    let sleep = walking(4, |after, _| Ok(if after.is_none() { vec![session(1)] } else { Vec::new() }));
    let sections = &[ExportSection::Sessions, ExportSection::Stages];
    let all = (profiles(), sleep, MockSupplementReader::new());
    let exported = export(all, sections, ScopeSet::CONSENTABLE, 99).await;
    exported.outcome.unwrap();
    assert_eq!(exported.pieces.concat(), "Sessions + Stages + end");
    assert_eq!(exported.reads, [(ReadKind::Data(DataKind::Sleep), 1)]);
}

/// Sleep with this many sessions and stages, and the largest requested batch.
fn many_nights(sessions: u32, stages: u32) -> (MockSleepReader, Arc<Mutex<u32>>) {
    let most = Arc::new(Mutex::new(0));
    let asked = most.clone();
    let sleep = walking(.., move |after, limit| {
        let mut asked = asked.lock().unwrap();
        *asked = limit.max(*asked);
        let from = after.map_or(1, |(_, id)| u32::try_from(id.as_uuid().as_u128()).unwrap() + 1);
        Ok((from..=sessions).take(limit as usize).map(|number| session_of(number, stages)).collect())
    });
    (sleep, most)
}

#[tokio::test]
async fn the_largest_possible_sessions_take_a_few_megabytes_at_a_time() {
    let (sleep, most) = many_nights(25, 0);
    let all = (profiles(), sleep, MockSupplementReader::new());
    let exported = export(all, &[ExportSection::Sessions], ScopeSet::CONSENTABLE, 99).await;
    assert_eq!(exported.items.len(), 25);
    let most = *most.lock().unwrap() as usize;
    assert!((1..=6_000_000).contains(&(most * Hypnogram::MAX_ENTRIES * size_of::<StageEntry>())), "{most}");
}

#[tokio::test]
async fn large_sessions_are_written_one_per_step_and_small_ones_together() {
    for (stages, step) in [(3_000, 1), (1_000, 2), (500, 4)] {
        let (sleep, _) = many_nights(12, stages);
        let all = (profiles(), sleep, MockSupplementReader::new());
        let exported = export(all, &[ExportSection::Sessions], ScopeSet::CONSENTABLE, 99).await;
        let written: Vec<_> = exported.pieces.iter().map(|piece| piece.matches('+').count()).collect();
        assert_eq!((written.iter().sum(), written.iter().max()), (12, Some(&step)), "{stages}: {written:?}");
    }
}

#[tokio::test]
async fn nothing_is_exported_for_an_unknown_user() {
    let nothing = (profile_reader(|_| Ok(None)), MockSleepReader::new(), MockSupplementReader::new());
    let exported = export(nothing, SECTIONS, ScopeSet::CONSENTABLE, 99).await;
    assert!(matches!(exported.outcome, Err(ExportRecordsError::UnknownUser)));
    assert_eq!((exported.pieces.len(), exported.items.len(), exported.reads.len()), (0, 0, 0));
}

#[tokio::test]
async fn a_record_that_cannot_be_written_ends_the_export_and_its_reads() {
    let sleep = walking(1, |_, _| Ok(vec![session(1), session(2)]));
    let supplements = logged(1, || Ok(Vec::new()), |_, _| unreachable!("there are no logs to read"));
    let exported = export((profiles(), sleep, supplements), SECTIONS, ScopeSet::CONSENTABLE, 2).await;
    assert!(matches!(exported.outcome, Err(ExportRecordsError::NotWritten(_))));
    assert_eq!(exported.items.len(), 2);
    assert_eq!(exported.reads, [(ReadKind::Data(DataKind::Profile), 1)]);
}

#[tokio::test]
async fn a_store_that_fails_half_way_is_reported() {
    let corrupt = || StorageError::Corrupt { table: "sleep_session", column: "source", row: String::new() };
    let sleep = walking(1, move |_, _| Err(corrupt()));
    let supplements = logged(1, || Ok(Vec::new()), |_, _| unreachable!("there are no logs to read"));
    let exported = export((profiles(), sleep, supplements), SECTIONS, ScopeSet::CONSENTABLE, 99).await;
    assert!(matches!(exported.outcome, Err(ExportRecordsError::Storage(StorageError::Corrupt { .. }))));
    assert_eq!(exported.waited, []);
}

/// Fails with a lost connection this many times before each success.
fn losing_connection(times: usize) -> impl FnMut() -> Option<StorageError> + Send {
    let mut asked = 0;
    move || {
        asked += 1;
        let is_lost = asked % (times + 1) != 0;
        is_lost.then_some(if asked % 2 == 0 { StorageError::Retryable } else { StorageError::Unavailable })
    }
}

#[tokio::test]
async fn an_export_that_keeps_losing_the_connection_has_every_record_once_in_order() {
    let mut failure = losing_connection(9);
    let sleep = walking(.., move |after, limit| {
        let from = after.map_or(1, |(_, id)| u32::try_from(id.as_uuid().as_u128()).unwrap() + 1);
        failure().map_or_else(|| Ok((from..=25).take(limit as usize).map(session).collect()), Err)
    });
    let mut failure = losing_connection(2);
    let list = move || failure().map_or_else(|| Ok(vec![supplement()]), Err);
    let mut failure = losing_connection(1);
    let supplements = logged(.., list, move |after, limit| {
        let from = after.map_or(1, |(_, id)| u32::try_from(id.as_uuid().as_u128()).unwrap() + 1);
        failure().map_or_else(|| Ok((from..=450).take(limit as usize).map(log).collect()), Err)
    });
    let all = (profiles(), sleep, supplements);
    let exported = export(all, SECTIONS, ScopeSet::CONSENTABLE, 999).await;
    exported.outcome.unwrap();
    let mut expected =
        vec![ExportItem::Profile(Box::new(person())), ExportItem::Supplement(Box::new(supplement()))];
    expected.extend((1..=25).map(|number| ExportItem::Session(Box::new(session(number)))));
    expected.extend((1..=450).map(|number| ExportItem::Log(Box::new(log(number)))));
    assert_eq!(exported.items, expected);
}

#[tokio::test]
async fn an_export_waits_longer_before_each_retry_and_then_fails_with_advice() {
    let sleep = walking(10, |_, _| Err(StorageError::Unavailable));
    let nothing = (profiles(), sleep, MockSupplementReader::new());
    let exported = export(nothing, SECTIONS, [Scope::Sleep].into_iter().collect(), 99).await;
    let error = exported.outcome.unwrap_err();
    assert!(matches!(error, ExportRecordsError::StoreAway { tries: 10 }));
    assert!(error.to_string().contains("export again once the store is available"), "{error}");
    assert!(exported.waited.is_sorted() && exported.waited[0] < exported.waited[8]);
    let all: Duration = exported.waited.iter().sum();
    assert!((Duration::from_secs(15)..Duration::from_mins(1)).contains(&all), "{all:?}");
}
