//! `restwell migrate`: creation and upgrade of the schema.

use super::{first_steps, output};
use crate::settings::Settings;
use crate::wiring::{IfMissing, KeySource, Schema, Services, Store, explained, refusal};
use anyhow::{Context, bail};
use application::schema::SchemaState;
use domain::counted;
use std::path::Path;
use std::sync::Arc;
use system_adapter::SystemClock;

/// Creates or updates the schema, then creates the first signing key if there is none.
pub(crate) async fn run(settings: Settings, file: Option<&Path>) -> anyhow::Result<()> {
    let place = settings.storage.place()?;
    let store = Store::open(&settings, IfMissing::Create).await?;
    let applied = migrate(&store.schema).await.with_context(|| format!("{place} was not migrated"))?;
    output::note(match applied {
        0 => format!("{place}: the schema was up to date"),
        number => format!("{place}: applied {}", counted(number, "migration")),
    });
    for warning in store.schema.layout().await?.warnings {
        output::note(format!("WARNING: {warning}"));
    }
    let public_url = settings.server.public_url()?;
    let services = Services { store, settings, public_url, clock: Arc::new(SystemClock) };
    ensure_signing_key(&services).await?;
    if applied > 0
        && let Some(steps) = first_steps::find(&services, file).await
    {
        output::note(steps.join("\n"));
    }
    Ok(())
}

/// Applies the pending migrations and returns how many this process applied; another process may have applied
/// them first.
pub(super) async fn migrate(schema: &Arc<dyn Schema>) -> anyhow::Result<usize> {
    let explained = |error| explained(schema.as_ref(), error);
    let before = schema.state().await.map_err(explained).context("the store cannot be reached")?;
    match &before {
        SchemaState::Current | SchemaState::NewerCompatible => Ok(0),
        SchemaState::Older { .. } | SchemaState::Missing => schema.migrate().await.map_err(explained),
        SchemaState::NewerIncompatible => bail!(refusal(&before).unwrap_or_default()),
    }
}

async fn ensure_signing_key(services: &Services) -> anyhow::Result<()> {
    if let Err(problem) = KeySource::from_settings(&services.settings) {
        output::note(format!("no signing key was created: {problem}"));
        return Ok(());
    }
    let keys = services.keys().await?;
    services.store.check_clock().await.context("no signing key was created")?;
    if keys.ensure().await.context("no signing key was created")? {
        output::note("created the first signing key");
    }
    // Fails now, not at the next start, if the keys of the store were sealed with another encryption key.
    keys.reload.run().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use application::ports::storage::StorageError;
    use async_trait::async_trait;

    /// A store that is empty when checked, and migrated by another process before this one starts.
    struct ConcurrentlyMigrated;

    #[async_trait]
    impl Schema for ConcurrentlyMigrated {
        async fn state(&self) -> Result<SchemaState, StorageError> {
            Ok(SchemaState::Missing)
        }

        async fn migrate(&self) -> Result<usize, StorageError> {
            Ok(0)
        }
    }

    #[tokio::test]
    async fn migrations_applied_by_another_process_are_not_counted() {
        let schema: Arc<dyn Schema> = Arc::new(ConcurrentlyMigrated);
        assert_eq!(migrate(&schema).await.unwrap(), 0);
    }
}
