//! Rejected forms about second factors, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{now, passkey_id, seconds, user_id};
use crate::service::{
    assert_only_sessions, assert_rejected, assert_untouched, audited, event_by, event_of_person, prepare,
    recorded, sign_in_elsewhere, signed_out, stale,
};
use application::ports::system::{TotpEnrolment, TotpSealer, TotpSealerError};
use application::second_factor::{
    ResetSecondFactorError, SecondFactorError, SecondFactors, reset_second_factor,
};
use application::session::{EndedSignIns, SignedInPerson};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::second_factor::{SealedTotpSecret, SecondFactorPolicy, TotpCode, TotpSecret, TotpStep};
use domain::session::AuthenticationMethod;
use std::sync::Arc;

pub(crate) const CODE: &str = "123456";

/// A sealer of one secret, which accepts every form and has one code at [`now`].
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

    fn code(&self, _: &TotpSecret, step: TotpStep) -> TotpCode {
        TotpCode::parse(if step == TotpStep::at(now()) { CODE } else { "999999" }).unwrap()
    }
}

fn second_factors(harness: &Harness) -> SecondFactors {
    SecondFactors {
        store: audited(harness),
        reader: harness.second_factors.clone(),
        sealer: Arc::new(Trusting),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    }
}

pub(crate) async fn rejected_forms_about_second_factors_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let (gone, stale, factors) = (&signed_out(person), &stale(person), &second_factors(harness));
    let turn_on = async |person| factors.turn_on(person, None, "", CODE).await;
    let replace = async |person| factors.replace_recovery_codes(person, None).await;
    let is_stale = |error: &SecondFactorError| matches!(error, SecondFactorError::NotFresh);
    let is_off = |error: &SecondFactorError| matches!(error, SecondFactorError::NotSet);

    assert_rejected(harness, "turn on after signing out", is_stale, async || turn_on(gone).await).await;
    assert_rejected(harness, "turn off", is_stale, async || factors.turn_off(gone, None).await).await;
    assert_rejected(harness, "codes", is_stale, async || replace(gone).await).await;
    assert_untouched(harness, "turn off late", is_stale, async || factors.turn_off(stale, None).await).await;
    assert_untouched(harness, "codes late", is_stale, async || replace(stale).await).await;
    assert_rejected(harness, "turn off what is off", is_off, async || factors.turn_off(person, None).await)
        .await;
    assert_rejected(harness, "codes of a factor that is off", is_off, async || replace(person).await).await;
    let required = &SecondFactors { policy: SecondFactorPolicy::Required, ..second_factors(harness) };
    let is_required = |error: &SecondFactorError| matches!(error, SecondFactorError::Required);
    assert_rejected(harness, "turn off", is_required, async || required.turn_off(person, None).await).await;
    let reset = async |user| reset_second_factor(&factors.store, None, user).await;
    let is_unknown = |error: &ResetSecondFactorError| matches!(error, ResetSecondFactorError::NotFound);
    let is_off = |error: &ResetSecondFactorError| matches!(error, ResetSecondFactorError::NotSet);
    assert_rejected(harness, "reset of nobody", is_unknown, async || reset(user_id(9)).await).await;
    assert_rejected(harness, "reset what is off", is_off, async || reset(user_id(2)).await).await;
    assert_eq!(recorded(harness).await, []);
}

pub(crate) async fn turning_a_second_factor_on_leaves_one_new_session(harness: &Harness) {
    let person = prepare(harness).await;
    let factors = second_factors(harness);
    sign_in_elsewhere(harness).await;
    let on = factors.turn_on(&person, None, "", CODE).await.unwrap();
    let (old, session) = (&person.session, on.signed_in.session);
    assert_eq!(session.method, AuthenticationMethod::PasswordAndTotp);
    assert!(session.id != old.id && session.token_hash != old.token_hash);
    // The code of a new app does not prove the person's identity.
    assert_eq!(session.authenticated_at, old.authenticated_at);
    assert_eq!(on.codes.len(), 10);
    assert_only_sessions(harness, &[session.id]).await;
    let mut unit = harness.begin().await;
    let stored = unit.second_factors().find(person.user_id).await.unwrap().unwrap();
    assert_eq!((stored.last_step, stored.set_at), (TotpStep::at(now()), now()));
    assert_eq!(unit.second_factors().count_recovery_codes(person.user_id).await.unwrap(), 10);
    unit.rollback().await.unwrap();
    let expected = [AuditKind::SecondFactorTurnedOn, AuditKind::RecoveryCodesCreated].map(event_of_person);
    assert_eq!(recorded(harness).await, expected);
}

/// Turns the second factor on; returns the person with the new session.
async fn turned_on(harness: &Harness, factors: &SecondFactors) -> SignedInPerson {
    let person = prepare(harness).await;
    let session = factors.turn_on(&person, None, "", CODE).await.unwrap().signed_in.session;
    recorded(harness).await;
    sign_in_elsewhere(harness).await;
    SignedInPerson { session, ..person }
}

pub(crate) async fn new_codes_and_turning_a_factor_off_end_other_sign_ins(harness: &Harness) {
    let factors = second_factors(harness);
    let person = turned_on(harness, &factors).await;
    assert_eq!(factors.replace_recovery_codes(&person, None).await.unwrap().len(), 10);
    assert_only_sessions(harness, &[person.session.id]).await;
    assert_eq!(recorded(harness).await, [event_of_person(AuditKind::RecoveryCodesCreated).count(2)]);

    sign_in_elsewhere(harness).await;
    factors.turn_off(&person, None).await.unwrap();
    assert_only_sessions(harness, &[person.session.id]).await;
    assert_eq!(factors.find(person.user_id).await.unwrap(), None);
    assert_eq!(recorded(harness).await, [event_of_person(AuditKind::SecondFactorTurnedOff).count(2)]);
}

pub(crate) async fn the_operators_reset_ends_every_session_and_link(harness: &Harness) {
    let factors = second_factors(harness);
    let person = turned_on(harness, &factors).await;
    let ended = reset_second_factor(&factors.store, None, person.user_id).await.unwrap();
    assert_eq!(ended, EndedSignIns { sessions: 3, links: 1 });
    assert_only_sessions(harness, &[]).await;
    assert_eq!(factors.find(person.user_id).await.unwrap(), None);
    assert_eq!(harness.passkeys.list_passkeys(person.user_id).await.unwrap(), []);
    let by_operator = |kind| event_by(AuditActor::Operator, kind).user(person.user_id);
    let expected = [
        by_operator(AuditKind::PasskeyRemoved).subject(passkey_id(1).as_uuid()),
        by_operator(AuditKind::SecondFactorTurnedOff).count(3),
    ];
    assert_eq!(recorded(harness).await, expected);
}
