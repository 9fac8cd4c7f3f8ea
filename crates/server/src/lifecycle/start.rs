//! Checks before the first request.

use super::clock;
use crate::wiring::{Application, refusal};
use application::key::SigningKeyError;
use application::ports::storage::StorageError;
use std::time::Duration;

/// Timeout of the first attempt to reach the store.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Reason why a server cannot serve.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// Store that is currently unreachable.
    #[error("the store is not responding")]
    NotYet(#[source] StorageError),
    /// Failure that only the operator can fix.
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
    let state = application.services.store.schema.state().await?;
    if let Some(sentence) = refusal(&state) {
        return Err(StartError::Never(sentence));
    }
    application.readiness.schema_fits(true);
    warn_of_layout(application).await?;
    clock::compare(application).await?;
    if application.keys.ensure().await? {
        tracing::info!("created the first signing key");
    }
    application.keys.reload.run().await?;
    application.readiness.store_answered(true);
    // Counters in this process are ready at once.
    tokio::select! {
        biased;
        () = application.rate_limits.first_answer() => application.readiness.counters_found(),
        () = std::future::ready(()) => {}
    }
    Ok(())
}

/// Logs what is wrong with the servers of the store.
async fn warn_of_layout(application: &Application) -> Result<(), StartError> {
    for warning in application.services.store.schema.layout().await?.warnings {
        tracing::warn!("{warning}");
    }
    Ok(())
}

/// Starts immediately if the store responds; a store that does not respond yet is no error.
pub(crate) async fn try_start(application: &Application) -> Result<(), StartError> {
    match tokio::time::timeout(CONNECT_TIMEOUT, start(application)).await {
        Ok(never @ Err(StartError::Never(_))) => never,
        Ok(Ok(()) | Err(StartError::NotYet(_))) | Err(_) => Ok(()),
    }
}
