//! Start of a recording, which a hypnogram does not contain; a field of the form.

use super::{ReceiveError, Rejection};
use chrono::NaiveDateTime;

/// Name of the field.
pub(super) const START: &str = "recording_start";
/// Error text of an invalid time.
pub(super) const INVALID_START: &str =
    "Enter the date and time when the recording started, such as 2026-01-10T22:30, or leave the field empty.";
/// Parses the field; `None` if it is empty.
pub(super) fn parse_start(text: &[u8]) -> Result<Option<NaiveDateTime>, ReceiveError> {
    parse(text).map_err(|InvalidTime| ReceiveError::Rejected(Rejection::InvalidStart))
}

/// Input that is not a time.
#[derive(Debug, PartialEq, Eq)]
struct InvalidTime;

/// Parses the value of a `datetime-local` field, with or without seconds.
fn parse(text: &[u8]) -> Result<Option<NaiveDateTime>, InvalidTime> {
    let text = std::str::from_utf8(text).map_err(|_| InvalidTime)?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    parsed.map(Some).ok_or(InvalidTime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_parsed_as_browsers_send_it() {
        let expected: Option<NaiveDateTime> = "2026-01-10T22:30:00".parse().ok();
        for text in
            ["2026-01-10T22:30", "2026-01-10T22:30:00", "2026-01-10T22:30:00.000", " 2026-01-10 22:30 "]
        {
            assert_eq!(parse(text.as_bytes()), Ok(expected), "{text}");
        }
        for text in ["", " "] {
            assert_eq!(parse(text.as_bytes()), Ok(None));
        }
        for text in ["22:30", "2026-13-10T22:30", "2026-01-10", "10/01/2026 22:30", "tonight"] {
            assert_eq!(parse(text.as_bytes()), Err(InvalidTime), "{text}");
        }
        assert_eq!(parse(&[0xff]), Err(InvalidTime));
    }
}
