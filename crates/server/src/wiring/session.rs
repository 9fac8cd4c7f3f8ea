//! What a command of the operator works with.

use super::{IfMissing, Store, explained, refusal};
use crate::settings::Settings;
use anyhow::{Context, bail};
use application::ports::system::{Clock, Entropy};
use std::sync::Arc;
use system_adapter::SystemEntropy;

/// A store whose schema fits, and what the process provides.
pub(crate) struct Session {
    /// The store.
    pub(crate) store: Store,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Randomness.
    pub(crate) entropy: Arc<dyn Entropy>,
}

impl Session {
    /// Opens the store of the settings, which must be there and migrated.
    pub(crate) async fn open(settings: &Settings) -> anyhow::Result<Self> {
        let store = Store::open(settings, IfMissing::Refuse).await?;
        let place = settings.storage.place()?;
        let state = store.schema.state().await.map_err(|error| explained(store.schema.as_ref(), error));
        let state = state.with_context(|| format!("{place} does not answer"))?;
        if let Some(sentence) = refusal(&state) {
            bail!("{place}: {sentence}");
        }
        // What it writes is dated by the store's clock, as what servers write is.
        store.clock.measure().await.with_context(|| format!("{place} does not tell the time"))?;
        Ok(Self { clock: store.clock.clone(), store, entropy: Arc::new(SystemEntropy) })
    }
}
