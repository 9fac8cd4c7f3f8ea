//! Tests of the changes of a second factor.

use super::{ResetSecondFactorError, SecondFactorError, SecondFactors, reset_second_factor};
use crate::account::EndedSignIns;
use crate::audit::AuditTrail;
use crate::ports::storage::MockSecondFactorReader;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::system::{Clock, TotpEnrolment, TotpSealer, TotpSealerError};
use crate::store::Store;
use crate::testing::{entropy, noon, person, seconds, session, signed_in, store, units, user_id};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{SessionId, UserId};
use domain::second_factor::{SealedTotpSecret, SecondFactorPolicy, Totp, TotpCode, TotpSecret, TotpStep};
use domain::session::AuthenticationMethod;
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

/// Second factors in this store, which the operator does not require.
fn factors(units: &Arc<PreparedUnitsOfWork>) -> SecondFactors {
    SecondFactors {
        store: store(units),
        reader: Arc::new(MockSecondFactorReader::new()),
        sealer: Arc::new(PlainSealer),
        policy: SecondFactorPolicy::Optional,
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
    let (person, old) = (signed_in(10), session(10));
    let on = factors(&store).turn_on(&person, None, &enrolment(), &code_at(noon())).await.unwrap();
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
        match factors(&units([])).turn_on(&signed_in(10), None, &form, &code).await.unwrap_err() {
            SecondFactorError::SetUpExpired => assert!(is_expired, "{form}"),
            SecondFactorError::WrongCode => assert!(!is_expired, "{form}"),
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn a_session_that_has_ended_changes_nothing() {
    let person = signed_in(10);
    let store = units([unit(false), unit(false), unit(false)]);
    let factors = factors(&store);
    let on = factors.turn_on(&person, None, &enrolment(), &code_at(noon())).await;
    assert!(matches!(on.unwrap_err(), SecondFactorError::NotFresh));
    let off = factors.turn_off(&person, None).await;
    assert!(matches!(off.unwrap_err(), SecondFactorError::NotFresh));
    let codes = factors.replace_recovery_codes(&person, None).await;
    assert!(matches!(codes.unwrap_err(), SecondFactorError::NotFresh));
    assert_eq!((store.endings().committed(), store.endings().rolled_back()), (0, 3));
}

#[tokio::test]
async fn turning_off_and_new_codes_need_a_sign_in_within_five_minutes() {
    let person = signed_in(300);
    let factors = factors(&units([]));
    let off = factors.turn_off(&person, None).await;
    assert!(matches!(off.unwrap_err(), SecondFactorError::NotFresh));
    let codes = factors.replace_recovery_codes(&person, None).await;
    assert!(matches!(codes.unwrap_err(), SecondFactorError::NotFresh));
}

#[tokio::test]
async fn a_required_factor_cannot_be_turned_off() {
    let factors = SecondFactors { policy: SecondFactorPolicy::Required, ..factors(&units([])) };
    let error = factors.turn_off(&signed_in(10), None).await.unwrap_err();
    assert!(matches!(error, SecondFactorError::Required));
}

#[tokio::test]
async fn turning_off_ends_the_other_sessions() {
    let mut unit = ending_others(unit(true));
    unit.second_factors.expect_delete().times(1).withf(|user| *user == user_id(1)).returning(|_| Ok(true));
    let store = units([unit]);
    factors(&store).turn_off(&signed_in(10), None).await.unwrap();
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
    let factors = factors(&store);
    assert_eq!(factors.replace_recovery_codes(&signed_in(10), None).await.unwrap().len(), 10);
    let error = factors.replace_recovery_codes(&signed_in(10), None).await.unwrap_err();
    assert!(matches!(error, SecondFactorError::NotSet));
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
    let SecondFactors { store: audited, mail, .. } = factors(&store);
    let reset = async || reset_second_factor(&audited, mail.as_ref(), user_id(1)).await;
    assert_eq!(reset().await.unwrap(), EndedSignIns { sessions: 4, links: 1 });
    assert!(matches!(reset().await.unwrap_err(), ResetSecondFactorError::NotSet));
    assert!(matches!(reset().await.unwrap_err(), ResetSecondFactorError::NotFound));
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.actor), (AuditKind::SecondFactorTurnedOff, AuditActor::Operator));
}

#[test]
fn a_submitted_secret_is_shown_again_until_it_expires() {
    let begin = |now| {
        let trail = AuditTrail::new(entropy(), Arc::new(ClockAt(now)));
        SecondFactors { store: Store { units: units([]), trail }, ..factors(&units([])) }
    };
    let shown = enrolment();
    let again = begin(noon()).begin_set_up(user_id(1), Some(&shown)).unwrap();
    assert!(again.enrolment == shown && again.secret == TotpSecret::new([1; 20]));
    for (now, user, text) in [
        (noon() + seconds(60), 1, Some(shown.as_str())),
        (noon(), 2, Some(shown.as_str())),
        (noon(), 1, Some("x")),
        (noon(), 1, None),
    ] {
        let new = begin(now).begin_set_up(user_id(user), text).unwrap();
        assert!(new.enrolment != shown && new.secret != TotpSecret::new([1; 20]));
    }
}
