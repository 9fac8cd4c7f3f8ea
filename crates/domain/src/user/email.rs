//! Email addresses.

use std::fmt;

/// The text is not an email address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an email address (one @, text on both sides, no blanks, at most 254 bytes)")]
pub struct InvalidEmail;

/// An email address as written. Addresses that differ only in case belong to the same account.
///
/// `Debug` does not print it, because an address is personal.
#[derive(Clone, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Parses an address. The check is loose, because only a sent message proves that an address exists.
    pub fn parse(text: &str) -> Result<Self, InvalidEmail> {
        let (local, host) = text.rsplit_once('@').ok_or(InvalidEmail)?;
        let sides_are_sound = !local.is_empty() && !local.contains('@') && is_host(host);
        let fits = text.len() <= 254 && !text.chars().any(|c| c.is_whitespace() || c.is_control());
        if sides_are_sound && fits { Ok(Self(text.to_owned())) } else { Err(InvalidEmail) }
    }

    /// Returns the address as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the lower-case form that identifies an account.
    pub fn normalised(&self) -> String {
        self.0.to_lowercase()
    }
}

fn is_host(host: &str) -> bool {
    !host.is_empty() && !host.starts_with('.') && !host.ends_with('.') && !host.contains("..")
}

impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Email(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_at_and_something_on_both_sides() {
        assert!(Email::parse("sam@example.org").is_ok());
        assert!(Email::parse("sam+sleep@localhost").is_ok());
        for text in
            ["", "sam", "@example.org", "sam@", "a b@example.org", "a@b@c", "a@.org", "a@b..c", "a@b\n"]
        {
            assert_eq!(Email::parse(text), Err(InvalidEmail), "{text}");
        }
        assert!(Email::parse(&format!("{}@example.org", "x".repeat(250))).is_err());
    }

    #[test]
    fn case_does_not_make_another_account_and_the_address_is_not_printed() {
        let email = Email::parse("Sam@Example.org").unwrap();
        assert_eq!(email.normalised(), "sam@example.org");
        assert_eq!(format!("{email:?}"), "Email(..)");
    }
}
