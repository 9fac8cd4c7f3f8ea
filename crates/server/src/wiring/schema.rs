//! Schema of a store of either kind.

use anyhow::anyhow;
use application::ports::storage::StorageError;
use application::schema::SchemaState;
use async_trait::async_trait;
use domain::counted;
use postgres_adapter::{Distribution, PostgresStore};
use sqlite_adapter::SqliteStore;

/// Operations on the schema of a store.
#[async_trait]
pub(crate) trait Schema: Send + Sync {
    /// Returns whether this program may serve on the schema.
    async fn state(&self) -> Result<SchemaState, StorageError>;
    /// Applies the pending migrations, all or none, and returns their number. Only one of several concurrent
    /// processes applies them; the others find none pending.
    async fn migrate(&self) -> Result<usize, StorageError>;

    /// Returns how the tables are spread over servers.
    async fn layout(&self) -> Result<Layout, StorageError> {
        Ok(Layout::default())
    }

    /// Returns why the last connection attempt failed, without secrets; `None` if unknown.
    fn unavailability(&self) -> Option<String> {
        None
    }
}

/// Replaces [`StorageError::Unavailable`] with its reason, if known.
pub(crate) fn explained(schema: &dyn Schema, error: StorageError) -> anyhow::Error {
    match (&error, schema.unavailability()) {
        (StorageError::Unavailable, Some(reason)) => anyhow!(reason),
        _ => error.into(),
    }
}

#[async_trait]
impl Schema for SqliteStore {
    async fn state(&self) -> Result<SchemaState, StorageError> {
        self.schema_state().await
    }

    async fn migrate(&self) -> Result<usize, StorageError> {
        Self::migrate(self).await
    }
}

#[async_trait]
impl Schema for PostgresStore {
    async fn state(&self) -> Result<SchemaState, StorageError> {
        self.schema_state().await
    }

    async fn migrate(&self) -> Result<usize, StorageError> {
        Self::migrate(self).await
    }

    async fn layout(&self) -> Result<Layout, StorageError> {
        self.distribution().await.map(Layout::from)
    }

    fn unavailability(&self) -> Option<String> {
        Self::unavailability(self)
    }
}

/// How the tables are spread over servers, in sentences.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// `None` for a store on one server.
    pub(crate) fact: Option<String>,
    pub(crate) warnings: Vec<String>,
}

impl From<Distribution> for Layout {
    fn from(distribution: Distribution) -> Self {
        match distribution {
            Distribution::OneServer => Self::default(),
            Distribution::Undistributed => Self {
                fact: None,
                warnings: vec![
                    "Citus is installed, but the tables are not distributed: run deploy/citus/distribute.sql with psql \
                     before anything is stored"
                        .to_owned(),
                ],
            },
            Distribution::Worker => Self {
                fact: None,
                warnings: vec![
                    "storage.url names a Citus worker; it must name the coordinator".to_owned(),
                ],
            },
            Distribution::Workers { count, inactive } => Self {
                fact: Some(format!("the tables are distributed by Citus over {}", counted(count, "worker"))),
                warnings: inactive
                    .into_iter()
                    .map(|worker| format!("the Citus worker {worker} is inactive; see citus_activate_node"))
                    .collect(),
            },
        }
    }
}

/// Returns why this program cannot use a schema, as a sentence; `None` if it can.
pub(crate) fn refusal(state: &SchemaState) -> Option<String> {
    match state {
        SchemaState::Current | SchemaState::NewerCompatible => None,
        SchemaState::Missing => Some("the store is empty; run `restwell migrate` first".to_owned()),
        SchemaState::Older { pending } => Some(format!(
            "the schema of the store is older than this program needs ({} to apply); run `restwell migrate` first",
            counted(pending.len(), "migration")
        )),
        SchemaState::NewerIncompatible => Some(
            "the schema of the store is newer than this program supports; install the newer Restwell"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinator_without_distribution_and_an_unused_worker_are_warned_of() {
        assert_eq!(Layout::from(Distribution::OneServer), Layout::default());
        for distribution in [Distribution::Undistributed, Distribution::Worker] {
            assert_eq!(Layout::from(distribution).warnings.len(), 1);
        }
        let inactive = vec!["db2:5432".to_owned()];
        let layout = Layout::from(Distribution::Workers { count: 3, inactive });
        assert_eq!(layout.fact.as_deref(), Some("the tables are distributed by Citus over 3 workers"));
        let one = Layout::from(Distribution::Workers { count: 1, inactive: Vec::new() });
        assert_eq!(one.fact.as_deref(), Some("the tables are distributed by Citus over 1 worker"));
        assert!(layout.warnings[0].contains("db2:5432"), "{layout:?}");
    }

    #[test]
    fn an_unusable_schema_is_refused_with_advice() {
        assert_eq!(refusal(&SchemaState::Current), None);
        assert_eq!(refusal(&SchemaState::NewerCompatible), None);
        let older = SchemaState::Older { pending: vec!["a".to_owned(), "b".to_owned()] };
        for state in [SchemaState::Missing, older] {
            assert!(refusal(&state).unwrap().contains("restwell migrate"));
        }
        assert!(refusal(&SchemaState::NewerIncompatible).unwrap().contains("newer Restwell"));
    }
}
