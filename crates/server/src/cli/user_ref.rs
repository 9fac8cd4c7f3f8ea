//! How a command names a user: by id or by email address.

use crate::wiring::Services;
use anyhow::Context;
use domain::id::UserId;
use domain::user::Email;

/// A user as named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UserRef {
    /// By id.
    Id(UserId),
    /// By email address.
    Email(Email),
}

impl UserRef {
    /// Parses an id or an email address.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.contains('@') {
            return Email::parse_stored(text).map(Self::Email).map_err(|error| error.to_string());
        }
        let neither = |error| format!("neither a user id ({error}) nor an email address");
        UserId::parse(text).map(Self::Id).map_err(neither)
    }

    /// Returns the user's id. An address is looked up; an id is returned as it is, whether a user has it or
    /// not.
    pub(crate) async fn id(&self, services: &Services) -> anyhow::Result<UserId> {
        match self {
            Self::Id(id) => Ok(*id),
            Self::Email(email) => {
                let found = services.store.credentials.find_credentials(email).await?;
                // The error does not repeat the address, because it may end up in a log.
                found
                    .map(|found| found.user_id)
                    .context("there is no user with this email address; see `restwell user list`")
            }
        }
    }

    /// Returns the id of an optional user.
    pub(crate) async fn id_of(user: Option<&Self>, services: &Services) -> anyhow::Result<Option<UserId>> {
        match user {
            Some(user) => user.id(services).await.map(Some),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_named_by_id_or_email_address() {
        let id = "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48";
        assert_eq!(UserRef::parse(id), Ok(UserRef::Id(UserId::parse(id).unwrap())));
        let email = UserRef::parse("Ada@example.org");
        assert_eq!(email, Ok(UserRef::Email(Email::parse("Ada@example.org").unwrap())));
    }

    #[test]
    fn text_that_is_neither_is_rejected_and_not_repeated() {
        for text in ["", "17", "ada", "ada@", "@example.org", "a b@example.org", "3f2b8c1e-6d4a-4c57-9b1f"] {
            let error = UserRef::parse(text).unwrap_err();
            assert!(text.is_empty() || !error.contains(text), "{error}");
        }
    }
}
