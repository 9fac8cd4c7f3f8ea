//! Authorization codes.

use crate::column::{Held, IdCell, TimeCell};
use crate::row::{self, row};
use crate::schema::{account, authorization_code, authorization_code as code};
use crate::statement::Locked;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{CodeRepository, CodeWithUser, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::audit::AuditEvent;
use domain::code::{AuthorizationCode, CodeState};
use domain::grant::Grant;
use domain::id::UserId;
use domain::secret::SecretHash;

row! {
    /// A row of `authorization_code`. Errors name the person's id, so that the hash stays out of logs.
    CodeRow of authorization_code: AuthorizationCode, row format_args!("of person {user_id}"), {
        hash: Vec<u8>, in code_hash;
        client_id: IdCell;
        user_id: IdCell;
        redirect_uri: String;
        scopes: String;
        challenge: Option<Vec<u8>>;
        issued_at: TimeCell;
        expires_at: TimeCell;
        state: StateCells, of redeemed_at redeemed_grant_id;
        resource: String;
    }
}

#[derive(Queryable, Insertable)]
#[diesel(table_name = authorization_code)]
pub(crate) struct StateCells {
    redeemed_at: Option<TimeCell>,
    redeemed_grant_id: Option<IdCell>,
}

impl Held<StateCells> for CodeState {
    fn cell(&self) -> StateCells {
        let (at, grant_id) = match self {
            Self::Issued => (None, None),
            Self::Redeemed { grant_id, at } => (Some(at), Some(grant_id)),
        };
        StateCells { redeemed_at: at.map(Held::cell), redeemed_grant_id: grant_id.map(Held::cell) }
    }

    fn parse(StateCells { redeemed_at, redeemed_grant_id }: StateCells) -> Option<Self> {
        match (Held::parse(redeemed_at)?, Held::parse(redeemed_grant_id)?) {
            (None, None) => Some(Self::Issued),
            (Some(at), Some(grant_id)) => Some(Self::Redeemed { grant_id, at }),
            (Some(_), None) | (None, Some(_)) => None,
        }
    }
}

/// Statements about codes that each store runs in its way.
#[async_trait]
pub trait RedeemCodes: Send {
    /// Redeems a code as [`CodeRepository::redeem`] describes.
    async fn redeem_code(
        &mut self,
        hash: &SecretHash,
        grant: &Grant,
        event: &AuditEvent,
    ) -> Result<Option<usize>, StorageError>;
}

#[async_trait]
impl<R: Transaction + RedeemCodes> CodeRepository for Unit<R> {
    async fn insert(&mut self, code: &AuthorizationCode) -> Result<(), StorageError> {
        let insert = diesel::insert_into(code::table).values(CodeRow::from(code)).on_conflict_do_nothing();
        self.insert_new(insert, UniqueKey::Code).await
    }

    async fn find(&mut self, hash: &SecretHash) -> Result<Option<AuthorizationCode>, StorageError> {
        self.read::<CodeRow>(code::table.find(hash.cell()).select(CodeRow::COLUMNS)).await
    }

    async fn find_and_lock(&mut self, hash: &SecretHash) -> Result<Option<CodeWithUser>, StorageError> {
        let Some(code) = CodeRepository::find(self, hash).await? else { return Ok(None) };
        // Locks the person only: a code is changed only under its person's lock.
        let query = Locked(account::table.find(code.user_id.cell()).select(account::locked_at));
        let row: Option<Option<TimeCell>> = self.load_locked(code.user_id, query).await?;
        let Some(locked_at) = row else { return Ok(None) };
        let user_status = row::parse("account", "locked_at", &code.user_id, locked_at)?;
        Ok(Some(CodeWithUser { code, user_status }))
    }

    async fn redeem(
        &mut self,
        hash: &SecretHash,
        grant: &Grant,
        event: &AuditEvent,
    ) -> Result<Option<usize>, StorageError> {
        self.0.redeem_code(hash, grant, event).await
    }

    async fn discard_unredeemed(
        &mut self,
        user_id: Option<UserId>,
        issued_before: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        // On PostgreSQL, waits for redemptions in progress, whose codes are kept.
        let unredeemed =
            code::table.filter(code::redeemed_at.is_null()).filter(code::issued_at.lt(issued_before.cell()));
        match user_id {
            Some(id) => self.0.execute(diesel::delete(unredeemed.filter(code::user_id.eq(id.cell())))).await,
            None => self.0.execute(diesel::delete(unredeemed)).await,
        }
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("authorization_code", "code_hash", "expires_at"), before, limit).await
    }
}
