//! Passkeys and pending passkey ceremonies.

use crate::column::{Held, IdCell, TimeCell, held};
use crate::row::row;
use crate::schema::{passkey, passkey_ceremony};
use crate::statement::Read;
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

row! {
    /// A row of `passkey`.
    PasskeyRow of passkey: Passkey, row id, {
        user_id: IdCell;
        id: IdCell;
        name: String;
        credential_id: Vec<u8>;
        key: Vec<u8>, in public_key;
        sign_count: i64;
        is_backup_eligible: bool;
        is_backed_up: bool;
        transports: String;
        created_at: TimeCell;
        last_used_at: Option<TimeCell>;
    }
}

row! {
    /// A row of `passkey_ceremony`.
    CeremonyRow of passkey_ceremony: PasskeyCeremony, row "", {
        challenge_hash: Vec<u8>;
        purpose: String;
        browser_hash: Vec<u8>;
        expires_at: TimeCell;
    }
}

held! {
    PasskeyName as String: |name| name.as_str().to_owned(), |text| Self::from_stored(&text).ok();
    CredentialId as Vec<u8>: |id| id.as_bytes().to_vec(), |bytes| Self::new(bytes);
    PasskeyKey as Vec<u8>: |key| key.as_cose().to_vec(), |bytes| Self::parse(&bytes).ok();
    Transports as String: |transports| transports.to_names(), |names| Some(Self::parse(&names));
    CeremonyPurpose as String: |purpose| purpose.as_str().to_owned(), |text| Self::parse(&text);
}

fn of_person(user_id: UserId) -> impl Read<PasskeyRow> {
    passkey::table
        .filter(passkey::user_id.eq(user_id.cell()))
        .order((passkey::created_at.asc(), passkey::id.asc()))
        .select(PasskeyRow::COLUMNS)
}

fn key(user_id: UserId, id: PasskeyId) -> (IdCell, IdCell) {
    (user_id.cell(), id.cell())
}

/// Finds a passkey by its credential.
pub async fn find_passkey(
    store: &impl Store,
    credential_id: &CredentialId,
) -> Result<Option<Passkey>, StorageError> {
    let query = passkey::table.filter(passkey::credential_id.eq(credential_id.cell()));
    store.read::<PasskeyRow, _>(query.select(PasskeyRow::COLUMNS)).await
}

/// Lists a person's passkeys, oldest first.
pub async fn list_passkeys(store: &impl Store, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
    store.read_all(of_person(user_id)).await
}

#[async_trait]
impl<R: Transaction> PasskeyRepository for Unit<R> {
    async fn insert(&mut self, passkey: &Passkey) -> Result<(), StorageError> {
        let insert =
            diesel::insert_into(passkey::table).values(PasskeyRow::from(passkey)).on_conflict_do_nothing();
        self.insert_new(insert, UniqueKey::Passkey).await
    }

    async fn list(&mut self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        self.read_all(of_person(user_id)).await
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
            passkey::last_used_at.eq(at.cell()),
        ));
        self.changes(query).await
    }

    async fn rename(
        &mut self,
        user_id: UserId,
        id: PasskeyId,
        name: &PasskeyName,
    ) -> Result<bool, StorageError> {
        let query = diesel::update(passkey::table.find(key(user_id, id))).set(passkey::name.eq(name.cell()));
        self.changes(query).await
    }

    async fn delete(&mut self, user_id: UserId, id: PasskeyId) -> Result<bool, StorageError> {
        self.changes(diesel::delete(passkey::table.find(key(user_id, id)))).await
    }
}

#[async_trait]
impl<R: Transaction> PasskeyCeremonyRepository for Unit<R> {
    async fn insert(&mut self, ceremony: &PasskeyCeremony) -> Result<(), StorageError> {
        let row = CeremonyRow::from(ceremony);
        self.0.execute(diesel::insert_into(passkey_ceremony::table).values(row)).await.map(drop)
    }

    async fn take(&mut self, challenge: &SecretHash) -> Result<Option<PasskeyCeremony>, StorageError> {
        // On PostgreSQL, a concurrent call waits for the first one's row lock, then finds no row.
        let one = passkey_ceremony::table.find(challenge.cell());
        let query = diesel::delete(one).returning(CeremonyRow::COLUMNS);
        self.read::<CeremonyRow>(query).await
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("passkey_ceremony", "challenge_hash", "expires_at"), before, limit).await
    }
}

#[cfg(test)]
mod tests;
