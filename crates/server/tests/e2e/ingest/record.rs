use super::backend::{Backend, LINES, night};
use crate::e2e::app::{self, REDIRECT_URI, text};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use serde_json::{Value, json};

/// Reads a path as an app of the person.
async fn read(world: &World, server: &Server, user_id: &str, path: &str) -> Value {
    let registration = app::create_app(world, user_id, &["--name", "Reader", "--redirect-uri", REDIRECT_URI]);
    let code = app::code(world, &registration, &["sleep", "supplements"]);
    let token = app::redeem(server, &registration, &code).await.access;
    app::read_json(server, &token, path).await["data"].clone()
}

on_sqlite! {
    async fn sessions_are_read_back_and_never_duplicated(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let user_id = backend.person("sam@example.org").await;
        let path = format!("sleep/{user_id}");
        let first = backend.post(&path, &json!([night(1), night(2)])).await;
        assert_eq!(first.outcomes(), ["created", "created"]);
        let mut scored_anew = night(2);
        scored_anew["raw_sleep"][0]["stage"] = json!("DEEP");
        let lines = format!("{}\n\n{}\n{}\n", night(1), scored_anew, night(3));
        let second = backend.post_text(&path, LINES, lines).await;
        assert_eq!(second.outcomes(), ["unchanged", "updated", "created"]);
        assert_eq!(first.results()[1]["id"], second.results()[1]["id"]);
        let read = read(&world, &server, &user_id, &format!("/api/v1/sleep/{user_id}?include_stages=true")).await;
        let read: Vec<_> = read.as_array().expect("sessions").iter().map(|one| (one["id"].clone(), one["raw_sleep"][0]["stage"].clone())).collect();
        let ids = second.results();
        let expected: Vec<_> = [(2, "LIGHT"), (1, "DEEP"), (0, "LIGHT")].iter()
            .map(|(position, stage)| (ids[*position]["id"].clone(), json!(stage))).collect();
        assert_eq!(read, expected);
    }

    async fn an_invalid_session_is_rejected_with_a_reason(world: World) {
        let world = world.in_processes();
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let (mine, other) = (backend.person("sam@example.org").await, backend.person("kim@example.org").await);
        let theirs = backend.post(&format!("sleep/{other}"), &night(1)).await.id();
        let changed = |change: fn(&mut Value)| {
            let mut item = night(5);
            change(&mut item);
            item
        };
        let items = json!([
            night(2),
            { "id": theirs, "time_in_bed_start": "2001-01-10T23:00:00Z", "time_in_bed_end": "2001-01-11T07:00:00Z" },
            changed(|item| item["raw_sleep"][0]["stage"] = json!("secretstage")),
            changed(|item| item["is_nap"] = json!("secretnap")),
            changed(|item| item["time_in_bed_end"] = json!("yesterday")),
            {},
            night(3),
        ]);
        let answer = backend.post(&format!("sleep/{mine}"), &items).await;
        let expected = [
            "created", "created", "invalid_member raw_sleep", "invalid_member is_nap",
            "invalid_member time_in_bed_end", "missing_member time_in_bed_start", "created",
        ];
        assert_eq!(answer.outcomes(), expected);
        assert!(!answer.text.contains("secret") && !server.log().contains("secret"), "{}", answer.text);
        // Ids are per person: the other person's session is unchanged.
        let left = read(&world, &server, &other, &format!("/api/v1/sleep/{other}")).await;
        assert_eq!((left.as_array().map(Vec::len), &left[0]["source"]), (Some(1), &json!("ring")), "{left}");
    }

    async fn a_log_names_its_supplement_by_id_or_by_code(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let user_id = backend.person("sam@example.org").await;
        let label = json!({ "name": "Evening Capsule", "upc": "0 12345 67890 5",
            "supplement_ingredient": [{ "ingredient_name": "Magnesium", "quantity": 200, "unit": "mg" }] });
        let labels = backend.post("supplements", &json!([label, label, { "name": " " }])).await;
        assert_eq!(labels.outcomes(), ["created", "unchanged", "invalid_member name"]);
        let supplement = text(&labels.results()[0], "id");
        let at = |hour: u32| format!("2026-01-10T{hour:02}:00:00Z");
        let items = json!([
            { "created_at": at(8), "supplement_id": supplement, "servings": 1 },
            { "created_at": at(20), "upc": "012345678905", "servings": 2 },
            { "created_at": at(20), "upc": "0-12345-67890-5", "servings": 2 },
            { "created_at": at(21), "upc": "11111111", "servings": 2 },
            { "created_at": at(21), "supplement_id": user_id, "servings": 2 },
            { "created_at": at(21), "servings": 2 },
            { "created_at": at(21), "upc": "012345678905", "servings": 0 },
        ]);
        let answer = backend.post(&format!("supplements/{user_id}/logs"), &items).await;
        let expected = [
            "created", "created", "unchanged", "unknown_supplement upc", "unknown_supplement supplement_id",
            "missing_member supplement_id", "invalid_member servings",
        ];
        assert_eq!(answer.outcomes(), expected);
        let read = read(&world, &server, &user_id, &format!("/api/v1/supplements/{user_id}")).await;
        assert_eq!((read[0]["id"].as_str(), read[0]["logs"].as_array().map(Vec::len)), (Some(&*supplement), Some(2)));
    }

    async fn deleting_removes_only_the_persons_own_records(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let (mine, other) = (backend.person("sam@example.org").await, backend.person("kim@example.org").await);
        backend.post("supplements", &json!({ "name": "Evening Capsule", "upc": "012345678905" })).await;
        let session = backend.post(&format!("sleep/{mine}"), &night(1)).await.id();
        let intake = json!({ "created_at": "2026-01-10T08:00:00Z", "upc": "012345678905", "servings": 1 });
        let log = backend.post(&format!("supplements/{mine}/logs"), &intake).await.id();
        for (collection, record) in [("sleep/{}", &session), ("supplements/{}/logs", &log)] {
            let path = |user: &str, id: &str| format!("{}/{id}", collection.replace("{}", user));
            assert_eq!(backend.delete(&path(&other, record)).await.refusal(404), "unknown_record");
            assert_eq!(backend.delete(&path(&mine, "7")).await.refusal(400), "invalid_parameter");
            assert_eq!(backend.delete(&path("7", record)).await.refusal(400), "invalid_user_id");
            let deleted = backend.delete(&path(&mine, record)).await;
            assert_eq!((deleted.status.as_u16(), deleted.text.as_str()), (204, ""));
            assert!(deleted.headers.contains_key("x-ratelimit-remaining"));
            assert_eq!(backend.delete(&path(&mine, record)).await.refusal(404), "unknown_record");
        }
        let left = read(&world, &server, &mine, &format!("/api/v1/sleep/{mine}")).await;
        assert_eq!(left, json!([]));
        let trail = world.ok(&["audit", "list", "--user", &mine, "--json"]);
        assert!(trail.contains("\"sleep.deleted\"") && trail.contains("\"supplement_log.deleted\""), "{trail}");
    }
}
