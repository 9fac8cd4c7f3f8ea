//! Text chosen by others stays text, on every page.

use super::token::make_token;
use crate::e2e::app::{REDIRECT_URI, SCOPES, text};
use crate::e2e::browser::Browser;
use crate::e2e::person::{PASSWORD, Person, app_of, type_password};
use crate::e2e::polling::eventually;
use crate::e2e::security::auth_request::{ask, connect, reach_consent};
use crate::e2e::security::caller::{Caller, Form, Reply};
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use reqwest::Method;

const APP: &str = "</title><script>alert(1)</script>\"'&amp;<img src=x onerror=alert(1)>{{7*7}}";
const TOKEN: &str = "\"><svg onload=alert(1)>'--";
const AGENT: &str = "Night<script>alert(1)</script>/1.0 (\"'&)";
const EMAIL: &str = "\"><b>&'@example.org";

// The test browser fails on every element, attribute and URL that the templates do not contain.
on_sqlite! {
    // T33
    async fn names_chosen_by_others_are_shown_escaped(world: World) {
        let mut scene = Scene::new(world);
        let create = ["user", "create", "--email", EMAIL, "--timezone", "UTC", "--json", "--password-stdin"];
        let reported = serde_json::from_str(&type_password(&scene.world, &create, PASSWORD)).expect("JSON");
        let user_id = text(&reported, "user_id");
        scene.person = Person { user_id, email: EMAIL.to_owned(), ..scene.person };
        scene.app = app_of(&scene.world, &scene.person, &["--name", APP, "--redirect-uri", REDIRECT_URI]);
        let (browser, person) = (&scene.browser, &scene.person);

        let sent = ask(browser, &scene.auth_request().with("login_hint", EMAIL)).await;
        let sign_in = browser.follow(&sent).await;
        assert!(sign_in.text().contains(APP), "{sign_in:?}");
        assert_eq!(sign_in.form("/sign-in").value("email"), EMAIL);
        let wrong = sign_in.form("/sign-in").with("email", APP).with("password", APP);
        let wrong = browser.submit(&wrong).await;
        assert_eq!((wrong.status, wrong.form("/sign-in").value("email")), (422, APP));
        assert_eq!(wrong.form("/sign-in").value("password"), "");
        let consent = reach_consent(browser, &scene.auth_request(), person).await;
        assert!(consent.text().contains(&format!("Allow {APP} to read your data?")) && consent.text().contains(EMAIL));

        let tokens = connect(&scene.server, browser, person, &scene.app).await;
        let caller = Caller::new(&scene.server);
        let refresh = caller.request(Method::POST, "/api/refresh").header("user-agent", AGENT);
        Reply::to(refresh.form(&Form::of_refresh(&scene.app, &tokens.refresh).0)).await.access();
        let apps = browser.open("/apps").await.text();
        assert!(apps.contains(APP) && apps.contains(AGENT) && apps.contains(EMAIL), "{apps}");

        let personal = make_token(browser, TOKEN, &SCOPES).await;
        assert!(browser.open("/tokens").await.text().contains(TOKEN));
        for token in [&personal, &tokens.access] {
            assert_eq!(caller.read_profile(token, &scene.app).await.status, 200);
        }
        let activity = shown_in_time(browser, &[APP, TOKEN]).await;
        assert!(activity.contains(EMAIL), "{activity}");
        assert!(browser.open("/account").await.text().contains(EMAIL));
        let form = browser.open("/tokens").await.form("/tokens").with("name", &format!("{TOKEN}\u{7}"));
        browser.submit(&form).await.assert_refused(400);
        // A name that reverses the text direction is rejected, and the form shows where.
        let form = browser.open("/tokens").await.form("/tokens").with("name", &format!("{TOKEN}\u{202e}"));
        let reversing = browser.submit(&form.tick("scope", &["sleep"])).await;
        assert_eq!((reversing.status, reversing.form("/tokens").value("name")), (422, format!("{TOKEN}\u{fffd}").as_str()));
        let form = browser.open("/tokens").await.form("/tokens").with("name", &APP.repeat(2)).tick("scope", &["sleep"]);
        let again = browser.submit(&form).await;
        assert_eq!((again.status, again.form("/tokens").value("name")), (422, APP.repeat(2).as_str()));
    }

    // T33
    async fn no_error_page_repeats_input(world: World) {
        const MARK: &str = "LEAKME123<script>";
        let scene = Scene::new(world);
        let browser = &scene.browser;
        let asking = scene.auth_request();
        let mut pages = Vec::new();
        for name in ["client_id", "redirect_uri"] {
            pages.push(ask(browser, &asking.with(name, MARK)).await);
            pages.push(ask(browser, &asking.with(name, MARK).with("state", MARK).with("login_hint", MARK)).await);
        }
        pages.push(ask(browser, &asking.with("state", &MARK.repeat(200))).await);
        let encoded: String = url::form_urlencoded::byte_serialize(MARK.as_bytes()).collect();
        browser.sign_in(&scene.person).await;
        for path in ["/set-password?link=", "/consent?request=", "/sign-up?x=", "/activity?before=", "/sign-out?x="] {
            pages.push(browser.get(&format!("{path}{encoded}")).await);
        }
        let form = browser.open("/tokens").await.form("/tokens");
        pages.push(browser.submit(&form.with("form_token", MARK).with("name", MARK)).await);
        pages.push(browser.submit(&form.with("expires", MARK)).await);
        pages.push(browser.submit(&form.and("name", MARK)).await);
        let consent = reach_consent(browser, &asking, &scene.person).await.form("/consent");
        pages.push(browser.submit(&consent.with("decision", MARK)).await);
        pages.push(browser.submit(&consent.with("scope", MARK).with("decision", "allow")).await);
        pages.push(browser.submit(&consent.with("request", MARK).with("decision", "allow")).await);
        for page in &pages {
            assert!((400..500).contains(&page.status), "{page:?}");
            assert!(!page.body.contains("LEAKME") && !format!("{:?}", page.headers).contains("LEAKME"), "{page:?}");
        }
        // Nor does the redirect to the app.
        for name in ["response_type", "scope", "response_mode", "code_challenge"] {
            let answer = ask(browser, &asking.with(name, MARK)).await.answer_to(REDIRECT_URI);
            assert!(!answer["error_description"].contains("LEAKME"), "{answer:?}");
        }
        assert_rows(&scene.world, "authorization_code", "", 0).await;
    }
}

/// Waits until the activity page shows these texts: reads are stored within a second.
async fn shown_in_time(browser: &Browser, texts: &[&str]) -> String {
    eventually("who read what is shown", async || {
        let shown = browser.open("/activity").await.text();
        texts.iter().all(|text| shown.contains(text)).then_some(shown)
    })
    .await
}
