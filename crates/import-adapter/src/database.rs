//! SQLite databases of exports.
//!
//! A database is copied to a private file and opened read-only, as untrusted content: no view, trigger,
//! virtual table or generated column is evaluated, and no other file is read.

use crate::input::{Bytes, RECORD_LIMIT};
use crate::source::Items;
use application::ports::import_source::ImportRefusal;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// First bytes of a database.
pub(crate) const MAGIC: &[u8] = b"SQLite format 3\0";
/// Maximum number of tables that are looked at.
const TABLE_LIMIT: usize = 2000;
/// Maximum size in bytes, because the copy takes as much space on disk.
const SIZE_LIMIT: u64 = 2 << 30;
/// Position of the version that is needed to read the file, and the one of a file with a write-ahead log.
const READ_VERSION: u64 = 19;
const LOG_VERSION: [u8; 1] = [2];
/// Memory for pages, in KiB.
const CACHE_KIB: i64 = 2048;

/// A table or view, with its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// Names of the columns that are not generated; empty if this is not an ordinary table.
    columns: Vec<String>,
}

/// Tables and views of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Schema {
    pub(crate) tables: Vec<Table>,
}

impl Schema {
    /// Returns whether there is a table or view with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// Rejects a file without this table and these columns.
    pub(crate) fn require(&self, name: &str, columns: &[&str]) -> Result<(), ImportRefusal> {
        let Some(table) = self.find(name) else {
            return Err(ImportRefusal::HoldsNoSleep(format!("the database has no table {name}")));
        };
        if table.columns.is_empty() {
            return Err(damaged(format!("{name} is not an ordinary table")));
        }
        let is_missing =
            |column: &&&str| !table.columns.iter().any(|known| known.eq_ignore_ascii_case(column));
        match columns.iter().find(is_missing) {
            Some(column) => Err(damaged(format!("the table {name} has no column {column}"))),
            None => Ok(()),
        }
    }

    /// Returns whether a table has a column.
    pub(crate) fn has_column(&self, name: &str, column: &str) -> bool {
        self.find(name)
            .is_some_and(|table| table.columns.iter().any(|known| known.eq_ignore_ascii_case(column)))
    }
}

/// A private copy of a database.
pub(crate) struct Database {
    connection: Connection,
    size: u64,
    /// Whether rows are first written to another file.
    has_log: bool,
}

impl Database {
    /// Copies a database into this folder, or the system's temporary folder, and opens the copy. The copy has
    /// no name any more when this returns.
    pub(crate) fn open(bytes: Bytes, scratch: Option<&Path>) -> Result<Self, ImportRefusal> {
        let folder = scratch.map_or_else(std::env::temp_dir, Path::to_owned);
        let mut copy = tempfile::NamedTempFile::new_in(folder).map_err(unreadable)?;
        let size = copy_within(SIZE_LIMIT, bytes, &mut copy)?;
        copy.flush().map_err(unreadable)?;
        // Immutable: no lock, no journal, no write-ahead log.
        let path = copy.path().to_str().ok_or_else(|| {
            ImportRefusal::Unreadable("the folder for temporary files has no UTF-8 name".to_owned())
        })?;
        let address = format!("file:{}?mode=ro&immutable=1", percent_encoded(path));
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(address, flags).map_err(|error| refusal(&error))?;
        let mut version = [0];
        let is_read = copy.seek(SeekFrom::Start(READ_VERSION)).and_then(|_| copy.read_exact(&mut version));
        let database = Self { connection, size, has_log: is_read.is_ok() && version == LOG_VERSION };
        database.set_limits().map_err(|error| refusal(&error))?;
        Ok(database)
    }

    fn set_limits(&self) -> rusqlite::Result<()> {
        let connection = &self.connection;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(RECORD_LIMIT).unwrap_or(i32::MAX))?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.set_limit(Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 0)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        connection.pragma_update(None, "mmap_size", 0)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)
    }

    /// Notes that records may be in the file of the write-ahead log, for a database without a record.
    pub(crate) fn note_no_record(&self, items: &mut Items) {
        if self.has_log {
            let reason = "the latest rows may be in a file whose name ends in -wal, which is not read; export the \
                database from the app, or close the app and copy the database again";
            items.note("the database", reason);
        }
    }

    /// Returns the size of the file in bytes.
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// Lists the tables and views by name.
    pub(crate) fn schema(&self) -> Result<Schema, ImportRefusal> {
        let mut tables = Vec::new();
        // How SQLite itself understands the schema, whose text a file may spell in many ways.
        let sql = "SELECT name, type = 'table' FROM pragma_table_list WHERE schema = 'main' \
            AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name";
        self.each_row(sql, &mut |row| {
            if tables.len() < TABLE_LIMIT {
                let name = row.text(0).unwrap_or_default().to_owned();
                tables.push((name, row.integer(1) == Some(1)));
            }
            Ok(())
        })?;
        let tables = tables.into_iter().map(|(name, is_table)| {
            let columns = if is_table { self.columns(&name)? } else { Vec::new() };
            Ok(Table { name, columns })
        });
        Ok(Schema { tables: tables.collect::<Result<_, ImportRefusal>>()? })
    }

    /// Lists the columns of a table except those that are generated, which no query may name.
    fn columns(&self, table: &str) -> Result<Vec<String>, ImportRefusal> {
        let mut columns = Vec::new();
        let list = |row: &rusqlite::Row<'_>| {
            if row.get::<_, i64>("hidden")? == 0 {
                columns.push(row.get("name")?);
            }
            Ok(())
        };
        self.connection.pragma(None, "table_xinfo", table, list).map_err(|error| refusal(&error))?;
        Ok(columns)
    }

    /// Calls `read` with each row of a query, until it fails.
    pub(crate) fn each_row(
        &self,
        sql: &str,
        read: &mut dyn FnMut(&Row<'_>) -> Result<(), ImportRefusal>,
    ) -> Result<(), ImportRefusal> {
        let mut statement = self.connection.prepare(sql).map_err(|error| refusal(&error))?;
        let mut rows = statement.query([]).map_err(|error| refusal(&error))?;
        while let Some(row) = rows.next().map_err(|error| refusal(&error))? {
            read(&Row(row))?;
        }
        Ok(())
    }
}

/// A row of a query. SQLite does not enforce the types of columns, so a value of another type is `None`.
pub(crate) struct Row<'a>(&'a rusqlite::Row<'a>);

impl Row<'_> {
    /// Returns the whole number in this column.
    pub(crate) fn integer(&self, column: usize) -> Option<i64> {
        match self.0.get_ref(column) {
            Ok(ValueRef::Integer(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns the text in this column.
    pub(crate) fn text(&self, column: usize) -> Option<&str> {
        match self.0.get_ref(column) {
            Ok(ValueRef::Text(text)) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }

    /// Returns the bytes in this column.
    pub(crate) fn blob(&self, column: usize) -> Option<&[u8]> {
        match self.0.get_ref(column) {
            Ok(ValueRef::Blob(bytes)) => Some(bytes),
            _ => None,
        }
    }
}

/// Copies a database of at most this size; returns its size.
fn copy_within(limit: u64, bytes: Bytes, copy: &mut dyn io::Write) -> Result<u64, ImportRefusal> {
    let size = io::copy(&mut bytes.take(limit.saturating_add(1)), copy).map_err(unreadable)?;
    if size > limit {
        return Err(ImportRefusal::Unreadable(format!("the database is larger than {} MiB", limit >> 20)));
    }
    Ok(size)
}

/// Escapes what has a meaning in the address of a file.
fn percent_encoded(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn unreadable(error: io::Error) -> ImportRefusal {
    ImportRefusal::Unreadable(error.kind().to_string())
}

fn damaged(reason: String) -> ImportRefusal {
    ImportRefusal::Damaged { place: "the database".to_owned(), reason }
}

/// Describes an error of SQLite without its text, which may contain names and values of the file.
fn refusal(error: &rusqlite::Error) -> ImportRefusal {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::OutOfMemory) => {
            ImportRefusal::Unreadable("SQLite cannot read the copy".to_owned())
        }
        Some(ErrorCode::NotADatabase) => {
            damaged("it is not an SQLite database, or it is encrypted".to_owned())
        }
        Some(ErrorCode::TooBig) => {
            damaged(format!("a value is longer than {} MiB", RECORD_LIMIT / (1024 * 1024)))
        }
        _ => damaged("it is not a whole SQLite database".to_owned()),
    }
}

#[cfg(test)]
mod tests;
