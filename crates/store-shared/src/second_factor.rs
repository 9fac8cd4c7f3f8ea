//! Authenticator apps and recovery codes.

use crate::column::{Held, TimeCell};
use crate::row;
use crate::schema::{recovery_code, totp};
use crate::statement::{Raw, Value};
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{SecondFactorRepository, SecondFactorState, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::UserId;
use domain::second_factor::{SealedTotpSecret, Totp, TotpStep};
use domain::secret::SecretHash;

fn set_at(user_id: UserId, cell: TimeCell) -> Result<DateTime<Utc>, StorageError> {
    row::parse("totp", "set_at", &user_id, cell)
}

fn counted(rows: Option<i64>) -> u32 {
    u32::try_from(rows.unwrap_or_default()).unwrap_or(u32::MAX)
}

/// Finds the state of a person's second factor.
pub async fn find_second_factor(
    store: &impl Store,
    user_id: UserId,
) -> Result<Option<SecondFactorState>, StorageError> {
    let codes = recovery_code::table.filter(recovery_code::user_id.eq(user_id.cell())).count();
    let query = totp::table.find(user_id.cell()).select((totp::set_at, codes.single_value()));
    let Some((cell, codes)) = store.load_row(query).await? else { return Ok(None) };
    Ok(Some(SecondFactorState { set_at: set_at(user_id, cell)?, recovery_codes: counted(codes) }))
}

#[async_trait]
impl<R: Transaction> SecondFactorRepository for Unit<R> {
    async fn find(&mut self, user_id: UserId) -> Result<Option<Totp>, StorageError> {
        let query = totp::table.find(user_id.cell()).select((totp::secret, totp::last_step, totp::set_at));
        let Some((secret, last_step, cell)) = self.0.load_row(query).await? else { return Ok(None) };
        let (secret, last_step) = (SealedTotpSecret::new(secret), TotpStep::new(last_step));
        Ok(Some(Totp { secret, last_step, set_at: set_at(user_id, cell)? }))
    }

    async fn set(&mut self, user_id: UserId, totp: &Totp) -> Result<(), StorageError> {
        let Totp { secret, last_step, set_at } = totp;
        let values = (
            totp::secret.eq(secret.as_bytes().to_vec()),
            totp::last_step.eq(last_step.number()),
            totp::set_at.eq(set_at.cell()),
        );
        let query = diesel::insert_into(totp::table)
            .values((totp::user_id.eq(user_id.cell()), values.clone()))
            .on_conflict(totp::user_id)
            .do_update()
            .set(values);
        self.0.execute(query).await.map(drop)
    }

    async fn use_step(&mut self, user_id: UserId, step: TotpStep) -> Result<bool, StorageError> {
        // On PostgreSQL, a concurrent call waits for the first one's row lock, then finds the later step.
        let unused = totp::table.find(user_id.cell()).filter(totp::last_step.lt(step.number()));
        self.changes(diesel::update(unused).set(totp::last_step.eq(step.number()))).await
    }

    async fn replace_recovery_codes(
        &mut self,
        user_id: UserId,
        codes: &[SecretHash],
    ) -> Result<(), StorageError> {
        let old = recovery_code::table.filter(recovery_code::user_id.eq(user_id.cell()));
        self.0.execute(diesel::delete(old)).await?;
        if codes.is_empty() {
            return Ok(());
        }
        let row = |code: &SecretHash| vec![Value::Id(user_id.cell()), Value::Bytes(code.cell())];
        let rows = codes.iter().map(row).collect();
        self.0.execute(Raw::insert("recovery_code (user_id, code_hash)", "(?, ?)", rows, "")).await.map(drop)
    }

    async fn use_recovery_code(&mut self, user_id: UserId, code: &SecretHash) -> Result<bool, StorageError> {
        self.changes(diesel::delete(recovery_code::table.find((user_id.cell(), code.cell())))).await
    }

    async fn count_recovery_codes(&mut self, user_id: UserId) -> Result<u32, StorageError> {
        let own = recovery_code::table.filter(recovery_code::user_id.eq(user_id.cell()));
        self.0.load_row(own.count()).await.map(counted)
    }

    async fn delete(&mut self, user_id: UserId) -> Result<bool, StorageError> {
        let codes = recovery_code::table.filter(recovery_code::user_id.eq(user_id.cell()));
        self.0.execute(diesel::delete(codes)).await?;
        self.changes(diesel::delete(totp::table.find(user_id.cell()))).await
    }
}
