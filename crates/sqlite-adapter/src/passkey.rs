//! Passkeys and pending passkey ceremonies.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{passkey, passkey_ceremony};
use crate::statement::{Statement, delete_oldest, execute, load_row};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{
    PasskeyCeremonyRepository, PasskeyReader, PasskeyRepository, PasskeyUse, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::{PasskeyId, UserId};
use domain::passkey::{
    CeremonyPurpose, CredentialId, Passkey, PasskeyCeremony, PasskeyKey, PasskeyName, Transports,
};
use domain::secret::SecretHash;

#[derive(Queryable, Insertable)]
#[diesel(table_name = passkey)]
struct PasskeyRow {
    user_id: Vec<u8>,
    id: Vec<u8>,
    name: String,
    credential_id: Vec<u8>,
    public_key: Vec<u8>,
    sign_count: i64,
    is_backup_eligible: bool,
    is_backed_up: bool,
    transports: String,
    created_at: i64,
    last_used_at: Option<i64>,
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
            user_id: blob(user_id.as_uuid()),
            id: blob(id.as_uuid()),
            name: name.as_str().to_owned(),
            credential_id: credential_id.as_bytes().to_vec(),
            public_key: key.as_cose().to_vec(),
            sign_count: i64::from(*sign_count),
            is_backup_eligible: *is_backup_eligible,
            is_backed_up: *is_backed_up,
            transports: transports.to_names(),
            created_at: micros(*created_at),
            last_used_at: last_used_at.map(micros),
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
        let cells = Cells::new("passkey", &id);
        Ok(Passkey {
            id: PasskeyId::from_uuid(cells.uuid("id", &id)?),
            user_id: UserId::from_uuid(cells.uuid("user_id", &user_id)?),
            name: cells.valid("name", PasskeyName::from_stored(&name))?,
            credential_id: cells.present("credential_id", CredentialId::new(credential_id))?,
            key: cells.valid("public_key", PasskeyKey::parse(&public_key))?,
            sign_count: cells.valid("sign_count", u32::try_from(sign_count))?,
            is_backup_eligible,
            is_backed_up,
            transports: Transports::parse(&transports),
            created_at: cells.instant("created_at", created_at)?,
            last_used_at: cells.optional_instant("last_used_at", last_used_at)?,
        })
    }
}

fn list(connection: &mut SqliteConnection, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
    let rows: Vec<PasskeyRow> = passkey::table
        .filter(passkey::user_id.eq(blob(user_id.as_uuid())))
        .order((passkey::created_at, passkey::id))
        .load(connection)
        .storage()?;
    rows.into_iter().map(PasskeyRow::into_passkey).collect()
}

#[async_trait]
impl PasskeyReader for SqliteStore {
    async fn find_passkey(&self, credential_id: &CredentialId) -> Result<Option<Passkey>, StorageError> {
        let credential_id = credential_id.as_bytes().to_vec();
        let query = passkey::table.filter(passkey::credential_id.eq(credential_id));
        let row: Option<PasskeyRow> = self.read(load_row(query)).await?;
        row.map(PasskeyRow::into_passkey).transpose()
    }

    async fn list_passkeys(&self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        self.read(move |connection| list(connection, user_id)).await
    }
}

#[async_trait]
impl PasskeyRepository for SqliteUnitOfWork {
    async fn insert(&mut self, passkey: &Passkey) -> Result<(), StorageError> {
        let row = PasskeyRow::from(passkey);
        self.run(execute(diesel::insert_into(passkey::table).values(row))).await.map(drop)
    }

    async fn list(&mut self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        self.run(move |connection| list(connection, user_id)).await
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: PasskeyId,
        used: PasskeyUse,
    ) -> Result<bool, StorageError> {
        let PasskeyUse { sign_count, is_backed_up, at } = used;
        let count = i64::from(sign_count);
        let statement: Statement<()> = Statement::new(
            "UPDATE passkey SET sign_count = ?, is_backed_up = ?, last_used_at = ? \
             WHERE user_id = ? AND id = ? AND (sign_count < ? OR (sign_count = 0 AND ? = 0))",
        )
        .integer(count)
        .integer(i64::from(is_backed_up))
        .integer(micros(at))
        .blob(user_id.as_uuid().as_bytes())
        .blob(id.as_uuid().as_bytes())
        .integer(count)
        .integer(count);
        Ok(self.run(execute(statement)).await? > 0)
    }

    async fn rename(
        &mut self,
        user_id: UserId,
        id: PasskeyId,
        name: &PasskeyName,
    ) -> Result<bool, StorageError> {
        let key = (blob(user_id.as_uuid()), blob(id.as_uuid()));
        let query = diesel::update(passkey::table.find(key)).set(passkey::name.eq(name.as_str().to_owned()));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn delete(&mut self, user_id: UserId, id: PasskeyId) -> Result<bool, StorageError> {
        let key = (blob(user_id.as_uuid()), blob(id.as_uuid()));
        Ok(self.run(execute(diesel::delete(passkey::table.find(key)))).await? > 0)
    }
}

#[derive(Queryable, Insertable)]
#[diesel(table_name = passkey_ceremony)]
struct CeremonyRow {
    challenge_hash: Vec<u8>,
    purpose: String,
    browser_hash: Vec<u8>,
    expires_at: i64,
}

impl CeremonyRow {
    fn into_ceremony(self) -> Result<PasskeyCeremony, StorageError> {
        let Self { challenge_hash, purpose, browser_hash, expires_at } = self;
        let cells = Cells::new("passkey_ceremony", &challenge_hash);
        Ok(PasskeyCeremony {
            challenge_hash: cells.hash("challenge_hash", &challenge_hash)?,
            purpose: cells.present("purpose", CeremonyPurpose::parse(&purpose))?,
            browser_hash: cells.hash("browser_hash", &browser_hash)?,
            expires_at: cells.instant("expires_at", expires_at)?,
        })
    }
}

#[async_trait]
impl PasskeyCeremonyRepository for SqliteUnitOfWork {
    async fn insert(&mut self, ceremony: &PasskeyCeremony) -> Result<(), StorageError> {
        let PasskeyCeremony { challenge_hash, purpose, browser_hash, expires_at } = ceremony;
        let row = CeremonyRow {
            challenge_hash: challenge_hash.as_bytes().to_vec(),
            purpose: purpose.as_str().to_owned(),
            browser_hash: browser_hash.as_bytes().to_vec(),
            expires_at: micros(*expires_at),
        };
        self.run(execute(diesel::insert_into(passkey_ceremony::table).values(row))).await.map(drop)
    }

    async fn take(&mut self, challenge: &SecretHash) -> Result<Option<PasskeyCeremony>, StorageError> {
        let statement: Statement<passkey_ceremony::SqlType> = Statement::new(
            "DELETE FROM passkey_ceremony WHERE challenge_hash = ? \
             RETURNING challenge_hash, purpose, browser_hash, expires_at",
        )
        .blob(challenge.as_bytes());
        self.run(load_row(statement)).await?.map(CeremonyRow::into_ceremony).transpose()
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(delete_oldest(("passkey_ceremony", "challenge_hash", "expires_at"), before, limit)).await
    }
}
