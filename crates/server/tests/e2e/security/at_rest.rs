//! Contents of a stolen database.

use super::caller::{Caller, Form};
use super::dump::Dump;
use crate::e2e::app::{REDIRECT_URI, SCOPES, code, register, text};
use crate::e2e::world::World;
use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

on_both_stores! {
    // T56
    async fn the_store_contains_no_usable_secret(world: World) {
        let registration = register(&world);
        let rotated = world.json(&["client", "rotate-secret", &registration.client_id, "--json"]);
        let mut server = world.serve();
        let caller = Caller::of(&server);
        let unused = code(&world, &registration, &SCOPES);
        let used = code(&world, &registration, &SCOPES);
        let tokens = caller.redeem(&registration, &used).await.tokens();
        let again = caller.refresh(&registration, &tokens.refresh).await.access();
        let secrets = [
            unused,
            used,
            registration.client_secret.clone(),
            text(&rotated, "client_secret"),
            tokens.refresh,
            tokens.access,
            again,
        ];
        let while_running = Dump::of(&world);
        server.terminate();
        for dump in [while_running, Dump::of(&world)] {
            assert!(dump.holds("sleeper@example.org") && dump.holds(REDIRECT_URI));
            for secret in &secrets {
                // Not only the whole secret: half of it must not be there either.
                let half = secret.len() / 2;
                assert!(!dump.holds(secret) && secret.get(half..).is_some_and(|half| !dump.holds(half)));
            }
            assert!(!dump.holds("rwc_") && !dump.holds("rwr_") && !dump.holds("rws_") && !dump.holds("rwk_"));
        }
    }

    // T56
    async fn a_private_signing_key_is_useless_without_the_key_file(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::of(&server);
        caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let key_set = caller.get("/.well-known/jwks.json", &Form(Vec::new())).await.json();
        let public = URL_SAFE_NO_PAD.decode(text(&key_set["keys"][0], "x")).expect("public key");
        let candidates = Dump::of(&world).possible_keys();
        assert!(candidates.contains(&public), "the search finds not even the public key");
        let opens = |seed: &&Vec<u8>| Ed25519KeyPair::from_seed_and_public_key(seed, &public).is_ok();
        assert_eq!(candidates.iter().filter(opens).count(), 0, "the private key lies in the store in clear");
    }
}
