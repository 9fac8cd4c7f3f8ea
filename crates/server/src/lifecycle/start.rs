//! What must be true before the first request can be answered.

use crate::wiring::{Application, refusal};
use application::key::SigningKeyError;
use application::ports::storage::StorageError;

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
            StorageError::Unavailable | StorageError::Retryable | StorageError::Internal(_) => {
                Self::NotYet(error)
            }
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

/// Checks the schema, makes the first signing key when there is none, and takes the keys into use.
pub(crate) async fn start(application: &Application) -> Result<(), StartError> {
    let state = application.schema.state().await?;
    if let Some(sentence) = refusal(&state) {
        return Err(StartError::Never(sentence));
    }
    if application.keys.ensure.run().await? {
        tracing::info!("made the first signing key");
    }
    application.keys.reload.run().await?;
    application.readiness.store_answered();
    Ok(())
}
