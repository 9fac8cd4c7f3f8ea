//! Requests and limits of an app, on the developer page.

use super::developer::{register, relax, with_self_service};
use crate::e2e::app::{ask_token, code, read, redeem};
use crate::e2e::polling::eventually;
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
        assert!(!shown.text().contains("401"), "{shown:?}");
    }
}
