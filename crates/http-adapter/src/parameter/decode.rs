//! Decoding of `application/x-www-form-urlencoded`.

use std::borrow::Cow;

/// Error for a text that is not valid `application/x-www-form-urlencoded`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// A percent sign is not followed by two hexadecimal digits.
    #[error("a percent sign must be followed by two hexadecimal digits")]
    PercentEncoding,
    /// A decoded text is not UTF-8.
    #[error("text must be UTF-8")]
    Utf8,
}

/// One `name=value` pair of a query string or form body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair<'a> {
    /// The decoded name.
    pub name: Cow<'a, str>,
    /// The decoded value; empty if there is no `=`.
    pub value: Cow<'a, str>,
    /// The pair as sent, not decoded.
    pub raw: &'a str,
}

/// Splits a text into its pairs, in order; empty pairs (`a=1&&b=2`) are skipped.
///
/// Rejects the whole text if any percent-encoding or UTF-8 in it is invalid: the intended parameter is then
/// unknown.
pub fn parse(text: &str) -> Result<Vec<Pair<'_>>, Malformed> {
    text.split('&').filter(|raw| !raw.is_empty()).map(parse_pair).collect()
}

fn parse_pair(raw: &str) -> Result<Pair<'_>, Malformed> {
    let (name, value) = raw.split_once('=').unwrap_or((raw, ""));
    Ok(Pair { name: decode_component(name)?, value: decode_component(value)?, raw })
}

/// Decodes one name or value: `+` is a space, `%` and two digits are a byte; the bytes must be UTF-8.
pub fn decode_component(text: &str) -> Result<Cow<'_, str>, Malformed> {
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Ok(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => {
                let high = bytes.next().and_then(hexadecimal).ok_or(Malformed::PercentEncoding)?;
                let low = bytes.next().and_then(hexadecimal).ok_or(Malformed::PercentEncoding)?;
                high << 4 | low
            }
            other => other,
        });
    }
    String::from_utf8(decoded).map(Cow::Owned).map_err(|_| Malformed::Utf8)
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
