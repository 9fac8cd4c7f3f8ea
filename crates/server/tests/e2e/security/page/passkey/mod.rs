//! Passkeys: attacks on adding, using and removing them, each a test.

pub(super) mod authenticator;
mod registration;
mod removal;
mod sign_in;

use crate::e2e::browser::{Browser, Page, PageForm};
use crate::e2e::person::Person;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use authenticator::{Authenticator, Fields, ORIGIN};
use domain::id::UserId;
use domain::passkey::user_handle;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;

/// A person with a passkey, signed in with the password in one browser.
struct Stage {
    scene: Scene,
    authenticator: Authenticator,
}

/// Starts a server for which browsers offer passkeys.
pub(super) fn scene(world: World) -> Scene {
    Scene::new(world.with("RESTWELL__SERVER__PUBLIC_URL", ORIGIN))
}

impl Stage {
    async fn new(world: World) -> Self {
        let scene = scene(world);
        scene.browser.sign_in(&scene.person).await;
        let authenticator = Authenticator::new(&[7; 32]);
        let added = add(&scene.browser, &authenticator).await;
        assert_eq!(added.own_location(), "/account?done=passkey-added");
        Self { scene, authenticator }
    }

    fn handle(&self) -> String {
        handle(&self.scene.person)
    }

    /// Attempts to sign in with the response of an authenticator, in a new browser.
    async fn attempt(&self, authenticator: &Authenticator) -> Page {
        self.attempt_with(|challenge| authenticator.sign_in(challenge, &self.handle())).await
    }

    async fn attempt_with(&self, answer: impl Fn(&str) -> Fields) -> Page {
        let browser = Browser::new(&self.scene.server);
        let form = browser.open("/sign-in").await.form("/sign-in/passkey");
        let challenge = begin(&browser, &form).await;
        browser.submit(&filled(&form, answer(&challenge))).await
    }

    /// Checks that an attempt opened no session, and that the trail has events of this kind.
    async fn assert_refused(&self, page: Page, kind: &str, events: u32) {
        page.assert_refused(422);
        assert!(page.text().contains("The passkey could not be used here."), "{page:?}");
        assert_rows(&self.scene.world, "session", "", 1).await;
        assert_rows(&self.scene.world, "audit_event", &format!("WHERE kind = '{kind}'"), events).await;
    }
}

pub(super) fn handle(person: &Person) -> String {
    user_handle(UserId::parse(&person.user_id).expect("id"))
}

pub(super) fn filled(form: &PageForm, fields: Fields) -> PageForm {
    fields.into_iter().fold(form.clone(), |form, (name, value)| form.with(name, &value))
}

/// Asks for a challenge as the script does.
pub(super) async fn begin(browser: &Browser, form: &PageForm) -> String {
    let path = format!("{}/begin", form.action);
    let body = format!("form_token={}", form.value("form_token"));
    let request = browser.request(Method::POST, &path).body(body);
    let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    let answer = request.send().await.expect("answer");
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()[CONTENT_TYPE], "text/plain; charset=utf-8");
    let challenge = answer.text().await.expect("UTF-8");
    assert!(challenge.starts_with("rwa_"), "{challenge}");
    challenge
}

/// Adds a passkey on the account page.
pub(super) async fn add(browser: &Browser, authenticator: &Authenticator) -> Page {
    let form = browser.open("/account").await.form("/account/passkeys");
    let challenge = begin(browser, &form).await;
    let form = filled(&form, authenticator.register(&challenge));
    browser.submit(&form.with("passkey_name", "My phone")).await
}
