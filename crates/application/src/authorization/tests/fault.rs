//! Errors that are sent to the app's redirect URI.

use super::begin::{begin, begin_in_vain, good};
use super::*;
use crate::authorization::{AuthorizationParameters, BegunAuthorization, Given};

type Parameters = AuthorizationParameters<'static>;

/// Returns the error sent to the app, and the state.
async fn sent_error(client: Client, parameters: Parameters) -> (String, Option<String>) {
    let outcome = begin_in_vain(client, parameters).await;
    let Ok(BegunAuthorization::Redirect(response)) = outcome else { panic!("{outcome:?}") };
    let (error, state) = error_of(&response);
    (error.to_owned(), state.map(str::to_owned))
}

async fn assert_reported(error: &str, client: Client, parameters: Parameters) {
    let sent = sent_error(client, parameters).await;
    assert_eq!(sent, (error.to_owned(), Some("abc".to_owned())));
}

/// Returns the stored request.
async fn kept(client: Client, parameters: Parameters) -> AuthorizationRequest {
    let mut unit = MockUnitOfWork::default();
    let stored = expect_request(&mut unit);
    let (outcome, _) = begin(World::new([unit]).knowing(Some(client)).counting(1), parameters, None).await;
    assert!(matches!(outcome, Ok(BegunAuthorization::SignIn { .. })), "{outcome:?}");
    noted(&stored)
}

/// One fault of each kind, in the order in which they are reported.
type Spoil = (&'static str, fn(&mut Parameters));
const FAULTS: [Spoil; 7] = [
    ("invalid_request", |parameters| parameters.login_hint = Given::Faulty),
    ("unsupported_response_type", |parameters| parameters.response_type = Given::Once("token")),
    ("invalid_request", |parameters| parameters.response_mode = Given::Once("form_post")),
    ("invalid_scope", |parameters| parameters.scope = Given::Once("email")),
    ("invalid_request", |parameters| parameters.code_challenge = Given::Once(CHALLENGE)),
    ("invalid_request", |parameters| parameters.prompt = Given::Once("none login")),
    ("invalid_target", |parameters| parameters.resource = Given::Once("https://owl.example")),
];

#[tokio::test]
async fn t23_of_several_faults_the_first_in_the_order_of_the_checks_is_reported() {
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
        |parameters| parameters.response_type = Given::Faulty,
        |parameters| parameters.scope = Given::Faulty,
        |parameters| parameters.code_challenge = Given::Faulty,
        |parameters| parameters.code_challenge_method = Given::Faulty,
        |parameters| parameters.prompt = Given::Faulty,
        |parameters| parameters.response_mode = Given::Faulty,
        |parameters| parameters.login_hint = Given::Faulty,
    ];
    for spoil in spoils {
        let mut parameters = good();
        spoil(&mut parameters);
        assert_reported("invalid_request", app(), parameters).await;
    }
}

#[tokio::test]
async fn t24_of_a_repeated_state_none_is_given_back() {
    let parameters = AuthorizationParameters { state: Given::Faulty, ..good() };
    assert_eq!(sent_error(app(), parameters).await, ("invalid_request".to_owned(), None));
}

#[tokio::test]
async fn t25_without_a_state_none_is_returned() {
    let parameters = AuthorizationParameters { state: Given::Absent, scope: Given::Once("email"), ..good() };
    assert_eq!(sent_error(app(), parameters).await, ("invalid_scope".to_owned(), None));
}

#[tokio::test]
async fn t23_only_codes_are_issued() {
    for response_type in ["token", "id_token", "code token", "CODE", " code", "none"] {
        let parameters = AuthorizationParameters { response_type: Given::Once(response_type), ..good() };
        assert_reported("unsupported_response_type", app(), parameters).await;
    }
    let parameters = AuthorizationParameters { response_type: Given::Absent, ..good() };
    assert_reported("invalid_request", app(), parameters).await;
}

#[tokio::test]
async fn responses_are_returned_in_the_query_only() {
    for response_mode in ["fragment", "form_post", "query.jwt", ""] {
        let parameters = AuthorizationParameters { response_mode: Given::Once(response_mode), ..good() };
        assert_reported("invalid_request", app(), parameters).await;
    }
}

#[tokio::test]
async fn t23_a_scope_that_is_unknown_or_not_the_clients_or_not_a_persons_is_invalid() {
    for scope in ["email", "Sleep", "sleep,profile", "supplements", "sleep supplements", "sleep:write", "  "]
    {
        let parameters = AuthorizationParameters { scope: Given::Once(scope), ..good() };
        assert_reported("invalid_scope", app(), parameters).await;
    }
    let writer = Client { scopes: scopes("sleep sleep:write"), ..app() };
    let parameters = AuthorizationParameters { scope: Given::Once("sleep sleep:write"), ..good() };
    assert_reported("invalid_scope", writer, parameters).await;
}

#[tokio::test]
async fn scopes_separated_by_commas_get_an_answer_that_says_how_to_separate_them() {
    for scope in ["sleep,profile", "sleep;profile", "sleep+profile"] {
        let parameters = AuthorizationParameters { scope: Given::Once(scope), ..good() };
        let Ok(BegunAuthorization::Redirect(response)) = begin_in_vain(app(), parameters).await else {
            panic!("not refused: {scope}")
        };
        let answer = response.expose().replace("%20", " ").replace('+', " ");
        assert!(answer.contains("error_description=scopes are separated by spaces"), "{answer}");
    }
}

// RFC 8707 section 2
#[tokio::test]
async fn the_resource_is_the_api_or_the_mcp_endpoint_of_this_server() {
    for (given, expected) in [
        (Given::Absent, Resource::Api),
        (Given::Once(ISSUER), Resource::Api),
        (Given::Once("https://sleep.example/mcp/"), Resource::Mcp),
    ] {
        let parameters = AuthorizationParameters { resource: given, ..good() };
        assert_eq!(kept(app(), parameters).await.resource, expected);
    }
}

#[tokio::test]
async fn without_a_scope_everything_is_asked_for_that_the_client_may_get_by_consent() {
    let parameters = AuthorizationParameters { scope: Given::Absent, ..good() };
    let client = Client { scopes: scopes("profile supplements sleep:write"), ..app() };
    assert_eq!(kept(client, parameters).await.scopes, scopes("profile supplements"));
    assert_reported("invalid_scope", Client { scopes: scopes("sleep:write"), ..app() }, parameters).await;
}

#[tokio::test]
async fn t40_only_a_well_formed_challenge_with_s256_is_taken() {
    let with = |challenge, method| AuthorizationParameters {
        code_challenge: challenge,
        code_challenge_method: method,
        ..good()
    };
    let (challenge, s256) = (Given::Once(CHALLENGE), Given::Once("S256"));
    assert!(kept(app(), with(challenge, s256)).await.challenge.is_some());
    for (challenge, method) in [
        (challenge, Given::Absent),
        (challenge, Given::Once("plain")),
        (challenge, Given::Once("s256")),
        (challenge, Given::Once("S512")),
        (Given::Absent, s256),
        (Given::Absent, Given::Once("plain")),
        (Given::Once("short"), s256),
        (Given::Once("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM"), s256),
        (Given::Once("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM="), s256),
    ] {
        assert_reported("invalid_request", app(), with(challenge, method)).await;
    }
}

#[tokio::test]
async fn t43_a_client_that_must_use_pkce_sends_a_challenge() {
    assert_reported("invalid_request", strict_app(), good()).await;
    let parameters = AuthorizationParameters {
        code_challenge: Given::Once(CHALLENGE),
        code_challenge_method: Given::Once("S256"),
        ..good()
    };
    assert!(kept(strict_app(), parameters).await.challenge.is_some());
    assert_eq!(kept(app(), good()).await.challenge, None);
}
