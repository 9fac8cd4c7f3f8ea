//! Rows of grants.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::access_grant;
use application::ports::storage::StorageError;
use diesel::prelude::*;
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::id::{ClientId, GrantId, UserId};
use domain::resource::Resource;
use store_shared::{parse_used_from, used_from_parts};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = access_grant)]
pub(crate) struct GrantRow {
    pub(super) user_id: Vec<u8>,
    id: Vec<u8>,
    client_id: Vec<u8>,
    scopes: String,
    refresh_token_hash: Vec<u8>,
    created_at: i64,
    last_used_at: Option<i64>,
    revoked_at: Option<i64>,
    revocation_reason: Option<String>,
    last_used_address: Option<String>,
    last_used_agent: Option<String>,
    newest_token_hash: Option<Vec<u8>>,
    resource: String,
}

impl From<&Grant> for GrantRow {
    fn from(grant: &Grant) -> Self {
        let Grant {
            id,
            client_id,
            user_id,
            scopes,
            resource,
            refresh_token_hash,
            newest_token_hash,
            created_at,
            last_used_at,
            last_used_from,
            state,
        } = grant;
        let (last_used_address, last_used_agent) = last_used_from.as_ref().map(used_from_parts).unzip();
        let (revoked_at, revocation_reason) = match *state {
            GrantState::Live => (None, None),
            GrantState::Revoked { at, reason } => (Some(micros(at)), Some(reason.as_str().to_owned())),
        };
        Self {
            user_id: blob(user_id.as_uuid()),
            id: blob(id.as_uuid()),
            client_id: blob(client_id.as_uuid()),
            scopes: scopes.to_string(),
            refresh_token_hash: refresh_token_hash.as_bytes().to_vec(),
            created_at: micros(*created_at),
            last_used_at: last_used_at.map(micros),
            revoked_at,
            revocation_reason,
            last_used_address,
            last_used_agent: last_used_agent.flatten(),
            newest_token_hash: newest_token_hash.map(|hash| hash.as_bytes().to_vec()),
            resource: resource.as_str().to_owned(),
        }
    }
}

impl GrantRow {
    /// Counts the live grants with this one's client and person.
    pub(crate) fn live_of_same_client_and_person(
        &self,
        connection: &mut SqliteConnection,
    ) -> Result<usize, StorageError> {
        use access_grant::dsl;
        let live: i64 = dsl::access_grant
            .filter(dsl::user_id.eq(&self.user_id))
            .filter(dsl::client_id.eq(&self.client_id))
            .filter(dsl::revoked_at.is_null())
            .count()
            .get_result(connection)
            .storage()?;
        Ok(usize::try_from(live).unwrap_or_default())
    }

    pub(crate) fn into_grant(self) -> Result<Grant, StorageError> {
        let Self {
            user_id,
            id,
            client_id,
            scopes,
            refresh_token_hash,
            created_at,
            last_used_at,
            revoked_at,
            revocation_reason,
            last_used_address,
            last_used_agent,
            newest_token_hash,
            resource,
        } = self;
        let cells = Cells::new("access_grant", &id);
        let reason = |text: String| cells.present("revocation_reason", RevocationReason::parse(&text));
        let revoked_at = cells.optional_instant("revoked_at", revoked_at)?;
        let used_from = parse_used_from(last_used_address.as_deref(), last_used_agent.as_deref());
        Ok(Grant {
            id: GrantId::from_uuid(cells.uuid("id", &id)?),
            client_id: ClientId::from_uuid(cells.uuid("client_id", &client_id)?),
            user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
            scopes: cells.scopes(&scopes)?,
            resource: cells.present("resource", Resource::parse(&resource))?,
            refresh_token_hash: cells.hash("refresh_token_hash", &refresh_token_hash)?,
            newest_token_hash: newest_token_hash
                .map(|hash| cells.hash("newest_token_hash", &hash))
                .transpose()?,
            created_at: cells.instant("created_at", created_at)?,
            last_used_at: cells.optional_instant("last_used_at", last_used_at)?,
            last_used_from: used_from.map_err(|column| cells.corrupt(column))?,
            state: match (revoked_at, revocation_reason.map(reason).transpose()?) {
                (None, None) => GrantState::Live,
                (Some(at), Some(reason)) => GrantState::Revoked { at, reason },
                _ => return Err(cells.corrupt("revoked_at")),
            },
        })
    }
}
