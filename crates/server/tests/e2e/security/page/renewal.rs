//! Steps that raise what a browser may do: cookies and forms known before are worth nothing afterwards
//! (security.md T30, T105).

use super::passkey::authenticator::Authenticator as Key;
use super::passkey::{add, begin, filled, handle, scene};
use crate::e2e::app::text;
use crate::e2e::authenticator::{Authenticator, first_step, turn_on};
use crate::e2e::browser::{Browser, PENDING, PageForm, SESSION, VISIT};
use crate::e2e::person::Person;
use crate::e2e::security::auth_request::ask;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use domain::form_token::FormToken;
use domain::secret::{Secret, SecretKind};

const STEP: &str = "/sign-in/second-factor";
const NEW_PASSWORD: &str = "nine quiet lanterns on the pier";

/// Every step that raises what a browser may do.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Password,
    PasswordBeforeACode,
    PasswordAgainBeforeACode,
    PasswordOfAnotherBeforeACode,
    Code,
    RecoveryCode,
    PasswordBeforeASetUp,
    SetUp,
    Passkey,
    PasskeyAfterAPassword,
    PasswordForAnApp,
    Confirmation,
    ConfirmationWithACode,
    ChangeOfPassword,
    SecondFactorOn,
    PasskeyAdded,
}

impl Step {
    const ALL: [Self; 16] = [
        Self::Password,
        Self::PasswordBeforeACode,
        Self::PasswordAgainBeforeACode,
        Self::PasswordOfAnotherBeforeACode,
        Self::Code,
        Self::RecoveryCode,
        Self::PasswordBeforeASetUp,
        Self::SetUp,
        Self::Passkey,
        Self::PasskeyAfterAPassword,
        Self::PasswordForAnApp,
        Self::Confirmation,
        Self::ConfirmationWithACode,
        Self::ChangeOfPassword,
        Self::SecondFactorOn,
        Self::PasskeyAdded,
    ];

    /// Returns whether the sign-in waits for another step afterwards.
    fn is_pending(self) -> bool {
        matches!(
            self,
            Self::PasswordBeforeACode
                | Self::PasswordAgainBeforeACode
                | Self::PasswordOfAnotherBeforeACode
                | Self::PasswordBeforeASetUp
                | Self::ConfirmationWithACode
        )
    }
}

/// A person with every factor that a step needs, and a browser before that step.
struct Stage<'a> {
    world: &'a World,
    server: &'a Server,
    person: Person,
    browser: Browser,
    app: Option<(Authenticator, Vec<String>)>,
    key: Key,
}

impl<'a> Stage<'a> {
    async fn new(scene: &'a Scene, strict: &'a Server, step: Step) -> Self {
        let email = format!("{step:?}@example.org").to_lowercase();
        let person = Person::create(&scene.world, &email);
        let is_strict = matches!(step, Step::PasswordBeforeASetUp | Step::SetUp);
        let server = if is_strict { strict } else { &scene.server };
        let key = Key::new(email.as_bytes());
        let mut app = None;
        let elsewhere = Browser::new(&scene.server);
        match step {
            Step::PasswordBeforeACode
            | Step::PasswordAgainBeforeACode
            | Step::PasswordOfAnotherBeforeACode
            | Step::Code
            | Step::RecoveryCode
            | Step::ConfirmationWithACode
            | Step::PasskeyAfterAPassword => {
                elsewhere.sign_in(&person).await;
                if step == Step::PasskeyAfterAPassword {
                    add(&elsewhere, &key).await.own_location();
                }
                app = Some(turn_on(&elsewhere, 0).await);
            }
            Step::Passkey => {
                elsewhere.sign_in(&person).await;
                add(&elsewhere, &key).await.own_location();
            }
            _ => {}
        }
        let browser = Browser::new(server);
        Self { world: &scene.world, server, person, browser, app, key }
    }

    /// Takes the browser to the step, and returns the form of the step.
    async fn prepare(&self, scene: &Scene, step: Step) -> PageForm {
        let (browser, person) = (&self.browser, &self.person);
        let password = async || person.credentials(&browser.open("/sign-in").await.form("/sign-in"));
        match step {
            Step::Password | Step::PasswordBeforeACode | Step::PasswordBeforeASetUp => password().await,
            Step::PasswordAgainBeforeACode => {
                first_step(browser, person).await;
                password().await
            }
            Step::PasswordOfAnotherBeforeACode => {
                let other = Person::create(self.world, "another@example.org");
                let elsewhere = Browser::new(self.server);
                elsewhere.sign_in(&other).await;
                turn_on(&elsewhere, 0).await;
                first_step(browser, &other).await;
                password().await
            }
            Step::Code | Step::RecoveryCode => {
                let (_, codes) = self.app.as_ref().expect("app");
                // The code that set up the app is used.
                let code = if step == Step::Code { self.later_code() } else { codes[0].clone() };
                first_step(browser, person).await.with("code", &code)
            }
            Step::SetUp => {
                let answer = browser.submit(&password().await).await;
                let page = browser.follow(&answer).await;
                page.form(STEP).with("code", &Authenticator::read(&page).code(0))
            }
            Step::Passkey | Step::PasskeyAfterAPassword => {
                if step == Step::PasskeyAfterAPassword {
                    first_step(browser, person).await;
                }
                let form = browser.open("/sign-in").await.form("/sign-in/passkey");
                let challenge = begin(browser, &form).await;
                filled(&form, self.key.sign_in(&challenge, &handle(person)))
            }
            _ => self.prepare_again(scene, step).await,
        }
    }

    /// Takes the browser to a step for an app or after a sign-in, and returns the form of the step.
    async fn prepare_again(&self, scene: &Scene, step: Step) -> PageForm {
        let (browser, person) = (&self.browser, &self.person);
        match step {
            Step::PasswordForAnApp => {
                let page = browser.follow(&ask(browser, &scene.auth_request()).await).await;
                person.credentials(&page.form("/sign-in"))
            }
            Step::Confirmation => {
                browser.sign_in(person).await;
                let asked = ask(browser, &scene.auth_request().with("prompt", "login")).await;
                person.credentials(&browser.follow(&asked).await.form("/sign-in"))
            }
            Step::ConfirmationWithACode => {
                let form = first_step(browser, person).await.with("code", &self.later_code());
                browser.submit(&form).await.own_location();
                let asked = ask(browser, &scene.auth_request().with("prompt", "login")).await;
                person.credentials(&browser.follow(&asked).await.form("/sign-in"))
            }
            Step::ChangeOfPassword => {
                browser.sign_in(person).await;
                let form = browser.open("/account").await.form("/account/password");
                form.with("current_password", &person.password).with("new_password", NEW_PASSWORD)
            }
            Step::SecondFactorOn => {
                browser.sign_in(person).await;
                let page = browser.open("/account/second-factor").await;
                page.form("/account/second-factor").with("code", &Authenticator::read(&page).code(0))
            }
            Step::PasskeyAdded => {
                browser.sign_in(person).await;
                let form = browser.open("/account").await.form("/account/passkeys");
                let challenge = begin(browser, &form).await;
                filled(&form, self.key.register(&challenge)).with("passkey_name", "My phone")
            }
            _ => unreachable!("{step:?} is prepared above"),
        }
    }

    /// Returns a code of the next step, which is accepted too.
    fn later_code(&self) -> String {
        self.app.as_ref().expect("app").0.code(1)
    }
}

/// Returns the cookies that give rights.
fn rights(browser: &Browser) -> Vec<String> {
    [SESSION, PENDING].into_iter().filter_map(|name| browser.cookie(name)).collect()
}

on_sqlite! {
    async fn cookies_known_before_a_step_that_raises_rights_are_worthless_after_it(world: World) {
        let scene = scene(world.with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ADDRESS", "1000"));
        let strict = scene.world.clone().with("RESTWELL__ACCOUNTS__SECOND_FACTOR", "required");
        let strict = strict.serve_as("strict");
        for step in Step::ALL {
            println!("{step:?}");
            let stage = Stage::new(&scene, &strict, step).await;
            let form = stage.prepare(&scene, step).await;
            let thief = stage.browser.twin();
            let known = rights(&thief);
            let answer = stage.browser.submit(&form).await;
            assert!(matches!(answer.status, 200 | 303), "{answer:?}");
            assert!(rights(&stage.browser).iter().any(|cookie| !known.contains(cookie)), "no cookie is new");
            assert_eq!(stage.browser.get(STEP).await.status == 200, step.is_pending());
            // A confirmation leaves the session as it was until its second step.
            let has_session = step == Step::ConfirmationWithACode;
            assert_eq!(stage.browser.is_signed_in().await, has_session || !step.is_pending());
            // Those who knew the cookies reach neither what the step opened nor what was there before.
            assert_eq!(thief.get(STEP).await.own_location(), "/sign-in");
            stage.try_every_code(&thief).await;
            assert_eq!(thief.is_signed_in().await, has_session);
        }
    }

    async fn the_set_up_of_a_required_factor_needs_the_cookie_of_the_password_step(world: World) {
        let scene = Scene::new(world.with("RESTWELL__ACCOUNTS__SECOND_FACTOR", "required"));
        let form = scene.person.credentials(&scene.browser.open("/sign-in").await.form("/sign-in"));
        let other = scene.browser.twin();
        let answer = scene.browser.submit(&form).await;
        assert_eq!(other.cookie(VISIT), scene.browser.cookie(VISIT));
        assert_eq!(other.get(STEP).await.own_location(), "/sign-in");
        let page = scene.browser.follow(&answer).await;
        let set_up = page.form(STEP).with("code", &Authenticator::read(&page).code(0));
        let refused = other.submit(&set_up).await;
        refused.assert_refused(422);
        assert!(refused.text().contains("Please start again") && !other.is_signed_in().await, "{refused:?}");
        assert_rows(&scene.world, "totp", "", 0).await;
        let done = scene.browser.submit(&set_up).await;
        assert_eq!((done.status, scene.browser.cookie(PENDING)), (200, None), "{done:?}");
    }

    // T29
    async fn a_consent_page_needs_the_session_of_the_sign_in_that_led_to_it(world: World) {
        let scene = Scene::new(world);
        let asked = ask(&scene.browser, &scene.auth_request()).await;
        let page = scene.browser.follow(&asked).await;
        let thief = scene.browser.twin();
        let answer = scene.browser.submit(&scene.person.credentials(&page.form("/sign-in"))).await;
        let consent = answer.own_location();
        let form = scene.browser.follow(&answer).await.form("/consent").with("decision", "allow");
        assert!(thief.get(&consent).await.own_location().starts_with("/sign-in?request="));
        thief.submit(&form).await.assert_refused(403);
        let token = token_of_visit(&thief);
        thief.submit(&form.with("form_token", &token)).await.assert_refused(403);
        assert_rows(&scene.world, "authorization_code", "", 0).await;
    }

    async fn a_password_link_ends_what_was_pending_and_opens_nothing_in_its_browser(world: World) {
        let scene = Scene::new(world);
        let (owner, person) = (&scene.browser, &scene.person);
        owner.sign_in(person).await;
        turn_on(owner, 0).await;
        let browser = Browser::new(&scene.server);
        first_step(&browser, person).await;
        let thief = browser.twin();
        let link = text(&scene.world.json(&["user", "reset-password", &person.user_id, "--json"]), "password_link");
        let (_, query) = link.split_once("/set-password?").expect("link");
        let form = browser.open(&format!("/set-password?{query}")).await.form("/set-password");
        assert_eq!(browser.submit(&form.with("password", NEW_PASSWORD)).await.status, 200);
        for known in [&browser, &thief, owner] {
            assert!(!known.is_signed_in().await);
            assert_eq!(known.get(STEP).await.own_location(), "/sign-in");
        }
    }
}

impl Stage<'_> {
    /// Sends valid codes with the form token of the visit, and a set-up without a secret.
    async fn try_every_code(&self, thief: &Browser) {
        let token = token_of_visit(thief);
        let codes = self.app.as_ref().map(|(_, codes)| codes[1].clone());
        for fields in
            codes.map(|code| format!("code={code}")).into_iter().chain(["code=1&enrolment=x".to_owned()])
        {
            thief.post(STEP, format!("form_token={token}&{fields}"), &[]).await.assert_refused(422);
        }
    }
}

/// Returns the token of the forms that a signed-out browser is shown.
fn token_of_visit(browser: &Browser) -> String {
    let visit = browser.cookie(VISIT).expect("visit");
    let visit = Secret::parse(SecretKind::Visit, &visit).expect("secret");
    FormToken::derive(&visit).expose().to_owned()
}
