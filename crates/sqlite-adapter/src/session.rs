//! Browser sessions.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{account, session};
use crate::statement::{execute, load_row};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use crate::user::user_status;
use application::ports::storage::{SessionReader, SessionRepository, SessionWithUser, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use domain::address::AddressBlock;
use domain::device::Device;
use domain::id::{SessionId, UserId};
use domain::secret::SecretHash;
use domain::session::{AuthenticationMethod, Session};
use domain::time::TimeZone;
use domain::user::Email;
use store_shared::Raw;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = session)]
struct SessionRow {
    user_id: Vec<u8>,
    id: Vec<u8>,
    token_hash: Vec<u8>,
    method: String,
    authenticated_at: i64,
    last_seen_at: i64,
    device: Option<String>,
    address: Option<String>,
    first_seen_at: Option<i64>,
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
            user_id: blob(user_id.as_uuid()),
            id: blob(id.as_uuid()),
            token_hash: token_hash.as_bytes().to_vec(),
            method: method.as_str().to_owned(),
            authenticated_at: micros(*authenticated_at),
            last_seen_at: micros(*last_seen_at),
            device: device.map(Device::stored),
            address: address.map(|address| address.to_string()),
            first_seen_at: Some(micros(*first_seen_at)),
        }
    }
}

impl SessionRow {
    fn into_session(self) -> Result<Session, StorageError> {
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
        let cells = Cells::new("session", &id);
        let device = device.map(|text| cells.present("device", Device::parse(&text)));
        let address = address.map(|text| cells.valid("address", AddressBlock::parse(&text)));
        let first_seen_at = first_seen_at.unwrap_or(authenticated_at);
        Ok(Session {
            id: SessionId::from_uuid(cells.uuid("id", &id)?),
            user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
            token_hash: cells.hash("token_hash", &token_hash)?,
            method: cells.present("method", AuthenticationMethod::parse(&method))?,
            authenticated_at: cells.instant("authenticated_at", authenticated_at)?,
            last_seen_at: cells.instant("last_seen_at", last_seen_at)?,
            first_seen_at: cells.instant("first_seen_at", first_seen_at)?,
            device: device.transpose()?,
            address: address.transpose()?,
        })
    }
}

/// Address, lock time and zone of a session's account.
type AccountCells = (String, Option<i64>, String);

fn with_user(row: SessionRow, account: &AccountCells) -> Result<SessionWithUser, StorageError> {
    let (email, locked_at, home_timezone) = account;
    let session = row.into_session()?;
    let key = session.user_id.as_uuid();
    let cells = Cells::new("account", key.as_bytes());
    Ok(SessionWithUser {
        session,
        email: cells.valid("email", Email::parse(email))?,
        user_status: user_status(cells, *locked_at)?,
        home_timezone: cells.valid("home_timezone", TimeZone::parse(home_timezone))?,
    })
}

#[async_trait]
impl SessionReader for SqliteStore {
    async fn find_session(&self, hash: &SecretHash) -> Result<Option<SessionWithUser>, StorageError> {
        let hash = hash.as_bytes().to_vec();
        self.read_row(move |connection| {
            let found: Option<(SessionRow, AccountCells)> = session::table
                .inner_join(account::table.on(account::id.eq(session::user_id)))
                .filter(session::token_hash.eq(hash))
                .select((
                    SessionRow::as_select(),
                    (account::email, account::locked_at, account::home_timezone),
                ))
                .first(connection)
                .optional()
                .storage()?;
            found.map(|(row, account)| with_user(row, &account)).transpose()
        })
        .await
    }

    async fn list_sessions(&self, user_id: UserId) -> Result<Vec<Session>, StorageError> {
        self.read(move |connection| {
            let rows: Vec<SessionRow> = session::table
                .filter(session::user_id.eq(blob(user_id.as_uuid())))
                .order((session::authenticated_at.desc(), session::id))
                .load(connection)
                .storage()?;
            rows.into_iter().map(SessionRow::into_session).collect()
        })
        .await
    }
}

#[async_trait]
impl SessionRepository for SqliteUnitOfWork {
    async fn insert(&mut self, session: &Session) -> Result<(), StorageError> {
        let row = SessionRow::from(session);
        self.run(execute(diesel::insert_into(session::table).values(row))).await.map(drop)
    }

    async fn find(&mut self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StorageError> {
        let key = (blob(user_id.as_uuid()), blob(id.as_uuid()));
        self.run(load_row(session::table.find(key))).await?.map(SessionRow::into_session).transpose()
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let key = (blob(user_id.as_uuid()), blob(id.as_uuid()));
        let earlier = session::table.find(key).filter(session::last_seen_at.lt(micros(at)));
        let query = diesel::update(earlier).set(session::last_seen_at.eq(micros(at)));
        self.run(execute(query)).await.map(drop)
    }

    async fn delete(&mut self, user_id: UserId, id: SessionId) -> Result<bool, StorageError> {
        let key = (blob(user_id.as_uuid()), blob(id.as_uuid()));
        Ok(self.run(execute(diesel::delete(session::table.find(key)))).await? > 0)
    }

    async fn delete_of_user(
        &mut self,
        user_id: UserId,
        except: Option<SessionId>,
    ) -> Result<u64, StorageError> {
        let of_user = session::table.filter(session::user_id.eq(blob(user_id.as_uuid())));
        let mut ended = diesel::delete(of_user).into_boxed::<Sqlite>();
        if let Some(id) = except {
            ended = ended.filter(session::id.ne(blob(id.as_uuid())));
        }
        self.run(execute(ended)).await
    }

    async fn delete_ended(
        &mut self,
        seen_before: DateTime<Utc>,
        authenticated_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let statement: Raw<()> = Raw::same(
            "DELETE FROM session WHERE (user_id, id) IN (SELECT user_id, id FROM session \
             WHERE last_seen_at < ? OR authenticated_at < ? LIMIT ?)",
        )
        .bind(micros(seen_before))
        .bind(micros(authenticated_before))
        .bind(i64::from(limit));
        self.run(execute(statement)).await
    }
}
