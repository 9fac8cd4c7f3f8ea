//! Randomness from the operating system, through AWS-LC.

use application::ports::system::Entropy;
use aws_lc_rs::rand;
use domain::secret::SecretBytes;
use uuid::{Builder, Uuid};

/// The AWS-LC generator, seeded by the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn secret_bytes(&self) -> SecretBytes {
        SecretBytes::new(draw())
    }

    fn uuid(&self) -> Uuid {
        Builder::from_random_bytes(draw()).into_uuid()
    }
}

#[expect(
    clippy::expect_used,
    reason = "a machine without randomness must stop: all secrets would be guessable"
)]
pub(crate) fn draw<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).expect("the operating system provides randomness");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::secret::{Secret, SecretKind};
    use std::collections::HashSet;

    #[test]
    fn uuids_are_of_version_4_and_unique() {
        let drawn: HashSet<Uuid> = (0..1_000).map(|_| SystemEntropy.uuid()).collect();
        assert_eq!(drawn.len(), 1_000);
        assert!(drawn.iter().all(|id| id.get_version_num() == 4));
    }

    #[test]
    fn no_two_secrets_are_alike() {
        let drawn: HashSet<String> = (0..1_000)
            .map(|_| Secret::from_bytes(SecretKind::RefreshToken, &SystemEntropy.secret_bytes()))
            .map(|secret| secret.expose().to_owned())
            .collect();
        assert_eq!(drawn.len(), 1_000);
    }
}
