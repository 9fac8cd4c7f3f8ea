//! Redemptions of authorization codes.

use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{StorageError, UniqueKey};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use domain::audit::AuditEvent;
use domain::grant::Grant;
use domain::secret::SecretHash;
use store_shared::column::Held as _;
use store_shared::schema::{authorization_code as code, refresh_token};
use store_shared::{Raw, RedeemCodes, append_event, event_values, grant_values};

/// Stores everything of a redemption except the grant, in one round trip.
///
/// A concurrent redemption waits for the lock on the code, then matches no row. Each part depends on the one
/// before, so nothing is stored if the code is redeemed or the token exists. The grant is separate: a
/// statement that writes a distributed table may write no other.
const REDEEM: &str = "WITH redeemed AS (
        UPDATE authorization_code SET redeemed_at = ?, redeemed_grant_id = ?
        WHERE code_hash = ? AND redeemed_at IS NULL AND expires_at > ? RETURNING code_hash
    ), held AS (
        INSERT INTO refresh_token (token_hash, user_id) SELECT ?, ? FROM redeemed
        ON CONFLICT DO NOTHING RETURNING token_hash
    ), event AS (
        INSERT INTO audit_event
            (id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes)
        SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM held
    )
    SELECT EXISTS (SELECT FROM redeemed), EXISTS (SELECT FROM held)";

/// Stores the grant and counts the other live grants.
const GRANT: &str = "WITH granted AS (
        INSERT INTO access_grant (user_id, id, client_id, scopes, refresh_token_hash, created_at,
            last_used_at, revoked_at, revocation_reason, last_used_address, last_used_agent, newest_token_hash,
            resource)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING RETURNING id
    )
    SELECT EXISTS (SELECT FROM granted), (
        SELECT count(*) FROM access_grant
        WHERE user_id = ? AND client_id = ? AND revoked_at IS NULL AND id <> ?)";

impl PgUnitOfWork {
    /// Marks a code as redeemed, and stores the refresh token and the event. Returns whether the code was
    /// still usable, and whether the token is new.
    async fn use_code(
        &mut self,
        hash: &SecretHash,
        grant: &Grant,
        event: &AuditEvent,
    ) -> Result<(bool, bool), StorageError> {
        if self.connection()?.is_distributed() {
            return self.use_code_in_parts(hash, grant, event).await;
        }
        let at = grant.created_at.cell();
        let redeem: Raw<(Bool, Bool)> = Raw::same(REDEEM)
            .bind(at)
            .bind(grant.id.cell())
            .bind(hash.cell())
            .bind(at)
            .bind(grant.refresh_token_hash.cell())
            .bind(grant.user_id.cell())
            .bind_all(event_values(event));
        self.connection()?.load_one(redeem).await
    }

    /// Does the same in three statements: Citus sends the results of a statement's parts to every worker, so
    /// nobody could redeem a code while one worker is lost.
    async fn use_code_in_parts(
        &mut self,
        hash: &SecretHash,
        grant: &Grant,
        event: &AuditEvent,
    ) -> Result<(bool, bool), StorageError> {
        let connection = self.connection()?;
        let at = grant.created_at.cell();
        let usable =
            code::table.find(hash.cell()).filter(code::redeemed_at.is_null()).filter(code::expires_at.gt(at));
        let used = diesel::update(usable)
            .set((code::redeemed_at.eq(at), code::redeemed_grant_id.eq(Some(grant.id.cell()))));
        if connection.execute(used).await? == 0 {
            return Ok((false, false));
        }
        let token = (
            refresh_token::token_hash.eq(grant.refresh_token_hash.cell()),
            refresh_token::user_id.eq(grant.user_id.cell()),
        );
        let held = diesel::insert_into(refresh_token::table).values(token).on_conflict_do_nothing();
        let is_new = connection.execute(held).await? > 0;
        if is_new {
            append_event(self, event).await?;
        }
        Ok((true, is_new))
    }
}

#[async_trait]
impl RedeemCodes for PgUnitOfWork {
    async fn redeem_code(
        &mut self,
        hash: &SecretHash,
        grant: &Grant,
        event: &AuditEvent,
    ) -> Result<Option<usize>, StorageError> {
        match self.use_code(hash, grant, event).await? {
            (false, _) => return Ok(None),
            (true, false) => return Err(StorageError::Conflict(UniqueKey::Grant)),
            (true, true) => {}
        }
        let query: Raw<(Bool, BigInt)> = Raw::same(GRANT)
            .bind_all(grant_values(grant))
            .bind(grant.user_id.cell())
            .bind(grant.client_id.cell())
            .bind(grant.id.cell());
        let (is_stored, before): (bool, i64) = self.connection()?.load_one(query).await?;
        if !is_stored {
            return Err(StorageError::Conflict(UniqueKey::Grant));
        }
        Ok(Some(usize::try_from(before).unwrap_or(usize::MAX).saturating_add(1)))
    }
}
