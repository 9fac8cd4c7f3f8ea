//! Forms to set up an authenticator app. The contract suite shows the changes on each store.

use super::{SecondFactorError, SecondFactors};
use crate::ports::storage::MockSecondFactorReader;
use crate::ports::storage::test_support::PreparedUnitsOfWork;
use crate::ports::system::{TotpEnrolment, TotpSealer, TotpSealerError};
use crate::store::AuditTrail;
use crate::store::Store;
use crate::testing::{ClockAt, entropy, noon, seconds, signed_in, store, units, user_id};
use chrono::{DateTime, Utc};
use domain::id::UserId;
use domain::second_factor::{SealedTotpSecret, SecondFactorPolicy, TotpCode, TotpSecret, TotpStep};
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

fn enrolment() -> String {
    format!("{}/{}", user_id(1), (noon() + seconds(60)).timestamp())
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
