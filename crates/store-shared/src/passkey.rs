//! Passkeys and pending passkey ceremonies.

use crate::column::{Cells, IdCell, TimeCell};
use crate::schema::{passkey, passkey_ceremony};
use crate::statement::Find;
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{
    PasskeyCeremonyRepository, PasskeyRepository, PasskeyUse, StorageError, UniqueKey,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use domain::id::{PasskeyId, UserId};
use domain::passkey::{
    CeremonyPurpose, CredentialId, Passkey, PasskeyCeremony, PasskeyKey, PasskeyName, Transports,
};
use domain::secret::SecretHash;

/// A row of `passkey`.
#[derive(Queryable, Insertable)]
#[diesel(table_name = passkey)]
struct PasskeyRow {
    user_id: IdCell,
    id: IdCell,
    name: String,
    credential_id: Vec<u8>,
    public_key: Vec<u8>,
    sign_count: i64,
    is_backup_eligible: bool,
    is_backed_up: bool,
    transports: String,
    created_at: TimeCell,
    last_used_at: Option<TimeCell>,
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
            user_id: user_id.as_uuid().into(),
            id: id.as_uuid().into(),
            name: name.as_str().to_owned(),
            credential_id: credential_id.as_bytes().to_vec(),
            public_key: key.as_cose().to_vec(),
            sign_count: i64::from(*sign_count),
            is_backup_eligible: *is_backup_eligible,
            is_backed_up: *is_backed_up,
            transports: transports.to_names(),
            created_at: (*created_at).into(),
            last_used_at: last_used_at.map(TimeCell::from),
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
            id: PasskeyId::from_uuid(cells.id("id", id)?),
            user_id: UserId::from_uuid(cells.id("user_id", user_id)?),
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

fn of_person(user_id: UserId) -> impl Find<PasskeyRow> {
    passkey::table
        .filter(passkey::user_id.eq(IdCell::from(user_id.as_uuid())))
        .order((passkey::created_at.asc(), passkey::id.asc()))
}

fn key(user_id: UserId, id: PasskeyId) -> (IdCell, IdCell) {
    (user_id.as_uuid().into(), id.as_uuid().into())
}

/// Finds a passkey by its credential.
pub async fn find_passkey(
    store: &impl Store,
    credential_id: &CredentialId,
) -> Result<Option<Passkey>, StorageError> {
    let query = passkey::table.filter(passkey::credential_id.eq(credential_id.as_bytes().to_vec()));
    store.find(query).await?.map(PasskeyRow::into_passkey).transpose()
}

/// Lists a person's passkeys, oldest first.
pub async fn list_passkeys(store: &impl Store, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
    store.list(of_person(user_id)).await?.into_iter().map(PasskeyRow::into_passkey).collect()
}

#[async_trait]
impl<R: Transaction> PasskeyRepository for Unit<R> {
    async fn insert(&mut self, passkey: &Passkey) -> Result<(), StorageError> {
        let insert = diesel::insert_into(passkey::table).values(PasskeyRow::from(passkey));
        self.insert_new(insert, UniqueKey::Passkey).await
    }

    async fn list(&mut self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        let rows = self.0.load_rows(of_person(user_id)).await?;
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
        let may_follow =
            passkey::sign_count.lt(count).or(passkey::sign_count.eq(0).and(has_none.into_sql::<Bool>()));
        let query = diesel::update(passkey::table.find(key(user_id, id)).filter(may_follow)).set((
            passkey::sign_count.eq(count),
            passkey::is_backed_up.eq(is_backed_up),
            passkey::last_used_at.eq(TimeCell::from(at)),
        ));
        Ok(self.0.execute(query).await? > 0)
    }

    async fn rename(
        &mut self,
        user_id: UserId,
        id: PasskeyId,
        name: &PasskeyName,
    ) -> Result<bool, StorageError> {
        let query = diesel::update(passkey::table.find(key(user_id, id)))
            .set(passkey::name.eq(name.as_str().to_owned()));
        Ok(self.0.execute(query).await? > 0)
    }

    async fn delete(&mut self, user_id: UserId, id: PasskeyId) -> Result<bool, StorageError> {
        Ok(self.0.execute(diesel::delete(passkey::table.find(key(user_id, id)))).await? > 0)
    }
}

/// A row of `passkey_ceremony`.
#[derive(Queryable, Insertable)]
#[diesel(table_name = passkey_ceremony)]
struct CeremonyRow {
    challenge_hash: Vec<u8>,
    purpose: String,
    browser_hash: Vec<u8>,
    expires_at: TimeCell,
}

impl CeremonyRow {
    fn into_ceremony(self) -> Result<PasskeyCeremony, StorageError> {
        let Self { challenge_hash, purpose, browser_hash, expires_at } = self;
        let cells = Cells::new("passkey_ceremony", &"");
        Ok(PasskeyCeremony {
            challenge_hash: cells.hash("challenge_hash", &challenge_hash)?,
            purpose: cells.present("purpose", CeremonyPurpose::parse(&purpose))?,
            browser_hash: cells.hash("browser_hash", &browser_hash)?,
            expires_at: cells.instant("expires_at", expires_at)?,
        })
    }
}

#[async_trait]
impl<R: Transaction> PasskeyCeremonyRepository for Unit<R> {
    async fn insert(&mut self, ceremony: &PasskeyCeremony) -> Result<(), StorageError> {
        let PasskeyCeremony { challenge_hash, purpose, browser_hash, expires_at } = ceremony;
        let row = CeremonyRow {
            challenge_hash: challenge_hash.as_bytes().to_vec(),
            purpose: purpose.as_str().to_owned(),
            browser_hash: browser_hash.as_bytes().to_vec(),
            expires_at: (*expires_at).into(),
        };
        self.0.execute(diesel::insert_into(passkey_ceremony::table).values(row)).await.map(drop)
    }

    async fn take(&mut self, challenge: &SecretHash) -> Result<Option<PasskeyCeremony>, StorageError> {
        // On PostgreSQL, a concurrent call waits for the first one's row lock, then finds no row.
        let one = passkey_ceremony::table.find(challenge.as_bytes().to_vec());
        let query = diesel::delete(one).returning(passkey_ceremony::all_columns);
        self.0.load_row(query).await?.map(CeremonyRow::into_ceremony).transpose()
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("passkey_ceremony", "challenge_hash", "expires_at"), before, limit).await
    }
}

#[cfg(test)]
mod tests;
