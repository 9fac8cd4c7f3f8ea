//! Remembered consents, at the first step.

use super::begin::{begin, good};
use super::*;
use crate::authorization::{AuthorizationParameters, BegunAuthorization, Given};
use crate::ports::storage::StorageError;
use domain::code::CodeState;
use domain::resource::Resource;

#[tokio::test]
async fn t34_a_remembered_consent_returns_a_code() {
    for prompt in [Given::Absent, Given::Once("none")] {
        let mut unit = with_person(Some(person()));
        expect_remembered(&mut unit, Some(remembered("sleep")));
        let stored = expect_code(&mut unit);
        let parameters = AuthorizationParameters {
            prompt,
            code_challenge: Given::Once(CHALLENGE),
            code_challenge_method: Given::Once("S256"),
            ..good()
        };
        let world = World::new([unit]).knowing(Some(app()));
        let (outcome, traces) = begin(world, parameters, Some(user_id(1))).await;
        let Ok(BegunAuthorization::Redirect(response)) = outcome else { panic!("{outcome:?}") };
        let code = noted(&stored);
        assert_carries(&response, &code, Some("abc"));
        let expected = AuthorizationCode {
            hash: code.hash,
            client_id: client_id(1),
            user_id: user_id(1),
            redirect_uri: REDIRECT_URI.to_owned(),
            scopes: scopes("sleep"),
            resource: Resource::Api,
            challenge: request().challenge,
            issued_at: noon(),
            expires_at: noon() + seconds(60),
            state: CodeState::Issued,
        };
        assert_eq!(code, expected);
        assert_eq!(traces.kinds(), [AuditKind::CodeIssued]);
        traces.assert_committed();
    }
}

#[tokio::test]
async fn t34_more_or_fewer_scopes_than_remembered_need_consent() {
    for earlier in ["profile", "profile sleep"] {
        let mut unit = with_person(Some(person()));
        expect_remembered(&mut unit, Some(remembered(earlier)));
        expect_request(&mut unit);
        let world = World::new([unit]).knowing(Some(app()));
        let (outcome, _) = begin(world, good(), Some(user_id(1))).await;
        assert!(matches!(outcome, Ok(BegunAuthorization::Consent { .. })), "{earlier}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_code_that_cannot_be_stored_is_not_given_out() {
    let mut unit = with_person(Some(person()));
    expect_remembered(&mut unit, Some(remembered("sleep")));
    unit.codes.expect_insert().times(1).returning(|_| Err(StorageError::Unavailable));
    let world = World::new([unit]).knowing(Some(app()));
    let (outcome, traces) = begin(world, good(), Some(user_id(1))).await;
    assert!(outcome.is_err(), "{outcome:?}");
    assert_eq!(traces.endings.committed(), 0);
}
