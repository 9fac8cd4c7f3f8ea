//! Access log.

use super::reader::Reader;
use crate::e2e::app::register;
use crate::e2e::world::World;
use serde_json::Value;
use std::collections::BTreeSet;

on_sqlite! {
    async fn every_request_line_has_the_id_of_the_response(world: World) {
        let world = world.in_processes();
        let registration = register(&world);
        let mut server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let mut answered = BTreeSet::new();
        for path in [
            format!("/api/v1/profile/{}", reader.user_id), format!("/api/sleep/{}?page=0", reader.user_id),
            "/api/v1/sleep/not-an-id".to_owned(), "/nowhere".to_owned(), "/livez".to_owned(), "/openapi.json".to_owned(),
        ] {
            let answer = reader.get(&path).await;
            let id = answer.header("x-request-id").to_owned();
            if answer.header("content-type") == "application/problem+json" {
                assert_eq!(answer.json()["request_id"], id.as_str());
            }
            assert!(answered.insert(id), "an id came twice");
        }
        assert_eq!(server.terminate(), Some(0));
        let log = server.log();
        let mut logged = BTreeSet::new();
        for line in log.lines() {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if line["message"] == "request served" {
                let id = line["span"]["request_id"].as_str().unwrap_or_else(|| panic!("no id in {line}"));
                assert!(line["status"].is_u64() && line["route"].is_string() && line["method"].is_string(), "{line}");
                logged.insert(id.to_owned());
            }
            assert!(line["timestamp"].is_string() && line["level"].is_string(), "{line}");
        }
        // Redeeming the code was a request, too.
        assert!(answered.is_subset(&logged) && logged.len() == answered.len() + 1, "{answered:?}\n{log}");
        assert!(!log.contains(&reader.user_id), "the log names a person:\n{log}");
    }

    async fn the_text_format_is_readable(world: World) {
        let world = world.in_processes();
        let registration = register(&world);
        let mut human = world.command(&["serve"]);
        human.env("RESTWELL__LOG__FORMAT", "human");
        let path = world.dir.path().join("human.log");
        let mut server = crate::e2e::server::Server::spawn(human, &path);
        let reader = Reader::authorized(&world, &server, &registration).await;
        let answer = reader.ask("profile", "").await;
        assert_eq!(server.terminate(), Some(0));
        let log = server.log();
        let line = log.lines().find(|line| line.contains(answer.header("x-request-id")));
        assert!(line.is_some_and(|line| line.contains("request served") && line.contains("status=200")), "{log}");
        assert!(!log.contains('\u{1b}') && !log.starts_with('{'), "{log}");
    }
}
