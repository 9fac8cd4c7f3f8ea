//! Grants.

use crate::column::{Held, IdCell, TimeCell};
use crate::names::{parse_used_from, used_from_parts};
use crate::refresh_token::rotation_outcome;
use crate::row::{Cells, Stored};
use crate::schema::{access_grant, account};
use crate::statement::{Raw, Read, Value};
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use crate::webhook::announce_revocations;
use application::ports::storage::{GrantFilter, GrantRepository, GrantWithUser, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool, Nullable};
use domain::grant::{Grant, GrantState, RevocationReason, UsedFrom};
use domain::id::{ClientId, GrantId, UserId};
use domain::refresh_token::{Rotation, RotationOutcome};
use domain::secret::SecretHash;
use std::ops::RangeInclusive;

/// A row of `access_grant`.
#[derive(Queryable, Insertable, Selectable)]
#[diesel(table_name = access_grant)]
struct GrantRow {
    user_id: IdCell,
    id: IdCell,
    client_id: IdCell,
    scopes: String,
    refresh_token_hash: Vec<u8>,
    created_at: TimeCell,
    last_used_at: Option<TimeCell>,
    revoked_at: Option<TimeCell>,
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
        let (revoked_at, revocation_reason) = match state {
            GrantState::Live => (None, None),
            GrantState::Revoked { at, reason } => (Some(at.cell()), Some(reason.as_str().to_owned())),
        };
        let (last_used_address, last_used_agent) = last_used_from.as_ref().map(used_from_parts).unzip();
        Self {
            user_id: user_id.cell(),
            id: id.cell(),
            client_id: client_id.cell(),
            scopes: scopes.cell(),
            refresh_token_hash: refresh_token_hash.cell(),
            created_at: created_at.cell(),
            last_used_at: last_used_at.cell(),
            revoked_at,
            revocation_reason,
            last_used_address,
            last_used_agent: last_used_agent.flatten(),
            newest_token_hash: newest_token_hash.cell(),
            resource: resource.cell(),
        }
    }
}

impl Stored for GrantRow {
    type Value = Grant;

    fn into_value(self) -> Result<Grant, StorageError> {
        let cells = Cells("access_grant", &self.id);
        let reason = self.revocation_reason.as_deref().map(RevocationReason::parse);
        let state = match (cells.parse("revoked_at", self.revoked_at)?, reason) {
            (None, None) => Some(GrantState::Live),
            (Some(at), Some(Some(reason))) => Some(GrantState::Revoked { at, reason }),
            (Some(_), None | Some(None)) | (None, Some(_)) => None,
        };
        let used_from = parse_used_from(self.last_used_address.as_deref(), self.last_used_agent.as_deref());
        Ok(Grant {
            id: cells.parse("id", self.id)?,
            client_id: cells.parse("client_id", self.client_id)?,
            user_id: cells.parse("user_id", self.user_id)?,
            scopes: cells.parse("scopes", self.scopes)?,
            resource: cells.parse("resource", self.resource)?,
            refresh_token_hash: cells.parse("refresh_token_hash", self.refresh_token_hash)?,
            newest_token_hash: cells.parse("newest_token_hash", self.newest_token_hash)?,
            created_at: cells.parse("created_at", self.created_at)?,
            last_used_at: cells.parse("last_used_at", self.last_used_at)?,
            last_used_from: match used_from {
                Ok(used_from) => used_from,
                Err(column) => cells.present(column, None)?,
            },
            state: cells.present("revocation_reason", state)?,
        })
    }
}

fn columns() -> <GrantRow as Selectable<Pg>>::SelectExpression {
    <GrantRow as Selectable<Pg>>::construct_selection()
}

/// Returns the values of every column that a new grant has, in table order.
pub fn grant_values(grant: &Grant) -> [Value; 13] {
    let row = GrantRow::from(grant);
    [
        row.user_id.into(),
        row.id.into(),
        row.client_id.into(),
        row.scopes.into(),
        row.refresh_token_hash.into(),
        row.created_at.into(),
        row.last_used_at.into(),
        row.revoked_at.into(),
        row.revocation_reason.into(),
        row.last_used_address.into(),
        row.last_used_agent.into(),
        row.newest_token_hash.into(),
        row.resource.into(),
    ]
}

/// Stores a grant unless the person has one with its id, or its refresh token exists; returns whether it did.
pub async fn store_grant(unit: &mut impl Transaction, grant: &Grant) -> Result<bool, StorageError> {
    let insert = diesel::insert_into(access_grant::table).values(GrantRow::from(grant));
    Ok(unit.execute(insert.on_conflict_do_nothing()).await? > 0)
}

/// Finds a grant by its refresh token: that of a person, or anyone's.
pub(crate) async fn find_grant(
    store: &impl Store,
    hash: &SecretHash,
    user_id: Option<UserId>,
) -> Result<Option<GrantWithUser>, StorageError> {
    let query = access_grant::table
        .inner_join(account::table.on(account::id.eq(access_grant::user_id)))
        .filter(access_grant::refresh_token_hash.eq(hash.cell()))
        .select((columns(), account::locked_at));
    let row: Option<(GrantRow, Option<TimeCell>)> = match user_id {
        Some(user_id) => store.load_row(query.filter(access_grant::user_id.eq(user_id.cell()))).await?,
        None => store.load_row(query).await?,
    };
    let Some((row, locked_at)) = row else { return Ok(None) };
    let grant = row.into_value()?;
    let user_status = Cells("account", &grant.user_id).parse("locked_at", locked_at)?;
    Ok(Some(GrantWithUser { grant, user_status }))
}

/// Appends the filter's conditions. Absent filters are omitted from the text, so that indexes apply.
fn narrowed<R>(mut query: Raw<R>, filter: GrantFilter) -> Raw<R> {
    let GrantFilter { user_id, client_id, id, created_before } = filter;
    if let Some(user_id) = user_id {
        query = query.sql(" AND user_id = ?").bind(user_id.cell());
    }
    if let Some(client_id) = client_id {
        query = query.sql(" AND client_id = ?").bind(client_id.cell());
    }
    if let Some(id) = id {
        query = query.sql(" AND id = ?").bind(id.cell());
    }
    if let Some(before) = created_before {
        query = query.sql(" AND created_at < ?").bind(before.cell());
    }
    query
}

/// Lists grants by id.
pub async fn list_grants(
    store: &impl Store,
    filter: GrantFilter,
    after: Option<GrantId>,
    limit: u32,
) -> Result<Vec<Grant>, StorageError> {
    let query = Raw::rows(
        "SELECT user_id, id, client_id, scopes, refresh_token_hash, created_at, last_used_at, revoked_at,
            revocation_reason, last_used_address, last_used_agent, newest_token_hash, resource
        FROM access_grant WHERE true",
        columns(),
    );
    let mut query = narrowed(query, filter);
    if let Some(after) = after {
        query = query.sql(" AND id > ?").bind(after.cell());
    }
    store.read_all::<GrantRow, _>(query.sql(" ORDER BY id LIMIT ?").bind(i64::from(limit))).await
}

/// Counts the live grants of a client, up to a limit.
pub async fn count_live_grants(
    store: &impl Store,
    client_id: ClientId,
    limit: u32,
) -> Result<u32, StorageError> {
    let query = access_grant::table
        .filter(access_grant::client_id.eq(client_id.cell()))
        .filter(access_grant::revoked_at.is_null())
        .limit(i64::from(limit))
        .select(access_grant::id);
    let ids: Vec<IdCell> = store.load_rows(query).await?;
    Ok(u32::try_from(ids.len()).unwrap_or(u32::MAX))
}

/// Replaces the presented token if it is the newest, or revokes the grant unless the newest replaced it
/// within the window. On `PostgreSQL`, a concurrent use waits for the row lock, then sees what was stored.
const ROTATE: &str = "UPDATE access_grant SET
        newest_token_hash = CASE WHEN newest_token_hash = ? THEN ? ELSE newest_token_hash END,
        replaced_token_hash = CASE WHEN newest_token_hash = ? THEN ? ELSE replaced_token_hash END,
        sealed_token = CASE WHEN newest_token_hash = ? THEN ? ELSE sealed_token END,
        rotated_at = CASE WHEN newest_token_hash = ? THEN ? ELSE rotated_at END,
        revoked_at = CASE WHEN newest_token_hash = ? OR (replaced_token_hash = ? AND rotated_at >= ?)
            THEN NULL ELSE ? END,
        revocation_reason = CASE WHEN newest_token_hash = ? OR (replaced_token_hash = ? AND rotated_at >= ?)
            THEN NULL ELSE ? END
    WHERE user_id = ? AND id = ? AND revoked_at IS NULL AND newest_token_hash IS NOT NULL
    RETURNING newest_token_hash = ?, revoked_at IS NOT NULL, sealed_token";

/// Statements about grants that each store runs in its way.
#[async_trait]
pub trait StoreGrants: Send {
    /// Stores a grant as [`GrantRepository::insert`] describes.
    async fn insert_grant(&mut self, grant: &Grant) -> Result<(), StorageError>;

    /// Deletes grants as [`GrantRepository::delete_revoked`] describes.
    async fn delete_revoked_grants(&mut self, before: DateTime<Utc>, limit: u32)
    -> Result<u64, StorageError>;
}

impl<R: Transaction + StoreGrants> Unit<R> {
    /// Runs a statement that revokes grants, and returns their number.
    async fn revoke_by(
        &mut self,
        query: impl Read<(IdCell, IdCell)>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let revoked = self.0.load_rows(query).await?;
        let number = u64::try_from(revoked.len()).unwrap_or(u64::MAX);
        announce_revocations(&mut self.0, revoked, at).await?;
        Ok(number)
    }
}

#[async_trait]
impl<R: Transaction + StoreGrants> GrantRepository for Unit<R> {
    async fn insert(&mut self, grant: &Grant) -> Result<(), StorageError> {
        self.0.insert_grant(grant).await
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: GrantId,
        at: DateTime<Utc>,
        from: &UsedFrom,
    ) -> Result<(), StorageError> {
        let earlier = access_grant::table
            .find((user_id.cell(), id.cell()))
            .filter(access_grant::last_used_at.is_null().or(access_grant::last_used_at.lt(at.cell())));
        let (address, agent) = used_from_parts(from);
        let query = diesel::update(earlier).set((
            access_grant::last_used_at.eq(at.cell()),
            access_grant::last_used_address.eq(address),
            access_grant::last_used_agent.eq(agent),
        ));
        self.0.execute(query).await.map(drop)
    }

    async fn rotate(&mut self, rotation: &Rotation) -> Result<RotationOutcome, StorageError> {
        let Rotation { user_id, grant_id, presented, next, sealed_next, at } = rotation;
        let (key, presented) = ((user_id.cell(), grant_id.cell()), presented.as_bytes());
        let (now, start) = (at.cell(), rotation.window_start().cell());
        let query: Raw<(Bool, Bool, Nullable<Binary>)> = Raw::same(ROTATE)
            .blob(presented)
            .blob(next.as_bytes())
            .blob(presented)
            .blob(presented)
            .blob(presented)
            .blob(sealed_next.as_bytes())
            .blob(presented)
            .bind(now)
            .blob(presented)
            .blob(presented)
            .bind(start)
            .bind(now)
            .blob(presented)
            .blob(presented)
            .bind(start)
            .text(RevocationReason::TokenReused.as_str())
            .bind(key.0)
            .bind(key.1)
            .blob(next.as_bytes());
        let outcome = rotation_outcome(self.0.load_row(query).await?);
        let outcome = Cells("access_grant", grant_id).present("sealed_token", outcome)?;
        if outcome == RotationOutcome::Reused {
            let revoked =
                access_grant::table.find(key).select((access_grant::user_id, access_grant::client_id));
            self.revoke_by(revoked, *at).await?;
        }
        Ok(outcome)
    }

    async fn revoke(
        &mut self,
        filter: GrantFilter,
        at: DateTime<Utc>,
        reason: RevocationReason,
    ) -> Result<u64, StorageError> {
        let query = Raw::rows(
            "UPDATE access_grant SET revoked_at = ?, revocation_reason = ? WHERE revoked_at IS NULL",
            (access_grant::user_id, access_grant::client_id),
        );
        let query = narrowed(query.bind(at.cell()).text(reason.as_str()), filter);
        self.revoke_by(query.sql(" RETURNING user_id, client_id"), at).await
    }

    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let older = access_grant::table
            .filter(access_grant::user_id.between(people.start().cell(), people.end().cell()))
            .filter(access_grant::created_at.lt(before.cell()))
            .filter(access_grant::revoked_at.is_null());
        let reason = access_grant::revocation_reason.eq(RevocationReason::Operator.as_str());
        let query = diesel::update(older)
            .set((access_grant::revoked_at.eq(at.cell()), reason))
            .returning((access_grant::user_id, access_grant::client_id));
        self.revoke_by(query, at).await
    }

    async fn delete_revoked(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_revoked_grants(before, limit).await
    }

    async fn revoke_excess(
        &mut self,
        client_id: ClientId,
        user_id: UserId,
        keep: usize,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        // Two concurrent redemptions would not see each other's new grant and could both pass the limit.
        self.0.lock_account(user_id).await?;
        let query: Raw = Raw::same(
            "UPDATE access_grant SET revoked_at = ?, revocation_reason = ?
            WHERE user_id = ? AND revoked_at IS NULL AND id IN (
                SELECT id FROM access_grant WHERE user_id = ? AND client_id = ? AND revoked_at IS NULL
                ORDER BY coalesce(last_used_at, created_at) DESC, id DESC",
        );
        let query = query
            .bind(at.cell())
            .text(RevocationReason::TooManyGrants.as_str())
            .bind(user_id.cell())
            .bind(user_id.cell())
            .bind(client_id.cell())
            .sql_of([" OFFSET ?)", " LIMIT -1 OFFSET ?)"])
            .bind(i64::try_from(keep).unwrap_or(i64::MAX));
        self.0.execute(query).await
    }
}
