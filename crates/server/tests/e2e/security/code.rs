//! Authorization codes: unguessable, single-use, short-lived, and bound to their authorization request.

use super::caller::{Caller, Form};
use super::dump::Dump;
use super::party::{another_client, another_person, code_for, many_codes};
use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES, code, register};
use crate::e2e::patience::{REVOCATION_LIMIT, within};
use crate::e2e::world::World;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Another valid redirect URI of the client.
const OTHER_REDIRECT_URI: &str = "https://app.example.org/other";

on_both_stores! {
    // T10
    async fn codes_are_unique_random_and_stored_only_as_hashes(world: World) {
        let registration = register(&world);
        let codes = many_codes(&world, &registration, 150);
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
        assert!(codes.iter().all(|code| code.starts_with("rwc_") && code.len() == "rwc_".len() + 43 + 6));
        for place in 4..4 + 43 {
            let letters: BTreeSet<_> = codes.iter().map(|code| code.as_bytes()[place]).collect();
            // Of 62 letters 150 draws show 56 on average, and fewer than 40 practically never.
            assert!(letters.len() >= 40, "place {place} has only {} letters", letters.len());
        }
        let dump = Dump::of(&world);
        assert!(dump.holds(REDIRECT_URI));
        assert!(codes.iter().all(|code| code.get(4..4 + 43).is_some_and(|body| !dump.holds(body))));
    }

    // T11, T12
    async fn a_replayed_code_is_rejected_and_revokes_the_grant_of_its_first_use(world: World) {
        let world = world.in_processes();
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::of(&server);
        let once = code(&world, &registration, &SCOPES);
        let replayed = caller.redeem(&registration, &once).await.tokens();
        let untouched = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        assert_eq!(caller.read_profile(&replayed.access, &registration).await.status, 200);

        caller.redeem(&registration, &once).await.assert_error(400, "invalid_grant");
        let revoked_at = Instant::now();
        caller.refresh(&registration, &replayed.refresh).await.assert_error(400, "invalid_grant");
        let refused = within(REVOCATION_LIMIT, revoked_at, "the access token is refused", async || {
            Some(caller.read_profile(&replayed.access, &registration).await).filter(|reply| reply.status == 401)
        });
        refused.await.assert_problem(401, "invalid_token");
        caller.read_profile(&replayed.access, &registration).await.assert_problem(401, "invalid_token");

        caller.refresh(&registration, &untouched.refresh).await.access();
        assert_eq!(caller.read_profile(&untouched.access, &registration).await.status, 200);
        assert!(server.log().contains("an authorization code was presented again"), "nobody is told");
    }

    // T14
    async fn a_code_expires_and_failed_attempts_do_not_extend_it(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::of(&server);
        let in_time = code_for(&world, &registration, "60s");
        let late = code_for(&world, &registration, "3s");
        let made = Instant::now();
        let elsewhere = Form::of_code(&registration, &late).with("redirect_uri", "https://evil.example/");
        caller.post("/api/token", &elsewhere).await.assert_error(400, "invalid_grant");
        caller.redeem(&registration, &in_time).await.tokens();
        tokio::time::sleep(Duration::from_millis(3100).saturating_sub(made.elapsed())).await;
        caller.redeem(&registration, &late).await.assert_error(400, "invalid_grant");
        let too_long = ["--ttl", "601s"];
        let create = create_code(&registration);
        assert!(!world.run(&[&create[..], &too_long[..]].concat()).status.success());
    }

    // T15
    async fn another_clients_attempt_neither_redeems_nor_uses_up_a_code(world: World) {
        let registration = register(&world);
        let other = another_client(&world, &registration);
        let server = world.serve();
        let caller = Caller::of(&server);
        let code = code(&world, &registration, &SCOPES);
        for _ in 0..3 {
            caller.redeem(&other, &code).await.assert_error(400, "invalid_grant");
        }
        let tokens = caller.redeem(&registration, &code).await.tokens();
        // Nor does a replay by another client revoke the owner's tokens.
        caller.redeem(&other, &code).await.assert_error(400, "invalid_grant");
        caller.refresh(&registration, &tokens.refresh).await.access();
    }

    // T16
    async fn a_code_is_bound_to_the_exact_redirect_uri(world: World) {
        let registration = register(&world);
        let client = &registration.client_id;
        world.ok(&[
            "client", "update", client, "--redirect-uri", REDIRECT_URI, "--redirect-uri", OTHER_REDIRECT_URI,
        ]);
        let server = world.serve();
        let caller = Caller::of(&server);
        let form = Form::of_code(&registration, &code(&world, &registration, &SCOPES));
        let near = [
            OTHER_REDIRECT_URI,
            "https://app.example.org/callback/",
            "https://APP.example.org/callback",
            "https://app.example.org/callback?x=1",
            "https://app.example.org:443/callback",
            "https://app.example.org/c%61llback",
            "https://evil.example/callback",
        ];
        for uri in near {
            let reply = caller.post("/api/token", &form.clone().with("redirect_uri", uri)).await;
            reply.assert_error(400, "invalid_grant");
        }
        for form in [form.clone().without("redirect_uri"), form.clone().with("redirect_uri", "")] {
            caller.post("/api/token", &form).await.assert_error(400, "invalid_request");
        }
        caller.post("/api/token", &form).await.tokens();
    }

    // T17
    async fn a_code_is_invalid_without_its_person_or_client(world: World) {
        let registration = register(&world);
        let locked = another_person(&world, &registration, "locked@example.org");
        let deleted = another_person(&world, &registration, "deleted@example.org");
        let disabled = another_client(&world, &registration);
        let server = world.serve();
        let caller = Caller::of(&server);
        let codes = [&locked, &deleted, &disabled].map(|party| code(&world, party, &SCOPES));
        world.ok(&["user", "lock", &locked.user_id]);
        world.ok(&["user", "delete", &deleted.user_id, "--yes"]);
        world.ok(&["client", "disable", &disabled.client_id]);
        caller.redeem(&locked, &codes[0]).await.assert_error(400, "invalid_grant");
        caller.redeem(&deleted, &codes[1]).await.assert_error(400, "invalid_grant");
        // The client is authenticated before the code is checked (decisions 2).
        caller.redeem(&disabled, &codes[2]).await.assert_error(401, "invalid_client");
        // And no new codes are issued for them.
        for party in [&locked, &deleted, &disabled] {
            let create = create_code(party);
            assert!(!world.run(&create).status.success(), "{create:?}");
        }
    }

    // T18
    async fn a_secret_is_only_valid_as_its_own_kind(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::of(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let fresh = code(&world, &registration, &SCOPES);
        let secret = &registration.client_secret;
        let personal = fresh.replacen("rwc_", "rwp_", 1);
        for wrong in [&tokens.refresh, &tokens.access, secret, &personal] {
            caller.redeem(&registration, wrong).await.assert_error(400, "invalid_grant");
        }
        for wrong in [&fresh, &tokens.access, secret, &personal] {
            caller.refresh(&registration, wrong).await.assert_error(400, "invalid_grant");
            let form = Form::of_refresh(&registration, wrong).with("grant_type", "refresh_token");
            caller.post("/api/token", &form).await.assert_error(400, "invalid_grant");
        }
        for wrong in [&fresh, &tokens.refresh, secret, &personal] {
            caller.read_profile(wrong, &registration).await.assert_problem(401, "invalid_token");
        }
        for wrong in [&fresh, &tokens.refresh, &tokens.access] {
            let form = Form::of_refresh(&registration, &tokens.refresh).with("client_secret", wrong);
            caller.post("/api/refresh", &form).await.assert_error(401, "invalid_client");
        }
        // Nothing was used up or revoked.
        caller.refresh(&registration, &tokens.refresh).await.access();
        assert_eq!(caller.read_profile(&tokens.access, &registration).await.status, 200);
        caller.redeem(&registration, &fresh).await.tokens();
    }
}

fn create_code(registration: &Registration) -> [&str; 10] {
    let Registration { user_id, client_id, .. } = registration;
    let redirect = ["--redirect-uri", REDIRECT_URI];
    ["code", "create", "--client", client_id, "--user", user_id, redirect[0], redirect[1], "--scope", "sleep"]
}
