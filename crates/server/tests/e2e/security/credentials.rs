//! Client authentication.

use super::caller::{Caller, Form, Reply};
use crate::e2e::app::{Registration, SCOPES, code, register, text};
use crate::e2e::world::World;
use chrono::TimeDelta;
use reqwest::Method;

on_sqlite! {
    // T102
    async fn the_token_paths_of_other_servers_name_the_token_endpoint(world: World) {
        let server = world.serve();
        let caller = Caller::new(&server);
        let named = format!("{}/api/token", server.base_url);
        for path in ["/token", "/oauth/token", "/oauth2/token"] {
            let form = Form(vec![("grant_type", "authorization_code".to_owned()), ("code", "rwc_x".to_owned())]);
            let as_browser = caller.request(Method::GET, path).header("accept", "text/html").header("sec-fetch-mode", "navigate");
            for reply in [caller.post(path, &form).await, caller.get(path, &form).await, Reply::to(as_browser).await] {
                reply.assert_error(404, "invalid_request");
                assert!(reply.member("error_description").contains(&named), "{path}: {reply:?}");
            }
        }
        caller.post("/tokens/none", &Form(Vec::new())).await.assert_problem(404, "not_found");
    }

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
}

fn object(form: &Form) -> serde_json::Value {
    let members = form.0.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into()));
    serde_json::Value::Object(members.collect())
}
