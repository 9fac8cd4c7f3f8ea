//! Remembered consents, at the first step.

use super::begin::{begin, good};
use super::*;
use crate::authorization::{AuthorizationParameters, AuthorizationStep, ParameterValue};

#[tokio::test]
async fn t34_a_remembered_consent_returns_a_code() {
    for prompt in [ParameterValue::Absent, ParameterValue::Once("none")] {
        let mut unit = with_person(Some(person()));
        expect_remembered(&mut unit, Some(remembered("sleep")));
        let stored = expect_code(&mut unit);
        let parameters = AuthorizationParameters {
            prompt,
            code_challenge: ParameterValue::Once(CHALLENGE),
            code_challenge_method: ParameterValue::Once("S256"),
            ..good()
        };
        let world = World::new([unit]).with_client(Some(app()));
        let (outcome, effects) = begin(world, parameters, Some(user_id(1))).await;
        let Ok(AuthorizationStep::Redirect(response)) = outcome else { panic!("{outcome:?}") };
        let code = captured(&stored);
        assert_carries(&response, &code, Some("abc"));
        let expected = AuthorizationCode { challenge: request().challenge, ..issued_code(code.hash) };
        assert_eq!(code, expected);
        assert_eq!(effects.kinds(), [AuditKind::CodeIssued]);
        effects.assert_committed();
    }
}

#[tokio::test]
async fn t34_more_or_fewer_scopes_than_remembered_need_consent() {
    for earlier in ["profile", "profile sleep"] {
        let mut unit = with_person(Some(person()));
        expect_remembered(&mut unit, Some(remembered(earlier)));
        expect_request(&mut unit);
        let world = World::new([unit]).with_client(Some(app()));
        let (outcome, _) = begin(world, good(), Some(user_id(1))).await;
        assert!(matches!(outcome, Ok(AuthorizationStep::Consent { .. })), "{earlier}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_code_that_cannot_be_stored_is_not_returned() {
    let mut unit = with_person(Some(person()));
    expect_remembered(&mut unit, Some(remembered("sleep")));
    expect_insert(&mut unit, |_| Err(StorageError::Unavailable));
    let world = World::new([unit]).with_client(Some(app()));
    let (outcome, effects) = begin(world, good(), Some(user_id(1))).await;
    assert!(outcome.is_err(), "{outcome:?}");
    assert_eq!(effects.endings.committed(), 0);
}
