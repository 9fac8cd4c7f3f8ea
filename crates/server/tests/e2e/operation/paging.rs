//! Pages of sessions and of supplements: links, sizes, directions, ends.

use super::reader::{Reader, column};
use super::records;
use super::store::register_as;
use crate::e2e::app::{register, text};
use crate::e2e::world::World;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How many sessions [`many_nights`] makes.
const NIGHTS: usize = 23;

/// Sessions of which three start at the same time, and a reader for them.
async fn many_nights(world: &World) -> (crate::e2e::server::Server, Reader) {
    let registration = register(world);
    let user = &registration.user_id;
    let nights = records::nights(NIGHTS - 2, 2);
    let night = nights.lines().nth(7).expect("a night");
    let same_start = format!("{}\n{}\n", night.replace("ring", "watch"), night.replace("ring", "phone"));
    let file = world.file("nights.ndjson", &(nights + &same_start));
    assert_eq!(world.json(&["import", "--user", user, "--json", &file])["sessions"]["new"], NIGHTS);
    let server = world.serve();
    let reader = Reader::authorized(world, &server, &registration).await;
    (server, reader)
}

/// Follows one kind of link from a path to its end; returns the ids page for page, and the last path.
async fn walk(reader: &Reader, from: &str, link: &str) -> (Vec<Vec<String>>, String) {
    let mut pages = Vec::new();
    let mut path = from.to_owned();
    loop {
        let answer = reader.get(&path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text);
        let body = answer.json();
        pages.push(column(&body, "id"));
        let pagination = &body["pagination"];
        assert_eq!(pagination["has_more"], !pagination["next_page"].is_null(), "{path}");
        match pagination[link].as_str() {
            Some(next) => path = next.to_owned(),
            None => return (pages, path),
        }
    }
}

/// Counts the answers of several chunks, of 60, that take as long as a delayed acknowledgement.
async fn slow_answers(reader: &Reader) -> usize {
    let mut slow = 0;
    for size in [100, 120, 140] {
        let query = format!("include_stages=true&pageSize={size}");
        for _ in 0..20 {
            let started = Instant::now();
            assert_eq!(reader.ask("sleep", &query).await.status, StatusCode::OK);
            slow += usize::from(started.elapsed() >= Duration::from_millis(38));
        }
    }
    slow
}

on_both_stores! {
    async fn the_links_lead_through_every_session_once_and_back(world: World) {
        let (_server, reader) = many_nights(&world).await;
        let user = reader.user_id.clone();
        let all = reader.column("sleep", "pageSize=10000", "id").await;
        assert_eq!(all.len(), NIGHTS);
        let starts = reader.column("sleep", "pageSize=10000", "time_in_bed_start").await;
        assert!(starts.is_sorted_by(|later, earlier| later >= earlier), "{starts:?}");
        for (sort, size) in [("", 5), ("sort=desc&", 23), ("sort=asc&", 4), ("sort=asc&", 1), ("", 22)] {
            let first = format!("/api/v1/sleep/{user}?{sort}pageSize={size}");
            let (pages, last) = walk(&reader, &first, "next_page").await;
            assert!(pages.iter().rev().skip(1).all(|page| page.len() == size), "{first}");
            let mut forth: Vec<String> = pages.concat();
            let (mut back, _) = walk(&reader, &last, "prev_page").await;
            back.reverse();
            assert_eq!(back, pages, "{first}");
            if sort == "sort=asc&" {
                forth.reverse();
            }
            assert_eq!(forth, all, "{first}");
        }
    }

    async fn a_link_repeats_what_the_request_said(world: World) {
        let (_server, reader) = many_nights(&world).await;
        let user = reader.user_id.clone();
        let query = "startDate=1998-01-01T00:00:00%2B01:00&unknown=x&sort=asc&include_stages=1&pageSize=5&page=2";
        let pagination = reader.read("sleep", query).await["pagination"].clone();
        let kept = "startDate=1998-01-01T00:00:00%2B01:00&sort=asc&include_stages=1";
        assert_eq!(pagination, json!({
            "current_page": 2, "has_more": true,
            "next_page": format!("/api/sleep/{user}?{kept}&page=3&pageSize=5"),
            "prev_page": format!("/api/sleep/{user}?{kept}&page=1&pageSize=5"),
        }));
        let next = reader.get(&text(&pagination, "next_page")).await.json();
        assert_eq!(next["data"].as_array().expect("sessions").len(), 5);
        assert!(next["data"][0]["raw_sleep"].is_array() && next["data"][0].get("sleep_metric").is_none());
        assert_eq!(next["pagination"]["current_page"], 3);
        // Without a size the default shows in the link.
        let first = reader.read("sleep", "page=2").await;
        assert_eq!(first["pagination"]["prev_page"], format!("/api/sleep/{user}?page=1&pageSize=100"));
        assert_eq!(first["pagination"]["next_page"], Value::Null);
    }

    async fn beyond_the_last_page_there_is_an_empty_one(world: World) {
        let (_server, reader) = many_nights(&world).await;
        let user = reader.user_id.clone();
        for page in ["6", "1000000", "999999999999999999"] {
            let body = reader.read("sleep", &format!("page={page}&pageSize=5")).await;
            assert_eq!(body["data"], json!([]));
            let before = page.parse::<u64>().expect("number") - 1;
            assert_eq!(body["pagination"], json!({
                "current_page": before + 1, "has_more": false, "next_page": null,
                "prev_page": format!("/api/sleep/{user}?page={before}&pageSize=5"),
            }));
        }
        for query in ["page=1000000000000000000", "page=0", "page=-1", "page=+1", "page=1.0", "page=", "page=1&page=1",
                      "pageSize=0", "pageSize=10001", "pageSize=99999999999999999999", "sort=ASC", "include_stages=yes"] {
            let answer = reader.ask("sleep", query).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}: {}", answer.text);
            assert_eq!(answer.header("content-type"), "application/problem+json");
            let parameter = query.split('=').next().expect("name");
            assert_eq!(answer.json()["errors"][0]["field"], parameter, "{}", answer.text);
        }
    }

    async fn supplements_are_paged_by_record_and_carry_all_their_logs(world: World) {
        let registration = register_as(&world, "aaaaaaaa-0000-4000-8000-000000000002", "America/New_York");
        let user = &registration.user_id;
        let id = |number: usize| format!("5e7a0000-0000-4000-8000-00000000000{number}");
        let mut lines = String::new();
        for supplement in 1..=5 {
            lines += &(json!({"type": "supplement", "id": id(supplement), "name": format!("Supplement {supplement}")}).to_string() + "\n");
            // The later in the list, the earlier it was taken first, and the later it was taken last.
            for day in [10 - supplement, 15, 20 + supplement] {
                let at = format!("2026-03-{day:02}T12:00:00Z");
                lines += &(json!({"type": "supplement_log", "created_at": at, "supplement_id": id(supplement), "servings": 1}).to_string() + "\n");
            }
        }
        let file = world.file("taken.ndjson", &lines);
        assert_eq!(world.json(&["import", "--user", user, "--json", &file])["logs"]["new"], 15);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let downwards: Vec<String> = (1..=5).rev().map(id).collect();
        for sort in ["", "sort=asc&"] {
            // Descending the latest intake counts, ascending the earliest: both put the last supplement first.
            let path = format!("/api/v1/supplements/{user}?{sort}pageSize=2");
            let (pages, last) = walk(&reader, &path, "next_page").await;
            assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
            assert_eq!(pages.concat(), downwards, "{sort}");
            let (mut back, _) = walk(&reader, &last, "prev_page").await;
            back.reverse();
            assert_eq!(back, pages);
        }
        let all = reader.read("supplements", "").await;
        for record in all["data"].as_array().expect("records") {
            assert_eq!(record["id"], record["details"]["id"]);
            let times = record["logs"].as_array().expect("logs").iter().map(|log| text(log, "created_at")).collect::<Vec<_>>();
            assert!(times.len() == 3 && times.is_sorted_by(|later, earlier| later > earlier), "{times:?}");
        }
        // From the first day on that only some were taken: the others lack their earlier logs, or are not there.
        let since = reader.read("supplements", "startDate=2026-03-24&sort=asc").await;
        assert_eq!(column(&since, "id"), [id(4), id(5)]);
        assert!(since["data"].as_array().expect("records").iter().all(|record| record["logs"].as_array().expect("logs").len() == 1));
        let one = reader.read("supplements", &format!("supplementID={}", id(3))).await;
        assert_eq!((column(&one, "id"), one["pagination"]["has_more"].clone()), (vec![id(3)], json!(false)));
        let none = reader.read("supplements", "supplementID=5e7a0000-0000-4000-8000-00000000dead").await;
        assert_eq!(none["data"], json!([]));
        // There is no endDate here, so that it is ignored even when it is no date.
        assert_eq!(reader.column("supplements", "endDate=never", "id").await.len(), 5);
        assert_eq!(reader.ask("supplements", "supplementID=3").await.status, StatusCode::BAD_REQUEST);
    }

    async fn readers_may_get_and_nothing_else(world: World) {
        let (server, reader) = many_nights(&world).await;
        let before = reader.read("profile", "").await["limit"]["X-RateLimit-Remaining"].as_u64();
        for method in [Method::HEAD, Method::POST, Method::DELETE, Method::PATCH] {
            let url = format!("{}/api/v1/profile/{}", server.base_url, reader.user_id);
            let answer = reqwest::Client::new().request(method.clone(), url).send().await.expect("answer");
            assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED, "{method}");
            // What backends write has the same address.
            assert_eq!(answer.headers()["allow"], "GET, PUT", "{method}");
        }
        let after = reader.read("profile", "").await["limit"]["X-RateLimit-Remaining"].as_u64();
        assert_eq!(after.map(|left| left + 1), before, "a refused method was counted");
    }

    async fn the_last_chunk_does_not_wait_for_an_acknowledgement(world: World) {
        let registration = register(&world);
        let user = &registration.user_id;
        world.ok(&["import", "--user", user, &world.file("nights.ndjson", &records::nights(140, 40))]);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        // Without TCP_NODELAY about every third of these answers on a connection that is kept takes 40 ms longer; with
        // it none does, unless the machine is busy, hence the second and third try.
        let mut slow = Vec::new();
        for _ in 0..3 {
            slow.push(slow_answers(&reader).await);
            if slow.last().is_some_and(|number| *number < 8) {
                return;
            }
        }
        panic!("of 60 answers {slow:?} took 38 ms or more");
    }

    async fn a_page_of_a_thousand_sessions_arrives_without_a_stall_for_each_chunk(world: World) {
        let registration = register(&world);
        let user = &registration.user_id;
        world.ok(&["import", "--user", user, &world.file("nights.ndjson", &records::nights(1000, 40))]);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let query = "pageSize=1000&include_stages=true&include_metrics=true";
        let mut fastest = Duration::MAX;
        let mut bytes = 0;
        for _ in 0..5 {
            let started = Instant::now();
            let answer = reader.ask("sleep", query).await;
            fastest = fastest.min(started.elapsed());
            assert_eq!((answer.status, answer.headers.get("content-length")), (StatusCode::OK, None));
            bytes = answer.text.len();
        }
        let chunks = u32::try_from(bytes / 65_536).expect("few");
        println!("{bytes} bytes in about {chunks} chunks took {fastest:?}");
        assert!(chunks > 50, "{bytes} bytes are too few to tell");
        assert!(fastest < chunks * Duration::from_millis(40) / 4, "{chunks} chunks took {fastest:?}");
    }
}
