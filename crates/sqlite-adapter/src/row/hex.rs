//! Bytes as hexadecimal text in JSON.

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes two digits per byte.
pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().map_or('0', char::from);
    let text: String = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
    serializer.serialize_str(&text)
}

/// Reads what [`serialize`] wrote.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16)?.try_into().ok()).collect();
    let digits = digits.ok_or_else(|| D::Error::custom("not hexadecimal"))?;
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(D::Error::custom("half a byte"));
    }
    Ok(pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    struct Cell(#[serde(with = "super")] Vec<u8>);

    #[test]
    fn bytes_read_back_as_themselves() {
        let cell = Cell((0..=255).collect());
        let text = serde_json::to_string(&cell).unwrap();
        assert!(text.starts_with("\"000102"), "{text}");
        assert_eq!(serde_json::from_str::<Cell>(&text).unwrap(), cell);
        assert_eq!(serde_json::from_str::<Cell>("\"\"").unwrap(), Cell(Vec::new()));
    }

    #[test]
    fn what_is_not_bytes_is_refused() {
        for text in ["\"0\"", "\"0g\"", "\"+1\"", "7"] {
            assert!(serde_json::from_str::<Cell>(text).is_err(), "{text}");
        }
    }
}
