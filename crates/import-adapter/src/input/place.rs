//! A place in a text file.

use memchr::{memchr_iter, memrchr};
use std::fmt;

/// A line and a column, both counted from 1; the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

impl Place {
    /// The first character of a file.
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// Moves past one byte; the later bytes of a character do not count.
    pub(crate) const fn pass(&mut self, byte: u8) {
        if byte == b'\n' {
            self.line = self.line.saturating_add(1);
            self.column = 1;
        } else if byte & 0b1100_0000 != 0b1000_0000 {
            self.column = self.column.saturating_add(1);
        }
    }

    /// Moves past bytes.
    pub(crate) fn pass_all(&mut self, bytes: &[u8]) {
        let Some(last) = memrchr(b'\n', bytes) else {
            return self.pass_within_line(bytes);
        };
        let (lines, rest) = bytes.split_at_checked(last.saturating_add(1)).unwrap_or_default();
        self.line = self.line.saturating_add(number(memchr_iter(b'\n', lines).count()));
        self.column = 1;
        self.pass_within_line(rest);
    }

    /// Moves past bytes without an end of a line among them.
    pub(crate) fn pass_within_line(&mut self, bytes: &[u8]) {
        let characters = bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count();
        self.column = self.column.saturating_add(number(characters));
    }

    /// Gives the place in the file of a line and a column, counted from 1, of a text that starts here.
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

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
