//! Reads of people's data from a standby while it is fresh.

mod freshness;

use crate::connection::Role;
use crate::options::{InvalidPostgresOptions, PostgresOptions};
use crate::store::PostgresStore;
use application::ports::storage::{
    CatalogueVersion, ChangePage, ChangePageQuery, ChangeReader, ProfileReader, SleepPage, SleepPageQuery,
    SleepPosition, SleepReader, StorageError, SupplementPage, SupplementPageQuery, SupplementReader,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::sleep::SleepSession;
use domain::supplement::{CatalogueKey, IntakeLog, SearchWords, Supplement, Upc};
use domain::user::{ProfileSource, User};
use freshness::Freshness;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// The four ports of the data endpoints, on a standby, or on the primary while the standby is stale or
/// unavailable.
///
/// It implements no other port and has its own connections. Access checks, codes, sessions, limits and all
/// writes therefore never use a standby.
pub struct PostgresReplica {
    primary: Arc<PostgresStore>,
    standby: Arc<PostgresStore>,
    freshness: Freshness,
}

impl PostgresReplica {
    /// Creates readers beside a store, and starts to measure the standby's lag. Needs a runtime, but neither
    /// server. Reads are never older than `max_lag`.
    pub fn open(
        primary: Arc<PostgresStore>,
        options: &PostgresOptions,
        max_lag: Duration,
    ) -> Result<Self, InvalidPostgresOptions> {
        let standby = Arc::new(standby(options)?);
        let freshness = Freshness::watch(Arc::clone(&primary), Arc::clone(&standby), max_lag);
        Ok(Self { primary, standby, freshness })
    }

    /// Returns the error that [`Self::open`] would return; does not connect.
    pub fn check(options: &PostgresOptions) -> Result<(), InvalidPostgresOptions> {
        standby(options).map(drop)
    }

    /// Reads from the standby while it is fresh; `None` if it is stale, fails, or does not respond before its
    /// freshness expires.
    async fn of_standby<T>(&self, answer: impl Future<Output = Result<T, StorageError>>) -> Option<T> {
        if !self.freshness.is_fresh() {
            return None;
        }
        tokio::select! {
            answer = answer => answer.ok(),
            () = self.freshness.until_lost() => None,
        }
    }
}

fn standby(options: &PostgresOptions) -> Result<PostgresStore, InvalidPostgresOptions> {
    let standby = PostgresStore::connect_to(options, Role::Replica)?;
    if standby.connector.servers() == 1 { Ok(standby) } else { Err(InvalidPostgresOptions::SeveralReplicas) }
}

#[async_trait]
impl ProfileReader for PostgresReplica {
    async fn find_profile(&self, user_id: UserId) -> Result<Option<User>, StorageError> {
        // A person who is missing on the standby may have been stored on the primary just now.
        match self.of_standby(self.standby.find_profile(user_id)).await.flatten() {
            Some(user) => Ok(Some(user)),
            None => self.primary.find_profile(user_id).await,
        }
    }

    async fn list_sources(&self, user_id: UserId) -> Result<Vec<ProfileSource>, StorageError> {
        self.primary.list_sources(user_id).await
    }

    async fn list_profiles(&self, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StorageError> {
        self.primary.list_profiles(after, limit).await
    }
}

#[async_trait]
impl SleepReader for PostgresReplica {
    async fn page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        match self.of_standby(SleepReader::page(&*self.standby, query)).await {
            Some(page) => Ok(page),
            None => SleepReader::page(&*self.primary, query).await,
        }
    }

    async fn find(&self, user_id: UserId, id: SleepSessionId) -> Result<Option<SleepSession>, StorageError> {
        SleepReader::find(&*self.primary, user_id, id).await
    }

    /// A walk has several statements, which one server must serve.
    async fn walk(
        &self,
        user_id: UserId,
        after: Option<SleepPosition>,
        limit: u32,
    ) -> Result<Vec<SleepSession>, StorageError> {
        self.primary.walk(user_id, after, limit).await
    }
}

#[async_trait]
impl SupplementReader for PostgresReplica {
    async fn page(&self, query: SupplementPageQuery) -> Result<SupplementPage, StorageError> {
        match self.of_standby(SupplementReader::page(&*self.standby, query)).await {
            Some(page) => Ok(page),
            None => SupplementReader::page(&*self.primary, query).await,
        }
    }

    async fn list_logged(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        self.primary.list_logged(user_id).await
    }

    async fn walk_logs(
        &self,
        user_id: UserId,
        after: Option<(DateTime<Utc>, IntakeLogId)>,
        limit: u32,
    ) -> Result<Vec<IntakeLog>, StorageError> {
        self.primary.walk_logs(user_id, after, limit).await
    }

    /// People see what they have just entered, so their pages are read from the primary.
    async fn find_log(&self, user_id: UserId, id: IntakeLogId) -> Result<Option<IntakeLog>, StorageError> {
        self.primary.find_log(user_id, id).await
    }

    async fn list_versions(
        &self,
        ids: &[SupplementId],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        self.primary.list_versions(ids).await
    }

    async fn list_own(&self, user_id: UserId) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        self.primary.list_own(user_id).await
    }

    async fn search(
        &self,
        words: &SearchWords,
        limit: u32,
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        self.primary.search(words, limit).await
    }

    async fn list_by_upc(&self, upc: &Upc) -> Result<Vec<CatalogueVersion>, StorageError> {
        self.primary.list_by_upc(upc).await
    }
}

/// A standby skips no change: it shows everything committed up to some time, and a person's change numbers
/// increase in commit order. A client that continues from the last number misses nothing.
#[async_trait]
impl ChangeReader for PostgresReplica {
    async fn changes(&self, query: ChangePageQuery) -> Result<ChangePage, StorageError> {
        match self.of_standby(self.standby.changes(query.clone())).await {
            // The primary issued a position that the standby has not reached.
            Some(page) if !page.is_ahead => Ok(page),
            _ => self.primary.changes(query).await,
        }
    }

    async fn forget_deletions(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.primary.forget_deletions(before, limit).await
    }
}
