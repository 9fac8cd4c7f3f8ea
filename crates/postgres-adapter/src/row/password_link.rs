//! One-time links to choose a password.

use super::secret_hash;
use crate::error::corrupt;
use crate::schema::password_link;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::UserId;
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::user::Email;
use uuid::Uuid;

const TABLE: &str = "password_link";
const INVITATION: &str = "invitation";
const RESET: &str = "reset";
const SIGN_UP: &str = "sign_up";

/// A row of `password_link`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = password_link, check_for_backend(Pg))]
pub(crate) struct LinkRow {
    link_hash: Vec<u8>,
    purpose: String,
    user_id: Option<Uuid>,
    email: Option<String>,
    expires_at: DateTime<Utc>,
}

impl From<&PasswordLink> for LinkRow {
    fn from(link: &PasswordLink) -> Self {
        let PasswordLink { hash, purpose, expires_at } = link;
        let (name, user_id, email) = match purpose {
            PasswordLinkPurpose::Invitation { user_id } => (INVITATION, Some(user_id.as_uuid()), None),
            PasswordLinkPurpose::Reset { user_id } => (RESET, Some(user_id.as_uuid()), None),
            PasswordLinkPurpose::SignUp { email } => (SIGN_UP, None, Some(email.as_str().to_owned())),
        };
        Self {
            link_hash: hash.as_bytes().to_vec(),
            purpose: name.to_owned(),
            user_id,
            email,
            expires_at: *expires_at,
        }
    }
}

impl LinkRow {
    /// Reads the row as a link. A corrupt one is named by its person or its end: the hash stays out of logs.
    pub(crate) fn into_link(self) -> Result<PasswordLink, StorageError> {
        let Self { link_hash, purpose, user_id, email, expires_at } = self;
        let row = user_id.map_or_else(
            || format!("of a sign-up until {}", expires_at.to_rfc3339()),
            |user_id| format!("of person {user_id}"),
        );
        let purpose = match (purpose.as_str(), user_id.map(UserId::from_uuid), email) {
            (INVITATION, Some(user_id), None) => Ok(PasswordLinkPurpose::Invitation { user_id }),
            (RESET, Some(user_id), None) => Ok(PasswordLinkPurpose::Reset { user_id }),
            (SIGN_UP, None, Some(text)) => {
                let email = Email::parse(&text).map_err(corrupt(TABLE, "email", &row))?;
                Ok(PasswordLinkPurpose::SignUp { email })
            }
            _ => Err(()),
        };
        Ok(PasswordLink {
            hash: secret_hash(&link_hash, TABLE, "link_hash", &row)?,
            purpose: purpose.map_err(corrupt(TABLE, "purpose", &row))?,
            expires_at,
        })
    }
}
