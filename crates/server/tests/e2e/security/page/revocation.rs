//! Time until revoked access is rejected, on two servers.

use super::token::make_token;
use crate::e2e::app::{Registration, Tokens};
use crate::e2e::browser::{Browser, PageForm};
use crate::e2e::person::PASSWORD;
use crate::e2e::polling::{REVOCATION_LIMIT, eventually, within};
use crate::e2e::security::auth_request::connect;
use crate::e2e::security::caller::Caller;
use crate::e2e::security::party::with_one_address;
use crate::e2e::security::scene::Scene;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use std::time::Instant;

const NEW_PASSWORD: &str = "nine quiet lanterns on the pier";

/// Token that reads a person's profile.
pub(super) struct Token {
    text: String,
    path: String,
}

impl Token {
    /// Returns the access token of an app.
    pub(super) fn access(tokens: &Tokens, app: &Registration) -> Self {
        Self { text: tokens.access.clone(), path: format!("/api/v1/profile/{}", app.user_id) }
    }
}

/// Two servers on one store, and a person with an app, a personal token, and another browser at the second
/// server.
pub(super) struct Replicas {
    pub(super) second: Server,
    pub(super) scene: Scene,
    pub(super) app: Tokens,
    pub(super) personal: Token,
    pub(super) other_browser: Browser,
}

impl Replicas {
    pub(super) async fn new(world: World) -> Self {
        let scene = Scene::new(with_one_address(world));
        let second = scene.world.serve_as("second");
        let app = connect(&scene.server, &scene.browser, &scene.person, &scene.app).await;
        let text = make_token(&scene.browser, "mine", &["profile"]).await;
        let personal = Token { text, path: format!("/api/v1/profile/{}", scene.person.user_id) };
        let other_browser = Browser::new(&second);
        other_browser.sign_in(&scene.person).await;
        Self { second, scene, app, personal, other_browser }
    }

    fn access(&self) -> Token {
        Token::access(&self.app, &self.scene.app)
    }

    fn callers(&self) -> [Caller; 2] {
        [Caller::new(&self.scene.server), Caller::new(&self.second)]
    }

    /// Makes both servers accept, and cache, these tokens.
    pub(super) async fn warm(&self, tokens: &[&Token]) {
        self.assert_live(tokens).await;
    }

    /// Checks that both servers accept these tokens.
    pub(super) async fn assert_live(&self, tokens: &[&Token]) {
        for caller in self.callers() {
            for token in tokens {
                let reply = caller.read(&token.text, &token.path).await;
                assert_eq!(reply.status, 200, "{reply:?}");
            }
        }
    }

    /// Reads from both servers until they reject these tokens, within the time limit and for good.
    pub(super) async fn assert_gone_in_time(&self, tokens: &[&Token]) {
        let done_at = Instant::now();
        for caller in self.callers() {
            for token in tokens {
                within(REVOCATION_LIMIT, done_at, "the token is rejected", async || {
                    let reply = caller.read(&token.text, &token.path).await;
                    assert!([200, 401].contains(&reply.status), "{reply:?}");
                    (reply.status == 401).then_some(())
                })
                .await;
            }
        }
        for caller in self.callers() {
            for token in tokens {
                caller.read(&token.text, &token.path).await.assert_problem(401, "invalid_token");
            }
        }
    }

    /// Checks that neither server refreshes the app's token.
    pub(super) async fn assert_refresh_refused(&self) {
        for caller in self.callers() {
            caller.refresh(&self.scene.app, &self.app.refresh).await.assert_error(400, "invalid_grant");
        }
    }

    /// Checks in which of the two browsers the person is signed in, at both servers.
    async fn assert_signed_in(&self, here: bool, elsewhere: bool) {
        for (browser, expected) in [(&self.scene.browser, here), (&self.other_browser, elsewhere)] {
            for server in [&self.scene.server, &self.second] {
                assert_eq!(browser.at(server).is_signed_in().await, expected);
            }
        }
    }

    async fn change_password_form(&self) -> PageForm {
        let form = self.scene.browser.open("/account").await.form("/account/password");
        form.with("current_password", PASSWORD).with("new_password", NEW_PASSWORD)
    }
}

on_all_stores! {
    // T67
    async fn a_locked_and_then_deleted_person_is_rejected_everywhere_with_every_token(world: World) {
        let replicas = Replicas::new(world).await;
        let (access, personal, user) = (replicas.access(), &replicas.personal, replicas.scene.person.user_id.as_str());
        let world = &replicas.scene.world;
        replicas.assert_signed_in(true, true).await;
        replicas.warm(&[&access, personal]).await;
        world.ok(&["user", "lock", user]);
        replicas.assert_gone_in_time(&[&access, personal]).await;
        replicas.assert_refresh_refused().await;
        replicas.assert_signed_in(false, false).await;
        // Unlocking restores access.
        world.ok(&["user", "unlock", user]);
        eventually("the token is accepted again", async || {
            let reply = replicas.callers()[1].read(&access.text, &access.path).await;
            (reply.status == 200).then_some(())
        })
        .await;
        replicas.warm(&[&access, personal]).await;
        world.ok(&["user", "delete", user, "--yes"]);
        replicas.assert_gone_in_time(&[&access, personal]).await;
        replicas.assert_refresh_refused().await;
        replicas.assert_signed_in(false, false).await;
    }
}

on_sqlite! {
    // T67
    async fn a_disabled_client_is_rejected_everywhere_and_personal_tokens_stay_valid(world: World) {
        let replicas = Replicas::new(world).await;
        let (access, personal) = (replicas.access(), &replicas.personal);
        replicas.warm(&[&access, personal]).await;
        replicas.scene.world.ok(&["client", "disable", &replicas.scene.app.client_id]);
        replicas.assert_gone_in_time(&[&access]).await;
        for caller in replicas.callers() {
            let refused = caller.refresh(&replicas.scene.app, &replicas.app.refresh).await;
            refused.assert_error(401, "invalid_client");
        }
        replicas.assert_live(&[personal]).await;
        replicas.assert_signed_in(true, true).await;
    }

    // T67
    async fn a_new_password_that_disconnects_everything_does_so_everywhere(world: World) {
        let replicas = Replicas::new(world).await;
        let (access, personal) = (replicas.access(), &replicas.personal);
        replicas.warm(&[&access, personal]).await;
        let form = replicas.change_password_form().await.with("disconnect_apps", "yes");
        assert_eq!(replicas.scene.browser.submit(&form).await.own_location(), "/account?done=password");
        replicas.assert_gone_in_time(&[&access, personal]).await;
        replicas.assert_refresh_refused().await;
        replicas.assert_signed_in(true, false).await;
    }
}
