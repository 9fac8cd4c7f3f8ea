//! Authorization codes.

use crate::error::StorageResult as _;
use crate::grant::GrantRow;
use crate::row::{Cells, blob, micros};
use crate::schema::{access_grant, account, authorization_code};
use crate::statement::{delete_oldest, execute, load_row};
use crate::unit_of_work::SqliteUnitOfWork;
use crate::user::user_status;
use application::ports::storage::{CodeRepository, CodeWithUser, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use domain::audit::AuditEvent;
use domain::code::{AuthorizationCode, CodeState, PkceChallenge};
use domain::grant::Grant;
use domain::id::{ClientId, GrantId, UserId};
use domain::resource::Resource;
use domain::secret::SecretHash;
use store_shared::append_event;

#[derive(Queryable, Insertable)]
#[diesel(table_name = authorization_code)]
struct CodeRow {
    code_hash: Vec<u8>,
    client_id: Vec<u8>,
    user_id: Vec<u8>,
    redirect_uri: String,
    scopes: String,
    challenge: Option<Vec<u8>>,
    issued_at: i64,
    expires_at: i64,
    redeemed_grant_id: Option<Vec<u8>>,
    redeemed_at: Option<i64>,
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
        let (redeemed_grant_id, redeemed_at) = match *state {
            CodeState::Issued => (None, None),
            CodeState::Redeemed { grant_id, at } => (Some(blob(grant_id.as_uuid())), Some(micros(at))),
        };
        Self {
            code_hash: hash.as_bytes().to_vec(),
            client_id: blob(client_id.as_uuid()),
            user_id: blob(user_id.as_uuid()),
            redirect_uri: redirect_uri.clone(),
            scopes: scopes.to_string(),
            challenge: challenge.map(|challenge| challenge.as_bytes().to_vec()),
            issued_at: micros(*issued_at),
            expires_at: micros(*expires_at),
            redeemed_grant_id,
            redeemed_at,
            resource: resource.as_str().to_owned(),
        }
    }
}

impl CodeRow {
    fn into_code(self) -> Result<AuthorizationCode, StorageError> {
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
        let cells = Cells::new("authorization_code", &code_hash);
        let challenge = challenge.map(|bytes| cells.bytes32("challenge", &bytes)).transpose()?;
        let grant_id = redeemed_grant_id.map(|id| cells.uuid("redeemed_grant_id", &id)).transpose()?;
        let redeemed_at = cells.optional_instant("redeemed_at", redeemed_at)?;
        Ok(AuthorizationCode {
            hash: cells.hash("code_hash", &code_hash)?,
            client_id: ClientId::from_uuid(cells.uuid("client_id", &client_id)?),
            user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
            redirect_uri,
            scopes: cells.scopes(&scopes)?,
            resource: cells.present("resource", Resource::parse(&resource))?,
            challenge: challenge.map(PkceChallenge::from_bytes),
            issued_at: cells.instant("issued_at", issued_at)?,
            expires_at: cells.instant("expires_at", expires_at)?,
            state: match (grant_id, redeemed_at) {
                (None, None) => CodeState::Issued,
                (Some(id), Some(at)) => CodeState::Redeemed { grant_id: GrantId::from_uuid(id), at },
                _ => return Err(cells.corrupt("redeemed_at")),
            },
        })
    }
}

#[async_trait]
impl CodeRepository for SqliteUnitOfWork {
    async fn insert(&mut self, code: &AuthorizationCode) -> Result<(), StorageError> {
        let row = CodeRow::from(code);
        let query = diesel::insert_into(authorization_code::table).values(row);
        self.run(execute(query)).await.map(drop)
    }

    async fn find(&mut self, hash: &SecretHash) -> Result<Option<AuthorizationCode>, StorageError> {
        let hash = hash.as_bytes().to_vec();
        self.run(load_row(authorization_code::table.find(hash))).await?.map(CodeRow::into_code).transpose()
    }

    async fn find_and_lock(&mut self, hash: &SecretHash) -> Result<Option<CodeWithUser>, StorageError> {
        let hash = hash.as_bytes().to_vec();
        // The transaction holds the write lock, so the account row needs no lock.
        self.run(move |connection| {
            let row: Option<(CodeRow, Option<i64>)> = authorization_code::table
                .inner_join(account::table.on(account::id.eq(authorization_code::user_id)))
                .filter(authorization_code::code_hash.eq(hash))
                .select((authorization_code::all_columns, account::locked_at))
                .first(connection)
                .optional()
                .storage()?;
            let Some((row, locked_at)) = row else {
                return Ok(None);
            };
            let user_status = user_status(Cells::new("account", &row.user_id), locked_at)?;
            Ok(Some(CodeWithUser { code: row.into_code()?, user_status }))
        })
        .await
    }

    async fn redeem(
        &mut self,
        hash: &SecretHash,
        grant: &Grant,
        event: &AuditEvent,
    ) -> Result<Option<usize>, StorageError> {
        let (hash, id, now) = (hash.as_bytes().to_vec(), blob(grant.id.as_uuid()), micros(grant.created_at));
        let grant = GrantRow::from(grant);
        let redeemed = self.run(move |connection| {
            use authorization_code::dsl;
            let still_good = dsl::authorization_code
                .find(hash)
                .filter(dsl::redeemed_at.is_null())
                .filter(dsl::expires_at.gt(now));
            let changed = diesel::update(still_good)
                .set((dsl::redeemed_grant_id.eq(id), dsl::redeemed_at.eq(now)))
                .execute(connection)
                .storage()?;
            if changed == 0 {
                return Ok(None);
            }
            let live = grant.live_of_same_client_and_person(connection)?;
            diesel::insert_into(access_grant::table).values(grant).execute(connection).storage()?;
            Ok(Some(live.saturating_add(1)))
        });
        let redeemed = redeemed.await?;
        if redeemed.is_some() {
            append_event(self, event).await?;
        }
        Ok(redeemed)
    }

    async fn discard_unredeemed(
        &mut self,
        user_id: Option<UserId>,
        issued_before: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        use authorization_code::dsl;
        let unredeemed = dsl::redeemed_at.is_null().and(dsl::issued_at.lt(micros(issued_before)));
        let mut discarded = diesel::delete(dsl::authorization_code.filter(unredeemed)).into_boxed::<Sqlite>();
        if let Some(user_id) = user_id {
            discarded = discarded.filter(dsl::user_id.eq(blob(user_id.as_uuid())));
        }
        self.run(execute(discarded)).await
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(delete_oldest(("authorization_code", "code_hash", "expires_at"), before, limit)).await
    }
}
