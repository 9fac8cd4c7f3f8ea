//! Rejected forms about second factors, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{Counting, seconds, user_id};
use crate::rejection::{assert_level, assert_rejected, audited, prepare, signed_out};
use application::account::SignedInPerson;
use application::audit::AuditTrail;
use application::ports::system::{TotpEnrolment, TotpSealer, TotpSealerError};
use application::second_factor::{SecondFactorError, SecondFactors, reset_second_factor};
use application::store::Store;
use domain::id::UserId;
use domain::second_factor::{SealedTotpSecret, SecondFactorPolicy, TotpCode, TotpSecret, TotpStep};
use std::sync::Arc;

pub(crate) const CODE: &str = "123456";

/// A sealer of one secret, which accepts every form and has one code.
pub(crate) struct Trusting;

impl TotpSealer for Trusting {
    fn seal(&self, _: UserId, secret: &TotpSecret) -> Result<SealedTotpSecret, TotpSealerError> {
        Ok(SealedTotpSecret::new(secret.as_bytes().to_vec()))
    }

    fn open(&self, _: UserId, _: &SealedTotpSecret) -> Result<TotpSecret, TotpSealerError> {
        Ok(TotpSecret::new([1; 20]))
    }

    fn seal_enrolment(&self, _: UserId, _: &TotpEnrolment) -> Result<String, TotpSealerError> {
        Err(TotpSealerError)
    }

    fn open_enrolment(&self, _: UserId, _: &str) -> Option<TotpEnrolment> {
        Some(TotpEnrolment { secret: TotpSecret::new([1; 20]), expires_at: seconds(300) })
    }

    fn code(&self, _: &TotpSecret, _: TotpStep) -> TotpCode {
        TotpCode::parse(CODE).unwrap()
    }
}

pub(crate) async fn rejected_forms_about_second_factors_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let gone = &signed_out(person);
    let trail = AuditTrail::new(Arc::new(Counting::default()), Arc::new(Counting::default()));
    let factors = &SecondFactors {
        store: Store { trail, ..audited(harness) },
        reader: harness.second_factors.clone(),
        sealer: Arc::new(Trusting),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    };
    let turn_on = async |person| factors.turn_on(person, None, "", CODE).await;
    let is_stale = |error: &SecondFactorError| matches!(error, SecondFactorError::NotFresh);
    let is_off = |error: &SecondFactorError| matches!(error, SecondFactorError::NotSet);

    assert_rejected(harness, "turn on after signing out", is_stale, async || turn_on(gone).await).await;
    assert_rejected(harness, "turn off after signing out", is_stale, async || {
        factors.turn_off(gone, None).await
    })
    .await;
    assert_rejected(harness, "turn off what is off", is_off, async || factors.turn_off(person, None).await)
        .await;
    assert_rejected(harness, "codes after signing out", is_stale, async || {
        factors.replace_recovery_codes(gone, None).await
    })
    .await;
    assert_rejected(harness, "codes of a factor that is off", is_off, async || {
        factors.replace_recovery_codes(person, None).await
    })
    .await;
    let reset = async |user| reset_second_factor(&factors.store, None, user).await;
    assert_level(harness, "reset the factor of an unknown person", async || reset(user_id(9)).await).await;
    assert_level(harness, "reset a factor that is not set", async || reset(user_id(2)).await).await;
    // What was rejected for its state works in another one, so the forms above are valid ones.
    let session = turn_on(person).await.unwrap().signed_in.session;
    let person = &SignedInPerson { session, ..person.clone() };
    assert_eq!(factors.replace_recovery_codes(person, None).await.unwrap().len(), 10);
    factors.turn_off(person, None).await.unwrap();
}
