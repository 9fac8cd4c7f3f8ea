//! Errors that are sent to the app's redirect URI.

use super::begin::{begin, begin_without_storing, good};
use super::*;
use crate::authorization::{AuthorizationParameters, AuthorizationStep, ParameterValue};

type Parameters = AuthorizationParameters<'static>;

/// Returns the error sent to the app, and the state.
async fn sent_error(client: Client, parameters: Parameters) -> (String, Option<String>) {
    let outcome = begin_without_storing(client, parameters).await;
    let Ok(AuthorizationStep::Redirect(response)) = outcome else { panic!("{outcome:?}") };
    let (error, state) = error_of(&response);
    (error.to_owned(), state.map(str::to_owned))
}

async fn assert_reported(error: &str, client: Client, parameters: Parameters) {
    let sent = sent_error(client, parameters).await;
    assert_eq!(sent, (error.to_owned(), Some("abc".to_owned())));
}

/// Returns the stored request.
async fn stored_request(client: Client, parameters: Parameters) -> AuthorizationRequest {
    let mut unit = MockUnitOfWork::default();
    let stored = expect_request(&mut unit);
    let (outcome, _) =
        begin(World::new([unit]).with_client(Some(client)).counting(1), parameters, None).await;
    assert!(matches!(outcome, Ok(AuthorizationStep::SignIn { .. })), "{outcome:?}");
    captured(&stored)
}

/// One fault of each kind, in the order in which they are reported.
type FaultCase = (&'static str, fn(&mut Parameters));
const FAULTS: [FaultCase; 7] = [
    ("invalid_request", |parameters| parameters.login_hint = ParameterValue::Faulty),
    ("unsupported_response_type", |parameters| parameters.response_type = ParameterValue::Once("token")),
    ("invalid_request", |parameters| parameters.response_mode = ParameterValue::Once("form_post")),
    ("invalid_scope", |parameters| parameters.scope = ParameterValue::Once("email")),
    ("invalid_request", |parameters| parameters.code_challenge = ParameterValue::Once(CHALLENGE)),
    ("invalid_request", |parameters| parameters.prompt = ParameterValue::Once("none login")),
    ("invalid_target", |parameters| parameters.resource = ParameterValue::Once("https://owl.example")),
];

#[tokio::test]
async fn t23_only_the_first_fault_in_check_order_is_reported() {
    for faults in 1_usize..1 << FAULTS.len() {
        let mut parameters = good();
        for (place, (_, spoil)) in FAULTS.iter().enumerate() {
            if faults & (1 << place) != 0 {
                spoil(&mut parameters);
            }
        }
        assert_reported(FAULTS[faults.trailing_zeros() as usize].0, app(), parameters).await;
    }
}

#[tokio::test]
async fn t24_a_repeated_parameter_is_an_invalid_request() {
    let spoils: [fn(&mut Parameters); 7] = [
        |parameters| parameters.response_type = ParameterValue::Faulty,
        |parameters| parameters.scope = ParameterValue::Faulty,
        |parameters| parameters.code_challenge = ParameterValue::Faulty,
        |parameters| parameters.code_challenge_method = ParameterValue::Faulty,
        |parameters| parameters.prompt = ParameterValue::Faulty,
        |parameters| parameters.response_mode = ParameterValue::Faulty,
        |parameters| parameters.login_hint = ParameterValue::Faulty,
    ];
    for spoil in spoils {
        let mut parameters = good();
        spoil(&mut parameters);
        assert_reported("invalid_request", app(), parameters).await;
    }
}

#[tokio::test]
async fn t24_a_repeated_state_is_not_returned() {
    let parameters = AuthorizationParameters { state: ParameterValue::Faulty, ..good() };
    assert_eq!(sent_error(app(), parameters).await, ("invalid_request".to_owned(), None));
}

#[tokio::test]
async fn t25_without_a_state_none_is_returned() {
    let parameters = AuthorizationParameters {
        state: ParameterValue::Absent,
        scope: ParameterValue::Once("email"),
        ..good()
    };
    assert_eq!(sent_error(app(), parameters).await, ("invalid_scope".to_owned(), None));
}

#[tokio::test]
async fn t23_only_codes_are_issued() {
    for response_type in ["token", "id_token", "code token", "CODE", " code", "none"] {
        let parameters =
            AuthorizationParameters { response_type: ParameterValue::Once(response_type), ..good() };
        assert_reported("unsupported_response_type", app(), parameters).await;
    }
    let parameters = AuthorizationParameters { response_type: ParameterValue::Absent, ..good() };
    assert_reported("invalid_request", app(), parameters).await;
}

#[tokio::test]
async fn responses_are_returned_in_the_query_only() {
    for response_mode in ["fragment", "form_post", "query.jwt", ""] {
        let parameters =
            AuthorizationParameters { response_mode: ParameterValue::Once(response_mode), ..good() };
        assert_reported("invalid_request", app(), parameters).await;
    }
}

#[tokio::test]
async fn t23_a_scope_that_is_unknown_or_not_the_clients_or_not_a_persons_is_invalid() {
    for scope in ["email", "Sleep", "sleep,profile", "supplements", "sleep supplements", "sleep:write", "  "]
    {
        let parameters = AuthorizationParameters { scope: ParameterValue::Once(scope), ..good() };
        assert_reported("invalid_scope", app(), parameters).await;
    }
    let writer = Client { scopes: scopes("sleep sleep:write"), ..app() };
    let parameters = AuthorizationParameters { scope: ParameterValue::Once("sleep sleep:write"), ..good() };
    assert_reported("invalid_scope", writer, parameters).await;
}

#[tokio::test]
async fn scopes_separated_by_commas_get_an_error_with_the_right_separator() {
    for scope in ["sleep,profile", "sleep;profile", "sleep+profile"] {
        let parameters = AuthorizationParameters { scope: ParameterValue::Once(scope), ..good() };
        let Ok(AuthorizationStep::Redirect(response)) = begin_without_storing(app(), parameters).await else {
            panic!("not refused: {scope}")
        };
        let answer = response.expose().replace("%20", " ").replace('+', " ");
        assert!(answer.contains("error_description=scopes are separated by spaces"), "{answer}");
    }
}

/// RFC 8707 section 2.1.
#[tokio::test]
async fn the_resource_is_the_api_or_the_mcp_endpoint_of_this_server() {
    for (given, expected) in [
        (ParameterValue::Absent, Resource::Api),
        (ParameterValue::Once(ISSUER), Resource::Api),
        (ParameterValue::Once("https://sleep.example/mcp/"), Resource::Mcp),
    ] {
        let parameters = AuthorizationParameters { resource: given, ..with_challenge() };
        assert_eq!(stored_request(app(), parameters).await.resource, expected);
    }
}

fn with_challenge() -> Parameters {
    AuthorizationParameters {
        code_challenge: ParameterValue::Once(CHALLENGE),
        code_challenge_method: ParameterValue::Once("S256"),
        ..good()
    }
}

#[tokio::test]
async fn a_request_for_the_mcp_endpoint_needs_a_challenge_oauth_2_1_section_7_5_1() {
    let parameters =
        AuthorizationParameters { resource: ParameterValue::Once("https://sleep.example/mcp"), ..good() };
    assert_reported("invalid_request", app(), parameters).await;
}

#[tokio::test]
async fn without_a_scope_all_scopes_the_client_may_get_by_consent_are_requested() {
    let parameters = AuthorizationParameters { scope: ParameterValue::Absent, ..good() };
    let client = Client { scopes: scopes("profile supplements sleep:write"), ..app() };
    assert_eq!(stored_request(client, parameters).await.scopes, scopes("profile supplements"));
    assert_reported("invalid_scope", Client { scopes: scopes("sleep:write"), ..app() }, parameters).await;
}

/// RFC 7636 section 4.4.1.
#[tokio::test]
async fn t40_only_a_well_formed_challenge_with_s256_is_accepted() {
    let with = |challenge, method| AuthorizationParameters {
        code_challenge: challenge,
        code_challenge_method: method,
        ..good()
    };
    let (challenge, s256) = (ParameterValue::Once(CHALLENGE), ParameterValue::Once("S256"));
    assert!(stored_request(app(), with(challenge, s256)).await.challenge.is_some());
    for (challenge, method) in [
        (challenge, ParameterValue::Absent),
        (challenge, ParameterValue::Once("plain")),
        (challenge, ParameterValue::Once("s256")),
        (challenge, ParameterValue::Once("S512")),
        (ParameterValue::Absent, s256),
        (ParameterValue::Absent, ParameterValue::Once("plain")),
        (ParameterValue::Once("short"), s256),
        (ParameterValue::Once("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM"), s256),
        (ParameterValue::Once("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM="), s256),
    ] {
        assert_reported("invalid_request", app(), with(challenge, method)).await;
    }
}

/// RFC 7636 section 4.4.1.
#[tokio::test]
async fn t43_a_client_that_must_use_pkce_sends_a_challenge() {
    assert_reported("invalid_request", strict_app(), good()).await;
    let parameters = AuthorizationParameters {
        code_challenge: ParameterValue::Once(CHALLENGE),
        code_challenge_method: ParameterValue::Once("S256"),
        ..good()
    };
    assert!(stored_request(strict_app(), parameters).await.challenge.is_some());
    assert_eq!(stored_request(app(), good()).await.challenge, None);
}
