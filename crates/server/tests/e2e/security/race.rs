//! Concurrent requests, over two servers on one store.

use super::caller::{Caller, Form, Reply};
use super::party::with_one_address;
use crate::e2e::app::{Registration, SCOPES, code, register};
use crate::e2e::polling::{REVOCATION_LIMIT, within};
use crate::e2e::world::World;
use std::time::Instant;

/// Number of concurrent requests.
const CALLERS: usize = 50;

on_all_stores! {
    // T13
    async fn exactly_one_of_fifty_concurrent_redemptions_succeeds_and_is_revoked(world: World) {
        const ROUNDS: usize = 6;
        let world = with_one_address(world);
        let registration = register(&world);
        let (one, two) = (world.serve(), world.serve_as("second"));
        let callers = [Caller::new(&one), Caller::new(&two)];
        for round in 0..ROUNDS {
            let form = Form::of_code(&registration, &code(&world, &registration, &SCOPES));
            let replies = all_at_once(&callers, "/api/token", &form).await;
            let winners: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
            assert_eq!(winners.len(), 1, "round {round}");
            for loser in replies.iter().filter(|reply| reply.status != 200) {
                loser.assert_error(400, "invalid_grant");
            }
            let won = winners[0].tokens();
            let ended_at = Instant::now();
            for caller in &callers {
                caller.refresh(&registration, &won.refresh).await.assert_error(400, "invalid_grant");
                within(REVOCATION_LIMIT, ended_at, "the access token is refused", async || {
                    let reply = caller.read_profile(&won.access, &registration).await;
                    (reply.status == 401).then_some(())
                })
                .await;
            }
        }
        assert_all_revoked(&world, &registration, ROUNDS);
    }

    // T53
    async fn fifty_concurrent_refreshes_all_succeed(world: World) {
        let world = with_one_address(world);
        let registration = register(&world);
        let (one, two) = (world.serve(), world.serve_as("second"));
        let callers = [Caller::new(&one), Caller::new(&two)];
        let tokens = callers[0].redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let form = Form::of_refresh(&registration, &tokens.refresh);
        let replies = all_at_once(&callers, "/api/refresh", &form).await;
        for (number, reply) in replies.iter().enumerate() {
            let access = reply.access();
            // Each server accepts the other one's tokens.
            let reply = callers[(number + 1) % 2].read_profile(&access, &registration).await;
            assert_eq!(reply.status, 200, "{reply:?}");
        }
    }
}

async fn all_at_once(callers: &[Caller; 2], path: &'static str, form: &Form) -> Vec<Reply> {
    let tasks: Vec<_> = (0..CALLERS)
        .map(|number| {
            let (caller, form) = (callers[number % 2].clone(), form.clone());
            tokio::spawn(async move { caller.post(path, &form).await })
        })
        .collect();
    let mut replies = Vec::new();
    for task in tasks {
        replies.push(task.await.expect("reply"));
    }
    replies
}

/// Checks through the command line that each winner's grant was revoked for a replay.
fn assert_all_revoked(world: &World, registration: &Registration, count: usize) {
    let list = world.ok(&["grant", "list", "--client", &registration.client_id, "--json"]);
    assert_eq!(list.lines().count(), count, "{list}");
    for line in list.lines() {
        assert!(line.contains("code_replayed"), "{line}");
    }
}
