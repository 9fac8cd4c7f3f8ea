//! Requests and limits of an app, on the developer page.

use super::developer::{register, relax, with_self_service};
use crate::e2e::app::{Registration, ask_token, code, read, redeem};
use crate::e2e::polling::eventually;
use crate::e2e::security::auth_request::{AuthRequest, ask};
use crate::e2e::security::caller::{Caller, Form};
use crate::e2e::world::World;

on_both_stores! {
    async fn a_developer_sees_requests_errors_and_remaining_limits(world: World) {
        let scene = with_self_service(world);
        let (browser, server) = (&scene.browser, &scene.server);
        browser.sign_in(&scene.person).await;
        let (app, page) = register(browser, &scene.person).await;
        assert!(page.text().contains("The app has made no requests in the last 14 days."), "{page:?}");
        relax(&scene.world, &app);
        let code = code(&scene.world, &app, &["sleep"]);
        let tokens = redeem(server, &app, &code).await;
        let user_id = &scene.person.user_id;
        let requests = [
            (tokens.access.as_str(), format!("/api/v1/sleep/{user_id}"), 200),
            (&tokens.access, format!("/api/v1/sleep/{user_id}?page=0"), 400),
            (&tokens.access, format!("/api/v1/profile/{user_id}"), 403),
            ("forged", format!("/api/v1/sleep/{user_id}"), 401),
        ];
        for (token, path, status) in requests {
            assert_eq!(read(server, token, &path).await.status(), status, "{path}");
        }
        // Revokes the tokens, too.
        assert_eq!(ask_token(server, &app, &code).await.status(), 400);
        let shown = eventually("the requests are shown", async || {
            let page = browser.open(&format!("/developer/{}", app.client_id)).await;
            page.text().contains("400 token: 1").then_some(page)
        })
        .await;
        assert!(shown.text().contains("403 profile: 1 400 sleep: 1 400 token: 1"), "{shown:?}");
        assert!(shown.text().contains("9,998"), "{shown:?}");
        // Not `401` alone, which the port of the shown addresses may contain.
        assert!(!shown.text().contains("401 "), "{shown:?}");
        assert!(shown.text().contains(": the code was used before"), "{shown:?}");
    }

    async fn a_developer_learns_why_requests_were_rejected(world: World) {
        let scene = with_self_service(world);
        let (browser, server) = (&scene.browser, &scene.server);
        browser.sign_in(&scene.person).await;
        let (app, _) = register(browser, &scene.person).await;
        let other_uri = AuthRequest::new(&app).with("redirect_uri", "https://owl.example/other");
        ask(browser, &other_uri).await.assert_refused(400);
        let path = format!("/developer/{}", app.client_id);
        let shows = async |reason: &str| {
            eventually(reason, async || browser.open(&path).await.text().contains(reason).then_some(())).await;
        };
        shows("400 authorize: 1").await;
        shows("redirect_uri is missing, repeated or not registered").await;
        // The latest reason replaces the earlier one.
        ask(browser, &AuthRequest::new(&app).with("scope", "sleep")).await.assert_refused(400);
        shows("400 authorize: 2").await;
        shows("code_challenge").await;
        let wrong = Registration { client_secret: "rws_wrong".to_owned(), ..app.clone() };
        assert_eq!(ask_token(server, &wrong, "rwc_x").await.status(), 401);
        shows("the client secret is wrong or expired").await;
        assert_eq!(ask_token(server, &app, "nonsense").await.status(), 400);
        shows("a secret, code or token was in the query string").await;
        relax(&scene.world, &app);
        assert_eq!(ask_token(server, &app, "nonsense").await.status(), 400);
        shows("the code is malformed").await;
        // Without authentication, too.
        let incomplete = Form::of_code(&app, "rwc_x").without("redirect_uri");
        Caller::new(server).post("/api/token", &incomplete).await.assert_error(400, "invalid_request");
        shows("redirect_uri: is required").await;
        let repeated = Form::of_code(&app, "rwc_x").with("scope", "sleep");
        Caller::new(server).post("/api/token?scope=profile", &repeated).await.assert_error(400, "invalid_request");
        shows("scope: must be given at most once").await;
        let text = browser.open(&path).await.text();
        assert!(!text.contains("rws_") && !text.contains("owl.example/other"), "{text}");
    }
}
