//! Remembered consents.

use super::scope_set;
use crate::schema::consent;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::consent::RememberedConsent;
use domain::id::{ClientId, UserId};
use uuid::Uuid;

/// A row of `consent`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = consent, primary_key(user_id, client_id), check_for_backend(Pg))]
pub(crate) struct ConsentRow {
    user_id: Uuid,
    client_id: Uuid,
    scopes: String,
    remembered_at: DateTime<Utc>,
}

impl From<&RememberedConsent> for ConsentRow {
    fn from(consent: &RememberedConsent) -> Self {
        let RememberedConsent { user_id, client_id, scopes, remembered_at } = consent;
        Self {
            user_id: user_id.as_uuid(),
            client_id: client_id.as_uuid(),
            scopes: scopes.to_string(),
            remembered_at: *remembered_at,
        }
    }
}

impl ConsentRow {
    /// Reads the row as a consent.
    pub(crate) fn into_consent(self) -> Result<RememberedConsent, StorageError> {
        let Self { user_id, client_id, scopes, remembered_at } = self;
        let row = format_args!("of person {user_id} for client {client_id}").to_string();
        Ok(RememberedConsent {
            user_id: UserId::from_uuid(user_id),
            client_id: ClientId::from_uuid(client_id),
            scopes: scope_set(&scopes, "consent", row)?,
            remembered_at,
        })
    }
}
