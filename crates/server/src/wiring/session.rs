//! Dependencies of operator commands.

use super::{IfMissing, SharedClock, Store, explained, refusal};
use crate::settings::Settings;
use anyhow::{Context, bail};

/// A store whose schema fits, and a clock.
pub(crate) struct Session {
    pub(crate) store: Store,
    pub(crate) clock: SharedClock,
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
        Ok(Self { store, clock })
    }

    /// Returns the store of services.
    pub(crate) fn audited(&self) -> application::store::Store {
        self.store.audited(&self.clock)
    }
}
