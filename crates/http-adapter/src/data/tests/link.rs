//! Pagination links (decisions 5).

use super::sample;
use super::world::{USER, World, parts, paths, recording_sleep, sleep_of};
use crate::data::link::List;
use crate::parameter::Parameters;
use crate::tests::Parts;
use actix_web::http::Uri;
use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use serde_json::Value;

fn world_of_nights(count: u32) -> World {
    let rows = (0..count).map(|number| sample::packed(&sample::night(number))).collect();
    World::new(Parts { sleep: sleep_of(rows), ..parts() })
}

async fn page(world: &World, path: &str) -> Value {
    let answer = world.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}

fn ids(body: &Value) -> Vec<String> {
    let sessions = body["data"].as_array().unwrap();
    sessions.iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
}

/// Follows links from a page to the last, and returns the sessions of each page.
async fn follow(world: &World, first: &str, direction: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut next = Some(first.to_owned());
    while let Some(path) = next {
        let body = page(world, &path).await;
        found.push(ids(&body));
        next = body["pagination"][direction].as_str().map(str::to_owned);
        assert!(found.len() < 100, "links lead round in circles");
    }
    found
}

#[actix_web::test]
async fn following_next_shows_every_session_once_and_prev_leads_back() {
    let world = world_of_nights(23);
    for query in
        ["pageSize=5", "pageSize=5&sort=asc", "sort=desc&pageSize=7", "startDate=2026-01-05&pageSize=4"]
    {
        let first = format!("{}?{query}", paths("sleep", USER)[0]);
        let forth = follow(&world, &first, "next_page").await;
        let everything = page(&world, &format!("{first}&x=1").replace("pageSize=", "pageSize=100&y=")).await;
        assert_eq!(forth.concat(), ids(&everything), "{query}");
        let last = format!("{first}&page={}", forth.len());
        let back = follow(&world, &last, "prev_page").await;
        assert_eq!(forth, back.into_iter().rev().collect::<Vec<_>>(), "{query}");
    }
}

#[actix_web::test]
async fn a_link_repeats_known_parameters_exactly_as_sent() {
    let world = world_of_nights(23);
    let query = "x=1&include_metrics=1&startDate=2026-01-02T00:00:00+01:00&y=%22&pageSize=3&sort=asc&page=2\
                 &endDate=2026-01-20T10%3A00%3A00%2B0100&z";
    let body = page(&world, &format!("{}?{query}", paths("sleep", USER)[0])).await;
    let link = |page: u32| {
        format!(
            "/api/sleep/{USER}?include_metrics=1&startDate=2026-01-02T00:00:00+01:00&sort=asc\
             &endDate=2026-01-20T10%3A00%3A00%2B0100&page={page}&pageSize=3"
        )
    };
    assert_eq!(body["pagination"]["current_page"], 2);
    assert_eq!(body["pagination"]["has_more"], true);
    assert_eq!(body["pagination"]["next_page"], link(3));
    assert_eq!(body["pagination"]["prev_page"], link(1));
}

#[actix_web::test]
async fn a_followed_link_requests_the_same_range() {
    let (sleep, asked) = recording_sleep();
    let world = World::new(Parts { sleep, ..parts() });
    let query = "page=2&startDate=2026-01-02T00:00:00+01:00&endDate=2026-01-03&sort=asc&include_stages=1";
    let body = page(&world, &format!("{}?{query}", paths("sleep", USER)[0])).await;
    page(&world, body["pagination"]["prev_page"].as_str().unwrap()).await;
    let asked = asked.lock().unwrap();
    let [given, followed] = asked.as_slice() else { panic!("asked {} times", asked.len()) };
    assert_eq!(given.range, followed.range);
    assert_eq!((given.page.number.get(), followed.page.number.get()), (2, 1));
    assert_eq!((given.page.size, given.page.sort), (followed.page.size, followed.page.sort));
    assert_eq!((given.with_stages, given.with_metrics), (followed.with_stages, followed.with_metrics));
}

#[actix_web::test]
async fn a_link_always_has_the_page_size_but_the_order_only_if_it_was_given() {
    let world = world_of_nights(101);
    let body = page(&world, &paths("sleep", USER)[1]).await;
    assert_eq!(body["pagination"]["next_page"], format!("/api/sleep/{USER}?page=2&pageSize=100"));
    assert_eq!(body["pagination"]["prev_page"], Value::Null);
    let last = page(&world, body["pagination"]["next_page"].as_str().unwrap()).await;
    assert_eq!(last["pagination"]["has_more"], false);
    assert_eq!(last["pagination"]["next_page"], Value::Null);
    assert_eq!(ids(&last).len(), 1);
}

#[actix_web::test]
async fn a_page_past_the_end_is_empty_and_leads_to_the_one_before() {
    let world = world_of_nights(3);
    let body = page(&world, &format!("{}?page=9", paths("sleep", USER)[0])).await;
    assert_eq!(ids(&body), Vec::<String>::new());
    assert_eq!(body["pagination"]["has_more"], false);
    assert_eq!(body["pagination"]["next_page"], Value::Null);
    assert_eq!(body["pagination"]["prev_page"], format!("/api/sleep/{USER}?page=8&pageSize=100"));
}

#[actix_web::test]
async fn supplements_link_to_their_own_path_and_repeat_their_own_parameters() {
    let world = World::empty();
    let id = "b1d7f0c2-94a3-4e56-8c1b-7a2f3e4d5c60";
    let query = format!("supplementID={id}&endDate=2026-01-01&page=3&startDate=2025-01-01");
    let body = page(&world, &format!("{}?{query}", paths("supplements", USER)[0])).await;
    let expected =
        format!("/api/supplements/{USER}?supplementID={id}&startDate=2025-01-01&page=2&pageSize=1000");
    assert_eq!(body["pagination"]["prev_page"], expected);
}

/// Spells a text for a query string: each character as it is, or percent-encoded.
fn spelled(text: &str, encode: &[bool]) -> String {
    let mut encode = encode.iter().cycle();
    let encoded = |character: char| -> String {
        utf8_percent_encode(&character.to_string(), NON_ALPHANUMERIC).to_string()
    };
    text.chars()
        .map(|character| {
            let must = matches!(character, '%' | '&' | '#' | '+' | '=');
            if must || *encode.next().unwrap() { encoded(character) } else { character.to_string() }
        })
        .collect()
}

proptest! {
    #[test]
    fn a_link_is_a_url_with_the_parameters_of_the_request(
        values in proptest::collection::vec("[^\u{0}-\u{1f}]{1,12}", 4),
        encode in proptest::collection::vec(any::<bool>(), 1..8),
        number in 2_u32..1_000,
    ) {
        const KNOWN: &[&str] = &["startDate", "supplementID", "sort", "page"];
        let pairs = KNOWN.iter().zip(&values).map(|(name, value)| {
            format!("{}={}&unknown={}", spelled(name, &encode), spelled(value, &encode), spelled(value, &[true]))
        });
        let query = pairs.collect::<Vec<_>>().join("&");
        let given = Parameters::read(&query, KNOWN).unwrap();
        let list = List {
            endpoint: DataKind::Supplements,
            user_id: UserId::parse(USER).unwrap(),
            given: &given,
        };
        let page = PageRequest {
            number: PageNumber::parse(&number.to_string()).unwrap(),
            size: PageSize::SUPPLEMENTS_DEFAULT,
            sort: SortDirection::default(),
        };
        let link = list.pagination(page, true).next_page.unwrap();
        prop_assert!(link.is_ascii());
        let uri: Uri = link.parse().unwrap();
        let followed = Parameters::read(uri.query().unwrap(), &["startDate", "supplementID", "sort", "page", "unknown"]);
        let followed = followed.unwrap();
        for name in ["startDate", "supplementID", "sort"] {
            prop_assert_eq!(followed.get(name), given.get(name));
        }
        prop_assert!(followed.get("page").is_some_and(|page| page == (number + 1).to_string()));
        prop_assert_eq!(followed.get("unknown"), None);
    }
}
