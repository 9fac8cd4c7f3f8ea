//! Browser sessions.

use crate::error::corrupt;
use crate::row::secret_hash;
use crate::schema::session;
use crate::statement::stored;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{
    SessionReader, SessionRepository, SessionWithUser, StorageError, UniqueKey,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Timestamptz};
use domain::address::AddressBlock;
use domain::device::Device;
use domain::id::{SessionId, UserId};
use domain::secret::SecretHash;
use domain::session::{AuthenticationMethod, Session};
use store_shared::Store as _;
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
    device: Option<String>,
    address: Option<String>,
    first_seen_at: Option<DateTime<Utc>>,
}

impl From<&Session> for SessionRow {
    fn from(session: &Session) -> Self {
        let Session {
            id,
            user_id,
            token_hash,
            method,
            authenticated_at,
            last_seen_at,
            first_seen_at,
            device,
            address,
        } = session;
        Self {
            user_id: user_id.as_uuid(),
            id: id.as_uuid(),
            token_hash: token_hash.as_bytes().to_vec(),
            method: method.as_str().to_owned(),
            authenticated_at: *authenticated_at,
            last_seen_at: *last_seen_at,
            device: device.map(Device::stored),
            address: address.map(|address| address.to_string()),
            first_seen_at: Some(*first_seen_at),
        }
    }
}

impl SessionRow {
    pub(crate) fn into_session(self) -> Result<Session, StorageError> {
        let Self {
            user_id,
            id,
            token_hash,
            method,
            authenticated_at,
            last_seen_at,
            device,
            address,
            first_seen_at,
        } = self;
        let method = AuthenticationMethod::parse(&method).ok_or(());
        let device = device.map(|text| Device::parse(&text).ok_or(())).transpose();
        let address = address.as_deref().map(AddressBlock::parse).transpose();
        Ok(Session {
            id: SessionId::from_uuid(id),
            user_id: UserId::from_uuid(user_id),
            token_hash: secret_hash(&token_hash, TABLE, "token_hash", id)?,
            method: method.map_err(corrupt(TABLE, "method", id))?,
            authenticated_at,
            last_seen_at,
            first_seen_at: first_seen_at.unwrap_or(authenticated_at),
            device: device.map_err(corrupt(TABLE, "device", id))?,
            address: address.map_err(corrupt(TABLE, "address", id))?,
        })
    }
}

#[async_trait]
impl SessionReader for PostgresStore {
    async fn find_session(&self, hash: &SecretHash) -> Result<Option<SessionWithUser>, StorageError> {
        let hash = *hash;
        let row: Option<SessionRow> = self
            .read_row(move || {
                session::table
                    .filter(session::token_hash.eq(hash.as_bytes().to_vec()))
                    .select(SessionRow::as_select())
            })
            .await?;
        let Some(session) = row else { return Ok(None) };
        let user_id = UserId::from_uuid(session.user_id);
        let Some(account) = self.find_account(user_id).await? else { return Ok(None) };
        Ok(Some(SessionWithUser {
            session: session.into_session()?,
            email: account.email,
            user_status: account.status,
            home_timezone: account.home_timezone,
        }))
    }

    async fn list_sessions(&self, user_id: UserId) -> Result<Vec<Session>, StorageError> {
        let query = move || {
            session::table
                .filter(session::user_id.eq(user_id.as_uuid()))
                .order((session::authenticated_at.desc(), session::id.asc()))
                .select(SessionRow::as_select())
        };
        self.read_rows(query).await?.into_iter().map(SessionRow::into_session).collect()
    }
}

/// Waits for sessions in use: the operator uses this to end every session.
const DELETE_ENDED: &str = "DELETE FROM session WHERE (user_id, id) IN (
    SELECT user_id, id FROM session WHERE last_seen_at < $1 OR authenticated_at < $2 LIMIT $3 FOR UPDATE)";

#[async_trait]
impl SessionRepository for PgUnitOfWork {
    async fn insert(&mut self, session: &Session) -> Result<(), StorageError> {
        let query =
            diesel::insert_into(session::table).values(SessionRow::from(session)).on_conflict_do_nothing();
        let inserted = self.connection()?.execute(query).await?;
        stored(inserted, UniqueKey::Session)
    }

    async fn find(&mut self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StorageError> {
        let query = session::table.find((user_id.as_uuid(), id.as_uuid())).select(SessionRow::as_select());
        self.connection()?.load_row(query).await?.map(SessionRow::into_session).transpose()
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let key = session::table.find((user_id.as_uuid(), id.as_uuid()));
        let updating =
            diesel::update(key.filter(session::last_seen_at.lt(at))).set(session::last_seen_at.eq(at));
        self.connection()?.execute(updating).await.map(drop)
    }

    async fn delete(&mut self, user_id: UserId, id: SessionId) -> Result<bool, StorageError> {
        let query = diesel::delete(session::table.find((user_id.as_uuid(), id.as_uuid())));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn delete_of_user(
        &mut self,
        user_id: UserId,
        except: Option<SessionId>,
    ) -> Result<u64, StorageError> {
        let own = session::table.filter(session::user_id.eq(user_id.as_uuid()));
        let mut deleting = diesel::delete(own).into_boxed();
        if let Some(except) = except {
            deleting = deleting.filter(session::id.ne(except.as_uuid()));
        }
        self.connection()?.execute(deleting).await
    }

    async fn delete_ended(
        &mut self,
        seen_before: DateTime<Utc>,
        authenticated_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let query = sql_query(DELETE_ENDED)
            .bind::<Timestamptz, _>(seen_before)
            .bind::<Timestamptz, _>(authenticated_before)
            .bind::<BigInt, _>(i64::from(limit));
        self.connection()?.execute(query).await
    }
}
