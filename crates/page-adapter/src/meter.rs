//! Metrics of the pages. Labels have fixed values, so the number of series is bounded.

use application::account::{PasswordCheckError, PasswordHashingError, SecondStepError, SignInProgress};
use application::passkey::PasskeyError;
use metrics::counter;

/// Counts an attempt to sign in.
pub(crate) fn sign_in(outcome: &Result<SignInProgress, PasswordCheckError>) {
    let outcome = match outcome {
        Ok(SignInProgress::SignedIn(_)) => "signed_in",
        Ok(SignInProgress::SecondStep(_) | SignInProgress::PasskeyNeeded) => "second_step",
        Err(PasswordCheckError::WrongCredentials) => "wrong_credentials",
        Err(PasswordCheckError::InvalidForm) => "invalid_form",
        Err(PasswordCheckError::TooManyAttempts { .. }) => "too_many_attempts",
        Err(PasswordCheckError::Hashing(PasswordHashingError::Busy)) => "busy",
        Err(PasswordCheckError::Hashing(_) | PasswordCheckError::Storage(_)) => "failed",
    };
    counter!("restwell_sign_ins_total", "outcome" => outcome).increment(1);
}

/// Counts an attempt to complete a sign-in.
pub(crate) fn second_step<T>(outcome: &Result<T, SecondStepError>) {
    let outcome = match outcome {
        Ok(_) => "signed_in",
        Err(SecondStepError::WrongCode) => "wrong_code",
        Err(SecondStepError::NotPending | SecondStepError::SetUpExpired) => "expired",
        Err(SecondStepError::TooManyAttempts { .. }) => "too_many_attempts",
        Err(SecondStepError::Storage(_)) => "failed",
    };
    counter!("restwell_sign_ins_total", "outcome" => outcome).increment(1);
}

/// Counts an attempt to sign in with a passkey.
pub(crate) fn passkey_sign_in<T>(outcome: &Result<T, PasskeyError>) {
    let outcome = match outcome {
        Ok(_) => "signed_in",
        Err(
            PasskeyError::Rejected
            | PasskeyError::NotFresh
            | PasskeyError::InvalidName
            | PasskeyError::NotFound
            | PasskeyError::AlreadyAdded
            | PasskeyError::TooManyPasskeys
            | PasskeyError::LastFactor,
        ) => "wrong_credentials",
        Err(PasskeyError::TooManyAttempts { .. }) => "too_many_attempts",
        Err(PasskeyError::Storage(_)) => "failed",
    };
    counter!("restwell_sign_ins_total", "outcome" => outcome).increment(1);
}

/// Counts received bytes of an upload.
pub(crate) fn import_bytes(bytes: usize) {
    counter!("restwell_upload_received_bytes_total").increment(bytes as u64);
}
