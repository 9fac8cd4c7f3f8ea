use super::backend::Backend;
use crate::e2e::app::text;
use crate::e2e::response::ReceivedResponse;
use crate::e2e::security::account::people::trail;
use crate::e2e::world::World;
use reqwest::Method;
use serde_json::{Value, json};

const ID: &str = "4b1c5d6e-0000-4000-8000-000000000001";

/// Returns the kinds of the person's events that a client caused.
fn kinds_by_clients(world: &World, user_id: &str) -> Vec<String> {
    let events = trail(world, &["--user", user_id]);
    events.iter().filter(|event| event["actor"] == "client").map(|event| text(event, "kind")).collect()
}

on_sqlite! {
    async fn a_person_is_created_once_and_updated_with_the_given_members(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let item = json!({ "id": ID, "email": "sam@example.org", "home_timezone": "Europe/Berlin", "height_cm": 172 });
        let first = backend.post("users", &item).await;
        assert_eq!((first.outcomes(), first.id().as_str()), (vec!["created".to_owned()], ID));
        let heavier = json!({ "email": "SAM@example.org", "weight_kg": 64.5 });
        let again = backend.post("users", &json!([item, item, heavier, heavier])).await;
        assert_eq!(again.outcomes(), ["unchanged", "unchanged", "updated", "unchanged"]);
        assert_eq!((&again.json()["updated"], &again.json()["unchanged"]), (&json!(1), &json!(3)));
        assert_eq!(again.results()[3]["id"], ID);
        assert_eq!(kinds_by_clients(&world, ID), ["user.changed", "user.created"]);
        let shown = world.json(&["user", "show", ID, "--json"]);
        assert_eq!((&shown["email"], &shown["home_timezone"]), (&json!("sam@example.org"), &json!("Europe/Berlin")));
    }

    async fn an_invalid_person_is_rejected_with_a_reason_and_the_others_are_stored(world: World) {
        let world = world.in_processes();
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let known = backend.person("known@example.org").await;
        let other = "4b1c5d6e-0000-4000-8000-000000000002";
        let items = json!([
            { "id": other, "email": "known@example.org", "home_timezone": "UTC" },
            { "id": known, "email": "another@example.org", "home_timezone": "UTC" },
            { "email": "zoneless@example.org" },
            { "email": "not an address", "home_timezone": "UTC" },
            { "email": 7, "home_timezone": "UTC" },
            { "home_timezone": "UTC" },
            { "email": "new@example.org", "home_timezone": "Nowhere/Else" },
            "new@example.org",
            { "email": "new@example.org", "home_timezone": "UTC", "colour": "red" },
        ]);
        let answer = backend.post("users", &items).await;
        let expected = [
            "email_taken email", "invalid_member email", "missing_member home_timezone", "invalid_member email",
            "invalid_member email", "missing_member email", "invalid_member home_timezone", "not_an_object -",
            "created",
        ];
        assert_eq!(answer.outcomes(), expected);
        assert_eq!((&answer.json()["created"], &answer.json()["rejected"]), (&json!(1), &json!(8)));
        let detail = answer.results()[8]["detail"].clone();
        // The details may be stored with the response, so they contain no name chosen by the sender.
        let reported = |detail: &str| detail.contains("unknown members") && !detail.contains("colour");
        assert!(detail.as_str().is_some_and(reported), "{detail}");
        assert!(!server.log().contains("example.org"), "{}", server.log());
    }

    async fn a_profile_keeps_absent_members(world: World) {
        let world = world.in_processes();
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let user_id = backend.person("sam@example.org").await;
        let path = format!("profile/{user_id}");
        let put = async |items: &Value| ReceivedResponse::send(backend.request(Method::PUT, &path).json(items)).await;
        assert_eq!(put(&json!({ "height_cm": 172, "user_id": user_id })).await.outcomes(), ["updated"]);
        let two = json!([{ "weight_kg": 64.5 }, { "weight_kg": 64.5 }, { "weight_kg": -1 }, { "user_id": ID }]);
        let answer = put(&two).await;
        assert_eq!(answer.outcomes(), ["updated", "unchanged", "invalid_member weight_kg", "other_user user_id"]);
        assert_eq!(answer.results()[0]["id"], json!(user_id));
        let shown = world.json(&["user", "show", &user_id, "--json"]);
        assert_eq!((&shown["height_cm"], &shown["weight_kg"]), (&json!(172), &json!(64.5)), "{shown}");
        assert_eq!(kinds_by_clients(&world, &user_id), ["user.changed", "user.created"]);
        assert!(!server.log().contains("64.5"), "{}", server.log());
    }
}
