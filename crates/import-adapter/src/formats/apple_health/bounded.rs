//! Input with a limit on each piece of XML.

use crate::input::Bytes;
use std::io::{self, BufRead, ErrorKind, Read};

const CHUNK: usize = 64 * 1024;
/// Maximum size in bytes of a tag, comment, text or document type, which the parser holds as a whole. Tags of
/// an export have a few hundred.
pub(super) const PIECE_LIMIT: usize = 1024 * 1024;

/// Why input ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    /// A piece is longer than [`PIECE_LIMIT`].
    TooLong,
    /// The file cannot be read.
    Unreadable(ErrorKind),
}

/// Reads chunks, counts lines, and stops within a piece that is too long.
pub(super) struct Bounded {
    bytes: Bytes,
    chunk: Box<[u8]>,
    next: usize,
    filled: usize,
    /// Remaining bytes of the current piece.
    left: usize,
    line: u64,
    /// Last byte of the pieces before.
    last: u8,
    total: u64,
    is_at_end: bool,
    stop: Option<StopReason>,
}

impl Bounded {
    pub(super) fn new(bytes: Bytes) -> Self {
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Self {
            bytes,
            chunk,
            next: 0,
            filled: 0,
            left: PIECE_LIMIT,
            line: 1,
            last: b'\n',
            total: 0,
            is_at_end: false,
            stop: None,
        }
    }

    /// Starts the next piece.
    pub(super) const fn begin_piece(&mut self) {
        self.left = PIECE_LIMIT;
    }

    /// Returns the line of the next byte, from 1.
    pub(super) const fn line(&self) -> u64 {
        self.line
    }

    /// Returns the number of bytes read from the file.
    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    /// Returns whether the file ended.
    pub(super) const fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Returns why input ended early.
    pub(super) const fn stop(&self) -> Option<StopReason> {
        self.stop
    }

    fn fill(&mut self) -> io::Result<()> {
        (self.next, self.filled) = (0, 0);
        loop {
            match self.bytes.read(&mut self.chunk) {
                Ok(count) => {
                    self.filled = count;
                    self.total = self.total.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
                    self.is_at_end = count == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.stop = Some(StopReason::Unreadable(error.kind()));
                    return Err(error);
                }
            }
        }
    }

    fn unread(&self) -> &[u8] {
        self.chunk.get(self.next..self.filled).unwrap_or_default()
    }
}

impl BufRead for Bounded {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            self.stop = Some(StopReason::TooLong);
            return Err(io::Error::other("a piece is too long"));
        }
        if self.next >= self.filled {
            self.fill()?;
        }
        Ok(self.unread())
    }

    fn consume(&mut self, count: usize) {
        let taken = self.unread().get(..count).unwrap_or_else(|| self.unread());
        let (count, lines) = (taken.len(), line_ends(taken, self.last));
        self.last = taken.last().copied().unwrap_or(self.last);
        self.line = self.line.saturating_add(u64::try_from(lines).unwrap_or(u64::MAX));
        self.next = self.next.saturating_add(count);
        self.left = self.left.saturating_sub(count);
    }
}

impl Read for Bounded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let held = self.fill_buf()?;
        let count = held.len().min(out.len());
        if let (Some(from), Some(to)) = (held.get(..count), out.get_mut(..count)) {
            to.copy_from_slice(from);
        }
        self.consume(count);
        Ok(count)
    }
}

/// Counts the line ends, each LF, CR or both, in bytes that follow this one.
fn line_ends(bytes: &[u8], before: u8) -> usize {
    let follows_cr = |at: usize| {
        let index = at.checked_sub(1);
        index.map_or(before == b'\r', |index| bytes.get(index) == Some(&b'\r'))
    };
    let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
    ends.filter(|at| bytes.get(*at) == Some(&b'\r') || !follows_cr(*at)).count()
}
