//! The only encoding in which stages and metrics are stored. Adapters store its bytes, and pages of sessions
//! are rendered from them.
//!
//! All values below are bytes, in the order in which they are described; `/` and `%` are the integer quotient
//! and remainder. A *varint* is an unsigned LEB128 number: groups of seven bits, lowest group first, 128
//! added to every byte but the last; one to nine bytes, so below 2^63, and as short as possible (the last of
//! several bytes is not 0).
//!
//! # Stages, version 1
//!
//! Without stages there are no bytes. Otherwise there is one header byte, `16 + unit`, where unit 1 is 1
//! millisecond, unit 2 is 1,000 and unit 3 is 30,000 milliseconds (the writer uses the largest unit in which
//! every length is an integer), followed by one or more entries in time order up to the last byte. An entry
//! consists of
//!
//! 1. a tag byte, `code * 2 + gap`: code 1 AWAKE, 2 LIGHT, 3 DEEP, 4 REM, 5 ASLEEP, 6 UNKNOWN; gap 0 or 1;
//! 2. when gap is 1, a varint of at least 1: the number of units between the end of the previous entry (for
//!    the first entry, the session's start) and the start of this one; when gap is 0, it starts right there;
//! 3. a varint of at least 1: the number of units from this entry's start to its end.
//!
//! The session's start itself is not encoded, and need not be a whole number of units. No entry ends after
//! the session. Example: a session from 22:00:00, AWAKE until 22:10:00, nothing until 22:11:00, LIGHT until
//! 24:00:00 is `13 02 14 05 02 DA 01` in hexadecimal: unit 3; tag 1 * 2, 20 units; tag 2 * 2 + 1, gap of 2
//! units, 218 units.
//!
//! # Metrics, version 1
//!
//! One header byte, 16, followed by the entries up to the last byte, in strictly ascending order of their
//! codes. An entry consists of
//!
//! 1. a tag byte, `code * 8 + scale`: the code is that of [`MetricKind`], 1 `timeNightInBed` to 19
//!    `wakeupsOver15Minutes` in the order of the API; the scale is 0 to 4, or 7;
//! 2. scale 0 to 4: a varint `z`, the mantissa in zigzag form; the mantissa is `z / 2` when `z` is even, else
//!    `-(z + 1) / 2`; the value is the mantissa divided by 10^scale, in lowest terms (a mantissa with a scale
//!    other than 0 does not end in the digit 0) and shorter than sixteen digits;
//! 3. scale 7: eight bytes, the value as an IEEE 754 binary64 number, most significant byte first, for values
//!    that no such decimal represents. Where `bits` is the eight bytes as one integer,
//!    `exponent = bits / 2^52 % 2048` and `fraction = bits % 2^52`:
//!    `(1 + fraction / 2^52) * 2^(exponent - 1023)` when the exponent is not 0, else
//!    `fraction / 2^52 * 2^-1022`, computed in binary64; negative when `bits / 2^63` is 1; exponent 2047 does
//!    not occur.
//!
//! `timeNightInBed` is always present. Example: 28,800 seconds in bed, 93.75 percent efficiency is
//! `10 08 80 C2 03 8A BE 92 01` in hexadecimal.
//!
//! # Versions
//!
//! The header divided by 16 is the version. Readers reject unknown versions, and every byte that the rules
//! above do not allow. Stored bytes stay readable: a change of the format is a new version in addition to the
//! old one.

mod metrics;
mod stages;
mod varint;

pub use metrics::{MetricWalk, check_metrics, decode_metrics, encode_metrics};
pub use stages::{StageWalk, check_stages, decode_stages, encode_stages};

#[cfg(doc)]
use super::MetricKind;

/// Version that is written.
const VERSION: u8 = 1;

/// Why bytes are not valid packed stages or metrics; never repeats any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPacked {
    /// Unknown version or unit in the header.
    #[error("unknown version or unit")]
    UnknownHeader,
    /// The bytes end within an entry or before the first one.
    #[error("unexpected end of data")]
    Truncated,
    /// A varint is longer than necessary, or not below 2^63.
    #[error("ill-formed number")]
    IllFormedNumber,
    /// Unknown stage, metric or scale in a tag.
    #[error("unknown tag")]
    UnknownTag,
    /// A gap or a length is 0.
    #[error("empty stretch")]
    EmptyStretch,
    /// An entry ends after the session, or overflows.
    #[error("a stage lies outside the time in bed")]
    OutsideTimeInBed,
    /// There are more entries than a session may have.
    #[error("too many entries")]
    TooMany,
    /// Metrics are out of order or occur twice.
    #[error("metrics out of order")]
    OutOfOrder,
    /// A value is not in its canonical form, or not in the metric's range.
    #[error("impossible value")]
    ImpossibleValue,
    /// `timeNightInBed` is absent, or not the length of the session.
    #[error("the metrics belong to a different time in bed")]
    MetricsOfAnotherNight,
}

#[cfg(test)]
mod tests;
