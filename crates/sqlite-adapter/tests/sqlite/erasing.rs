//! Contents of a store's files after a person is erased.

use application::ports::storage::{Erasure, ProfileReader as _, StoreUpkeep as _, UnitOfWorkFactory as _};
use chrono::{DateTime, Utc};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use domain::id::{ErasureId, UserId};
use sqlite_adapter::{SqliteOptions, SqliteStore};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use uuid::Uuid;

const PEOPLE: u128 = 8;
/// Number of sessions of all people together.
const NIGHTS: u128 = 2_000;

struct World {
    directory: TempDir,
    path: PathBuf,
    store: SqliteStore,
}

async fn open(path: &Path) -> SqliteStore {
    let options = SqliteOptions { readers: 2, busy_timeout: Duration::from_millis(400), create: true };
    SqliteStore::open(path, options).await.unwrap()
}

impl World {
    /// Creates a store with people whose sessions were added in turns, so that pages were split many times.
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("it's restwell.db");
        let store = open(&path).await;
        store.migrate().await.unwrap();
        connection(&path).batch_execute(&statements()).unwrap();
        Self { directory, path, store }
    }

    async fn erase(&self, store: &SqliteStore, person: u128) {
        let mut unit = store.begin().await.unwrap();
        let erasure =
            Erasure { id: ErasureId::from_uuid(Uuid::from_u128(person)), at: DateTime::<Utc>::UNIX_EPOCH };
        assert!(unit.erasures().erase(id(person), erasure).await.unwrap());
        unit.commit().await.unwrap();
    }

    /// Counts the readable traces of a person in the files: the address, and identifiers of sessions and
    /// their sources.
    fn readable(&self, person: u128) -> usize {
        let files = std::fs::read_dir(self.directory.path()).unwrap();
        let marks = [format!("<{person:02}>").into_bytes(), id(person).as_uuid().as_bytes().to_vec()];
        files
            .map(|file| {
                let bytes = std::fs::read(file.unwrap().path()).unwrap();
                let count =
                    |mark: &Vec<u8>| bytes.windows(mark.len()).filter(|window| window == mark).count();
                marks.iter().map(count).sum::<usize>()
            })
            .sum()
    }

    fn log_length(&self) -> u64 {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        std::fs::metadata(log).map_or(0, |log| log.len())
    }
}

fn connection(path: &Path) -> SqliteConnection {
    let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    connection.batch_execute("PRAGMA busy_timeout = 5000; PRAGMA secure_delete = ON").unwrap();
    connection
}

/// Spreads ids as random ones are.
fn id(person: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(person.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)))
}

fn statements() -> String {
    let mut sql = "BEGIN;".to_owned();
    let hex = |id: UserId| id.as_uuid().simple().to_string();
    for person in 1..=PEOPLE {
        writeln!(
            sql,
            "INSERT INTO account (id, email, email_normalised, home_timezone, created_at)
             VALUES (x'{}', '<{person:02}>@example.org', '<{person:02}>@example.org', 'UTC', 0);",
            hex(id(person))
        )
        .unwrap();
    }
    for night in 1..=NIGHTS {
        // Scattered over people, days and lengths, like data of several devices.
        let scattered = night * 7_919 % NIGHTS;
        let person = scattered % PEOPLE + 1;
        let filling = "f".repeat(usize::try_from(scattered % 97).unwrap() * 2);
        writeln!(
            sql,
            "INSERT INTO sleep_session (user_id, started_at, id, ended_at, source, key_kind, natural_key, updated_at,
             stages, metrics) VALUES (x'{}', {scattered}, x'{night:032x}', {scattered}, '<{person:02}> ring', 'given',
             '<{person:02}>-{night}', 0, x'{filling}', x'');",
            hex(id(person))
        )
        .unwrap();
    }
    sql + "COMMIT;"
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_erasure_no_file_of_the_store_holds_a_value_of_the_person() {
    let world = World::new().await;
    assert!(world.readable(3) > 0 && world.readable(5) > 0);
    // Idle readers of this process and of another one.
    let other = open(&world.path).await;
    for store in [&world.store, &other] {
        assert!(store.find_profile(id(3)).await.unwrap().is_some());
    }
    world.erase(&world.store, 3).await;
    assert_eq!(world.readable(3), 0);
    // Other people's data is complete.
    let nights: i64 = diesel::sql_query("SELECT count(*) AS number FROM sleep_session")
        .get_result::<Count>(&mut connection(&world.path))
        .unwrap()
        .number;
    assert_eq!(u128::try_from(nights).unwrap(), NIGHTS - NIGHTS / PEOPLE);
    assert_eq!(other.find_profile(id(3)).await.unwrap(), None);
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    number: i64,
}

#[tokio::test(flavor = "multi_thread")]
async fn data_already_moved_from_the_log_into_the_file_is_erased_too() {
    let world = World::new().await;
    assert!(world.store.empty_log().await.unwrap());
    assert_eq!(world.log_length(), 0);
    for person in 1..PEOPLE {
        world.erase(&world.store, person).await;
        assert_eq!(world.readable(person), 0, "person {person}");
    }
    assert!(world.readable(PEOPLE) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_erases_from_all_files_while_a_server_has_them_open() {
    let world = World::new().await;
    let command = open(&world.path).await;
    world.erase(&command, 3).await;
    drop(command);
    assert_eq!(world.readable(3), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_delayed_by_a_reader_is_finished_after_the_read() {
    let world = World::new().await;
    let mut reader = connection(&world.path);
    reader.batch_execute("BEGIN; SELECT count(*) FROM account").unwrap();
    world.erase(&world.store, 3).await;
    assert!(world.readable(3) > 0, "the reader holds nothing up");
    assert!(!world.store.finish_erasures().await.unwrap());
    let length = world.log_length();
    assert!(!world.store.finish_erasures().await.unwrap());
    assert_eq!(world.log_length(), length, "an attempt in vain makes the log grow");
    reader.batch_execute("COMMIT").unwrap();
    // Any process can do it, including one that was started after the erasure.
    assert!(open(&world.path).await.finish_erasures().await.unwrap());
    assert_eq!(world.readable(3), 0);
    assert!(world.store.finish_erasures().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rolled_back_erasure_requests_no_scrub() {
    let world = World::new().await;
    let mut unit = world.store.begin().await.unwrap();
    let erasure = Erasure { id: ErasureId::from_uuid(Uuid::nil()), at: DateTime::<Utc>::UNIX_EPOCH };
    assert!(unit.erasures().erase(id(3), erasure).await.unwrap());
    unit.rollback().await.unwrap();
    let length = world.log_length();
    assert!(world.store.finish_erasures().await.unwrap());
    assert_eq!(world.log_length(), length);
    assert!(world.store.find_profile(id(3)).await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_held_by_a_reader_is_emptied_after_the_read() {
    let world = World::new().await;
    let mut reader = connection(&world.path);
    reader.batch_execute("BEGIN; SELECT count(*) FROM account").unwrap();
    assert!(!world.store.empty_log().await.unwrap());
    assert!(world.log_length() > 0);
    reader.batch_execute("COMMIT").unwrap();
    assert!(world.store.empty_log().await.unwrap());
    assert_eq!(world.log_length(), 0);
}
