//! Rotation of refresh tokens.

use domain::refresh_token::{RotationOutcome, SealedToken};

/// Returns the outcome of the statement that rotates a refresh token; `None` if the sealed token is corrupt.
///
/// The row states whether the next token is now the newest and whether the grant is now revoked, and contains
/// the sealed token. There is no row if the grant is not live or its token does not rotate.
pub(crate) fn rotation_outcome(row: Option<(bool, bool, Option<Vec<u8>>)>) -> Option<RotationOutcome> {
    Some(match row {
        None => RotationOutcome::NotLive,
        Some((true, _, _)) => RotationOutcome::Replaced,
        Some((false, true, _)) => RotationOutcome::Reused,
        Some((false, false, sealed)) => RotationOutcome::Repeated(SealedToken::from_bytes(&sealed?)?),
    })
}
