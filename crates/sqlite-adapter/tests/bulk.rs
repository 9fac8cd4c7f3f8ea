//! How fast sessions are stored: `cargo test --release -p sqlite-adapter --test bulk -- --ignored --nocapture`.
#![expect(clippy::unwrap_used, reason = "what cannot be prepared fails the test")]
#![expect(clippy::print_stdout, reason = "a measurement is read")]

use application::import::ImportReport;
use application::ports::storage::{Import, ImportChange, RecordReference, UnitOfWorkFactory as _};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{ImportId, SleepSessionId, UserId};
use domain::import::{FileName, ImportOrigin, ImportState};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSession, SleepSource, Stage, StageEntry,
    TimeInBed,
};
use domain::time::TimeZone;
use domain::user::{Biology, Email, User, UserStatus};
use sqlite_adapter::{SqliteOptions, SqliteStore};
use std::time::{Duration, Instant};
use uuid::Uuid;

const SESSIONS: u32 = 100_000;

/// A night of forty stages.
fn night(number: u32) -> SleepSession {
    let start = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::days(i64::from(number));
    let at = |minutes: i64| start + TimeDelta::minutes(minutes);
    let frame = TimeInBed::new(start, at(480), None, None).unwrap();
    let stages = [Stage::Light, Stage::Deep, Stage::Rem, Stage::Awake];
    let entries = (0..40_i64).zip(stages.into_iter().cycle());
    let entries =
        entries.map(|(index, stage)| StageEntry::new(stage, at(index * 12), at(index * 12 + 12)).unwrap());
    let head = SleepRecordHead {
        key: SessionKey::given(&format!("night-{number}")).unwrap(),
        source: Some(SleepSource::parse("tracker").unwrap()),
        time_in_bed: frame,
        is_nap: None,
    };
    let record = SleepRecord::from_stages(head, Hypnogram::new(entries.collect(), &frame).unwrap()).unwrap();
    // Ids of imports are random.
    let id = u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    SleepSession { id: SleepSessionId::from_uuid(Uuid::from_u128(id)), record, updated_at: start }
}

fn user() -> User {
    User {
        id: UserId::from_uuid(Uuid::from_u128(1)),
        email: Email::parse("person@example.org").unwrap(),
        home_timezone: TimeZone::UTC,
        created_at: DateTime::<Utc>::UNIX_EPOCH,
        status: UserStatus::Active,
        biology: Biology::default(),
    }
}

fn import() -> Import {
    Import {
        id: ImportId::from_uuid(Uuid::from_u128(1)),
        user_id: Some(user().id),
        origin: ImportOrigin::Command,
        file_name: FileName::clean("export.zip"),
        format: None,
        digest: None,
        zone: TimeZone::UTC,
        state: ImportState::Running,
        size: 0,
        bytes_done: 0,
        started_at: DateTime::<Utc>::UNIX_EPOCH,
        ended_at: None,
        report: ImportReport::default(),
        refusal: None,
    }
}

/// Stores all sessions in batches of this size, each in its own unit of work, as an import does.
async fn store(sessions: &[SleepSession], batch: usize) {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    let store = SqliteStore::open(&directory.path().join("restwell.db"), options).await.unwrap();
    store.migrate().await.unwrap();
    let mut unit = store.begin().await.unwrap();
    unit.users().insert(&user()).await.unwrap();
    unit.imports().insert(&import()).await.unwrap();
    unit.commit().await.unwrap();
    let mut spent = [Duration::ZERO; 4];
    for part in sessions.chunks(batch) {
        let records: Vec<SleepRecord> = part.iter().map(|session| session.record.clone()).collect();
        let changes: Vec<ImportChange> = part
            .iter()
            .map(|session| ImportChange { record: RecordReference::Session(session.id), before: None })
            .collect();
        let mut unit = store.begin().await.unwrap();
        let mut moments = [Instant::now(); 5];
        assert!(unit.sleep().find_candidates(user().id, &records).await.unwrap().len() <= 7 * batch);
        moments[1] = Instant::now();
        unit.sleep().insert(user().id, part).await.unwrap();
        moments[2] = Instant::now();
        unit.imports().note(import().id, Some(user().id), &changes).await.unwrap();
        moments[3] = Instant::now();
        unit.commit().await.unwrap();
        moments[4] = Instant::now();
        for (spent, pair) in spent.iter_mut().zip(moments.windows(2)) {
            *spent += pair[1] - pair[0];
        }
    }
    let total: Duration = spent.iter().sum();
    let rate = f64::from(SESSIONS) / total.as_secs_f64();
    println!("batches of {batch}: {rate:.0} sessions a second; look, insert, note, commit took {spent:.2?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn sessions_are_stored_by_the_thousand() {
    let sessions: Vec<SleepSession> = (0..SESSIONS).map(night).collect();
    for batch in [500, 2_000, 10_000] {
        store(&sessions, batch).await;
    }
}
