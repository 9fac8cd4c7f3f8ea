//! Rotating refresh tokens (RFC 9700 section 4.14).

use super::*;
use crate::e2e::polling::{REVOCATION_LIMIT, within};
use chrono::TimeDelta;
use std::time::Instant;

on_sqlite! {
    /// RFC 9700 section 4.14.2.
    async fn each_use_returns_a_new_token_and_the_family_lives_on(world: World) {
        let scene = PublicScene::new(world);
        let mut token = scene.connect().await.refresh;
        for _ in 0..3 {
            let renewed = scene.refresh(&token).await.tokens();
            assert_ne!(renewed.refresh, token);
            assert_eq!(scene.caller().read_profile(&renewed.access, &scene.app).await.status, 200);
            token = renewed.refresh;
            scene.world.advance(TimeDelta::hours(1));
        }
        // The contract's refresh returns the new token too.
        let form = Form::of_refresh(&scene.app, &token).without("client_secret");
        let renewed = scene.caller().get("/api/refresh", &form).await.tokens();
        assert_ne!(renewed.refresh, token);
    }

    async fn a_token_whose_response_was_lost_returns_the_same_successor_for_thirty_seconds_rfc_9700_section_4_14_2(world: World) {
        let scene = PublicScene::new(world);
        let first = scene.connect().await.refresh;
        let second = scene.refresh(&first).await.tokens().refresh;
        scene.world.advance(TimeDelta::seconds(25));
        assert_eq!(scene.refresh(&first).await.tokens().refresh, second);
        scene.world.advance(TimeDelta::hours(1));
        scene.refresh(&second).await.tokens();
    }

    async fn a_refused_request_does_not_use_up_the_token(world: World) {
        let scene = PublicScene::new(world);
        let first = scene.connect().await.refresh;
        let form = scene.refreshing(&first);
        for (name, value, error) in [
            ("scope", "users:write", "invalid_scope"),
            ("user_id", "00000000-0000-4000-8000-000000000000", "invalid_grant"),
        ] {
            scene.caller().post("/api/token", &form.clone().with(name, value)).await.assert_error(400, error);
        }
        scene.world.advance(TimeDelta::minutes(5));
        scene.refresh(&first).await.tokens();
    }

    /// RFC 7009 section 2.1.
    async fn an_old_token_of_the_family_revokes_the_grant_at_the_revocation_endpoint(world: World) {
        let scene = PublicScene::new(world);
        let first = scene.connect().await.refresh;
        let second = scene.refresh(&first).await.tokens().refresh;
        let form = Form(vec![("token", first), ("client_id", scene.app.client_id.clone())]);
        assert_eq!(scene.caller().post("/oauth/revoke", &form).await.status, 200);
        scene.refresh(&second).await.assert_error(400, "invalid_grant");
    }
}

on_all_stores! {
    /// RFC 9700 section 4.14.2.
    async fn a_token_reused_after_thirty_one_seconds_revokes_the_grant_and_is_audited(world: World) {
        let scene = PublicScene::new(world);
        let first = scene.connect().await.refresh;
        let renewed = scene.refresh(&first).await.tokens();
        scene.world.advance(TimeDelta::seconds(31));
        scene.refresh(&first).await.assert_error(400, "invalid_grant");
        let revoked_at = Instant::now();
        scene.refresh(&renewed.refresh).await.assert_error(400, "invalid_grant");
        within(REVOCATION_LIMIT, revoked_at, "the access token is refused", async || {
            let reply = scene.caller().read_profile(&renewed.access, &scene.app).await;
            (reply.status == 401).then_some(())
        })
        .await;
        assert_reuse_is_audited(&scene);
    }

    async fn a_token_reused_after_its_successor_was_used_revokes_the_grant_rfc_9700_section_4_14_2(world: World) {
        let scene = PublicScene::new(world);
        let first = scene.connect().await.refresh;
        let second = scene.refresh(&first).await.tokens().refresh;
        let third = scene.refresh(&second).await.tokens().refresh;
        scene.refresh(&first).await.assert_error(400, "invalid_grant");
        scene.refresh(&third).await.assert_error(400, "invalid_grant");
        assert_reuse_is_audited(&scene);
    }

    async fn concurrent_uses_over_two_servers_get_the_same_successor_rfc_9700_section_4_14_2(world: World) {
        let scene = PublicScene::new(world);
        let second = scene.world.serve_as("second");
        let first = scene.connect().await.refresh;
        let form = scene.refreshing(&first);
        let callers = [scene.caller(), Caller::new(&second)];
        let uses = (0..20).map(|number| {
            let (caller, form) = (callers[number % 2].clone(), form.clone());
            tokio::spawn(async move { caller.post("/api/token", &form).await })
        });
        let mut successors = std::collections::BTreeSet::new();
        for using in uses.collect::<Vec<_>>() {
            successors.insert(using.await.expect("no panic").tokens().refresh);
        }
        assert_eq!(successors.len(), 1, "{successors:?}");
        scene.refresh(successors.first().expect("one")).await.tokens();
    }
}

fn assert_reuse_is_audited(scene: &PublicScene) {
    let events = scene.world.ok(&["audit", "list", "--json"]);
    let reuses = events.lines().filter(|line| line.contains("grant.token_reused")).count();
    assert_eq!(reuses, 1, "{events}");
}
