//! Unsigned LEB128 numbers below 2^63, and the zigzag form of signed ones.

use super::InvalidPacked;

/// Appends a number. Callers never pass one of more than 63 bits, which would be rejected on reading.
pub(super) fn write(number: u64, out: &mut Vec<u8>) {
    let mut rest = number;
    while rest >= 0x80 {
        out.push(low_byte(rest) | 0x80);
        rest >>= 7;
    }
    out.push(low_byte(rest));
}

/// Reads a number and returns the remaining bytes.
#[inline]
pub(super) fn read(bytes: &[u8]) -> Result<(i64, &[u8]), InvalidPacked> {
    match bytes {
        [only @ ..0x80, rest @ ..] => Ok((i64::from(*only), rest)),
        [low, high @ 1..0x80, rest @ ..] => Ok((i64::from(low & 0x7f) | (i64::from(*high) << 7), rest)),
        [low, middle, high @ 1..0x80, rest @ ..] if *middle >= 0x80 => {
            Ok((i64::from(low & 0x7f) | (i64::from(middle & 0x7f) << 7) | (i64::from(*high) << 14), rest))
        }
        _ => read_long(bytes),
    }
}

/// Reads a number of any length.
fn read_long(bytes: &[u8]) -> Result<(i64, &[u8]), InvalidPacked> {
    let mut number = 0_i64;
    let mut rest = bytes;
    for shift in (0..63).step_by(7) {
        let (&byte, after) = rest.split_first().ok_or(InvalidPacked::Truncated)?;
        rest = after;
        number |= i64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            let overlong = byte == 0 && shift > 0;
            return if overlong { Err(InvalidPacked::IllFormedNumber) } else { Ok((number, rest)) };
        }
    }
    Err(InvalidPacked::IllFormedNumber)
}

/// Maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
pub(super) const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// Reverses [`zigzag`] for the result of [`read`], which is never negative.
pub(super) const fn unzigzag(number: i64) -> i64 {
    (number >> 1) ^ -(number & 1)
}

/// Returns the lowest seven bits.
const fn low_byte(number: u64) -> u8 {
    number.to_le_bytes()[0] & 0x7f
}
