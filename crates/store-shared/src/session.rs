//! Browser sessions.

use crate::column::{Held, IdCell, TimeCell, held};
use crate::row::{Cells, Stored};
use crate::schema::session;
use crate::statement::Raw;
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use crate::user::find_account;
use application::ports::storage::{SessionRepository, SessionWithUser, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::{SessionId, UserId};
use domain::secret::SecretHash;
use domain::session::{AuthenticationMethod, Session};

/// A row of `session`.
#[derive(Queryable, Insertable)]
#[diesel(table_name = session)]
struct SessionRow {
    user_id: IdCell,
    id: IdCell,
    token_hash: Vec<u8>,
    method: String,
    authenticated_at: TimeCell,
    last_seen_at: TimeCell,
    device: Option<String>,
    address: Option<String>,
    first_seen_at: Option<TimeCell>,
}

held! {
    AuthenticationMethod as String: |method| method.as_str().to_owned(), |text| Self::parse(&text);
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
            user_id: user_id.cell(),
            id: id.cell(),
            token_hash: token_hash.cell(),
            method: method.cell(),
            authenticated_at: authenticated_at.cell(),
            last_seen_at: last_seen_at.cell(),
            device: device.cell(),
            address: address.cell(),
            first_seen_at: Some(first_seen_at.cell()),
        }
    }
}

impl Stored for SessionRow {
    type Value = Session;

    fn into_value(self) -> Result<Session, StorageError> {
        let cells = Cells("session", &self.id);
        Ok(Session {
            id: cells.parse("id", self.id)?,
            user_id: cells.parse("user_id", self.user_id)?,
            token_hash: cells.parse("token_hash", self.token_hash)?,
            method: cells.parse("method", self.method)?,
            authenticated_at: cells.parse("authenticated_at", self.authenticated_at)?,
            last_seen_at: cells.parse("last_seen_at", self.last_seen_at)?,
            first_seen_at: cells
                .parse("first_seen_at", self.first_seen_at.unwrap_or(self.authenticated_at))?,
            device: cells.parse("device", self.device)?,
            address: cells.parse("address", self.address)?,
        })
    }
}

/// On `PostgreSQL`, waits for sessions in use: the operator uses this to end every session.
const DELETE_ENDED: [&str; 2] = [
    "DELETE FROM session WHERE (user_id, id) IN (SELECT user_id, id FROM session
        WHERE last_seen_at < ? OR authenticated_at < ? LIMIT ? FOR UPDATE)",
    "DELETE FROM session WHERE (user_id, id) IN (SELECT user_id, id FROM session
        WHERE last_seen_at < ? OR authenticated_at < ? LIMIT ?)",
];

/// Finds a session by its token. The account is read separately: it may be on another node of `PostgreSQL`.
pub async fn find_session(
    store: &impl Store,
    hash: &SecretHash,
) -> Result<Option<SessionWithUser>, StorageError> {
    let query = session::table.filter(session::token_hash.eq(hash.cell()));
    let Some(session) = store.read::<SessionRow, _>(query).await? else { return Ok(None) };
    let account = find_account(store, session.user_id).await?;
    Ok(account.map(|account| SessionWithUser {
        session,
        email: account.email,
        user_status: account.status,
        home_timezone: account.home_timezone,
    }))
}

/// Lists a person's sessions, newest first.
pub async fn list_sessions(store: &impl Store, user_id: UserId) -> Result<Vec<Session>, StorageError> {
    let query = session::table
        .filter(session::user_id.eq(user_id.cell()))
        .order((session::authenticated_at.desc(), session::id.asc()));
    store.read_all::<SessionRow, _>(query).await
}

fn key(user_id: UserId, id: SessionId) -> (IdCell, IdCell) {
    (user_id.cell(), id.cell())
}

#[async_trait]
impl<R: Transaction> SessionRepository for Unit<R> {
    async fn insert(&mut self, session: &Session) -> Result<(), StorageError> {
        let insert = diesel::insert_into(session::table).values(SessionRow::from(session));
        self.insert_new(insert.on_conflict_do_nothing(), UniqueKey::Session).await
    }

    async fn find(&mut self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StorageError> {
        self.read::<SessionRow>(session::table.find(key(user_id, id))).await
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let earlier = session::table.find(key(user_id, id)).filter(session::last_seen_at.lt(at.cell()));
        self.0.execute(diesel::update(earlier).set(session::last_seen_at.eq(at.cell()))).await.map(drop)
    }

    async fn delete(&mut self, user_id: UserId, id: SessionId) -> Result<bool, StorageError> {
        self.changes(diesel::delete(session::table.find(key(user_id, id)))).await
    }

    async fn delete_of_user(
        &mut self,
        user_id: UserId,
        except: Option<SessionId>,
    ) -> Result<u64, StorageError> {
        let own = session::table.filter(session::user_id.eq(user_id.cell()));
        match except {
            Some(id) => self.0.execute(diesel::delete(own.filter(session::id.ne(id.cell())))).await,
            None => self.0.execute(diesel::delete(own)).await,
        }
    }

    async fn delete_ended(
        &mut self,
        seen_before: DateTime<Utc>,
        authenticated_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let query: Raw = Raw::new(DELETE_ENDED).bind(seen_before.cell()).bind(authenticated_before.cell());
        self.0.execute(query.bind(i64::from(limit))).await
    }
}
