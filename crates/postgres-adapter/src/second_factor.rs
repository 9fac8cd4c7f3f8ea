//! Authenticator apps and recovery codes.

use crate::schema::{recovery_code, totp};
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{
    SecondFactorReader, SecondFactorRepository, SecondFactorState, StorageError,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::count_star;
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::UserId;
use domain::second_factor::{SealedTotpSecret, Totp, TotpStep};
use domain::secret::SecretHash;
use uuid::Uuid;

/// A row of `totp`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = totp, check_for_backend(Pg))]
struct TotpRow {
    user_id: Uuid,
    secret: Vec<u8>,
    last_step: i64,
    set_at: DateTime<Utc>,
}

impl TotpRow {
    fn new(user_id: UserId, totp: &Totp) -> Self {
        let Totp { secret, last_step, set_at } = totp;
        Self {
            user_id: user_id.as_uuid(),
            secret: secret.as_bytes().to_vec(),
            last_step: last_step.number(),
            set_at: *set_at,
        }
    }

    fn into_totp(self) -> Totp {
        let Self { user_id: _, secret, last_step, set_at } = self;
        Totp { secret: SealedTotpSecret::new(secret), last_step: TotpStep::new(last_step), set_at }
    }
}

fn counted(rows: i64) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}

#[async_trait]
impl SecondFactorReader for PostgresStore {
    async fn find_second_factor(&self, user_id: UserId) -> Result<Option<SecondFactorState>, StorageError> {
        let id = user_id.as_uuid();
        let set_at: Option<DateTime<Utc>> =
            self.read_row(move || totp::table.filter(totp::user_id.eq(id)).select(totp::set_at)).await?;
        let Some(set_at) = set_at else { return Ok(None) };
        let codes: Option<i64> = self
            .read_row(move || recovery_code::table.filter(recovery_code::user_id.eq(id)).select(count_star()))
            .await?;
        Ok(Some(SecondFactorState { set_at, recovery_codes: counted(codes.unwrap_or_default()) }))
    }
}

#[async_trait]
impl SecondFactorRepository for PgUnitOfWork {
    async fn find(&mut self, user_id: UserId) -> Result<Option<Totp>, StorageError> {
        let query = totp::table.find(user_id.as_uuid()).select(TotpRow::as_select());
        let row: Option<TotpRow> = self.connection()?.load_row(query).await?;
        Ok(row.map(TotpRow::into_totp))
    }

    async fn set(&mut self, user_id: UserId, totp: &Totp) -> Result<(), StorageError> {
        let Totp { secret, last_step, set_at } = totp;
        let query = diesel::insert_into(totp::table)
            .values(TotpRow::new(user_id, totp))
            .on_conflict(totp::user_id)
            .do_update()
            .set((
                totp::secret.eq(secret.as_bytes()),
                totp::last_step.eq(last_step.number()),
                totp::set_at.eq(set_at),
            ));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn use_step(&mut self, user_id: UserId, step: TotpStep) -> Result<bool, StorageError> {
        // A concurrent call waits for the first one's row lock, then finds the later step.
        let unused = totp::table.find(user_id.as_uuid()).filter(totp::last_step.lt(step.number()));
        let query = diesel::update(unused).set(totp::last_step.eq(step.number()));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn replace_recovery_codes(
        &mut self,
        user_id: UserId,
        codes: &[SecretHash],
    ) -> Result<(), StorageError> {
        let old = recovery_code::table.filter(recovery_code::user_id.eq(user_id.as_uuid()));
        let rows: Vec<_> = codes
            .iter()
            .map(|code| {
                let hash = recovery_code::code_hash.eq(code.as_bytes().as_slice());
                (recovery_code::user_id.eq(user_id.as_uuid()), hash)
            })
            .collect();
        let connection = self.connection()?;
        connection.execute(diesel::delete(old)).await?;
        let query = diesel::insert_into(recovery_code::table).values(rows);
        connection.execute(query).await.map(drop)
    }

    async fn use_recovery_code(&mut self, user_id: UserId, code: &SecretHash) -> Result<bool, StorageError> {
        let key = (user_id.as_uuid(), code.as_bytes().as_slice());
        let query = diesel::delete(recovery_code::table.find(key));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn count_recovery_codes(&mut self, user_id: UserId) -> Result<u32, StorageError> {
        let own = recovery_code::table.filter(recovery_code::user_id.eq(user_id.as_uuid()));
        let codes: i64 = self.connection()?.load_one(own.select(count_star())).await?;
        Ok(counted(codes))
    }

    async fn delete(&mut self, user_id: UserId) -> Result<bool, StorageError> {
        let codes = recovery_code::table.filter(recovery_code::user_id.eq(user_id.as_uuid()));
        let connection = self.connection()?;
        connection.execute(diesel::delete(codes)).await?;
        Ok(connection.execute(diesel::delete(totp::table.find(user_id.as_uuid()))).await? > 0)
    }
}
