//! Dependencies of operator commands.

use super::{IfMissing, SharedClock, Store, explained, refusal};
use crate::settings::Settings;
use anyhow::{Context, bail};
use application::ports::storage::UnitOfWorkFactory;
use application::ports::system::Entropy;
use std::sync::Arc;
use system_adapter::SystemEntropy;

/// A store whose schema fits, a clock and an entropy source.
pub(crate) struct Session {
    pub(crate) store: Store,
    pub(crate) clock: SharedClock,
    pub(crate) entropy: Arc<dyn Entropy>,
}

impl Session {
    /// Opens the store of the settings, which must exist and be migrated.
    pub(crate) async fn open(settings: &Settings, clock: SharedClock) -> anyhow::Result<Self> {
        let store = Store::open(settings, IfMissing::Refuse).await?;
        let place = settings.storage.place()?;
        let state = store.schema.state().await.map_err(|error| explained(store.schema.as_ref(), error));
        let state = state.with_context(|| format!("{place} is not responding"))?;
        if let Some(sentence) = refusal(&state) {
            bail!("{place}: {sentence}");
        }
        store.check_clock().await.with_context(|| place.to_string())?;
        Ok(Self { clock, store, entropy: Arc::new(SystemEntropy) })
    }

    /// Returns the store of services.
    pub(crate) fn audited(&self) -> application::store::Store {
        self.store.audited(&self.entropy, &self.clock)
    }

    /// Creates a use case that changes the store and records the change in the audit trail.
    pub(crate) fn use_case<T>(
        &self,
        new: impl FnOnce(Arc<dyn UnitOfWorkFactory>, Arc<dyn Entropy>, SharedClock) -> T,
    ) -> T {
        new(self.store.units.clone(), self.entropy.clone(), self.clock.clone())
    }
}
