//! Email addresses.

use crate::sandbox::SANDBOX_HOST;
use crate::secret::hide_in_debug;

/// The text is not an email address that a person can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not an email address (one @, text on both sides, no spaces, at most 254 bytes, not at sandbox.invalid)"
)]
pub struct InvalidEmail;

/// An email address as written. Addresses that differ only in case belong to the same account.
///
/// `Debug` does not print it, because an address is personal.
#[derive(Clone, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Parses an address. The check is loose, because only a sent message proves that an address exists.
    /// Addresses of sandbox people are invalid: nobody can sign up, sign in or be invited with one.
    pub fn parse(text: &str) -> Result<Self, InvalidEmail> {
        Self::parse_stored(text)
            .and_then(|email| if email.is_sandbox() { Err(InvalidEmail) } else { Ok(email) })
    }

    /// Parses an address that may belong to a sandbox person: of a stored account, or from the operator.
    pub fn parse_stored(text: &str) -> Result<Self, InvalidEmail> {
        let (local, host) = text.rsplit_once('@').ok_or(InvalidEmail)?;
        let sides_are_sound = !local.is_empty() && !local.contains('@') && is_host(host);
        let fits = text.len() <= 254 && !text.chars().any(|c| c.is_whitespace() || c.is_control());
        if sides_are_sound && fits { Ok(Self(text.to_owned())) } else { Err(InvalidEmail) }
    }

    /// Creates the address of a sandbox person, which is valid by construction.
    pub(crate) fn reserved(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns whether the address is reserved for sandbox people.
    pub fn is_sandbox(&self) -> bool {
        self.0.rsplit_once('@').is_some_and(|(_, host)| {
            let host = host.to_lowercase();
            host == SANDBOX_HOST || host.strip_suffix(SANDBOX_HOST).is_some_and(|rest| rest.ends_with('.'))
        })
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

hide_in_debug!(Email);

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
    fn nobody_can_have_an_address_of_a_sandbox_person() {
        for text in
            ["a@sandbox.invalid", "a@SandBox.Invalid", "gaps-3f2b8c1e@sandbox.invalid", "a@b.sandbox.invalid"]
        {
            assert_eq!(Email::parse(text), Err(InvalidEmail), "{text}");
            assert!(Email::parse_stored(text).unwrap().is_sandbox(), "{text}");
        }
        for text in ["a@mysandbox.invalid", "sandbox.invalid@example.org", "a@sandbox.invalid.example.org"] {
            assert!(!Email::parse(text).unwrap().is_sandbox(), "{text}");
        }
    }

    #[test]
    fn case_does_not_make_another_account_and_the_address_is_not_printed() {
        let email = Email::parse("Sam@Example.org").unwrap();
        assert_eq!(email.normalised(), "sam@example.org");
        assert_eq!(format!("{email:?}"), "Email(..)");
    }
}
