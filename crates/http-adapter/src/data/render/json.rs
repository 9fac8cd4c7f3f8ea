//! Helpers that append JSON.

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
