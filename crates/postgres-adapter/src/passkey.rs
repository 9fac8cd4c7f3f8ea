//! Passkeys and pending passkey ceremonies.

use crate::connection::Pooled;
use crate::error::{corrupt, storage_error};
use crate::row::secret_hash;
use crate::schema::passkey_ceremony as ceremony;
use crate::schema::{passkey, passkey_ceremony};
use crate::statement::stored;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{
    PasskeyCeremonyRepository, PasskeyReader, PasskeyRepository, PasskeyUse, StorageError, UniqueKey,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::{PasskeyId, UserId};
use domain::passkey::{
    CeremonyPurpose, CredentialId, Passkey, PasskeyCeremony, PasskeyKey, PasskeyName, Transports,
};
use domain::secret::SecretHash;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use uuid::Uuid;

const TABLE: &str = "passkey";

/// A row of `passkey`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = passkey, check_for_backend(Pg))]
struct PasskeyRow {
    user_id: Uuid,
    id: Uuid,
    name: String,
    credential_id: Vec<u8>,
    public_key: Vec<u8>,
    sign_count: i64,
    is_backup_eligible: bool,
    is_backed_up: bool,
    transports: String,
    created_at: DateTime<Utc>,
    last_used_at: Option<DateTime<Utc>>,
}

impl From<&Passkey> for PasskeyRow {
    fn from(passkey: &Passkey) -> Self {
        let Passkey {
            id,
            user_id,
            name,
            credential_id,
            key,
            sign_count,
            is_backup_eligible,
            is_backed_up,
            transports,
            created_at,
            last_used_at,
        } = passkey;
        Self {
            user_id: user_id.as_uuid(),
            id: id.as_uuid(),
            name: name.as_str().to_owned(),
            credential_id: credential_id.as_bytes().to_vec(),
            public_key: key.as_cose().to_vec(),
            sign_count: i64::from(*sign_count),
            is_backup_eligible: *is_backup_eligible,
            is_backed_up: *is_backed_up,
            transports: transports.to_names(),
            created_at: *created_at,
            last_used_at: *last_used_at,
        }
    }
}

impl PasskeyRow {
    fn into_passkey(self) -> Result<Passkey, StorageError> {
        let Self {
            user_id,
            id,
            name,
            credential_id,
            public_key,
            sign_count,
            is_backup_eligible,
            is_backed_up,
            transports,
            created_at,
            last_used_at,
        } = self;
        let credential_id = CredentialId::new(credential_id).ok_or(());
        Ok(Passkey {
            id: PasskeyId::from_uuid(id),
            user_id: UserId::from_uuid(user_id),
            name: PasskeyName::from_stored(&name).map_err(corrupt(TABLE, "name", id))?,
            credential_id: credential_id.map_err(corrupt(TABLE, "credential_id", id))?,
            key: PasskeyKey::parse(&public_key).map_err(corrupt(TABLE, "public_key", id))?,
            sign_count: u32::try_from(sign_count).map_err(corrupt(TABLE, "sign_count", id))?,
            is_backup_eligible,
            is_backed_up,
            transports: Transports::parse(&transports),
            created_at,
            last_used_at,
        })
    }
}

fn list(connection: &mut Pooled, user_id: UserId) -> BoxFuture<'_, QueryResult<Vec<PasskeyRow>>> {
    passkey::table
        .filter(passkey::user_id.eq(user_id.as_uuid()))
        .order((passkey::created_at.asc(), passkey::id.asc()))
        .select(PasskeyRow::as_select())
        .load(connection)
        .boxed()
}

#[async_trait]
impl PasskeyReader for PostgresStore {
    async fn find_passkey(&self, credential_id: &CredentialId) -> Result<Option<Passkey>, StorageError> {
        let credential_id = credential_id.as_bytes().to_vec();
        let row: Option<PasskeyRow> = self
            .read_row(move || {
                passkey::table
                    .filter(passkey::credential_id.eq(credential_id.clone()))
                    .select(PasskeyRow::as_select())
            })
            .await?;
        row.map(PasskeyRow::into_passkey).transpose()
    }

    async fn list_passkeys(&self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        let rows = self.read_page(move |connection| list(connection, user_id)).await?;
        rows.into_iter().map(PasskeyRow::into_passkey).collect()
    }
}

#[async_trait]
impl PasskeyRepository for PgUnitOfWork {
    async fn insert(&mut self, passkey: &Passkey) -> Result<(), StorageError> {
        let query =
            diesel::insert_into(passkey::table).values(PasskeyRow::from(passkey)).on_conflict_do_nothing();
        let inserted = self.connection()?.execute(query).await?;
        stored(inserted, UniqueKey::Passkey)
    }

    async fn list(&mut self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        let rows = list(self.connection()?, user_id).await.map_err(storage_error)?;
        rows.into_iter().map(PasskeyRow::into_passkey).collect()
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: PasskeyId,
        used: PasskeyUse,
    ) -> Result<bool, StorageError> {
        let PasskeyUse { sign_count, is_backed_up, at } = used;
        let count = i64::from(sign_count);
        let has_none = count == 0;
        let may_follow = passkey::sign_count
            .lt(count)
            .or(passkey::sign_count.eq(0).and(has_none.into_sql::<diesel::sql_types::Bool>()));
        let query = diesel::update(passkey::table.find((user_id.as_uuid(), id.as_uuid())).filter(may_follow))
            .set((
                passkey::sign_count.eq(count),
                passkey::is_backed_up.eq(is_backed_up),
                passkey::last_used_at.eq(at),
            ));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn rename(
        &mut self,
        user_id: UserId,
        id: PasskeyId,
        name: &PasskeyName,
    ) -> Result<bool, StorageError> {
        let query = diesel::update(passkey::table.find((user_id.as_uuid(), id.as_uuid())))
            .set(passkey::name.eq(name.as_str()));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn delete(&mut self, user_id: UserId, id: PasskeyId) -> Result<bool, StorageError> {
        let query = diesel::delete(passkey::table.find((user_id.as_uuid(), id.as_uuid())));
        Ok(self.connection()?.execute(query).await? > 0)
    }
}

/// A row of `passkey_ceremony`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = passkey_ceremony, check_for_backend(Pg))]
struct CeremonyRow {
    challenge_hash: Vec<u8>,
    purpose: String,
    browser_hash: Vec<u8>,
    expires_at: DateTime<Utc>,
}

impl CeremonyRow {
    fn into_ceremony(self) -> Result<PasskeyCeremony, StorageError> {
        const TABLE: &str = "passkey_ceremony";
        let Self { challenge_hash, purpose, browser_hash, expires_at } = self;
        let purpose = CeremonyPurpose::parse(&purpose).ok_or(());
        Ok(PasskeyCeremony {
            challenge_hash: secret_hash(&challenge_hash, TABLE, "challenge_hash", "")?,
            purpose: purpose.map_err(corrupt(TABLE, "purpose", ""))?,
            browser_hash: secret_hash(&browser_hash, TABLE, "browser_hash", "")?,
            expires_at,
        })
    }
}

#[async_trait]
impl PasskeyCeremonyRepository for PgUnitOfWork {
    async fn insert(&mut self, new: &PasskeyCeremony) -> Result<(), StorageError> {
        let PasskeyCeremony { challenge_hash, purpose, browser_hash, expires_at } = new;
        let row = CeremonyRow {
            challenge_hash: challenge_hash.as_bytes().to_vec(),
            purpose: purpose.as_str().to_owned(),
            browser_hash: browser_hash.as_bytes().to_vec(),
            expires_at: *expires_at,
        };
        let query = diesel::insert_into(ceremony::table).values(row);
        self.connection()?.execute(query).await.map(drop)
    }

    async fn take(&mut self, challenge: &SecretHash) -> Result<Option<PasskeyCeremony>, StorageError> {
        // A concurrent call waits for the first one's row lock, then finds no row.
        let query = diesel::delete(ceremony::table.find(challenge.as_bytes().as_slice()))
            .returning(CeremonyRow::as_returning());
        self.connection()?.load_row(query).await?.map(CeremonyRow::into_ceremony).transpose()
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?
            .delete_oldest(("passkey_ceremony", "challenge_hash", "expires_at"), before, limit)
            .await
    }
}
