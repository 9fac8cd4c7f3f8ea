//! Time until revoked access is rejected.

use super::caller::Caller;
use super::party::{another_client, another_person, with_one_address};
use crate::e2e::app::{Registration, SCOPES, Tokens, code, register, text};
use crate::e2e::world::World;
use std::time::{Duration, Instant};

/// Time limit for every server to see a revocation.
const LIMIT: Duration = Duration::from_secs(2);

on_both_stores! {
    // T67
    async fn a_locked_person_is_rejected_everywhere_within_two_seconds(world: World) {
        let scene = Scene::of(world).await;
        let user = scene.registration.user_id.clone();
        scene.assert_gone_after(&["user", "lock", &user]).await;
        scene.caller().refresh(&scene.registration, &scene.tokens.refresh).await.assert_error(400, "invalid_grant");
        // Unlocking restores access.
        scene.world.ok(&["user", "unlock", &user]);
        scene.caller().refresh(&scene.registration, &scene.tokens.refresh).await.access();
    }

    // T67
    async fn a_deleted_person_is_rejected_and_a_new_one_with_the_same_address_inherits_nothing(world: World) {
        let scene = Scene::of(world).await;
        let user = scene.registration.user_id.clone();
        scene.assert_gone_after(&["user", "delete", &user, "--yes"]).await;
        let heir = another_person(&scene.world, &scene.registration, "sleeper@example.org");
        assert_ne!(heir.user_id, user);
        // The grant is cached as valid for a second, but its person no longer exists.
        tokio::time::sleep(Duration::from_millis(1100)).await;
        let caller = scene.caller();
        caller.read_profile(&scene.tokens.access, &scene.registration).await.assert_problem(401, "invalid_token");
        caller.read_profile(&scene.tokens.access, &heir).await.assert_problem(401, "invalid_token");
        for registration in [&scene.registration, &heir] {
            caller.refresh(registration, &scene.tokens.refresh).await.assert_error(400, "invalid_grant");
        }
    }

    // T67
    async fn a_revoked_grant_is_rejected_everywhere_and_others_stay_valid(world: World) {
        let scene = Scene::of(world).await;
        let registration = &scene.registration;
        let list = scene.world.ok(&["grant", "list", "--client", &registration.client_id, "--json"]);
        let grant: serde_json::Value = serde_json::from_str(list.lines().next().expect("grant")).expect("JSON");
        let other = code(&scene.world, registration, &SCOPES);
        let other = scene.caller().redeem(registration, &other).await.tokens();
        scene.assert_gone_after(&["grant", "revoke", "--id", &text(&grant, "grant_id")]).await;
        let refused = scene.caller().refresh(registration, &scene.tokens.refresh).await;
        refused.assert_error(400, "invalid_grant");
        assert_eq!(scene.caller().read_profile(&other.access, registration).await.status, 200);
    }

    // T67
    async fn a_disabled_client_is_rejected_everywhere_and_others_stay_valid(world: World) {
        let scene = Scene::of(world).await;
        let registration = &scene.registration;
        let other = another_client(&scene.world, registration);
        let other_code = code(&scene.world, &other, &SCOPES);
        let tokens = scene.caller().redeem(&other, &other_code).await.tokens();
        scene.assert_gone_after(&["client", "disable", &registration.client_id]).await;
        let refused = scene.caller().refresh(registration, &scene.tokens.refresh).await;
        refused.assert_error(401, "invalid_client");
        assert_eq!(scene.caller().read_profile(&tokens.access, registration).await.status, 200);
    }
}

/// Two servers on one store, and a client whose token both have just accepted.
struct Scene {
    world: World,
    servers: [crate::e2e::server::Server; 2],
    registration: Registration,
    tokens: Tokens,
}

impl Scene {
    async fn of(world: World) -> Self {
        let world = with_one_address(world);
        let registration = register(&world);
        let servers = [world.serve(), world.serve_as("second")];
        let code = code(&world, &registration, &SCOPES);
        let tokens = Caller::of(&servers[0]).redeem(&registration, &code).await.tokens();
        Self { world, servers, registration, tokens }
    }

    fn caller(&self) -> Caller {
        Caller::of(&self.servers[0])
    }

    /// Runs a command while continuously reading from both servers, and measures when each rejects the token.
    async fn assert_gone_after(&self, command: &[&str]) {
        let callers = self.servers.each_ref().map(Caller::of);
        for caller in &callers {
            let reply = caller.read_profile(&self.tokens.access, &self.registration).await;
            assert_eq!(reply.status, 200, "{reply:?}");
        }
        self.world.ok(command);
        let done_at = Instant::now();
        let mut refused = [false; 2];
        while refused != [true; 2] {
            for (caller, refused) in callers.iter().zip(&mut refused) {
                let asked_at = done_at.elapsed();
                let reply = caller.read_profile(&self.tokens.access, &self.registration).await;
                if reply.status == 401 {
                    reply.assert_problem(401, "invalid_token");
                    *refused = true;
                } else {
                    assert_eq!(reply.status, 200, "{reply:?}");
                    assert!(asked_at < LIMIT, "{command:?}: still accepted after {asked_at:?}");
                    // Once rejected it stays rejected.
                    assert!(!*refused, "{command:?}: accepted again after {asked_at:?}");
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}
