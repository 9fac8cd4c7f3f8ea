//! Conversions of cells that several tables share.

use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use std::fmt::Write as _;
use uuid::Uuid;

/// Reader of one row's cells, whose errors name the table and the key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cells<'a> {
    table: &'static str,
    key: &'a [u8],
}

impl<'a> Cells<'a> {
    /// Returns the reader of the row with this key.
    pub(crate) const fn new(table: &'static str, key: &'a [u8]) -> Self {
        Self { table, key }
    }

    /// Returns the error for a value that the program cannot have written.
    pub(crate) fn corrupt(self, column: &'static str) -> StorageError {
        StorageError::Corrupt { table: self.table, column, row: printed(self.key) }
    }

    /// Returns the value, or the error for a corrupt column.
    pub(crate) fn valid<T, E>(self, column: &'static str, value: Result<T, E>) -> Result<T, StorageError> {
        value.map_err(|_| self.corrupt(column))
    }

    /// Returns the value, or the error for a corrupt column.
    pub(crate) fn present<T>(self, column: &'static str, value: Option<T>) -> Result<T, StorageError> {
        value.ok_or_else(|| self.corrupt(column))
    }

    pub(crate) fn uuid(self, column: &'static str, cell: &[u8]) -> Result<Uuid, StorageError> {
        self.valid(column, Uuid::from_slice(cell))
    }

    /// Converts microseconds to an instant.
    pub(crate) fn instant(self, column: &'static str, micros: i64) -> Result<DateTime<Utc>, StorageError> {
        self.present(column, DateTime::from_timestamp_micros(micros))
    }

    /// Converts milliseconds to an instant.
    pub(crate) fn instant_of_millis(
        self,
        column: &'static str,
        millis: i64,
    ) -> Result<DateTime<Utc>, StorageError> {
        self.present(column, DateTime::from_timestamp_millis(millis))
    }

    /// Converts optional microseconds to an instant.
    pub(crate) fn optional_instant(
        self,
        column: &'static str,
        micros: Option<i64>,
    ) -> Result<Option<DateTime<Utc>>, StorageError> {
        micros.map(|micros| self.instant(column, micros)).transpose()
    }
}

/// Returns an id as bytes.
pub(crate) fn blob(id: Uuid) -> Vec<u8> {
    id.as_bytes().to_vec()
}

/// Returns an instant in microseconds.
pub(crate) fn micros(instant: DateTime<Utc>) -> i64 {
    instant.timestamp_micros()
}

/// Formats an id as a UUID, and any other key in hexadecimal.
fn printed(key: &[u8]) -> String {
    match Uuid::from_slice(key) {
        Ok(id) => id.to_string(),
        Err(_) => key.iter().fold(String::new(), |mut text, byte| {
            // Writing to a `String` never fails.
            let _ = write!(text, "{byte:02x}");
            text
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corrupt_cell_names_table_column_and_key() {
        let id = Uuid::from_u128(7);
        let error = Cells::new("account", id.as_bytes()).uuid("id", &[1, 2]).unwrap_err();
        let text = "corrupt value in account.id, row 00000000-0000-0000-0000-000000000007";
        assert_eq!(error.to_string(), text);
        assert_eq!(printed(&[1, 0xab]), "01ab");
    }
}
