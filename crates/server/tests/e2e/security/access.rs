//! Authorization of reads, and information disclosed to strangers.

use super::caller::{Caller, Reply};
use super::party::another_person;
use crate::e2e::app::{Registration, SCOPES, Tokens, code, register};
use crate::e2e::server::Server;
use crate::e2e::world::World;

/// A word that occurs only in the other person's data.
const MARKER: &str = "ringofotherperson";

/// Every endpoint with data of a person.
const ENDPOINTS: [&str; 6] = ["v1/profile", "v1/sleep", "v1/supplements", "profile", "sleep", "supplements"];

on_sqlite! {
    // T69
    async fn another_persons_token_does_not_reveal_whether_a_person_exists(world: World) {
        let (scene, server) = Scene::new(&world).await;
        let caller = Caller::new(&server);
        let nobody = "11111111-2222-4333-8444-555555555555";
        for endpoint in ENDPOINTS {
            for query in ["", "?pageSize=1&page=1", "?sort=bogus", "?include_stages=true", "?startDate=2026-01-01"] {
                let ask = |user: &str| format!("/api/{endpoint}/{user}{query}");
                let existing = caller.read(&scene.stranger.access, &ask(&scene.other.user_id)).await;
                let absent = caller.read(&scene.stranger.access, &ask(nobody)).await;
                existing.assert_problem(403, "other_user");
                absent.assert_problem(403, "other_user");
                assert_eq!(existing.body_without_request_id(), absent.body_without_request_id());
                assert_eq!(existing.header_names(), absent.header_names());
                for reply in [&existing, &absent] {
                    assert_eq!(reply.header("x-ratelimit-remaining"), None);
                    scene.assert_discloses_nothing(reply);
                }
            }
        }
        // The other person's own app sees the marker, so it would be found.
        let path = format!("/api/v1/sleep/{}", scene.other.user_id);
        assert!(caller.read(&scene.owner.access, &path).await.body.contains(MARKER));
    }

    // T69
    async fn altered_paging_never_returns_another_persons_data(world: World) {
        let (scene, server) = Scene::new(&world).await;
        let caller = Caller::new(&server);
        let own = &scene.registration.user_id;
        let hostile = [
            "page=0", "page=-1", "page=1.5", "page=1e3", "page=%2B1", "page=0x1", "page=", "page=1&page=2",
            "page=9999999999999999999", "page=1%00", "page=1;pageSize=5", "pageSize=0", "pageSize=10001",
            "pageSize=99999999999999999999", "pageSize=%F0%9F%98%80", "sort=DESC", "sort=desc'--",
            "sort=desc%20LIMIT%201", "startDate=now()", "startDate=2026-02-30", "startDate=%27%20OR%201%3D1--",
            "startDate=%ff", "startDate=%2", "include_stages=maybe",
        ];
        for endpoint in ["v1/sleep", "sleep"] {
            for query in hostile {
                let reply = caller.read(&scene.stranger.access, &format!("/api/{endpoint}/{own}?{query}")).await;
                // Not a separate parameter: the whole pair is the value of `page`, or unknown and ignored.
                assert_eq!(reply.status, 400, "{query}: {reply:?}");
                scene.assert_discloses_nothing(&reply);
            }
        }
        for query in ["page=999999999999999999&pageSize=10000", "page=2&pageSize=1", "user_id=%s", "userId=%s"] {
            let path = format!("/api/v1/sleep/{own}?{}", query.replace("%s", &scene.other.user_id));
            let reply = caller.read(&scene.stranger.access, &path).await;
            assert_eq!(reply.status, 200, "{query}: {reply:?}");
            assert_eq!(reply.json()["data"], serde_json::json!([]));
            scene.assert_discloses_nothing(&reply);
        }
        for path in hostile_paths(own, &scene.other.user_id) {
            let reply = caller.read(&scene.stranger.access, &path).await;
            assert!((400..500).contains(&reply.status), "{path}: {reply:?}");
            scene.assert_discloses_nothing(&reply);
        }
    }
}

fn hostile_paths(own: &str, other: &str) -> Vec<String> {
    vec![
        format!("/api/v1/sleep/{own}/../{other}"),
        format!("/api/v1/sleep/{own}%2f..%2f{other}"),
        format!("/api/v1/sleep/{own},{other}"),
        format!("/api/v1/sleep/{own}%00{other}"),
        format!("/api/v1/sleep/{own}%20"),
        format!("/api/v1/sleep/{{{own}}}"),
        format!("/api/v1/sleep/{}", own.replace('-', "")),
        format!("/api/v1/sleep/urn:uuid:{own}"),
        format!("/api/v1/sleep//{own}"),
        format!("/api/v2/sleep/{own}"),
        "/api/v1/sleep/%27%20OR%20%271%27=%271".to_owned(),
        "/api/v1/sleep/*".to_owned(),
        "/api/v1/sleep/".to_owned(),
    ]
}

/// Two people with one client; only the second one has data.
struct Scene {
    registration: Registration,
    other: Registration,
    stranger: Tokens,
    owner: Tokens,
}

impl Scene {
    async fn new(world: &World) -> (Self, Server) {
        let registration = register(world);
        let other = another_person(world, &registration, "other@example.org");
        let night = format!(
            r#"{{"type":"sleep_session","time_in_bed_start":"2026-01-10T23:00:00+09:00","time_in_bed_end":"2026-01-11T07:00:00+09:00","source":"{MARKER}"}}"#
        );
        let file = world.file("night.ndjson", &night);
        world.ok(&["import", "--user", &other.user_id, &file]);
        let server = world.serve();
        let caller = Caller::new(&server);
        let stranger = caller.redeem(&registration, &code(world, &registration, &SCOPES)).await.tokens();
        let owner = caller.redeem(&other, &code(world, &other, &SCOPES)).await.tokens();
        (Self { registration, other, stranger, owner }, server)
    }

    #[track_caller]
    fn assert_discloses_nothing(&self, reply: &Reply) {
        let whole = format!("{:?} {}", reply.headers, reply.body);
        for secret in [MARKER, "Asia/Tokyo", "other@example.org", &self.other.user_id] {
            assert!(!whole.contains(secret), "{secret}: {whole}");
        }
    }
}
