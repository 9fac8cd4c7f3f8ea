//! Interpretation of a receiver's response.

use crate::ports::system::OutboundResponse;
use chrono::{DateTime, TimeDelta, Utc};

/// Returns whether the body is the challenge: as plain text, or as JSON `{"challenge": "..."}`.
pub(super) fn is_challenge(body: &[u8], challenge: &str) -> bool {
    let Ok(text) = str::from_utf8(body) else { return false };
    let dense: String = text.chars().filter(|character| !character.is_ascii_whitespace()).collect();
    dense == challenge || dense == format!(r#"{{"challenge":"{challenge}"}}"#)
}

/// Returns the pause that the receiver asks for, in seconds or until a time (RFC 9110 section 10.2.3).
pub(super) fn retry_after(response: &OutboundResponse, now: DateTime<Utc>) -> Option<TimeDelta> {
    let text = response.header("retry-after")?.trim();
    match text.parse::<u32>() {
        Ok(seconds) => Some(TimeDelta::seconds(seconds.into())),
        Err(_) => DateTime::parse_from_rfc2822(text).ok().map(|until| until.to_utc() - now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_returned_as_text_or_as_json() {
        for body in ["abc", "abc\n", r#"{"challenge":"abc"}"#, "{ \"challenge\" : \"abc\"\n}"] {
            assert!(is_challenge(body.as_bytes(), "abc"), "{body}");
        }
        for body in ["", "abcd", "ok", r#"{"challenge":"abd"}"#, r#"{"challenge":null}"#] {
            assert!(!is_challenge(body.as_bytes(), "abc"), "{body}");
        }
        assert!(!is_challenge(&[0xff], "abc"));
    }

    #[test]
    fn a_pause_is_asked_for_in_seconds_or_until_a_time() {
        let now = "2026-03-09T12:00:00Z".parse().unwrap();
        let asked = |value: &str| {
            let headers = vec![("retry-after".to_owned(), value.to_owned())];
            retry_after(&OutboundResponse { headers, ..OutboundResponse::default() }, now)
        };
        assert_eq!(asked("120"), Some(TimeDelta::seconds(120)));
        assert_eq!(asked("Mon, 09 Mar 2026 12:01:00 GMT"), Some(TimeDelta::seconds(60)));
        for text in ["", "soon", "-5", "99999999999"] {
            assert_eq!(asked(text), None, "{text}");
        }
        assert_eq!(retry_after(&OutboundResponse::default(), now), None);
    }
}
