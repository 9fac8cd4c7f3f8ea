//! Authorization codes.

use crate::error::corrupt;
use crate::grant::GrantRow;
use crate::row::{scope_set, secret_hash};
use crate::schema::authorization_code as code;
use crate::schema::{account, authorization_code, refresh_token};
use crate::statement::{returning, stored};
use crate::unit_of_work::PgUnitOfWork;
use crate::user::user_status;
use application::ports::storage::{CodeRepository, CodeWithUser, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool};
use domain::audit::AuditEvent;
use domain::code::{AuthorizationCode, CodeState, PkceChallenge};
use domain::grant::Grant;
use domain::id::{ClientId, GrantId, UserId};
use domain::resource::Resource;
use domain::secret::SecretHash;
use store_shared::column::Held as _;
use store_shared::{Raw, append_event, event_values};
use uuid::Uuid;

const TABLE: &str = "authorization_code";

/// A row of `authorization_code`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = authorization_code, check_for_backend(Pg))]
pub(crate) struct CodeRow {
    code_hash: Vec<u8>,
    client_id: Uuid,
    user_id: Uuid,
    redirect_uri: String,
    scopes: String,
    challenge: Option<Vec<u8>>,
    issued_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    redeemed_grant_id: Option<Uuid>,
    redeemed_at: Option<DateTime<Utc>>,
    resource: String,
}

impl From<&AuthorizationCode> for CodeRow {
    fn from(code: &AuthorizationCode) -> Self {
        let AuthorizationCode {
            hash,
            client_id,
            user_id,
            redirect_uri,
            scopes,
            resource,
            challenge,
            issued_at,
            expires_at,
            state,
        } = code;
        let (redeemed_grant_id, redeemed_at) = match state {
            CodeState::Issued => (None, None),
            CodeState::Redeemed { grant_id, at } => (Some(grant_id.as_uuid()), Some(*at)),
        };
        Self {
            code_hash: hash.as_bytes().to_vec(),
            client_id: client_id.as_uuid(),
            user_id: user_id.as_uuid(),
            redirect_uri: redirect_uri.clone(),
            scopes: scopes.to_string(),
            challenge: challenge.map(|challenge| challenge.as_bytes().to_vec()),
            issued_at: *issued_at,
            expires_at: *expires_at,
            redeemed_grant_id,
            redeemed_at,
            resource: resource.as_str().to_owned(),
        }
    }
}

impl CodeRow {
    /// Converts the row. Errors name the person's id, so that the hash stays out of logs.
    pub(crate) fn into_code(self) -> Result<AuthorizationCode, StorageError> {
        let Self {
            code_hash,
            client_id,
            user_id,
            redirect_uri,
            scopes,
            challenge,
            issued_at,
            expires_at,
            redeemed_grant_id,
            redeemed_at,
            resource,
        } = self;
        let row = format_args!("of person {user_id}").to_string();
        let challenge = challenge.map(<[u8; 32]>::try_from).transpose();
        let state = match (redeemed_grant_id, redeemed_at) {
            (None, None) => Ok(CodeState::Issued),
            (Some(grant_id), Some(at)) => {
                Ok(CodeState::Redeemed { grant_id: GrantId::from_uuid(grant_id), at })
            }
            (Some(_), None) | (None, Some(_)) => Err(()),
        };
        Ok(AuthorizationCode {
            hash: secret_hash(&code_hash, TABLE, "code_hash", &row)?,
            client_id: ClientId::from_uuid(client_id),
            user_id: UserId::from_uuid(user_id),
            redirect_uri,
            scopes: scope_set(&scopes, TABLE, &row)?,
            resource: Resource::parse(&resource).ok_or(()).map_err(corrupt(TABLE, "resource", &row))?,
            challenge: challenge.map_err(corrupt(TABLE, "challenge", &row))?.map(PkceChallenge::from_bytes),
            issued_at,
            expires_at,
            state: state.map_err(corrupt(TABLE, "redeemed_at", &row))?,
        })
    }
}

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
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT DO NOTHING RETURNING id
    )
    SELECT EXISTS (SELECT FROM granted), (
        SELECT count(*) FROM access_grant
        WHERE user_id = $1 AND client_id = $3 AND revoked_at IS NULL AND id <> $2)";

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
        let usable = code::table
            .find(hash.as_bytes().as_slice())
            .filter(code::redeemed_at.is_null())
            .filter(code::expires_at.gt(grant.created_at));
        let used = diesel::update(usable)
            .set((code::redeemed_at.eq(grant.created_at), code::redeemed_grant_id.eq(grant.id.as_uuid())));
        if connection.execute(used).await? == 0 {
            return Ok((false, false));
        }
        let token = (
            refresh_token::token_hash.eq(grant.refresh_token_hash.as_bytes().as_slice()),
            refresh_token::user_id.eq(grant.user_id.as_uuid()),
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
impl CodeRepository for PgUnitOfWork {
    async fn insert(&mut self, code: &AuthorizationCode) -> Result<(), StorageError> {
        let query = diesel::insert_into(code::table).values(CodeRow::from(code)).on_conflict_do_nothing();
        let inserted = self.connection()?.execute(query).await?;
        stored(inserted, UniqueKey::Code)
    }

    async fn find(&mut self, hash: &SecretHash) -> Result<Option<AuthorizationCode>, StorageError> {
        let query =
            code::table.filter(code::code_hash.eq(hash.as_bytes().as_slice())).select(CodeRow::as_select());
        self.connection()?.load_row(query).await?.map(CodeRow::into_code).transpose()
    }

    async fn find_and_lock(&mut self, hash: &SecretHash) -> Result<Option<CodeWithUser>, StorageError> {
        let Some(code) = CodeRepository::find(self, hash).await? else { return Ok(None) };
        // Locks the person only: a code is changed only under its person's lock.
        let query = account::table.find(code.user_id.as_uuid()).select(account::locked_at);
        let row: Option<Option<DateTime<Utc>>> =
            self.connection()?.load_row(query.for_no_key_update()).await?;
        let Some(locked_at) = row else { return Ok(None) };
        self.found.insert(code.user_id);
        Ok(Some(CodeWithUser { code, user_status: user_status(locked_at) }))
    }

    async fn redeem(
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
        let store = GrantRow::from(grant).bound_to(sql_query(GRANT));
        let query = returning::<(Bool, BigInt), _>(store);
        let (is_stored, before): (bool, i64) = self.connection()?.load_one(query).await?;
        if !is_stored {
            return Err(StorageError::Conflict(UniqueKey::Grant));
        }
        Ok(Some(usize::try_from(before).unwrap_or(usize::MAX).saturating_add(1)))
    }

    async fn discard_unredeemed(
        &mut self,
        user_id: Option<UserId>,
        issued_before: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        // Waits for redemptions in progress, whose codes are kept.
        let unredeemed = code::table.filter(code::redeemed_at.is_null());
        let mut discarding =
            diesel::delete(unredeemed.filter(code::issued_at.lt(issued_before))).into_boxed();
        if let Some(user_id) = user_id {
            discarding = discarding.filter(code::user_id.eq(user_id.as_uuid()));
        }
        self.connection()?.execute(discarding).await
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?
            .delete_oldest(("authorization_code", "code_hash", "expires_at"), before, limit)
            .await
    }
}
