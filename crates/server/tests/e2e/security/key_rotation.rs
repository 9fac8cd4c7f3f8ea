//! T70: rotation of signing keys with two servers on one store.

use super::caller::{Caller, Reply};
use super::party::with_one_address;
use crate::e2e::app::{Registration, SCOPES, Tokens, code, register, text};
use crate::e2e::polling::{REVOCATION_LIMIT, TIMEOUT, eventually, within};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::Value;
use std::time::{Duration, Instant};

on_all_stores! {
    // T70
    async fn a_new_key_is_used_at_once_and_old_tokens_stay_valid(world: World) {
        let scene = Scene::new(world).await;
        let mut kids = vec![kid(&scene.tokens.access)];
        for _ in 0..3 {
            let made = scene.world.json(&["key", "rotate", "--json"]);
            let made_at = Instant::now();
            assert_eq!(made["retired"], serde_json::json!([]));
            kids.push(text(&made, "key_id"));
            // New tokens of each server are sent to the other one at once. One of the two loads the key
            // first, and its first token reaches a server that has not.
            let mut signed_anew = [false; 2];
            let mut tokens = 0;
            while tokens < 50 || signed_anew != [true; 2] {
                assert!(made_at.elapsed() < TIMEOUT, "{signed_anew:?} after {tokens} tokens");
                for (from, to) in [(0, 1), (1, 0)] {
                    let asked_after = made_at.elapsed();
                    let token = scene.fresh(from).await;
                    assert_eq!(scene.read(to, &token).await.status, 200, "token {tokens} of server {from}");
                    tokens += 1;
                    let is_new = kids.last() == Some(&kid(&token));
                    assert!(is_new || asked_after < REVOCATION_LIMIT, "still signs with the old key");
                    signed_anew[from] |= is_new;
                }
            }
        }
        for server in [0, 1] {
            assert_eq!(scene.read(server, &scene.tokens.access).await.status, 200, "the first token is good still");
            let mut shown = scene.key_set(server).await;
            shown.sort();
            kids.sort();
            assert_eq!(shown, kids);
        }
    }

    // T70
    async fn an_emergency_rotation_invalidates_every_older_token_within_two_seconds(world: World) {
        let scene = Scene::new(world).await;
        let first = kid(&scene.tokens.access);
        let second = text(&scene.world.json(&["key", "rotate", "--json"]), "key_id");
        let younger = scene.token_of(&second).await;
        let made = scene.world.json(&["key", "rotate", "--emergency", "--json"]);
        let gone = [scene.tokens.access.as_str(), younger.as_str()];
        scene.assert_refused_in_time("emergency rotation", &gone).await;
        let retired: Vec<&str> = made["retired"].as_array().expect("list").iter().filter_map(Value::as_str).collect();
        assert_eq!(retired, [first.as_str(), second.as_str()]);
        for (from, to) in [(0, 1), (1, 0), (0, 0), (1, 1)] {
            let token = scene.fresh(from).await;
            assert_eq!(kid(&token), text(&made, "key_id"));
            assert_eq!(scene.read(to, &token).await.status, 200);
            assert_eq!(scene.key_set(to).await, [text(&made, "key_id")]);
        }
    }

    // T70
    async fn concurrent_rotations_and_retirements_leave_working_keys(world: World) {
        let scene = Scene::new(world).await;
        let first = kid(&scene.tokens.access);
        let commands: [&[&str]; 5] = [
            &["key", "rotate", "--emergency"],
            &["key", "rotate"],
            &["key", "rotate", "--emergency"],
            &["key", "rotate"],
            &["key", "retire", &first],
        ];
        std::thread::scope(|scope| {
            let runs = commands.map(|command| scope.spawn(|| scene.world.run(command)));
            for (run, command) in runs.into_iter().zip(commands) {
                let output = run.join().expect("command");
                let message = String::from_utf8_lossy(&output.stderr);
                // Retiring may come first, when there is no other key.
                let may_fail = command.contains(&"retire") && message.contains("only active one");
                assert!(output.status.success() || may_fail, "{command:?}: {message}");
            }
        });
        let listed = statuses(&scene.world);
        assert_eq!(listed.len(), 5, "{listed:?}");
        let signing: Vec<_> = listed.iter().filter(|(_, status)| status == "signing").collect();
        assert_eq!(signing.len(), 1, "{listed:?}");
        assert!(listed.iter().any(|(id, status)| *id == first && status == "retired"), "{listed:?}");
        scene.assert_refused_in_time("rotations at once", &[&scene.tokens.access]).await;
        for (from, to) in [(0, 1), (1, 0)] {
            // The old key was rejected after the first of the rotations; the last one may follow later. The
            // tests of a single rotation check the time limit: here the servers only have to agree.
            let token = eventually("signs with the last key", async || {
                Some(scene.fresh(from).await).filter(|token| kid(token) == signing[0].0)
            });
            let token = token.await;
            assert_eq!(scene.read(to, &token).await.status, 200);
        }
    }
}

on_sqlite! {
    // T62, T70
    async fn a_retired_key_is_rejected_everywhere_and_listed_as_retired(world: World) {
        let scene = Scene::new(world).await;
        let old = kid(&scene.tokens.access);
        assert_eq!(statuses(&scene.world), [(old.clone(), "signing".to_owned())]);
        let refused = scene.world.run(&["key", "retire", &old]);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0), "{message}");
        assert!(message.contains(&old) && message.contains("restwell key rotate"), "{message}");

        let new = text(&scene.world.json(&["key", "rotate", "--json"]), "key_id");
        let expected = [(old.clone(), "active".to_owned()), (new.clone(), "signing".to_owned())];
        assert_eq!(statuses(&scene.world), expected);
        let token = scene.token_of(&new).await;
        let retired = scene.world.json(&["key", "retire", &old, "--json"]);
        scene.assert_refused_in_time("retirement", &[&scene.tokens.access]).await;
        for server in [0, 1] {
            assert_eq!(scene.read(server, &token).await.status, 200);
        }
        let expected = [(old.clone(), "retired".to_owned()), (new, "signing".to_owned())];
        assert_eq!(statuses(&scene.world), expected);
        // Retiring it again changes nothing.
        assert_eq!(scene.world.json(&["key", "retire", &old, "--json"]), retired);
        let unknown = scene.world.run(&["key", "retire", &scene.registration.user_id]);
        assert_eq!(unknown.status.code(), Some(1));
    }

    // T70
    async fn no_key_is_created_with_another_encryption_key(world: World) {
        let before = statuses(&world);
        let other = world.ok(&["key", "generate"]);
        let world = world.with("RESTWELL__KEYS__ENCRYPTION_KEY", other.trim());
        for command in [&["key", "rotate"][..], &["key", "rotate", "--emergency"]] {
            let refused = world.run(command);
            let message = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0), "{message}");
            assert!(message.contains("keys.encryption_key") && message.contains(&before[0].0), "{message}");
            assert!(!message.contains(other.trim()), "{message}");
        }
        assert_eq!(statuses(&world), before);
    }
}

/// Two servers on one store, and a client with tokens of the first key.
struct Scene {
    world: World,
    _servers: [Server; 2],
    callers: [Caller; 2],
    registration: Registration,
    tokens: Tokens,
}

impl Scene {
    async fn new(world: World) -> Self {
        let world = with_one_address(world);
        let registration = register(&world);
        let servers = [world.serve(), world.serve_as("second")];
        let callers = servers.each_ref().map(Caller::new);
        let code = code(&world, &registration, &SCOPES);
        let tokens = callers[0].redeem(&registration, &code).await.tokens();
        for caller in &callers {
            assert_eq!(caller.read_profile(&tokens.access, &registration).await.status, 200);
        }
        Self { world, _servers: servers, callers, registration, tokens }
    }

    async fn fresh(&self, server: usize) -> String {
        self.callers[server].refresh(&self.registration, &self.tokens.refresh).await.access()
    }

    /// Returns a token signed with this key, as soon as a server uses it.
    async fn token_of(&self, key_id: &str) -> String {
        let ask = async || Some(self.fresh(0).await).filter(|token| kid(token) == key_id);
        within(REVOCATION_LIMIT, Instant::now(), "the new key is used", ask).await
    }

    async fn read(&self, server: usize, token: &str) -> Reply {
        self.callers[server].read_profile(token, &self.registration).await
    }

    async fn key_set(&self, server: usize) -> Vec<String> {
        let reply = Reply::to(self.callers[server].request(Method::GET, "/.well-known/jwks.json")).await;
        let keys = reply.json();
        keys["keys"].as_array().expect("keys").iter().map(|key| text(key, "kid")).collect()
    }

    /// Sends every token to both servers until all are rejected; the time limit starts at the end of the
    /// command.
    async fn assert_refused_in_time(&self, what: &str, tokens: &[&str]) {
        let done_at = Instant::now();
        let asked: Vec<(usize, &str)> =
            [0, 1].iter().flat_map(|server| tokens.iter().map(|token| (*server, *token))).collect();
        let mut refused = vec![false; asked.len()];
        while refused.contains(&false) {
            for ((server, token), refused) in asked.iter().zip(&mut refused) {
                let asked_at = done_at.elapsed();
                let reply = self.read(*server, token).await;
                if reply.status == 401 {
                    reply.assert_problem(401, "invalid_token");
                    *refused = true;
                } else {
                    assert_eq!(reply.status, 200, "{reply:?}");
                    assert!(asked_at < REVOCATION_LIMIT, "{what}: still accepted after {asked_at:?}");
                    assert!(!*refused, "{what}: accepted again after {asked_at:?}");
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        println!("{what}: refused by both servers after {:?}", done_at.elapsed());
    }
}

/// Returns the `kid` of a token.
fn kid(token: &str) -> String {
    let header = token.split('.').next().expect("header");
    let header = URL_SAFE_NO_PAD.decode(header).expect("base64url");
    text(&serde_json::from_slice(&header).expect("JSON"), "kid")
}

/// Lists the keys, oldest first, as id and status; other members must be dates.
fn statuses(world: &World) -> Vec<(String, String)> {
    let list = world.ok(&["key", "list", "--json"]);
    let keys = list.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    keys.map(|key| {
        let members: Vec<&String> = key.as_object().expect("object").keys().collect();
        assert_eq!(members, ["created_at", "key_id", "retired_at", "status"]);
        assert_eq!(key["retired_at"].is_null(), key["status"] != "retired");
        (text(&key, "key_id"), text(&key, "status"))
    })
    .collect()
}
