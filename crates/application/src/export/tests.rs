use super::{ExportItem, ExportRecords, ExportRecordsError, ExportSink, OutputClosed};
use crate::ports::storage::{MockProfileReader, MockSleepReader, MockSupplementReader, StorageError};
use crate::testing::{noon, person, user_id};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::sleep::{Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSession, TimeInBed};
use domain::supplement::{
    CatalogueKey, IntakeLog, IntakeLogRecord, Servings, Supplement, SupplementLabel, SupplementLabelFields,
};
use mockall::Sequence;
use std::sync::Arc;
use uuid::Uuid;

/// Keeps what was written, up to a number of records, then is closed.
struct Sink {
    written: Vec<ExportItem>,
    room: usize,
}

impl Sink {
    fn endless() -> Self {
        Self { written: Vec::new(), room: usize::MAX }
    }
}

impl ExportSink for Sink {
    fn write(&mut self, item: ExportItem) -> Result<(), OutputClosed> {
        if self.written.len() == self.room {
            return Err(OutputClosed);
        }
        self.written.push(item);
        Ok(())
    }
}

fn hours(number: u32) -> DateTime<Utc> {
    noon() + TimeDelta::hours(i64::from(number))
}

fn session(number: u32) -> SleepSession {
    let time_in_bed = TimeInBed::new(hours(number), hours(number + 1), None, None).unwrap();
    let key = SessionKey::derived_from(time_in_bed.start());
    let head = SleepRecordHead { key, source: None, time_in_bed, is_nap: None };
    let record = SleepRecord::from_stages(head, Hypnogram::empty()).unwrap();
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

fn profiles() -> MockProfileReader {
    let mut profiles = MockProfileReader::new();
    profiles.expect_find_profile().times(1).withf(|id| *id == user_id(1)).returning(|_| Ok(Some(person())));
    profiles
}

/// Two batches of sessions, then nothing; each must be asked for after the last session of the one before.
fn sleep() -> MockSleepReader {
    let mut order = Sequence::new();
    let mut sleep = MockSleepReader::new();
    let position = |number| (session(number).record.time_in_bed().start_millis(), session(number).id);
    for (after, batch) in [
        (None, vec![session(1), session(2)]),
        (Some(position(2)), vec![session(3)]),
        (Some(position(3)), Vec::new()),
    ] {
        sleep
            .expect_walk()
            .times(1)
            .in_sequence(&mut order)
            .withf(move |user, from, limit| {
                *user == user_id(1) && *from == after && (1..=1000).contains(limit)
            })
            .return_once(move |_, _, _| Ok(batch));
    }
    sleep
}

/// One supplement, and two batches of logs, then nothing, asked for in the same way.
fn supplements() -> MockSupplementReader {
    let mut order = Sequence::new();
    let mut supplements = MockSupplementReader::new();
    supplements
        .expect_list_taken()
        .times(1)
        .withf(|user| *user == user_id(1))
        .returning(|_| Ok(vec![supplement()]));
    for (after, batch) in [
        (None, vec![log(1), log(2)]),
        (Some((hours(2), log(2).id)), vec![log(3)]),
        (Some((hours(3), log(3).id)), Vec::new()),
    ] {
        supplements
            .expect_walk_logs()
            .times(1)
            .in_sequence(&mut order)
            .withf(move |user, from, limit| {
                *user == user_id(1) && *from == after && (1..=1000).contains(limit)
            })
            .return_once(move |_, _, _| Ok(batch));
    }
    supplements
}

async fn export(
    profiles: MockProfileReader,
    sleep: MockSleepReader,
    supplements: MockSupplementReader,
    sink: &mut Sink,
) -> Result<(), ExportRecordsError> {
    ExportRecords::new(Arc::new(profiles), Arc::new(sleep), Arc::new(supplements)).run(user_id(1), sink).await
}

#[tokio::test]
async fn an_export_is_the_profile_the_supplements_the_sessions_and_the_logs_batch_by_batch() {
    let mut sink = Sink::endless();
    export(profiles(), sleep(), supplements(), &mut sink).await.unwrap();
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
    assert_eq!(sink.written, expected);
}

#[tokio::test]
async fn a_person_without_records_is_still_exported() {
    let mut sleep = MockSleepReader::new();
    sleep.expect_walk().times(1).returning(|_, _, _| Ok(Vec::new()));
    let mut supplements = MockSupplementReader::new();
    supplements.expect_list_taken().times(1).returning(|_| Ok(Vec::new()));
    supplements.expect_walk_logs().times(1).returning(|_, _, _| Ok(Vec::new()));
    let mut sink = Sink::endless();
    export(profiles(), sleep, supplements, &mut sink).await.unwrap();
    assert_eq!(sink.written, [ExportItem::Profile(Box::new(person()))]);
}

#[tokio::test]
async fn nothing_is_written_of_somebody_who_does_not_exist() {
    let mut profiles = MockProfileReader::new();
    profiles.expect_find_profile().times(1).returning(|_| Ok(None));
    let mut sink = Sink::endless();
    let outcome = export(profiles, MockSleepReader::new(), MockSupplementReader::new(), &mut sink).await;
    assert!(matches!(outcome, Err(ExportRecordsError::UnknownUser)));
    assert_eq!(sink.written, []);
}

#[tokio::test]
async fn a_closed_output_ends_the_export_and_no_further_batch_is_read() {
    let mut sleep = MockSleepReader::new();
    sleep.expect_walk().times(1).returning(|_, _, _| Ok(vec![session(1), session(2)]));
    let mut supplements = MockSupplementReader::new();
    supplements.expect_list_taken().times(1).returning(|_| Ok(Vec::new()));
    let mut sink = Sink { written: Vec::new(), room: 2 };
    let outcome = export(profiles(), sleep, supplements, &mut sink).await;
    assert!(matches!(outcome, Err(ExportRecordsError::Closed(OutputClosed))));
    assert_eq!(sink.written.len(), 2);
}

#[tokio::test]
async fn an_output_that_is_closed_at_once_reads_nothing_but_the_profile() {
    let mut sink = Sink { written: Vec::new(), room: 0 };
    let outcome = export(profiles(), MockSleepReader::new(), MockSupplementReader::new(), &mut sink).await;
    assert!(matches!(outcome, Err(ExportRecordsError::Closed(OutputClosed))));
}

#[tokio::test]
async fn a_store_that_fails_half_way_is_told() {
    let mut sleep = MockSleepReader::new();
    sleep.expect_walk().times(1).returning(|_, _, _| Err(StorageError::Unavailable));
    let mut supplements = MockSupplementReader::new();
    supplements.expect_list_taken().times(1).returning(|_| Ok(Vec::new()));
    let outcome = export(profiles(), sleep, supplements, &mut Sink::endless()).await;
    assert!(matches!(outcome, Err(ExportRecordsError::Storage(StorageError::Unavailable))));
}
