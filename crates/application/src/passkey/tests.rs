//! Rejections before the store is used. The contract suite shows the others on each store.

use super::{NewPasskey, PasskeyAnswer, PasskeyError, Passkeys};
use crate::attempt_limit::AttemptLimit;
use crate::ports::storage::test_support::PreparedUnitsOfWork;
use crate::ports::storage::{FailureCount, MockFailureCounter, MockPasskeyReader};
use crate::ports::system::MockPasskeyVerifier;
use crate::session::{SignInLimits, SignInOrigin};
use crate::testing::{ADDRESS, counters, secret, signed_in, store, units};
use domain::passkey::RelyingParty;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::SecretKind;
use std::sync::Arc;
use url::Url;

const LIMIT: AttemptLimit = AttemptLimit { attempts: 2, window_seconds: 600 };

/// A counter that is at this number.
fn counter_at(count: u32) -> Arc<MockFailureCounter> {
    Arc::new(counters(1, move |keys, at, window| {
        Ok(keys.iter().map(|_| FailureCount { count, window_ends_at: at + window }).collect())
    }))
}

/// Passkeys in this store, whose operator requires no second factor.
fn passkeys(units: &Arc<PreparedUnitsOfWork>, failures: Arc<MockFailureCounter>) -> Passkeys {
    Passkeys {
        store: store(units),
        reader: Arc::new(MockPasskeyReader::new()),
        failures,
        verifier: Arc::new(MockPasskeyVerifier::new()),
        relying_party: RelyingParty::from_public_url(&Url::parse("https://rest.example").unwrap()),
        ceremony_limit: LIMIT,
        sign_in_limits: SignInLimits::default(),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    }
}

#[test]
fn there_are_no_ceremonies_without_a_relying_party() {
    let failures = Arc::new(MockFailureCounter::new());
    let passkeys = Passkeys { relying_party: None, ..passkeys(&units([]), failures) };
    assert!(passkeys.offered().is_none());
}

#[tokio::test]
async fn adding_needs_a_fresh_sign_in_a_valid_name_and_valid_client_data() {
    let (fresh, stale) = (signed_in(0), signed_in(301));
    for (person, name, client_data, is_expected) in [
        (&stale, "Phone", "AAAA", (|error| matches!(error, PasskeyError::NotFresh)) as fn(&_) -> bool),
        (&fresh, "", "AAAA", |error| matches!(error, PasskeyError::InvalidName)),
        (&fresh, "a\nb", "AAAA", |error| matches!(error, PasskeyError::InvalidName)),
        (&fresh, "Phone", "not base64url!", |error| matches!(error, PasskeyError::Rejected)),
    ] {
        let store = units([]);
        let passkeys = passkeys(&store, Arc::new(MockFailureCounter::new()));
        let new = NewPasskey { name, client_data, attestation_object: "AAAA", transports: "internal" };
        let error = passkeys.offered().unwrap().add(person, new).await.unwrap_err();
        assert!(is_expected(&error), "{name:?}: {error}");
        assert_eq!(store.endings().opened(), 0);
    }
}

#[tokio::test]
async fn t81_t84_a_malformed_or_limited_sign_in_reads_no_passkey() {
    let visit = secret(SecretKind::Visit, 3);
    let origin = SignInOrigin { address: ADDRESS, device: None, replaces: None, pending: None };
    let limit = SignInLimits::default().per_address.attempts;
    for (count, credential_id, is_limited) in [(1, "not base64url!", false), (limit + 2, "AAAA", true)] {
        let answer = PasskeyAnswer {
            credential_id,
            user_handle: "AAAA",
            client_data: "",
            authenticator_data: "AAAA",
            signature: "AAAA",
        };
        let passkeys = passkeys(&units([]), counter_at(count));
        let error = passkeys.offered().unwrap().sign_in(answer, &visit, origin).await.unwrap_err();
        assert_eq!(matches!(error, PasskeyError::TooManyAttempts { .. }), is_limited, "{error}");
        assert_eq!(matches!(error, PasskeyError::Rejected), !is_limited, "{error}");
    }
}
