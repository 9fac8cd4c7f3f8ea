//! Framing of pages, targets of their forms, and cross-origin reads.

use crate::e2e::app::{REDIRECT_URI, text};
use crate::e2e::browser::{Browser, Page};
use crate::e2e::person::app_of;
use crate::e2e::security::auth_request::{AuthRequest, ask, connect, reach_consent};
use crate::e2e::security::caller::{Caller, Form, Reply};
use crate::e2e::security::scene::Scene;
use crate::e2e::world::World;
use reqwest::Method;

const OWN: &str = "'self'";
const PAGES: [&str; 10] = [
    "/authorize",
    "/sign-in",
    "/consent",
    "/sign-up",
    "/forgot-password",
    "/set-password",
    "/apps",
    "/tokens",
    "/activity",
    "/account",
];

on_sqlite! {
    // T02, T28
    async fn no_page_can_be_framed_and_forms_stay_on_the_site(world: World) {
        let scene = Scene::new(world);
        let browser = &scene.browser;
        let link = text(&scene.world.json(&["user", "reset-password", &scene.person.user_id, "--json"]), "password_link");
        let link = link.split_once("link=").expect("a link").1.to_owned();
        // The test browser checks the policy and the headers of each page.
        let mut pages = vec![
            browser.open("/sign-in").await, browser.open("/forgot-password").await,
            browser.open(&format!("/set-password?link={link}")).await,
        ];
        connect(&scene.server, browser, &scene.person, &scene.app).await;
        for path in ["/apps", "/tokens", "/activity", "/account"] {
            pages.push(browser.open(path).await);
        }
        let form = browser.open("/tokens").await.form("/tokens");
        pages.push(browser.submit(&form.with("name", "x").tick("scope", &["sleep"])).await);
        pages.push(browser.submit(&browser.open("/account").await.form("/account/sign-out-everywhere")).await);
        for page in &pages {
            assert_eq!((page.status, page.policy()["form-action"].as_str()), (200, OWN), "{page:?}");
        }
    }

    // T02, T28
    async fn error_pages_have_the_same_protection(world: World) {
        let scene = Scene::new(world.with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ACCOUNT", "1"));
        let browser = &scene.browser;
        let form = browser.open("/sign-in").await.form("/sign-in");
        let wrong = form.with("email", &scene.person.email).with("password", "a wrong password");
        let post = |path: &str, kind: &'static str, body: String| {
            browser.send(browser.request(Method::POST, path).header("content-type", kind).body(body))
        };
        let form_type = "application/x-www-form-urlencoded";
        let long = "x".repeat(9000);
        let pages = [
            (400, browser.get("/authorize").await),
            (400, browser.get("/set-password").await),
            (400, browser.get("/set-password?link=rwl_unknown").await),
            (400, browser.get("/sign-in?to=a&to=b").await),
            (400, browser.get("/sign-in?to=%ff").await),
            (400, browser.submit(&form.with("email", "a\u{0}b")).await),
            (400, post("/sign-in", form_type, "x".repeat(17 * 1024)).await),
            (400, post("/sign-in", "text/plain", form.encoded()).await),
            (400, post("/sign-in", "application/json", "{}".to_owned()).await),
            (400, post("/sign-in", "multipart/form-data; boundary=b", "--b--".to_owned()).await),
            (403, browser.submit(&form.without("form_token")).await),
            (404, browser.get("/sign-up").await),
            (405, browser.get("/sign-out").await),
            (414, browser.get(&format!("/sign-in?x={long}")).await),
            (422, browser.submit(&wrong).await),
            (429, browser.submit(&wrong).await),
            (431, browser.get_with("/sign-in", &[("x-filler", &"y".repeat(17 * 1024))]).await),
        ];
        for (status, page) in &pages {
            page.assert_refused(*status);
            assert_eq!(page.policy()["form-action"], OWN);
            assert_eq!(page.header("retry-after").is_some(), *status == 429, "{page:?}");
        }
        for path in PAGES {
            for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS, Method::TRACE] {
                browser.send(browser.request(method, path)).await.assert_refused(405);
            }
            let head = Reply::to(browser.request(Method::HEAD, path)).await;
            // With a remembered consent, it would issue a code.
            if path == "/authorize" {
                assert_eq!(head.status, 405);
                continue;
            }
            let get = Reply::to(browser.request(Method::GET, path)).await;
            assert_eq!((head.status, head.header("x-frame-options")), (get.status, get.header("x-frame-options")));
            assert!(head.body.is_empty());
            head.assert_guarded("private, no-store");
        }
    }

    // T28
    async fn pages_that_redirect_to_an_app_allow_only_its_origin(world: World) {
        let scene = Scene::new(world);
        let deep = "https://night.example.org:8443/deep/callback?tenant=1";
        let loopback = "http://127.0.0.1:7777/callback";
        for (uri, origin) in [
            (REDIRECT_URI, "https://app.example.org"), (deep, "https://night.example.org:8443"),
            (loopback, "http://127.0.0.1:7777"),
        ] {
            let app = app_of(&scene.world, &scene.person, &["--name", "App", "--redirect-uri", uri]);
            let asking = AuthRequest::new(&app).with("redirect_uri", uri);
            let browser = Browser::new(&scene.server);
            let sign_in = browser.follow(&ask(&browser, &asking).await).await;
            assert_leads_to(&sign_in, origin);
            // When shown again, it still leads there.
            let form = sign_in.form("/sign-in").with("email", "nobody@example.org").with("password", "a wrong password");
            assert_leads_to(&browser.submit(&form).await, origin);
            assert_leads_to(&reach_consent(&browser, &asking, &scene.person).await, origin);
            // With a request of another browser the page does not allow the app's origin.
            let id = sign_in.form("/sign-in").value("request").to_owned();
            let stranger = Browser::new(&scene.server).open(&format!("/sign-in?request={id}")).await;
            assert_eq!(stranger.policy()["form-action"], OWN);
        }
    }

    // T35
    async fn no_other_site_reads_a_page_and_only_listed_ones_get_tokens_and_read_data(world: World) {
        const LISTED: &str = "https://dashboard.example.org";
        let scene = Scene::new(world.with("RESTWELL__CORS__ALLOWED_ORIGINS", LISTED));
        let browser = &scene.browser;
        let tokens = connect(&scene.server, browser, &scene.person, &scene.app).await;
        let caller = Caller::new(&scene.server);
        let data = format!("/api/v1/profile/{}", scene.person.user_id);
        let preflight = |path: &str, origin: &str| {
            let request = caller.request(Method::OPTIONS, path).header("origin", origin);
            request.header("access-control-request-method", "GET").header("access-control-request-headers", "authorization")
        };
        for origin in [LISTED, "https://evil.example", "null", REDIRECT_URI] {
            for path in PAGES {
                // The test browser fails on any `Access-Control-Allow-Origin`.
                browser.get_with(path, &[("origin", origin)]).await;
                browser.get_with(&scene.auth_request().path(), &[("origin", origin)]).await;
                assert_unshared(&Reply::to(preflight(path, origin)).await);
            }
            let expected = (origin == LISTED).then_some(LISTED);
            for path in ["/api/token", "/api/refresh", "/oauth/introspect", "/oauth/revoke"] {
                let form = Form::of_refresh(&scene.app, &tokens.refresh);
                let answer = Reply::to(caller.request(Method::POST, path).header("origin", origin).form(&form.0)).await;
                for reply in [answer, Reply::to(preflight(path, origin)).await] {
                    let expected = expected.filter(|_| path != "/oauth/introspect");
                    assert_shared_with(&reply, expected);
                }
            }
            let read = caller.request(Method::GET, &data).bearer_auth(&tokens.access).header("origin", origin);
            for reply in [Reply::to(read).await, Reply::to(preflight(&data, origin)).await] {
                assert_shared_with(&reply, expected);
                assert!(reply.header("vary").is_some_and(|vary| vary.contains("Origin")), "{reply:?}");
            }
        }
    }
}

#[track_caller]
fn assert_leads_to(page: &Page, origin: &str) {
    assert_eq!(page.policy()["form-action"], format!("{OWN} {origin}"), "{page:?}");
}

#[track_caller]
fn assert_shared_with(reply: &Reply, origin: Option<&str>) {
    assert_eq!(reply.header("access-control-allow-origin"), origin, "{reply:?}");
    assert_eq!(reply.header("access-control-allow-credentials"), None);
    if origin.is_none() {
        assert_unshared(reply);
    }
}

#[track_caller]
fn assert_unshared(reply: &Reply) {
    let shared = reply.header_names().into_iter().find(|name| name.starts_with("access-control-"));
    assert_eq!(shared, None, "{reply:?}");
}
