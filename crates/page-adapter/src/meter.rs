//! Metrics of the pages. Labels have fixed values, so the number of series is bounded.

use application::account::{PasswordCheckError, PasswordHashingError};
use metrics::counter;

/// Counts an attempt to sign in.
pub(crate) fn sign_in<T>(outcome: &Result<T, PasswordCheckError>) {
    let outcome = match outcome {
        Ok(_) => "signed_in",
        Err(PasswordCheckError::WrongCredentials) => "wrong_credentials",
        Err(PasswordCheckError::InvalidForm) => "invalid_form",
        Err(PasswordCheckError::TooManyAttempts { .. }) => "too_many_attempts",
        Err(PasswordCheckError::Hashing(PasswordHashingError::Busy)) => "busy",
        Err(PasswordCheckError::Hashing(_) | PasswordCheckError::Storage(_)) => "failed",
    };
    counter!("restwell_sign_ins_total", "outcome" => outcome).increment(1);
}

/// Counts received bytes of an upload.
pub(crate) fn import_bytes(bytes: usize) {
    counter!("restwell_upload_received_bytes_total").increment(bytes as u64);
}
