//! Finds the end of JSON values.

use super::DEPTH_LIMIT;
use memchr::memchr2;

/// Finds the end of a list, an object or a text, piece by piece, without validating its inside.
#[derive(Debug, Default)]
pub(super) struct Extent {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

/// How much of a piece belongs to the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it; the value continues.
    All,
    /// This many bytes; the last one ends the value.
    Rest(usize),
    /// This many bytes, after which nesting exceeds [`DEPTH_LIMIT`].
    TooDeep(usize),
}

impl Extent {
    /// Continues with the next bytes; the first byte of all opens the value.
    pub(super) fn part(&mut self, bytes: &[u8]) -> Part {
        let mut passed = 0_usize;
        while let Some((skipped, byte)) = self.next(bytes.get(passed..).unwrap_or_default()) {
            let at = passed.saturating_add(skipped);
            passed = at.saturating_add(1);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = !self.in_text,
                b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                _ => self.depth = self.depth.saturating_sub(1),
            }
            if self.depth > DEPTH_LIMIT {
                return Part::TooDeep(at);
            }
            if self.depth == 0 && !self.in_text {
                return Part::Rest(passed);
            }
        }
        Part::All
    }

    /// Finds the next structural byte, and the number of bytes before it.
    fn next(&self, bytes: &[u8]) -> Option<(usize, u8)> {
        let skipped = if self.escaped {
            0
        } else if self.in_text {
            memchr2(b'"', b'\\', bytes)?
        } else {
            bytes.iter().position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'))?
        };
        Some((skipped, *bytes.get(skipped)?))
    }
}
