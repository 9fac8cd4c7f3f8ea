//! Authenticator apps and recovery codes.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{recovery_code, totp};
use crate::statement::{execute, load_row};
use crate::store::SqliteStore;
use crate::supplement::in_snapshot;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{
    SecondFactorReader, SecondFactorRepository, SecondFactorState, StorageError,
};
use async_trait::async_trait;
use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::UserId;
use domain::second_factor::{SealedTotpSecret, Totp, TotpStep};
use domain::secret::SecretHash;

#[derive(Queryable, Insertable, AsChangeset)]
#[diesel(table_name = totp)]
struct TotpRow {
    user_id: Vec<u8>,
    secret: Vec<u8>,
    last_step: i64,
    set_at: i64,
}

impl TotpRow {
    fn new(user_id: UserId, totp: &Totp) -> Self {
        let Totp { secret, last_step, set_at } = totp;
        Self {
            user_id: blob(user_id.as_uuid()),
            secret: secret.as_bytes().to_vec(),
            last_step: last_step.number(),
            set_at: micros(*set_at),
        }
    }

    fn into_totp(self) -> Result<Totp, StorageError> {
        let Self { user_id, secret, last_step, set_at } = self;
        Ok(Totp {
            secret: SealedTotpSecret::new(secret),
            last_step: TotpStep::new(last_step),
            set_at: Cells::new("totp", &user_id).instant("set_at", set_at)?,
        })
    }
}

fn count_codes(connection: &mut SqliteConnection, user_id: &[u8]) -> Result<u32, StorageError> {
    let own = recovery_code::table.filter(recovery_code::user_id.eq(user_id));
    let codes: i64 = own.select(count_star()).get_result(connection).storage()?;
    Ok(u32::try_from(codes).unwrap_or(u32::MAX))
}

#[async_trait]
impl SecondFactorReader for SqliteStore {
    async fn find_second_factor(&self, user_id: UserId) -> Result<Option<SecondFactorState>, StorageError> {
        let id = blob(user_id.as_uuid());
        self.read(move |connection| {
            in_snapshot(connection, |connection| {
                let set_at: Option<i64> =
                    totp::table.find(&id).select(totp::set_at).first(connection).optional().storage()?;
                let Some(set_at) = set_at else { return Ok(None) };
                let set_at = Cells::new("totp", &id).instant("set_at", set_at)?;
                Ok(Some(SecondFactorState { set_at, recovery_codes: count_codes(connection, &id)? }))
            })
        })
        .await
    }
}

#[async_trait]
impl SecondFactorRepository for SqliteUnitOfWork {
    async fn find(&mut self, user_id: UserId) -> Result<Option<Totp>, StorageError> {
        let row: Option<TotpRow> = self.run(load_row(totp::table.find(blob(user_id.as_uuid())))).await?;
        row.map(TotpRow::into_totp).transpose()
    }

    async fn set(&mut self, user_id: UserId, totp: &Totp) -> Result<(), StorageError> {
        let query = diesel::insert_into(totp::table)
            .values(TotpRow::new(user_id, totp))
            .on_conflict(totp::user_id)
            .do_update()
            .set(TotpRow::new(user_id, totp));
        self.run(execute(query)).await.map(drop)
    }

    async fn use_step(&mut self, user_id: UserId, step: TotpStep) -> Result<bool, StorageError> {
        let own = totp::table.find(blob(user_id.as_uuid()));
        let unused = own.filter(totp::last_step.lt(step.number()));
        let query = diesel::update(unused).set(totp::last_step.eq(step.number()));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn replace_recovery_codes(
        &mut self,
        user_id: UserId,
        codes: &[SecretHash],
    ) -> Result<(), StorageError> {
        let id = blob(user_id.as_uuid());
        let hashes: Vec<Vec<u8>> = codes.iter().map(|code| code.as_bytes().to_vec()).collect();
        self.run(move |connection| {
            let old = recovery_code::table.filter(recovery_code::user_id.eq(&id));
            execute(diesel::delete(old))(connection)?;
            for hash in &hashes {
                let row = (recovery_code::user_id.eq(&id), recovery_code::code_hash.eq(hash));
                execute(diesel::insert_into(recovery_code::table).values(row))(connection)?;
            }
            Ok(())
        })
        .await
    }

    async fn use_recovery_code(&mut self, user_id: UserId, code: &SecretHash) -> Result<bool, StorageError> {
        let key = (blob(user_id.as_uuid()), code.as_bytes().to_vec());
        Ok(self.run(execute(diesel::delete(recovery_code::table.find(key)))).await? > 0)
    }

    async fn count_recovery_codes(&mut self, user_id: UserId) -> Result<u32, StorageError> {
        let id = blob(user_id.as_uuid());
        self.run(move |connection| count_codes(connection, &id)).await
    }

    async fn delete(&mut self, user_id: UserId) -> Result<bool, StorageError> {
        let id = blob(user_id.as_uuid());
        let codes = recovery_code::table.filter(recovery_code::user_id.eq(id.clone()));
        self.run(execute(diesel::delete(codes))).await?;
        Ok(self.run(execute(diesel::delete(totp::table.find(id)))).await? > 0)
    }
}
