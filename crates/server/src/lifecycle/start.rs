//! What must be true before the first request can be answered.

use super::clock;
use crate::wiring::{Application, refusal};
use application::key::SigningKeyError;
use application::ports::storage::StorageError;
use std::time::Duration;

/// How long the first look at the store may keep the server from being live.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The store cannot be reached at this moment; later it may.
    #[error("the store does not answer")]
    NotYet(#[source] StorageError),
    /// Nothing will change this but the operator.
    #[error("{0}")]
    Never(String),
}

impl From<StorageError> for StartError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Unavailable
            | StorageError::Retryable
            | StorageError::Disk(_)
            | StorageError::Internal(_) => Self::NotYet(error),
            StorageError::Conflict(_) | StorageError::Corrupt { .. } => Self::Never(error.to_string()),
        }
    }
}

impl From<SigningKeyError> for StartError {
    fn from(error: SigningKeyError) -> Self {
        match error {
            SigningKeyError::KeyRing(error) => Self::Never(error.to_string()),
            SigningKeyError::Storage(error) => error.into(),
        }
    }
}

/// Checks the schema and the clock, creates the first signing key if there is none, and loads the keys.
pub(crate) async fn start(application: &Application) -> Result<(), StartError> {
    let state = application.schema.state().await?;
    if let Some(sentence) = refusal(&state) {
        return Err(StartError::Never(sentence));
    }
    application.readiness.schema_fits(true);
    clock::compare(application).await?;
    if application.keys.ensure.run().await? {
        tracing::info!("created the first signing key");
    }
    application.keys.reload.run().await?;
    application.readiness.store_answered(true);
    // Those that need not be waited for are found at once.
    tokio::select! {
        biased;
        () = application.rate_limits.first_answer() => application.readiness.counters_found(),
        () = std::future::ready(()) => {}
    }
    Ok(())
}

/// Starts at once when the store answers at once; says nothing about a store that does not answer yet.
pub(crate) async fn try_start(application: &Application) -> Result<(), StartError> {
    match tokio::time::timeout(FIRST_LOOK, start(application)).await {
        Ok(never @ Err(StartError::Never(_))) => never,
        Ok(Ok(()) | Err(StartError::NotYet(_))) | Err(_) => Ok(()),
    }
}
