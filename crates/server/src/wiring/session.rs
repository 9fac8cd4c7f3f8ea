//! What a command of the operator works with.

use super::{IfMissing, Store, explained, refusal};
use crate::settings::Settings;
use anyhow::{Context, bail};
use application::ports::system::{Clock, Entropy};
use std::sync::Arc;
use system_adapter::{SystemClock, SystemEntropy};

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
        store.check_clock().await.with_context(|| place.to_string())?;
        Ok(Self { clock: Arc::new(SystemClock), store, entropy: Arc::new(SystemEntropy) })
    }
}
