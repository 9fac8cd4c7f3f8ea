//! Contents of a store as searchable bytes.

use crate::e2e::program::program;
use crate::e2e::world::{StoreKind, World};
use std::collections::HashSet;
use std::process::Command;

/// Copy of everything in the store: on SQLite the files, on `PostgreSQL` a dump.
pub(super) struct Dump {
    bytes: Vec<u8>,
    /// The same as text, for fast searches; ASCII is unchanged.
    text: String,
}

impl Dump {
    /// Reads the store, including its write-ahead log.
    pub(super) fn new(world: &World) -> Self {
        let bytes = match world.kind {
            StoreKind::Sqlite => files_of(world),
            StoreKind::Postgres => dump_of(&world.storage_url),
        };
        let dump = Self { text: String::from_utf8_lossy(&bytes).into_owned(), bytes };
        // A known name is found, so a missing one is really absent.
        assert!(dump.holds("schema_compatibility"), "the dump is empty");
        dump
    }

    /// Reads every column of every table, without deleted bytes in free pages of the files.
    pub(super) async fn live(world: &World) -> Self {
        if world.kind == StoreKind::Postgres {
            return Self::new(world);
        }
        let copy = world.dir.path().join("live.db");
        world.execute(&format!("VACUUM INTO '{}'", copy.display())).await;
        let bytes = std::fs::read(&copy).expect("copy");
        std::fs::remove_file(&copy).expect("copy");
        let dump = Self { text: String::from_utf8_lossy(&bytes).into_owned(), bytes };
        assert!(dump.holds("schema_compatibility"), "the copy is empty");
        dump
    }

    /// Returns whether the store contains an id, as text or as bytes.
    pub(super) fn holds_id(&self, id: &str) -> bool {
        let id: uuid::Uuid = id.parse().expect("an id");
        let texts = [id.hyphenated().to_string(), id.simple().to_string()];
        self.bytes.windows(16).any(|window| window == id.as_bytes())
            || texts.iter().any(|text| self.holds(text) || self.holds(&text.to_uppercase()))
    }

    /// Returns whether the store contains an ASCII text, literally or in hexadecimal.
    pub(super) fn holds(&self, text: &str) -> bool {
        let hexadecimal = text.bytes().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        self.text.contains(text) || self.text.contains(&hexadecimal)
    }

    /// Returns the copy as text; ASCII is unchanged.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Collects everything in the store that could be a key of 32 random bytes.
    pub(super) fn possible_keys(&self) -> HashSet<Vec<u8>> {
        let is_hexadecimal = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        let runs = self.bytes.split(|byte| !is_hexadecimal(byte)).filter(|run| run.len() >= 64);
        let decoded = runs.map(|run| run.chunks_exact(2).filter_map(byte_of).collect::<Vec<u8>>());
        let mut keys: HashSet<_> = self.bytes.windows(32).filter(looks_random).map(<[u8]>::to_vec).collect();
        for bytes in decoded {
            keys.extend(bytes.windows(32).filter(looks_random).map(<[u8]>::to_vec));
        }
        keys
    }
}

fn byte_of(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// 32 random bytes have 30 values on average, and fewer than 20 practically never.
fn looks_random(window: &&[u8]) -> bool {
    let values: HashSet<_> = window.iter().collect();
    values.len() >= 20 && !window.is_ascii()
}

fn files_of(world: &World) -> Vec<u8> {
    let files = ["restwell.db", "restwell.db-wal", "restwell.db-shm"].map(|name| world.dir.path().join(name));
    // Closing a file opened by this process would release the locks of an embedded server on it.
    let output = Command::new("cat").args(files.iter().filter(|file| file.exists())).output().expect("cat");
    assert!(output.status.success(), "cat: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn dump_of(url: &str) -> Vec<u8> {
    let output = Command::new(program("pg_dump")).arg(format!("--dbname={url}")).output().expect("pg_dump");
    assert!(output.status.success(), "pg_dump: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
