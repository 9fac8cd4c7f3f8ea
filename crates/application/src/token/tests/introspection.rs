use super::tokens;
use crate::ports::storage::{AccessState, GrantWithUser, MockAccessReader, StorageError};
use crate::ports::system::InvalidToken;
use crate::testing::{
    access_claims, access_state, app, checking_with, client_id, client_reader, grant, grant_id, grant_reader,
    noon, scopes, secret, service, units, user_id, verifier, without_secrets,
};
use crate::token::{ActiveToken, Tokens};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::client::{Client, ClientStatus};
use domain::secret::SecretKind;
use domain::user::UserStatus;
use std::sync::Arc;

const ACCESS: &str = "an access token";

/// Stubbed state of the ports.
struct Scene {
    claims: Option<AccessClaims>,
    is_refresh_token_known: bool,
    state: Option<AccessState>,
    service_status: ClientStatus,
}

fn claims(subject: TokenSubject) -> AccessClaims {
    AccessClaims { subject, ..access_claims() }
}

impl Default for Scene {
    fn default() -> Self {
        let subject = TokenSubject::Person { user_id: user_id(1), grant_id: grant_id(1) };
        Self {
            claims: Some(claims(subject)),
            is_refresh_token_known: true,
            state: Some(access_state()),
            service_status: ClientStatus::Active,
        }
    }
}

impl Scene {
    fn of_service_token() -> Self {
        Self { claims: Some(claims(TokenSubject::Service)), ..Self::default() }
    }

    /// Introspects with the refresh token hint, which access tokens ignore.
    async fn ask(self, client: &Client, token: &str) -> Result<Option<ActiveToken>, StorageError> {
        self.ask_hinting(true, client, token).await
    }

    async fn ask_hinting(
        self,
        hints_at_refresh_token: bool,
        client: &Client,
        token: &str,
    ) -> Result<Option<ActiveToken>, StorageError> {
        let Self { claims, is_refresh_token_known, state, service_status } = self;
        let verifier = verifier(.., move |token| match claims {
            Some(claims) if token == ACCESS => Ok(claims),
            _ => Err(InvalidToken),
        });
        let hash = secret(SecretKind::RefreshToken, 7).hash();
        let grants = grant_reader(.., move |asked, _| {
            let known = is_refresh_token_known && *asked == hash;
            known.then(|| GrantWithUser { grant: grant(), user_status: UserStatus::Active })
        });
        let mut access = MockAccessReader::new();
        access
            .expect_find_access()
            .withf(|user, grant| *user == user_id(1) && *grant == grant_id(1))
            .returning(move |_, _| Ok(state));
        let clients = client_reader(.., move |id| {
            assert_eq!(id, client_id(1));
            Ok(Some(without_secrets(Client { status: service_status, ..service() })))
        });
        let tokens = Tokens {
            check: checking_with(verifier),
            grants: Arc::new(grants),
            access: Arc::new(access),
            clients: Arc::new(clients),
            ..tokens(&units([]))
        };
        tokens.introspect(client, token, hints_at_refresh_token).await
    }
}

fn refresh_token() -> String {
    secret(SecretKind::RefreshToken, 7).expose().to_owned()
}

/// Another service client that may introspect every token.
fn inspector() -> Client {
    Client { id: client_id(3), scopes: scopes("tokens:introspect"), ..service() }
}

#[tokio::test]
async fn a_live_access_token_is_returned_with_its_claims() {
    let answer = Scene::default().ask(&app(), ACCESS).await.unwrap();
    let subject = TokenSubject::Person { user_id: user_id(1), grant_id: grant_id(1) };
    assert_eq!(answer, Some(ActiveToken::Access(claims(subject))));
}

#[tokio::test]
async fn a_live_refresh_token_is_returned_with_the_scopes_of_its_grant() {
    let answer = Scene::default().ask(&app(), &refresh_token()).await.unwrap();
    let expected = ActiveToken::Refresh {
        client_id: client_id(1),
        user_id: user_id(1),
        scopes: scopes("profile sleep"),
        issued_at: grant().created_at,
    };
    assert_eq!(answer, Some(expected));
}

#[tokio::test]
async fn an_access_token_is_reported_with_at_most_the_scopes_of_its_grant() {
    let narrow = AccessState { scopes: scopes("sleep"), ..access_state() };
    let answer = Scene { state: Some(narrow), ..Scene::default() }.ask(&app(), ACCESS).await.unwrap();
    assert!(matches!(answer, Some(ActiveToken::Access(claims)) if claims.scopes == scopes("sleep")));
}

#[tokio::test]
async fn a_token_whose_grant_client_or_person_is_not_live_is_not_reported() {
    for state in [
        None,
        Some(AccessState { is_live: false, ..access_state() }),
        Some(AccessState { client_id: client_id(2), ..access_state() }),
    ] {
        for token in [ACCESS, &refresh_token()] {
            let scene = Scene { state, ..Scene::default() };
            assert_eq!(scene.ask(&app(), token).await.unwrap(), None, "{state:?}");
        }
    }
}

#[tokio::test]
async fn unknown_and_malformed_tokens_are_inactive() {
    let unknown = secret(SecretKind::RefreshToken, 8).expose().to_owned();
    let code = secret(SecretKind::AuthorizationCode, 7).expose().to_owned();
    for token in ["nonsense", "", "a.b.c", "rwr_x", &unknown, &code] {
        assert_eq!(Scene::default().ask(&inspector(), token).await.unwrap(), None, "{token}");
    }
    let forgotten = Scene { is_refresh_token_known: false, claims: None, ..Scene::default() };
    assert_eq!(forgotten.ask(&app(), &refresh_token()).await.unwrap(), None);
}

#[tokio::test]
async fn another_client_gets_nothing_unless_it_is_a_service_that_may_introspect() {
    let app_with_scope = Client { id: client_id(3), scopes: scopes("tokens:introspect"), ..app() };
    let service_without = Client { id: client_id(3), ..service() };
    for token in [ACCESS, &refresh_token()] {
        for stranger in
            [Client { id: client_id(2), ..app() }, app_with_scope.clone(), service_without.clone()]
        {
            assert_eq!(Scene::default().ask(&stranger, token).await.unwrap(), None);
        }
    }
    assert!(Scene::default().ask(&inspector(), ACCESS).await.unwrap().is_some());
}

#[tokio::test]
async fn a_refresh_token_is_active_only_for_its_owner_and_only_with_the_hint() {
    for (asker, hint, active) in
        [(app(), true, true), (app(), false, false), (inspector(), true, false), (inspector(), false, false)]
    {
        let answer = Scene::default().ask_hinting(hint, &asker, &refresh_token()).await.unwrap();
        assert_eq!(answer.is_some(), active, "{asker:?} with the hint: {hint}");
    }
}

#[tokio::test]
async fn an_access_token_is_active_with_and_without_the_hint() {
    for hint in [true, false] {
        assert!(Scene::default().ask_hinting(hint, &app(), ACCESS).await.unwrap().is_some(), "{hint}");
    }
}

#[tokio::test]
async fn a_service_token_is_active_while_its_client_is_enabled() {
    for asker in [service(), inspector()] {
        let answer = Scene::of_service_token().ask(&asker, ACCESS).await.unwrap();
        assert_eq!(answer, Some(ActiveToken::Access(claims(TokenSubject::Service))));
        let disabled =
            Scene { service_status: ClientStatus::Disabled { at: noon() }, ..Scene::of_service_token() };
        assert_eq!(disabled.ask(&asker, ACCESS).await.unwrap(), None);
    }
}
