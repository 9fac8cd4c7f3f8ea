//! Positions in a text file.

use memchr::{memchr_iter, memrchr};
use std::fmt;

/// Line and column, both from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

impl Position {
    /// Position of the first character.
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// Advances to the start of the next line.
    pub(crate) const fn next_line(&mut self) {
        self.line = self.line.saturating_add(1);
        self.column = 1;
    }

    /// Advances by one byte; continuation bytes of a character do not count.
    pub(crate) const fn advance(&mut self, byte: u8) {
        if byte == b'\n' {
            self.next_line();
        } else if byte & 0b1100_0000 != 0b1000_0000 {
            self.column = self.column.saturating_add(1);
        }
    }

    /// Advances by these bytes.
    pub(crate) fn advance_all(&mut self, bytes: &[u8]) {
        let Some(last) = memrchr(b'\n', bytes) else {
            return self.advance_within_line(bytes);
        };
        let (lines, rest) = bytes.split_at_checked(last.saturating_add(1)).unwrap_or_default();
        self.line = self.line.saturating_add(number(memchr_iter(b'\n', lines).count()));
        self.column = 1;
        self.advance_within_line(rest);
    }

    /// Advances by bytes without a line end among them.
    pub(crate) fn advance_within_line(&mut self, bytes: &[u8]) {
        let characters = bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count();
        self.column = self.column.saturating_add(number(characters));
    }

    /// Converts line and column, from 1, within a text that starts here to a position in the file.
    pub(crate) fn within(self, line: usize, column: usize) -> Self {
        let (line, column) = (number(line.max(1)), number(column.max(1)));
        let first = line == 1;
        Self {
            line: self.line.saturating_add(line).saturating_sub(1),
            column: if first { self.column.saturating_add(column).saturating_sub(1) } else { column },
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
