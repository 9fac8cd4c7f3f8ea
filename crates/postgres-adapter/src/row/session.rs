//! Sessions.

use super::secret_hash;
use crate::error::corrupt;
use crate::schema::session;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::{SessionId, UserId};
use domain::session::{AuthenticationMethod, Session};
use uuid::Uuid;

const TABLE: &str = "session";

/// A row of `session`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = session, check_for_backend(Pg))]
pub(crate) struct SessionRow {
    user_id: Uuid,
    id: Uuid,
    token_hash: Vec<u8>,
    method: String,
    authenticated_at: DateTime<Utc>,
    last_seen_at: DateTime<Utc>,
}

impl From<&Session> for SessionRow {
    fn from(session: &Session) -> Self {
        let Session { id, user_id, token_hash, method, authenticated_at, last_seen_at } = session;
        Self {
            user_id: user_id.as_uuid(),
            id: id.as_uuid(),
            token_hash: token_hash.as_bytes().to_vec(),
            method: method.as_str().to_owned(),
            authenticated_at: *authenticated_at,
            last_seen_at: *last_seen_at,
        }
    }
}

impl SessionRow {
    /// Reads the row as a session.
    pub(crate) fn into_session(self) -> Result<Session, StorageError> {
        let Self { user_id, id, token_hash, method, authenticated_at, last_seen_at } = self;
        let method = AuthenticationMethod::parse(&method).ok_or(());
        Ok(Session {
            id: SessionId::from_uuid(id),
            user_id: UserId::from_uuid(user_id),
            token_hash: secret_hash(&token_hash, TABLE, "token_hash", id)?,
            method: method.map_err(corrupt(TABLE, "method", id))?,
            authenticated_at,
            last_seen_at,
        })
    }
}
