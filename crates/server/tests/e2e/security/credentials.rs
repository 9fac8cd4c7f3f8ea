//! Client authentication.

use super::caller::{Caller, Form, Reply, basic};
use super::party::another_client;
use crate::e2e::app::{Registration, SCOPES, code, register, text};
use crate::e2e::world::World;
use chrono::TimeDelta;
use reqwest::Method;
use reqwest::header::AUTHORIZATION;

on_sqlite! {
    // T03, T43
    async fn the_contract_works_without_pkce_by_every_transport(world: World) {
        let registration = register(&world);
        let pair = (registration.client_id.as_str(), registration.client_secret.as_str());
        let server = world.serve();
        let caller = Caller::new(&server);
        let form = || Form::of_code(&registration, &code(&world, &registration, &SCOPES));
        let path = "/api/token";
        let by_json = |form: Form| caller.request(Method::POST, path).json(&object(&form));
        let by_get_with_body = |form: Form| caller.request(Method::GET, path).form(&form.0);
        let replies = [
            caller.get(path, &form()).await,
            caller.post(path, &form()).await,
            caller.get_basic(path, pair, &form().unsigned()).await,
            caller.post(path, &form().with("grant_type", "authorization_code")).await,
            Reply::to(by_json(form())).await,
            Reply::to(by_get_with_body(form())).await,
        ];
        for reply in replies {
            let tokens = reply.tokens();
            let refresh = Form::of_refresh(&registration, &tokens.refresh);
            caller.get("/api/refresh", &refresh).await.access();
            caller.get_basic("/api/refresh", pair, &refresh.unsigned()).await.access();
        }
    }

    // T45
    async fn two_secrets_are_valid_and_the_older_ends_with_the_next_rotation_or_expires(world: World) {
        let first = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&first, &code(&world, &first, &SCOPES)).await.tokens();
        let rotate = |arguments: &[&str]| {
            let all = [&["client", "rotate-secret", &first.client_id, "--json"], arguments].concat();
            Registration { client_secret: text(&world.json(&all), "client_secret"), ..first.clone() }
        };
        let second = rotate(&[]);
        for live in [&first, &second] {
            assert_eq!(live.client_secret.len(), "rws_".len() + 43 + 6);
            caller.refresh(live, &tokens.refresh).await.access();
        }
        let third = rotate(&[]);
        caller.refresh(&first, &tokens.refresh).await.assert_error(401, "invalid_client");
        for live in [&second, &third] {
            caller.refresh(live, &tokens.refresh).await.access();
        }
        let fourth = rotate(&["--overlap", "1h"]);
        caller.refresh(&third, &tokens.refresh).await.access();
        world.advance(TimeDelta::minutes(61));
        for dead in [&second, &third] {
            caller.refresh(dead, &tokens.refresh).await.assert_error(401, "invalid_client");
        }
        caller.refresh(&fourth, &tokens.refresh).await.access();
    }

    // T46
    async fn two_ways_of_authentication_must_agree(world: World) {
        let registration = register(&world);
        let other = another_client(&world, &registration);
        let (id, secret) = (registration.client_id.as_str(), registration.client_secret.as_str());
        let server = world.serve();
        let caller = Caller::new(&server);
        let code = code(&world, &registration, &SCOPES);
        let bare = Form::of_code(&registration, &code).unsigned();
        let disagreeing = [
            bare.clone().with("client_secret", &other.client_secret),
            bare.clone().with("client_id", &other.client_id),
            bare.clone().signed_by(&other),
            bare.clone().with("client_id", id).with("client_secret", "wrong"),
        ];
        for form in disagreeing {
            let reply = caller.get_basic("/api/token", (id, secret), &form).await;
            reply.assert_error(400, "invalid_request");
        }
        let twice = caller.request(Method::POST, "/api/token").form(&bare.0);
        let twice = twice.header(AUTHORIZATION, basic((id, secret))).header(AUTHORIZATION, basic((id, secret)));
        Reply::to(twice).await.assert_error(400, "invalid_request");
        let agreeing = bare.with("client_id", id).with("client_secret", secret);
        caller.get_basic("/api/token", (id, secret), &agreeing).await.tokens();
    }

    // T47
    async fn basic_credentials_are_accepted_raw_and_form_encoded(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let tokens = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        let form = Form::of_refresh(&registration, &tokens.refresh).unsigned();
        let every = |text: &str| text.bytes().fold(String::new(), |text, byte| text + &format!("%{byte:02X}"));
        let some = |text: &str| text.replace('-', "%2D").replace('_', "%5f");
        let (id, secret) = (&registration.client_id, &registration.client_secret);
        let spellings =
            [(id.clone(), secret.clone()), (some(id), some(secret)), (every(id), every(secret)), (every(id), secret.clone())];
        for (id, secret) in &spellings {
            caller.get_basic("/api/refresh", (id, secret), &form).await.access();
        }
        for (id, secret) in [(id.as_str(), "%2"), (id, "%ff%fe"), (id, "%00"), ("", "x"), (id, "")] {
            let reply = caller.get_basic("/api/refresh", (id, secret), &form).await;
            reply.assert_error(400, "invalid_request");
        }
    }

    // T48
    async fn a_401_has_a_basic_challenge_only_if_basic_was_used(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let form = Form::of_refresh(&registration, "rwr_any").with("client_secret", "wrong");
        for reply in [caller.get("/api/refresh", &form).await, caller.post("/api/refresh", &form).await] {
            reply.assert_error(401, "invalid_client");
            assert_eq!(reply.header("www-authenticate"), None);
        }
        let pair = (registration.client_id.as_str(), "wrong");
        let reply = caller.get_basic("/api/refresh", pair, &form.unsigned()).await;
        reply.assert_error(401, "invalid_client");
        assert!(reply.header("www-authenticate").is_some_and(|challenge| challenge.starts_with("Basic ")));
    }
}

fn object(form: &Form) -> serde_json::Value {
    let members = form.0.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into()));
    serde_json::Value::Object(members.collect())
}
