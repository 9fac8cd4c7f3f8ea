//! The page of connected apps, and disconnecting them.

use super::revocation::{Replicas, Token};
use crate::e2e::app::REDIRECT_URI;
use crate::e2e::browser::PageForm;
use crate::e2e::person::app_of;
use crate::e2e::security::auth_request::{allow, connect, reach_consent};
use crate::e2e::security::caller::{Caller, Form, Reply};
use crate::e2e::security::scene::Scene;
use crate::e2e::world::World;
use reqwest::Method;

const AGENT: &str = "NightReader/4.2 (kitchen tablet)";

on_sqlite! {
    // T57
    async fn a_person_sees_scopes_start_and_last_address_of_each_app(world: World) {
        let scene = Scene::new(world);
        let browser = &scene.browser;
        let asking = scene.auth_request().with("scope", "profile sleep");
        let consent = reach_consent(browser, &asking, &scene.person).await;
        let answer = allow(browser, &consent, &["profile", "sleep"]).await.answer_to(REDIRECT_URI);
        // Nothing is connected before the app has redeemed its code.
        assert!(browser.open("/apps").await.text().contains("No connected apps"));
        let caller = Caller::new(&scene.server);
        let tokens = caller.redeem(&scene.app, &answer["code"]).await.tokens();
        let shown = browser.open("/apps").await.text();
        for text in ["Night Reader", "your profile and nights", "Connected since", "Last used Never"] {
            assert!(shown.contains(text), "{text} in {shown}");
        }
        let refresh = caller.request(Method::POST, "/api/refresh").header("user-agent", AGENT);
        Reply::to(refresh.form(&Form::of_refresh(&scene.app, &tokens.refresh).0)).await.access();
        let page = browser.open("/apps").await;
        let shown = page.text();
        for text in ["Night Reader", "your profile and nights", "from 127.0.0.1", &format!("with {AGENT}")] {
            assert!(shown.contains(text), "{text} in {shown}");
        }
        assert!(!shown.contains("Last used Never"), "{shown}");
        // The time is also machine-readable, in UTC.
        let (_, moment) = page.body.split_once("<dt>Last used</dt>").expect("a moment");
        let (_, moment) = moment.split_once("datetime=\"").expect("a moment");
        let (moment, _) = moment.split_once('"').expect("a moment");
        assert!(moment.starts_with("20") && moment.contains('T') && moment.ends_with('Z'), "{moment}");
        // No secret of the app is shown.
        for secret in [tokens.refresh, tokens.access, scene.app.client_secret.clone()] {
            assert!(!page.body.contains(&secret));
        }
    }

    // T34, T57
    async fn an_app_with_only_remembered_consent_is_listed_and_can_be_disconnected(world: World) {
        let scene = Scene::new(world);
        let browser = &scene.browser;
        let code = browser.submit(&remembering(&scene).await).await.answer_to(REDIRECT_URI)["code"].clone();
        let page = browser.open("/apps").await;
        assert!(page.text().contains("Night Reader"), "{page:?}");
        browser.submit(&page.forms("/apps/disconnect")[0]).await.own_location();
        assert!(browser.open("/apps").await.text().contains("No connected apps"));
        Caller::new(&scene.server).redeem(&scene.app, &code).await.assert_error(400, "invalid_grant");
        // The consent page is shown again. The same happens when the app revokes its token.
        let code = browser.submit(&remembering(&scene).await).await.answer_to(REDIRECT_URI)["code"].clone();
        let caller = Caller::new(&scene.server);
        let tokens = caller.redeem(&scene.app, &code).await.tokens();
        let given = Form(vec![("token", tokens.refresh)]).signed_by(&scene.app);
        assert_eq!(caller.post("/oauth/revoke", &given).await.status, 200);
        assert!(browser.open("/apps").await.text().contains("Night Reader"));
    }

    // T57
    async fn the_plain_button_disconnects_one_app_everywhere_within_two_seconds(world: World) {
        let replicas = Replicas::new(world).await;
        let (browser, person) = (&replicas.scene.browser, &replicas.scene.person);
        let other = app_of(&replicas.scene.world, person, &["--name", "Other", "--redirect-uri", REDIRECT_URI]);
        let kept = connect(&replicas.scene.server, browser, person, &other).await;
        let (app, kept) = (Token::access(&replicas.app, &replicas.scene.app), Token::access(&kept, &other));
        replicas.warm(&[&app, &kept, &replicas.personal]).await;
        let page = browser.open("/apps").await;
        assert_eq!(page.forms("/apps/disconnect").len(), 3);
        let client = replicas.scene.app.client_id.as_str();
        let forms = page.forms("/apps/disconnect");
        let button = forms.iter().find(|form| form.values("client") == [client]).expect("a button");
        let sent = browser.submit(button).await;
        assert_eq!(sent.own_location(), "/apps?done=disconnected");
        replicas.assert_gone_in_time(&[&app]).await;
        replicas.assert_refresh_refused().await;
        let shown = browser.follow(&sent).await.text();
        assert!(shown.contains("Disconnected.") && shown.contains("Other") && !shown.contains("Night Reader"), "{shown}");
        replicas.assert_live(&[&kept, &replicas.personal]).await;
    }

    // T57
    async fn the_plain_button_disconnects_all_apps_everywhere_and_leaves_personal_tokens(world: World) {
        let replicas = Replicas::new(world).await;
        let (browser, person) = (&replicas.scene.browser, &replicas.scene.person);
        let other = app_of(&replicas.scene.world, person, &["--name", "Other", "--redirect-uri", REDIRECT_URI]);
        let more = connect(&replicas.scene.server, browser, person, &other).await;
        let (app, more) = (Token::access(&replicas.app, &replicas.scene.app), Token::access(&more, &other));
        replicas.warm(&[&app, &more, &replicas.personal]).await;
        let forms = browser.open("/apps").await.forms("/apps/disconnect");
        let all = forms.iter().find(|form| form.values("all") == ["yes"]).expect("a button");
        let nobody = all.without("all");
        for broken in [all.and("client", &other.client_id), nobody.with("client", "x"), all.with("all", "no"), nobody] {
            browser.submit(&broken).await.assert_refused(400);
        }
        replicas.assert_live(&[&app, &more]).await;
        let sent = browser.submit(all).await;
        replicas.assert_gone_in_time(&[&app, &more]).await;
        replicas.assert_refresh_refused().await;
        assert!(browser.follow(&sent).await.text().contains("No connected apps"));
        replicas.assert_live(&[&replicas.personal]).await;
    }
}

/// Takes the person to the consent page, and fills it in: all scopes, and remembered.
async fn remembering(scene: &Scene) -> PageForm {
    let consent = reach_consent(&scene.browser, &scene.auth_request(), &scene.person).await;
    consent.form("/consent").with("remember", "yes").with("decision", "allow")
}
