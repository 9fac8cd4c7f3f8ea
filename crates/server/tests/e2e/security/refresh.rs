//! Refresh tokens: bound to client and person, never rotated, never wider than the grant.

use super::account::people::trail;
use super::caller::{Caller, Form};
use super::party::{another_client, another_person};
use crate::e2e::app::{SCOPES, code, register};
use crate::e2e::world::World;
use chrono::TimeDelta;
use serde_json::json;

on_sqlite! {
    // T50
    async fn another_client_can_neither_use_nor_invalidate_a_refresh_token(world: World) {
        let registration = register(&world);
        let other = another_client(&world, &registration);
        let server = world.serve();
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        caller.refresh(&other, &tokens.refresh).await.assert_error(400, "invalid_grant");
        caller.refresh(&registration, &tokens.refresh).await.access();
        // The event contains the client that presented it.
        let misuses = trail(&world, &["--kind", "grant.misused"]);
        assert_eq!(misuses.len(), 1, "{misuses:?}");
        assert_eq!((&misuses[0]["client_id"], &misuses[0]["user_id"]), (&json!(other.client_id), &json!(registration.user_id)));
    }

    // T51
    async fn a_refresh_requires_the_exact_user_id(world: World) {
        let registration = register(&world);
        let other = another_person(&world, &registration, "other@example.org");
        let server = world.serve();
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let form = Form::of_refresh(&registration, &tokens.refresh);
        let user = &registration.user_id;
        let others = [
            other.user_id.clone(),
            user.to_uppercase(),
            format!("{{{user}}}"),
            user.replace('-', ""),
            format!("0{user}"),
            format!("{user} "),
            format!("{user}\u{200b}"),
            "00000000-0000-0000-0000-000000000000".to_owned(),
        ];
        for spelling in others.iter().filter(|spelling| *spelling != user) {
            let form = form.clone().with("user_id", spelling);
            caller.get("/api/refresh", &form).await.assert_error(400, "invalid_grant");
            let form = form.with("grant_type", "refresh_token");
            caller.post("/api/token", &form).await.assert_error(400, "invalid_grant");
        }
        let missing = form.clone().without("user_id");
        caller.get("/api/refresh", &missing).await.assert_error(400, "invalid_request");
        caller.get("/api/refresh", &form).await.access();
    }

    // T52, T53
    async fn a_refresh_follows_the_contract_and_does_not_rotate_the_token(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        for _ in 0..3 {
            let reply = caller.refresh(&registration, &tokens.refresh).await;
            assert_eq!(caller.read_profile(&reply.access(), &registration).await.status, 200);
            let body = reply.json();
            assert_eq!(body["token_type"], "Bearer");
            assert_eq!(body["scope"], SCOPES.join(" "));
            assert_eq!(body["user_id"], registration.user_id);
            assert_eq!(body.get("refresh_token"), None);
        }
        let standard = Form::of_refresh(&registration, &tokens.refresh)
            .without("user_id")
            .with("grant_type", "refresh_token");
        let reply = caller.post("/api/token", &standard).await;
        reply.access();
        assert_eq!(reply.member("refresh_token"), tokens.refresh);
        // It does not expire.
        world.advance(TimeDelta::days(3_653));
        caller.refresh(&registration, &tokens.refresh).await.access();
    }

    // T54
    async fn a_scope_can_be_narrowed_for_one_token_and_never_widened(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let code = code(&world, &registration, &["profile", "sleep"]);
        let tokens = caller.redeem(&registration, &code).await.tokens();
        let form = Form::of_refresh(&registration, &tokens.refresh);
        let wider = ["profile sleep supplements", "supplements", "sleep:write", "unheard-of", "Sleep"];
        for wider in wider {
            let reply = caller.post("/api/refresh", &form.clone().with("scope", wider)).await;
            reply.assert_error(400, "invalid_scope");
        }
        let narrow = caller.post("/api/refresh", &form.clone().with("scope", "sleep")).await;
        assert_eq!(narrow.member("scope"), "sleep");
        let narrow = narrow.access();
        let sleep = format!("/api/v1/sleep/{}", registration.user_id);
        assert_eq!(caller.read(&narrow, &sleep).await.status, 200);
        caller.read_profile(&narrow, &registration).await.assert_problem(403, "insufficient_scope");
        // The grant is unchanged.
        let whole = caller.post("/api/refresh", &form).await;
        assert_eq!(whole.member("scope"), "profile sleep");
        let profile = caller.read_profile(&whole.access(), &registration).await;
        assert_eq!(profile.json()["data"]["scopes"], serde_json::json!(["profile", "sleep"]));
    }
}
