//! Universal Product Codes.

/// The text is not 8 to 14 digits with optional blanks and hyphens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a UPC has 8 to 14 digits, optionally with spaces and hyphens")]
pub struct InvalidUpc;

/// Product code (UPC-A, EAN-8, EAN-13, GTIN-14) as 14 digits, so that `0 33674 49111 9`, `033674491119` and
/// `0033674491119` are equal (GS1 General Specifications: shorter codes are padded with zeros on the left).
///
/// The check digit is not verified, because some labels have wrong ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Upc(String);

impl Upc {
    /// Parses a code in any spelling.
    pub fn parse(text: &str) -> Result<Self, InvalidUpc> {
        let digits: String = text.chars().filter(|letter| !matches!(letter, ' ' | '-' | '\u{a0}')).collect();
        let has_digits_only = digits.bytes().all(|byte| byte.is_ascii_digit());
        if !has_digits_only || !(8..=14).contains(&digits.len()) || digits.bytes().all(|byte| byte == b'0') {
            return Err(InvalidUpc);
        }
        Ok(Self(format!("{digits:0>14}")))
    }

    /// Returns the 14 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidUpc, Upc};

    #[test]
    fn every_spelling_of_a_code_is_one_code() {
        let expected = Upc::parse("033674491119").unwrap();
        for spelling in
            ["0 33674 49111 9", "0-33674-49111-9", "33674491119", "00033674491119", " 0033674491119\u{a0}"]
        {
            assert_eq!(Upc::parse(spelling), Ok(expected.clone()), "{spelling}");
        }
        assert_eq!(expected.as_str(), "00033674491119");
    }

    #[test]
    fn an_invalid_product_code_is_rejected() {
        for text in [
            "",
            "#1569",
            "1234567",
            "123456789012345",
            "Not Present",
            "00000000000",
            "1234567\u{661}",
            "12 34 56 7x",
        ] {
            assert_eq!(Upc::parse(text), Err(InvalidUpc), "{text}");
        }
    }
}
