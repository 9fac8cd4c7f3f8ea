//! Description of the app behind a sign-in.

use super::*;
use crate::authorization::PendingApp;
use domain::user::Email;

/// Describes this stored request to the browser with this visit cookie.
async fn find(request: Option<AuthorizationRequest>, visit: &Secret) -> Option<PendingApp> {
    let mut world = World::new([]);
    world
        .requests
        .expect_find_authorization_request()
        .times(1)
        .withf(|id| *id == request_id())
        .return_once(move |_| Ok(request));
    world
        .clients
        .expect_find_with_secrets()
        .times(..=1)
        .returning(|_| Ok(Some(ClientWithSecrets { client: app(), secrets: Vec::new() })));
    world.service().0.find_pending_app(request_id(), visit).await.unwrap()
}

#[tokio::test]
async fn the_browser_of_a_request_gets_the_waiting_app() {
    for user in [None, Some(user_id(1))] {
        let login_hint = Some(Email::parse("robin@example.org").unwrap());
        let request = AuthorizationRequest { user_id: user, login_hint: login_hint.clone(), ..request() };
        let waiting = find(Some(request), &visit()).await.unwrap();
        assert_eq!((waiting.name, waiting.redirect_uri), (app().name, REDIRECT_URI.to_owned()));
        assert_eq!(waiting.login_hint, login_hint);
    }
}

#[tokio::test]
async fn another_browser_and_a_request_that_is_not_open_get_nothing() {
    assert_eq!(find(Some(request()), &secret(SecretKind::Visit, 7)).await, None);
    let decided = AuthorizationRequest { decision: RequestState::Decided { at: noon() }, ..request() };
    let old = AuthorizationRequest { created_at: noon() - seconds(1800), ..request() };
    for request in [None, Some(decided), Some(old)] {
        assert_eq!(find(request, &visit()).await, None);
    }
}
