//! Cross-site request forgery: rejected, and nothing changes.

use super::token::make_token;
use crate::e2e::app::{REDIRECT_URI, SCOPES, text};
use crate::e2e::browser::{Browser, PageForm, SESSION, VISIT};
use crate::e2e::person::{PASSWORD, Person};
use crate::e2e::security::auth_request::{AuthRequest, ask, connect, reach_consent};
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;

const NEW_PASSWORD: &str = "nine quiet lanterns on the pier";

/// Headers that a browser sends with a form of another site, or of one that hides its origin.
const FOREIGN: [&[(&str, &str)]; 8] = [
    &[("origin", "https://evil.example")],
    &[("origin", "https://evil.example"), ("sec-fetch-site", "same-origin")],
    &[("sec-fetch-site", "cross-site")],
    &[("sec-fetch-site", "same-site")],
    &[("origin", "null"), ("sec-fetch-site", "cross-site")],
    &[("origin", "http://127.0.0.1:1")],
    &[("origin", "http://evil.example:80"), ("host", "evil.example:80")],
    &[("origin", "https://evil.example"), ("x-forwarded-host", "evil.example")],
];

/// Form that is filled in to have an effect.
struct FormSubmission {
    form: PageForm,
    /// Whether its token belongs to the session cookie; otherwise to the visit cookie.
    of_session: bool,
}

on_sqlite! {
    // T27
    async fn a_form_of_another_site_is_rejected_and_changes_nothing(world: World) {
        let victim = Victim::new(world).await;
        for filled in victim.forms().await {
            for forged in victim.forgeries(&filled).await {
                let page = victim.scene.browser.submit(&forged).await;
                assert_eq!(page.status, 403, "{forged:?}");
            }
            for headers in FOREIGN {
                victim.scene.browser.submit_with(&filled.form, headers).await.assert_refused(403);
            }
            // Nor with the valid token and without its cookie.
            let bare = Browser::new(&victim.scene.server);
            bare.submit(&filled.form).await.assert_refused(403);
            bare.plant(if filled.of_session { VISIT } else { SESSION }, "x");
            bare.submit(&filled.form).await.assert_refused(403);
        }
        victim.assert_untouched().await;
    }

    // T27
    async fn no_get_changes_anything(world: World) {
        let victim = Victim::new(world).await;
        for filled in victim.forms().await {
            let path = format!("{}?{}", filled.form.action, filled.form.encoded());
            let page = victim.scene.browser.get(&path).await;
            assert!([200, 303, 400, 405].contains(&page.status), "{path}: {page:?}");
            if page.status == 303 {
                page.own_location();
            }
        }
        for action in ["/sign-out", "/apps/disconnect", "/tokens/revoke", "/account/password", "/account/sign-out-everywhere"] {
            let page = victim.scene.browser.get(action).await;
            page.assert_refused(405);
            assert_eq!(page.header("allow"), Some("POST"));
        }
        victim.assert_untouched().await;
    }

    // T27
    async fn the_same_forms_work_from_the_page(world: World) {
        let victim = Victim::new(world).await;
        let browser = &victim.scene.browser;
        let forms = victim.forms().await;
        let origin = victim.scene.server.base_url.clone();
        // Headers of browsers that send more or less about the origin of a form, and of programs that send
        // nothing.
        let headers: [&[(&str, &str)]; 4] = [
            &[], &[("origin", &origin)], &[("origin", "null"), ("sec-fetch-site", "same-origin")],
            &[("sec-fetch-site", "none")],
        ];
        for (number, filled) in forms.iter().enumerate().filter(|(_, filled)| filled.form.action != "/sign-in") {
            let page = browser.submit_with(&filled.form, headers[number % headers.len()]).await;
            assert!([200, 303].contains(&page.status), "{:?}: {page:?}", filled.form.action);
            if filled.form.action == "/account/password" {
                // The last but one: it ends the session of the last form.
                break;
            }
        }
        let world = &victim.scene.world;
        assert_rows(world, "authorization_request", "WHERE decided_at IS NOT NULL", 2).await;
        assert_rows(world, "personal_token", "", 2).await;
        for table in ["personal_token", "access_grant"] {
            assert_rows(world, table, "WHERE revoked_at IS NULL", 0).await;
        }
        // Reset, sign-up, and the notice about the new password.
        assert_rows(world, "outbox", "", 3).await;
        assert_rows(world, "password_link", "WHERE purpose <> 'sign_up'", 0).await;
        let changed = Person { password: NEW_PASSWORD.to_owned(), ..victim.scene.person.clone() };
        Browser::new(&victim.scene.server).sign_in(&changed).await;
    }
}

/// Person with an app, a token, a pending request, and a pending password reset.
struct Victim {
    scene: Scene,
    attacker: Person,
    link: String,
}

impl Victim {
    async fn new(world: World) -> Self {
        let invite = ["user", "create", "--email", "new@example.org", "--timezone", "UTC", "--json"];
        let link = text(&world.json(&invite), "password_link");
        let (_, link) = link.split_once("link=").expect("a link");
        // Email is configured, so that every form is there; none is delivered.
        let world = world
            .with("RESTWELL__MAIL__HOST", "127.0.0.1")
            .with("RESTWELL__MAIL__PORT", "1")
            .with("RESTWELL__MAIL__TLS", "none")
            .with("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true");
        let scene = Scene::new(world);
        let attacker = Person::create(&scene.world, "attacker@example.org");
        connect(&scene.server, &scene.browser, &scene.person, &scene.app).await;
        make_token(&scene.browser, "mine", &["sleep"]).await;
        Self { link: link.to_owned(), scene, attacker }
    }

    /// Opens every page with a form in the victim's browser, and fills in the forms.
    async fn forms(&self) -> Vec<FormSubmission> {
        let (browser, person) = (&self.scene.browser, &self.scene.person);
        let consent = reach_consent(browser, &self.scene.auth_request(), person).await;
        let tokens = browser.open("/tokens").await;
        let account = browser.open("/account").await;
        let apps = browser.open("/apps").await;
        let link = browser.open(&format!("/set-password?link={}", self.link)).await;
        let sent = ask(browser, &self.scene.auth_request().with("prompt", "login")).await;
        let sign_in = browser.follow(&sent).await;
        let change = account.form("/account/password").with("current_password", PASSWORD);
        let of_session = |form: PageForm| FormSubmission { form, of_session: true };
        let of_visit = |form: PageForm| FormSubmission { form, of_session: false };
        let [disconnect, disconnect_all] =
            <[PageForm; 2]>::try_from(apps.forms("/apps/disconnect")).expect("two forms");
        vec![
            of_visit(self.attacker.credentials(&sign_in.form("/sign-in"))),
            of_visit(link.form("/set-password").with("password", NEW_PASSWORD)),
            of_visit(
                browser.open("/forgot-password").await.form("/forgot-password").with("email", &person.email),
            ),
            of_visit(browser.open("/sign-up").await.form("/sign-up").with("email", "more@example.org")),
            of_session(
                consent
                    .form("/consent")
                    .tick("scope", &SCOPES)
                    .with("decision", "allow")
                    .with("remember", "yes"),
            ),
            of_session(tokens.form("/tokens").with("name", "forged").tick("scope", &SCOPES)),
            of_session(tokens.form("/tokens/revoke")),
            of_session(disconnect),
            of_session(disconnect_all),
            of_session(change.with("new_password", NEW_PASSWORD).with("disconnect_apps", "yes")),
            of_session(account.form("/account/sign-out-everywhere")),
            of_session(apps.form("/sign-out")),
        ]
    }

    /// Returns the form with every other token.
    async fn forgeries(&self, filled: &FormSubmission) -> Vec<PageForm> {
        let form = &filled.form;
        let theirs = Browser::new(&self.scene.server);
        let their_visit = theirs.open("/sign-in").await.form("/sign-in").value("form_token").to_owned();
        theirs.sign_in(&self.attacker).await;
        let their_session = theirs.open("/apps").await.form("/sign-out").value("form_token").to_owned();
        let own = &self.scene.browser;
        let mut tokens = vec![String::new(), "x".to_owned(), their_visit, their_session];
        tokens.extend([SESSION, VISIT].map(|name| own.cookie(name).expect("cookie")));
        tokens.push(format!("{}x", form.value("form_token")));
        tokens.push(form.value("form_token").to_uppercase());
        // The token of the other cookie of the same browser.
        let sent = ask(own, &AuthRequest::new(&self.scene.app).with("prompt", "login")).await;
        let of_visit = own.follow(&sent).await.form("/sign-in").value("form_token").to_owned();
        let of_session = own.open("/apps").await.form("/sign-out").value("form_token").to_owned();
        tokens.push(if filled.of_session { of_visit } else { of_session });
        let mut forged: Vec<PageForm> = tokens.iter().map(|token| form.with("form_token", token)).collect();
        forged.push(form.without("form_token"));
        forged
    }

    /// Checks that nothing changed.
    async fn assert_untouched(&self) {
        let Scene { world, server, person, app, browser } = &self.scene;
        for (table, condition, expected) in [
            ("consent", "", 0),
            ("authorization_request", "WHERE decided_at IS NOT NULL", 1),
            ("authorization_code", "", 1),
            ("access_grant", "", 1),
            ("access_grant", "WHERE revoked_at IS NULL", 1),
            ("personal_token", "", 1),
            ("personal_token", "WHERE revoked_at IS NULL", 1),
            ("password_link", "", 1),
            ("outbox", "", 0),
            ("password", "", 2),
        ] {
            assert_rows(world, table, condition, expected).await;
        }
        // Still signed in, as the same person, with the same password.
        assert!(browser.open("/account").await.text().contains(&person.email));
        Browser::new(server).sign_in(person).await;
        let consent = reach_consent(browser, &AuthRequest::new(app), person).await;
        browser.submit(&consent.form("/consent").with("decision", "deny")).await.answer_to(REDIRECT_URI);
    }
}
