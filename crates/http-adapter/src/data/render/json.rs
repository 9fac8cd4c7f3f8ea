//! Helpers that append JSON.
//!
//! A page consists of about ten thousand pieces of a dozen bytes. Appending one of unknown length is a
//! function call. Each [`Piece`] is in an array of the maximum length, whose size the compiler knows: it is
//! copied as a whole in a few instructions, and the excess is truncated.

use domain::sleep::MetricValue;
use serde::Serialize;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

/// Appends the output of `serde_json`, which fails only for maps with non-string keys and for failing
/// writers.
pub(super) fn write(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, value);
}

/// Appends a UUID in its 36-character form, in quotes.
pub(super) fn write_uuid(id: Uuid, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(id.as_hyphenated().encode_lower(&mut [0; 36]).as_bytes());
    out.push(b'"');
}

/// Overwrites `place` with a UUID in its 36-character form.
pub(super) fn put_uuid(id: Uuid, place: Option<&mut [u8]>) {
    if let Some(place) = place.filter(|place| place.len() == Hyphenated::LENGTH) {
        id.as_hyphenated().encode_lower(place);
    }
}

/// Appends a comma before every element but the first.
pub(super) fn separate(is_first: &mut bool, out: &mut Vec<u8>) {
    if !std::mem::take(is_first) {
        out.push(b',');
    }
}

/// Appends a number. Infinite ones were already rejected.
pub(super) fn write_number(number: f64, out: &mut Vec<u8>) {
    if let Some(number) = MetricValue::from_f64(number) {
        number.write_json(out);
    }
}

/// Array with a piece, and the piece's length.
pub(super) type Piece<const MOST: usize> = ([u8; MOST], usize);

/// Creates a piece of a text, which must not be longer than the array.
pub(super) fn piece<const MOST: usize>(text: &str) -> Piece<MOST> {
    let mut room = [0; MOST];
    room.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
    (room, text.len())
}

/// Appends the first `length` bytes of a piece.
#[inline]
pub(super) fn put<const MOST: usize>(out: &mut Vec<u8>, piece: &[u8; MOST], length: usize) {
    let end = out.len().saturating_add(length);
    out.extend_from_slice(piece);
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::{piece, put};

    #[test]
    fn the_excess_of_a_piece_is_truncated() {
        let mut text = b"[".to_vec();
        let (one, length) = piece::<16>("one,");
        put(&mut text, &one, length);
        put(&mut text, b"two, three", 3);
        assert_eq!(text, b"[one,two");
    }
}
