//! Grants and their refresh tokens.

use crate::account::user_status;
use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{access_grant, account};
use crate::statement::{Statement, count};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{GrantFilter, GrantReader, GrantRepository, GrantWithUser, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use domain::address::AddressBlock;
use domain::grant::{AgentName, Grant, GrantState, RevocationReason, UsedFrom};
use domain::id::{ClientId, GrantId, UserId};
use domain::secret::SecretHash;
use std::ops::RangeInclusive;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = access_grant)]
pub(crate) struct GrantRow {
    user_id: Vec<u8>,
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
}

impl From<&Grant> for GrantRow {
    fn from(grant: &Grant) -> Self {
        let Grant {
            id,
            client_id,
            user_id,
            scopes,
            refresh_token_hash,
            created_at,
            last_used_at,
            last_used_from,
            state,
        } = grant;
        let (last_used_address, last_used_agent) = last_used_from.as_ref().map(used_from_cells).unzip();
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
        }
    }
}

/// Writes from where a refresh token was used.
fn used_from_cells(from: &UsedFrom) -> (String, Option<String>) {
    let UsedFrom { address, agent } = from;
    (address.to_string(), agent.as_ref().map(|name| name.as_str().to_owned()))
}

/// Reads from where a refresh token was used.
fn used_from(
    cells: Cells<'_>,
    address: Option<String>,
    agent: Option<String>,
) -> Result<Option<UsedFrom>, StorageError> {
    let name = |text: String| {
        // A name is stored as far as it can be shown, so what is stored names itself.
        let name = AgentName::from_header(&text).filter(|name| name.as_str() == text);
        cells.present("last_used_agent", name)
    };
    let agent = agent.map(name).transpose()?;
    match address {
        Some(text) => {
            let address = cells.sound("last_used_address", AddressBlock::parse(&text))?;
            Ok(Some(UsedFrom { address, agent }))
        }
        None if agent.is_none() => Ok(None),
        None => Err(cells.corrupt("last_used_address")),
    }
}

impl GrantRow {
    /// Counts the live grants that the client and the person of this one have.
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

    /// Reads a grant.
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
        } = self;
        let cells = Cells::of("access_grant", &id);
        let reason = |text: String| cells.present("revocation_reason", RevocationReason::parse(&text));
        let revoked_at = cells.optional_instant("revoked_at", revoked_at)?;
        Ok(Grant {
            id: GrantId::from_uuid(cells.uuid("id", &id)?),
            client_id: ClientId::from_uuid(cells.uuid("client_id", &client_id)?),
            user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
            scopes: cells.scopes(&scopes)?,
            refresh_token_hash: cells.hash("refresh_token_hash", &refresh_token_hash)?,
            created_at: cells.instant("created_at", created_at)?,
            last_used_at: cells.optional_instant("last_used_at", last_used_at)?,
            last_used_from: used_from(cells, last_used_address, last_used_agent)?,
            state: match (revoked_at, revocation_reason.map(reason).transpose()?) {
                (None, None) => GrantState::Live,
                (Some(at), Some(reason)) => GrantState::Revoked { at, reason },
                _ => return Err(cells.corrupt("revoked_at")),
            },
        })
    }
}

/// Appends what a filter names; what it does not name stays out of the text, so that indexes serve it.
fn narrowed<R>(statement: Statement<R>, filter: GrantFilter) -> Statement<R> {
    let GrantFilter { user_id, client_id, id, created_before } = filter;
    let parts = [
        (" AND user_id = ?", user_id.map(|id| id.as_uuid())),
        (" AND client_id = ?", client_id.map(|id| id.as_uuid())),
        (" AND id = ?", id.map(|id| id.as_uuid())),
    ];
    let statement = parts.into_iter().fold(statement, |statement, (sql, id)| match id {
        Some(id) => statement.sql(sql).blob(id.as_bytes()),
        None => statement,
    });
    match created_before {
        Some(moment) => statement.sql(" AND created_at < ?").integer(micros(moment)),
        None => statement,
    }
}

#[async_trait]
impl GrantReader for SqliteStore {
    async fn find_by_refresh_token(
        &self,
        hash: &SecretHash,
        // One file has one index: there is no narrower place to look first.
        _user_id: Option<UserId>,
    ) -> Result<Option<GrantWithUser>, StorageError> {
        let hash = hash.as_bytes().to_vec();
        self.read(move |connection| {
            let row: Option<(GrantRow, Option<i64>)> = access_grant::table
                .inner_join(account::table.on(account::id.eq(access_grant::user_id)))
                .filter(access_grant::refresh_token_hash.eq(hash))
                .select((GrantRow::as_select(), account::locked_at))
                .first(connection)
                .optional()
                .storage()?;
            let Some((row, locked_at)) = row else {
                return Ok(None);
            };
            let user_status = user_status(Cells::of("account", &row.user_id), locked_at)?;
            Ok(Some(GrantWithUser { grant: row.into_grant()?, user_status }))
        })
        .await
    }
}

#[async_trait]
impl GrantRepository for SqliteUnitOfWork {
    async fn insert(&mut self, grant: &Grant) -> Result<(), StorageError> {
        let row = GrantRow::from(grant);
        self.run(move |connection| {
            diesel::insert_into(access_grant::table).values(row).execute(connection).storage().map(drop)
        })
        .await
    }

    async fn list(
        &mut self,
        filter: GrantFilter,
        after: Option<GrantId>,
        limit: u32,
    ) -> Result<Vec<Grant>, StorageError> {
        let GrantFilter { user_id, client_id, id, created_before } = filter;
        self.run(move |connection| {
            let mut query =
                access_grant::table.order(access_grant::id).limit(i64::from(limit)).into_boxed::<Sqlite>();
            if let Some(user_id) = user_id {
                query = query.filter(access_grant::user_id.eq(blob(user_id.as_uuid())));
            }
            if let Some(client_id) = client_id {
                query = query.filter(access_grant::client_id.eq(blob(client_id.as_uuid())));
            }
            if let Some(id) = id {
                query = query.filter(access_grant::id.eq(blob(id.as_uuid())));
            }
            if let Some(moment) = created_before {
                query = query.filter(access_grant::created_at.lt(micros(moment)));
            }
            if let Some(after) = after {
                query = query.filter(access_grant::id.gt(blob(after.as_uuid())));
            }
            let rows: Vec<GrantRow> = query.load(connection).storage()?;
            rows.into_iter().map(GrantRow::into_grant).collect()
        })
        .await
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: GrantId,
        at: DateTime<Utc>,
        from: &UsedFrom,
    ) -> Result<(), StorageError> {
        let key = (blob(user_id.as_uuid()), blob(id.as_uuid()));
        let (address, agent) = used_from_cells(from);
        self.run(move |connection| {
            use access_grant::dsl;
            let earlier = dsl::access_grant
                .find(key)
                .filter(dsl::last_used_at.is_null().or(dsl::last_used_at.lt(micros(at))));
            diesel::update(earlier)
                .set((
                    dsl::last_used_at.eq(micros(at)),
                    dsl::last_used_address.eq(address),
                    dsl::last_used_agent.eq(agent),
                ))
                .execute(connection)
                .storage()
                .map(drop)
        })
        .await
    }

    async fn revoke(
        &mut self,
        filter: GrantFilter,
        at: DateTime<Utc>,
        reason: RevocationReason,
    ) -> Result<u64, StorageError> {
        self.run(move |connection| {
            let statement: Statement<()> =
                Statement::new("UPDATE access_grant SET revoked_at = ?, revocation_reason = ?")
                    .integer(micros(at))
                    .text(reason.as_str())
                    .sql(" WHERE revoked_at IS NULL");
            count(narrowed(statement, filter).execute(connection))
        })
        .await
    }

    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        self.run(move |connection| {
            let statement: Statement<()> = Statement::new(
                "UPDATE access_grant SET revoked_at = ?, revocation_reason = ? \
                 WHERE revoked_at IS NULL AND created_at < ? AND user_id BETWEEN ? AND ?",
            )
            .integer(micros(at))
            .text(RevocationReason::Operator.as_str())
            .integer(micros(before))
            .blob(people.start().as_uuid().as_bytes())
            .blob(people.end().as_uuid().as_bytes());
            count(statement.execute(connection))
        })
        .await
    }

    async fn delete_revoked(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(move |connection| {
            let statement: Statement<()> = Statement::new(
                "DELETE FROM access_grant WHERE (user_id, id) IN (SELECT user_id, id FROM access_grant \
                 WHERE revoked_at < ? ORDER BY revoked_at LIMIT ?)",
            )
            .integer(micros(before))
            .integer(i64::from(limit));
            count(statement.execute(connection))
        })
        .await
    }

    async fn revoke_excess(
        &mut self,
        client_id: ClientId,
        user_id: UserId,
        keep: usize,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        self.run(move |connection| {
            let statement: Statement<()> = Statement::new(
                "UPDATE access_grant SET revoked_at = ?, revocation_reason = ? WHERE user_id = ? AND id IN \
                 (SELECT id FROM access_grant WHERE user_id = ? AND client_id = ? AND revoked_at IS NULL \
                 ORDER BY coalesce(last_used_at, created_at) DESC, id DESC LIMIT -1 OFFSET ?)",
            )
            .integer(micros(at))
            .text(RevocationReason::TooManyGrants.as_str())
            .blob(user_id.as_uuid().as_bytes())
            .blob(user_id.as_uuid().as_bytes())
            .blob(client_id.as_uuid().as_bytes())
            .integer(i64::try_from(keep).unwrap_or(i64::MAX));
            count(statement.execute(connection))
        })
        .await
    }
}
