//! Attacks in the audit trail.

use super::super::caller::{Caller, Form};
use super::super::party::{another_client, with_one_address};
use super::people::trail;
use crate::e2e::app::{Registration, SCOPES, code, register};
use crate::e2e::world::World;
use serde_json::Value;

/// Returns the events of a kind, after checking their common members.
#[track_caller]
fn events(world: &World, kind: &str) -> Vec<Value> {
    let events = trail(world, &["--kind", kind]);
    for event in &events {
        assert_eq!(event["kind"], kind);
        assert!(event["at"].as_str().is_some_and(|at| at.ends_with('Z')), "{event}");
    }
    events
}

/// Returns the id of a client's only grant.
fn grant_of(world: &World, client: &Registration) -> Value {
    let list = world.ok(&["grant", "list", "--client", &client.client_id, "--json"]);
    let grants: Vec<Value> = list.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(grants.len(), 1, "{list}");
    grants[0]["grant_id"].clone()
}

on_both_stores! {
    // T04
    async fn a_secret_in_a_query_is_recorded_so_that_the_operator_can_rotate_it(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::of(&server);
        world.ok(&["client", "update", &registration.client_id, "--allow-query-secrets", "false"]);
        let form = Form::of_code(&registration, &code(&world, &registration, &SCOPES));
        caller.get("/api/token", &form).await.assert_error(400, "invalid_request");
        let exposed = events(&world, "client.secret_exposed");
        assert_eq!(exposed.len(), 1, "{exposed:?}");
        assert_eq!(exposed[0]["client_id"], registration.client_id);
        assert_eq!(exposed[0]["actor"], "client");
        assert_eq!(exposed[0]["address"], "127.0.0.1");
        let secret = exposed[0]["subject"].as_str().expect("which secret");
        assert!(!secret.contains("rws_"), "{secret}");
        // A wrong secret exposes nothing, and neither does one in a body.
        caller.get("/api/token", &form.clone().with("client_secret", "rws_wrong")).await;
        caller.post("/api/token", &form).await.tokens();
        assert_eq!(events(&world, "client.secret_exposed").len(), 1);
    }

    // T13
    async fn a_replayed_code_is_recorded_with_its_grant(world: World) {
        let world = with_one_address(world);
        let registration = register(&world);
        let servers = [world.serve(), world.serve_as("second")];
        let callers = servers.each_ref().map(Caller::of);
        let code = code(&world, &registration, &SCOPES);
        callers[0].redeem(&registration, &code).await.tokens();
        assert_eq!(events(&world, "grant.created").len(), 1);
        assert!(events(&world, "code.replayed").is_empty());
        callers[1].redeem(&registration, &code).await.assert_error(400, "invalid_grant");
        let replayed = events(&world, "code.replayed");
        assert_eq!(replayed.len(), 1, "{replayed:?}");
        assert_eq!(replayed[0]["subject"], grant_of(&world, &registration));
        assert_eq!(replayed[0]["client_id"], registration.client_id);
        assert_eq!(replayed[0]["user_id"], registration.user_id);
    }

    // T13
    async fn only_one_of_racing_redemptions_creates_a_grant_and_its_revocation_is_recorded(world: World) {
        let world = with_one_address(world);
        let registration = register(&world);
        let servers = [world.serve(), world.serve_as("second")];
        let callers = servers.each_ref().map(Caller::of);
        let code = code(&world, &registration, &SCOPES);
        let tasks: Vec<_> = (0..20).map(|number| {
            let (caller, registration, code) = (callers[number % 2].clone(), registration.clone(), code.clone());
            tokio::spawn(async move { caller.redeem(&registration, &code).await.status })
        }).collect();
        let mut won = 0;
        for task in tasks {
            won += usize::from(task.await.expect("reply") == 200);
        }
        assert_eq!(won, 1);
        assert_eq!(events(&world, "grant.created").len(), 1);
        let replayed = events(&world, "code.replayed");
        let grant = grant_of(&world, &registration);
        assert!(!replayed.is_empty() && replayed.iter().all(|event| event["subject"] == grant), "{replayed:?}");
    }

    // T50
    async fn a_refresh_token_used_by_another_client_is_recorded_and_stays_valid(world: World) {
        let registration = register(&world);
        let thief = another_client(&world, &registration);
        let server = world.serve();
        let caller = Caller::of(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        caller.refresh(&registration, &tokens.refresh).await.access();
        assert!(events(&world, "grant.misused").is_empty());
        caller.refresh(&thief, &tokens.refresh).await.assert_error(400, "invalid_grant");
        let misused = events(&world, "grant.misused");
        assert_eq!(misused.len(), 1, "{misused:?}");
        // The event contains the client that presented it; the grant is the owner's.
        assert_eq!(misused[0]["client_id"], thief.client_id);
        assert_eq!(misused[0]["subject"], grant_of(&world, &registration));
        assert_eq!(misused[0]["user_id"], registration.user_id);
        caller.refresh(&registration, &tokens.refresh).await.access();
    }
}
