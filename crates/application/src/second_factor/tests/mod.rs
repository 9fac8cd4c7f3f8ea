//! Tests of the changes of a second factor.

use super::{
    BeginSetUp, ReplaceRecoveryCodes, ResetSecondFactor, ResetSecondFactorError, SecondFactorChange,
    SecondFactorChangeError, SecondFactorPorts, TurnOffSecondFactor, TurnOnSecondFactor,
};
use crate::account::EndedSignIns;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::system::{Clock, TotpEnrolment, TotpSealer, TotpSealerError};
use crate::testing::{clock, entropy, noon, person, seconds, session, units, user_id};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{SessionId, UserId};
use domain::second_factor::{SealedTotpSecret, SecondFactorPolicy, Totp, TotpCode, TotpSecret, TotpStep};
use domain::session::{AuthenticationMethod, Session};
use std::sync::Arc;

/// A sealer that seals nothing, with the number of the step as the code.
struct PlainSealer;

impl TotpSealer for PlainSealer {
    fn seal(&self, _: UserId, secret: &TotpSecret) -> Result<SealedTotpSecret, TotpSealerError> {
        Ok(SealedTotpSecret::new(secret.as_bytes().to_vec()))
    }

    fn open(&self, _: UserId, _: &SealedTotpSecret) -> Result<TotpSecret, TotpSealerError> {
        Ok(TotpSecret::new([1; 20]))
    }

    fn seal_enrolment(&self, user_id: UserId, enrolment: &TotpEnrolment) -> Result<String, TotpSealerError> {
        Ok(format!("{user_id}/{}", enrolment.expires_at.timestamp()))
    }

    fn open_enrolment(&self, user_id: UserId, text: &str) -> Option<TotpEnrolment> {
        let (owner, expiry) = text.split_once('/')?;
        let expires_at = DateTime::from_timestamp(expiry.parse().ok()?, 0)?;
        let enrolment = TotpEnrolment { secret: TotpSecret::new([1; 20]), expires_at };
        (owner == user_id.to_string()).then_some(enrolment)
    }

    fn code(&self, _: &TotpSecret, step: TotpStep) -> TotpCode {
        TotpCode::parse(&format!("{:06}", step.number() % 1_000_000)).unwrap()
    }
}

struct ClockAt(DateTime<Utc>);

impl Clock for ClockAt {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

fn code_at(time: DateTime<Utc>) -> String {
    PlainSealer.code(&TotpSecret::new([1; 20]), TotpStep::at(time)).digits()
}

fn change(session: &Session) -> SecondFactorChange<'_> {
    SecondFactorChange { session, address: "192.0.2.7".parse().unwrap(), device: None }
}

fn ports(units: &Arc<PreparedUnitsOfWork>) -> SecondFactorPorts {
    SecondFactorPorts {
        units: units.clone(),
        sealer: Arc::new(PlainSealer),
        clock: clock(),
        entropy: entropy(),
        mail: None,
    }
}

/// A unit of work in which the person's session exists or has ended.
fn unit(exists: bool) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().returning(|_| Ok(Some(person())));
    unit.sessions.expect_find().returning(move |_, _| Ok(exists.then(|| session(10))));
    unit
}

/// Expects that the other sessions and the pending sign-ins end.
fn ending_others(mut unit: MockUnitOfWork) -> MockUnitOfWork {
    unit.pending_sign_ins.expect_delete_of_user().times(1).returning(|_| Ok(1));
    unit.password_links.expect_delete_of_user().times(1).returning(|_| Ok(1));
    unit.sessions
        .expect_delete_of_user()
        .times(1)
        .withf(|user, except| *user == user_id(1) && *except == Some(session(10).id))
        .returning(|_, _| Ok(2));
    unit
}

fn enrolment() -> String {
    format!("{}/{}", user_id(1), (noon() + seconds(60)).timestamp())
}

#[tokio::test]
async fn a_correct_code_turns_the_factor_on_and_leaves_one_new_session() {
    let mut unit = unit(true);
    unit.second_factors
        .expect_set()
        .times(1)
        .withf(|user, totp| {
            *user == user_id(1) && totp.last_step == TotpStep::at(noon()) && totp.set_at == noon()
        })
        .returning(|_, _| Ok(()));
    let codes = |user: &UserId, codes: &[_]| *user == user_id(1) && codes.len() == 10;
    unit.second_factors.expect_replace_recovery_codes().times(1).withf(codes).returning(|_, _| Ok(()));
    unit.pending_sign_ins.expect_delete_of_user().times(1).returning(|_| Ok(0));
    unit.password_links.expect_delete_of_user().times(1).returning(|_| Ok(1));
    let all = |user: &UserId, except: &Option<SessionId>| *user == user_id(1) && except.is_none();
    unit.sessions.expect_delete_of_user().times(1).withf(all).returning(|_, _| Ok(3));
    unit.sessions.expect_insert().times(1).returning(|_| Ok(()));
    unit.passwords.expect_find().returning(|_| Ok(None));
    let store = units([unit]);
    let old = session(10);
    let turn_on = TurnOnSecondFactor::new(ports(&store));
    let on = turn_on.run(change(&old), &enrolment(), &code_at(noon())).await.unwrap();
    assert_eq!(on.signed_in.session.method, AuthenticationMethod::PasswordAndTotp);
    assert!(on.signed_in.session.id != old.id && on.signed_in.session.token_hash != old.token_hash);
    // The code of a new app does not prove the person's identity.
    assert_eq!(on.signed_in.session.authenticated_at, old.authenticated_at);
    assert_eq!(on.codes.len(), 10);
    assert_eq!(store.endings().committed(), 1);
    let kinds: Vec<_> = store.events().all().iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [AuditKind::SecondFactorTurnedOn, AuditKind::RecoveryCodesCreated]);
}

#[tokio::test]
async fn a_wrong_code_and_a_foreign_or_expired_form_turn_nothing_on() {
    let old = session(10);
    let expired = format!("{}/{}", user_id(1), noon().timestamp());
    let foreign = format!("{}/{}", user_id(2), (noon() + seconds(60)).timestamp());
    for (form, code, is_expired) in [
        (enrolment(), code_at(noon() + seconds(60)), false),
        (enrolment(), code_at(noon() - seconds(60)), false),
        (enrolment(), String::new(), false),
        (expired, code_at(noon()), true),
        (foreign, code_at(noon()), true),
        (String::new(), code_at(noon()), true),
    ] {
        let turn_on = TurnOnSecondFactor::new(ports(&units([])));
        match turn_on.run(change(&old), &form, &code).await.unwrap_err() {
            SecondFactorChangeError::SetUpExpired => assert!(is_expired, "{form}"),
            SecondFactorChangeError::WrongCode => assert!(!is_expired, "{form}"),
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn a_session_that_has_ended_changes_nothing() {
    let old = session(10);
    let store = units([unit(false), unit(false), unit(false)]);
    let on = TurnOnSecondFactor::new(ports(&store)).run(change(&old), &enrolment(), &code_at(noon())).await;
    assert!(matches!(on.unwrap_err(), SecondFactorChangeError::NotFresh));
    let off = TurnOffSecondFactor::new(ports(&store), SecondFactorPolicy::Optional);
    assert!(matches!(off.run(change(&old)).await.unwrap_err(), SecondFactorChangeError::NotFresh));
    let codes = ReplaceRecoveryCodes::new(ports(&store)).run(change(&old)).await;
    assert!(matches!(codes.unwrap_err(), SecondFactorChangeError::NotFresh));
    assert_eq!(store.endings().committed(), 0);
}

#[tokio::test]
async fn turning_off_and_new_codes_need_a_sign_in_within_five_minutes() {
    let old = session(300);
    let store = units([]);
    let off = TurnOffSecondFactor::new(ports(&store), SecondFactorPolicy::Optional);
    assert!(matches!(off.run(change(&old)).await.unwrap_err(), SecondFactorChangeError::NotFresh));
    let codes = ReplaceRecoveryCodes::new(ports(&store)).run(change(&old)).await;
    assert!(matches!(codes.unwrap_err(), SecondFactorChangeError::NotFresh));
}

#[tokio::test]
async fn a_required_factor_cannot_be_turned_off() {
    let off = TurnOffSecondFactor::new(ports(&units([])), SecondFactorPolicy::Required);
    let error = off.run(change(&session(10))).await.unwrap_err();
    assert!(matches!(error, SecondFactorChangeError::Required));
}

#[tokio::test]
async fn turning_off_ends_the_other_sessions() {
    let mut unit = ending_others(unit(true));
    unit.second_factors.expect_delete().times(1).withf(|user| *user == user_id(1)).returning(|_| Ok(true));
    let store = units([unit]);
    let off = TurnOffSecondFactor::new(ports(&store), SecondFactorPolicy::Optional);
    off.run(change(&session(10))).await.unwrap();
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.count), (AuditKind::SecondFactorTurnedOff, Some(2)));
    assert_eq!(store.endings().committed(), 1);
}

#[tokio::test]
async fn new_recovery_codes_end_the_other_sessions_and_need_a_factor() {
    let mut unit_with = ending_others(unit(true));
    let totp = Totp { secret: SealedTotpSecret::new(vec![1]), last_step: TotpStep::new(1), set_at: noon() };
    unit_with.second_factors.expect_find().returning(move |_| Ok(Some(totp.clone())));
    unit_with.second_factors.expect_replace_recovery_codes().times(1).returning(|_, _| Ok(()));
    let mut unit_without = unit(true);
    unit_without.second_factors.expect_find().returning(|_| Ok(None));
    let store = units([unit_with, unit_without]);
    let replace = ReplaceRecoveryCodes::new(ports(&store));
    assert_eq!(replace.run(change(&session(10))).await.unwrap().len(), 10);
    let error = replace.run(change(&session(10))).await.unwrap_err();
    assert!(matches!(error, SecondFactorChangeError::NotSet));
    assert_eq!(store.endings().committed(), 1);
}

#[tokio::test]
async fn the_operators_reset_ends_every_session_and_password_link() {
    let mut unit = unit(true);
    unit.passkeys.expect_list().returning(|_| Ok(Vec::new()));
    unit.second_factors.expect_delete().times(1).returning(|_| Ok(true));
    unit.pending_sign_ins.expect_delete_of_user().times(1).returning(|_| Ok(1));
    unit.password_links.expect_delete_of_user().times(1).returning(|_| Ok(1));
    unit.sessions
        .expect_delete_of_user()
        .times(1)
        .withf(|user, except| *user == user_id(1) && except.is_none())
        .returning(|_, _| Ok(4));
    let mut without = MockUnitOfWork::default();
    without.users.expect_find().returning(|_| Ok(Some(person())));
    without.passkeys.expect_list().returning(|_| Ok(Vec::new()));
    without.second_factors.expect_delete().returning(|_| Ok(false));
    let mut unknown = MockUnitOfWork::default();
    unknown.users.expect_find().returning(|_| Ok(None));
    let store = units([unit, without, unknown]);
    let reset = ResetSecondFactor::new(store.clone(), None, entropy(), clock());
    assert_eq!(reset.run(user_id(1)).await.unwrap(), EndedSignIns { sessions: 4, links: 1 });
    assert!(matches!(reset.run(user_id(1)).await.unwrap_err(), ResetSecondFactorError::NotSet));
    assert!(matches!(reset.run(user_id(1)).await.unwrap_err(), ResetSecondFactorError::NotFound));
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::SecondFactorTurnedOff, AuditActor::Operator));
}

#[test]
fn a_submitted_secret_is_shown_again_until_it_expires() {
    let begin = |now| BeginSetUp::new(Arc::new(PlainSealer), entropy(), Arc::new(ClockAt(now)));
    let shown = enrolment();
    let again = begin(noon()).run(user_id(1), Some(&shown)).unwrap();
    assert!(again.enrolment == shown && again.secret == TotpSecret::new([1; 20]));
    for (now, user, text) in [
        (noon() + seconds(60), 1, Some(shown.as_str())),
        (noon(), 2, Some(shown.as_str())),
        (noon(), 1, Some("x")),
        (noon(), 1, None),
    ] {
        let new = begin(now).run(user_id(user), text).unwrap();
        assert!(new.enrolment != shown && new.secret != TotpSecret::new([1; 20]));
    }
}
