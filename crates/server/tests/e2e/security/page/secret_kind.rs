//! Each kind of secret is accepted only where it belongs.

use super::token::make_token;
use crate::e2e::app::{REDIRECT_URI, text};
use crate::e2e::browser::{Browser, SESSION, VISIT};
use crate::e2e::security::auth_request::{allow, connect, reach_consent};
use crate::e2e::security::caller::{Caller, Form, Reply};
use crate::e2e::security::scene::Scene;
use crate::e2e::world::World;

/// Every kind of secret, all valid.
struct Secrets {
    code: String,
    refresh: String,
    access: String,
    client_secret: String,
    personal: String,
    session: String,
    visit: String,
    link: String,
    form_token: String,
    request: String,
}

impl Secrets {
    /// Obtains every kind of secret.
    async fn new(scene: &Scene) -> Self {
        let (browser, person) = (&scene.browser, &scene.person);
        let tokens = connect(&scene.server, browser, person, &scene.app).await;
        let consent = reach_consent(browser, &scene.auth_request(), person).await;
        let code = allow(browser, &consent, &["sleep"]).await.answer_to(REDIRECT_URI)["code"].clone();
        let waiting = reach_consent(browser, &scene.auth_request(), person).await.form("/consent");
        let link =
            text(&scene.world.json(&["user", "reset-password", &person.user_id, "--json"]), "password_link");
        Self {
            code,
            refresh: tokens.refresh,
            access: tokens.access,
            client_secret: scene.app.client_secret.clone(),
            personal: make_token(browser, "mine", &["profile"]).await,
            session: browser.session(),
            visit: browser.cookie(VISIT).expect("visit"),
            link: link.split_once("link=").expect("a link").1.to_owned(),
            form_token: waiting.value("form_token").to_owned(),
            request: waiting.value("request").to_owned(),
        }
    }

    /// Returns all secrets except those that are valid in a place; the id of the request, which is not
    /// sufficient alone, is the last.
    fn but(&self, right: &[&String]) -> Vec<&String> {
        let Self {
            code,
            refresh,
            access,
            client_secret,
            personal,
            session,
            visit,
            link,
            form_token,
            request,
        } = self;
        let all = [code, refresh, access, client_secret, personal, session, visit, link, form_token, request];
        all.into_iter().filter(|secret| !right.contains(secret)).collect()
    }
}

on_sqlite! {
    // T18
    async fn a_secret_is_accepted_only_in_its_own_place(world: World) {
        let world = world.with("RESTWELL__TOKENS__FAILURES_PER_CLIENT_AND_ADDRESS", "1000");
        let scene = Scene::new(world);
        let secrets = Secrets::new(&scene).await;
        at_the_token_endpoints(&scene, &secrets).await;
        at_the_data_endpoints(&scene, &secrets).await;
        in_the_browser(&scene, &secrets).await;
        assert_all_good(&scene, &secrets).await;
    }
}

async fn at_the_token_endpoints(scene: &Scene, secrets: &Secrets) {
    let caller = Caller::new(&scene.server);
    for wrong in secrets.but(&[&secrets.code]) {
        caller.redeem(&scene.app, wrong).await.assert_error(400, "invalid_grant");
        let explicit = Form::of_code(&scene.app, wrong).with("grant_type", "authorization_code");
        caller.get("/api/token", &explicit).await.assert_error(400, "invalid_grant");
    }
    for wrong in secrets.but(&[&secrets.refresh]) {
        caller.refresh(&scene.app, wrong).await.assert_error(400, "invalid_grant");
        let form = Form::of_refresh(&scene.app, wrong).with("grant_type", "refresh_token");
        caller.post("/api/token", &form).await.assert_error(400, "invalid_grant");
    }
    for wrong in secrets.but(&[&secrets.client_secret]) {
        let form = Form::of_refresh(&scene.app, &secrets.refresh).with("client_secret", wrong);
        caller.post("/api/refresh", &form).await.assert_error(401, "invalid_client");
    }
    for wrong in secrets.but(&[&secrets.refresh, &secrets.access]) {
        // Revoking something that is not a token of the app has no effect and the same response (RFC 7009
        // section 2.2).
        let form = Form(vec![("token", wrong.clone())]).signed_by(&scene.app);
        let given = caller.post("/oauth/revoke", &form).await;
        assert_eq!((given.status, given.body.as_str()), (200, ""), "{given:?}");
        let reported = caller.post("/oauth/introspect", &form).await;
        assert_eq!(reported.json(), serde_json::json!({"active": false}));
    }
}

async fn at_the_data_endpoints(scene: &Scene, secrets: &Secrets) {
    let caller = Caller::new(&scene.server);
    let user = &scene.person.user_id;
    for wrong in secrets.but(&[&secrets.access, &secrets.personal]) {
        for path in [
            format!("/api/v1/profile/{user}"),
            format!("/api/sleep/{user}"),
            format!("/api/v1/supplements/{user}"),
        ] {
            caller.read(wrong, &path).await.assert_problem(401, "invalid_token");
        }
    }
    // Nor does a cookie grant access to the data, although the browser's person is the one in the path.
    let cookies = format!("{SESSION}={}; {VISIT}={}", secrets.session, secrets.visit);
    for token in ["", secrets.personal.as_str()] {
        let path = format!("/api/v1/profile/{user}?access_token={token}");
        let request = caller.request(reqwest::Method::GET, &path).header("cookie", &cookies);
        Reply::to(request).await.assert_problem(401, "missing_token");
    }
}

async fn in_the_browser(scene: &Scene, secrets: &Secrets) {
    let shown = scene.browser.open("/apps").await.form("/sign-out");
    for wrong in secrets.but(&[&secrets.session]) {
        let browser = Browser::new(&scene.server);
        browser.plant(SESSION, wrong);
        assert!(!browser.is_signed_in().await, "{wrong} opens the account");
        // Nor does a bearer token.
        let bearer = [("authorization", format!("Bearer {wrong}"))];
        let page = browser.get_with("/account", &[(bearer[0].0, &bearer[0].1)]).await;
        assert_eq!(page.own_location(), "/sign-in?to=account");
    }
    for wrong in secrets.but(&[&secrets.form_token]) {
        scene.browser.submit(&shown.with("form_token", wrong)).await.assert_refused(403);
    }
    for wrong in secrets.but(&[&secrets.link]) {
        scene.browser.get(&format!("/set-password?link={wrong}")).await.assert_refused(400);
    }
    for wrong in secrets.but(&[&secrets.request]) {
        scene.browser.get(&format!("/consent?request={wrong}")).await.assert_refused(400);
    }
    let stranger = Browser::new(&scene.server);
    let form = stranger.open("/sign-in").await.form("/sign-in").with("email", &scene.person.email);
    for wrong in secrets.but(&[]) {
        let browser = Browser::new(&scene.server);
        browser.plant(VISIT, if wrong == &secrets.visit { "x" } else { wrong });
        browser.submit(&form.with("password", &scene.person.password)).await.assert_refused(403);
    }
    // Few enough to stay below the limit of attempts.
    for wrong in secrets.but(&[&secrets.request, &secrets.form_token]) {
        stranger.submit(&form.with("password", wrong)).await.assert_refused(422);
    }
}

/// Checks that no secret was used up.
async fn assert_all_good(scene: &Scene, secrets: &Secrets) {
    let caller = Caller::new(&scene.server);
    caller.redeem(&scene.app, &secrets.code).await.tokens();
    caller.refresh(&scene.app, &secrets.refresh).await.access();
    for token in [&secrets.access, &secrets.personal] {
        assert_eq!(caller.read_profile(token, &scene.app).await.status, 200);
    }
    assert_eq!(scene.browser.session(), secrets.session);
    assert!(scene.browser.is_signed_in().await);
    scene.browser.open(&format!("/consent?request={}", secrets.request)).await;
    scene.browser.open(&format!("/set-password?link={}", secrets.link)).await;
}
