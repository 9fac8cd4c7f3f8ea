//! Invalid input of decisions 5, and the store queries of valid input.

use super::world::{
    USER, World, assert_problem, parts, paths, rate_headers, recording_sleep, recording_supplements,
};
use crate::tests::Parts;
use domain::paging::SortDirection;
use domain::time::format;
use serde_json::{Value, json};

const DATES: [&str; 15] = [
    "yesterday",
    "2026-13-01",
    "2026-02-29",
    "2026-2-1",
    "20260201",
    "0000-01-01",
    "2026-03-01T24:00",
    "2026-03-01T12:60",
    "2026-03-01T12",
    "2026-03-01T12:00:00.",
    "2026-03-01T12:00:00.1234567890",
    "2026-03-01T12:00:00%2B19:00",
    "2026-03-01T12:00:00Z0",
    "2026-03-01%2012:00",
    "2026-03-01T12:00:00%E2%88%9202:00",
];
const NUMBERS: [&str; 10] =
    ["0", "-1", "%2B1", "1.5", "1e3", "0x10", "one", "%201", "1000000000000000000", "%D9%A1"];
const BOOLEANS: [&str; 6] = ["yes", "TRUE", "True", "2", "on", "null"];
const SORTS: [&str; 4] = ["ASC", "ascending", "1", "asc,desc"];
const IDS: [&str; 4] = [
    "1",
    "b1d7f0c294a34e568c1b7a2f3e4d5c60",
    "b1d7f0c2-94a3-4e56-8c1b-7a2f3e4d5c6g",
    "%7Bb1d7f0c2-94a3-4e56-8c1b-7a2f3e4d5c60%7D",
];

/// Sends a query to an endpoint and checks that exactly these fields are rejected.
async fn assert_refused(endpoint: &str, query: &str, fields: &[&str]) {
    for path in paths(endpoint, USER) {
        let answer = World::empty().get(&format!("{path}?{query}")).await;
        assert_problem(&answer, 400, "invalid_parameter");
        rate_headers(&answer);
        let body = answer.json();
        let errors = body["errors"].as_array().unwrap();
        let named: Vec<_> = errors.iter().map(|error| error["field"].as_str().unwrap()).collect();
        assert_eq!(named, fields, "{query}");
        assert!(errors.iter().all(|error| error["message"].as_str().is_some_and(|text| !text.is_empty())));
        assert!(!answer.text().contains("yesterday"), "what was sent is not repeated");
    }
}

async fn assert_each_refused(endpoint: &str, field: &str, values: &[&str]) {
    for value in values {
        assert_refused(endpoint, &format!("{field}={value}"), &[field]).await;
    }
}

#[actix_web::test]
async fn every_malformed_value_is_refused_by_name() {
    for endpoint in ["sleep", "supplements"] {
        assert_each_refused(endpoint, "startDate", &DATES).await;
        assert_each_refused(endpoint, "page", &NUMBERS).await;
        assert_each_refused(endpoint, "pageSize", &NUMBERS).await;
        assert_each_refused(endpoint, "pageSize", &["10001", "99999999"]).await;
        assert_each_refused(endpoint, "sort", &SORTS).await;
    }
    assert_each_refused("sleep", "endDate", &DATES).await;
    assert_each_refused("sleep", "include_stages", &BOOLEANS).await;
    assert_each_refused("sleep", "include_metrics", &BOOLEANS).await;
    assert_each_refused("supplements", "supplementID", &IDS).await;
}

// T90, T91, T92
#[actix_web::test]
async fn a_known_parameter_twice_empty_or_with_a_control_character_is_refused() {
    let of_both = ["startDate", "sort", "page", "pageSize"];
    let of_sleep = ["endDate", "include_stages", "include_metrics"];
    let sleep = of_both.iter().chain(&of_sleep).map(|field| ("sleep", *field));
    let supplements = of_both.iter().chain(&["supplementID"]).map(|field| ("supplements", *field));
    for (endpoint, field) in sleep.chain(supplements) {
        for query in [
            format!("{field}="),
            field.to_owned(),
            format!("{field}=1&{field}=1"),
            format!("x=1&{field}=1&y=2&{field}=asc"),
            format!("{field}=%00"),
            format!("{field}=1%0A"),
        ] {
            assert_refused(endpoint, &query, &[field]).await;
        }
    }
}

// T93
#[actix_web::test]
async fn a_query_that_cannot_be_decoded_is_refused_everywhere() {
    for endpoint in ["profile", "sleep", "supplements"] {
        for query in ["page=%2", "page=%zz", "x=%ff%fe", "%C3=1"] {
            let answer = World::empty().get(&format!("{}?{query}", paths(endpoint, USER)[0])).await;
            assert_problem(&answer, 400, "invalid_request");
            rate_headers(&answer);
        }
    }
}

#[actix_web::test]
async fn all_invalid_fields_are_reported_together() {
    let query = "startDate=x&endDate=y&include_stages=z&include_metrics=z&sort=up&page=0&pageSize=0";
    let fields = ["startDate", "endDate", "include_stages", "include_metrics", "page", "pageSize", "sort"];
    assert_refused("sleep", query, &fields).await;
}

#[actix_web::test]
async fn a_range_that_ends_before_it_starts_is_refused_and_names_both_ends() {
    for query in [
        "startDate=2026-03-02&endDate=2026-03-01",
        "startDate=2026-03-01T12:00:01Z&endDate=2026-03-01T12:00:00Z",
        // In Berlin the day starts while it is still the previous day in UTC.
        "startDate=2026-03-02&endDate=2026-03-01T22:59:59Z",
    ] {
        assert_refused("sleep", query, &["startDate", "endDate"]).await;
    }
}

#[actix_web::test]
async fn the_same_day_twice_is_a_range() {
    let path = &paths("sleep", USER)[0];
    let answer = World::empty().get(&format!("{path}?startDate=2026-03-01&endDate=2026-03-01")).await;
    assert_eq!(answer.status, 200);
}

#[actix_web::test]
async fn unknown_parameters_are_ignored_however_often_they_occur() {
    let queries = [
        ("profile", "page=0&page=0&startDate=never"),
        ("sleep", "supplementID=nothing&Page=0&pagesize=0&page[]=0&x=&x="),
        ("supplements", "endDate=never&endDate=&include_stages=perhaps&supplementId=1"),
    ];
    for (endpoint, query) in queries {
        let answer = World::empty().get(&format!("{}?{query}", paths(endpoint, USER)[0])).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
}

/// Sends a query to the sleep endpoint and returns the query of the store.
async fn asked_of_sleep(query: &str) -> Value {
    let (sleep, asked) = recording_sleep();
    let world = World::new(Parts { sleep, ..parts() });
    let answer = world.get(&format!("{}?{query}", paths("sleep", USER)[0])).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    let asked = asked.lock().unwrap();
    let [only] = asked.as_slice() else { panic!("asked {} times", asked.len()) };
    assert_eq!(only.user_id.to_string(), USER);
    json!({
        "start": only.range.start().map(|at| format::micros_numeric(at.timestamp_micros())),
        "end": only.range.end().map(|at| format::micros_numeric(at.timestamp_micros())),
        "page": only.page.number.get(),
        "size": only.page.size.get(),
        "ascending": only.page.sort == SortDirection::Ascending,
        "stages": only.with_stages,
        "metrics": only.with_metrics,
    })
}

#[actix_web::test]
async fn without_parameters_the_defaults_apply() {
    let expected = json!({
        "start": null, "end": null, "page": 1, "size": 100,
        "ascending": false, "stages": false, "metrics": false,
    });
    assert_eq!(asked_of_sleep("").await, expected);
}

#[actix_web::test]
async fn parameters_reach_the_query() {
    let query = "page=7&pageSize=10000&sort=asc&include_stages=1&include_metrics=true&endDate=2026-03-29";
    let expected = json!({
        // The day on which Berlin changes to daylight saving time ends at 22:00 UTC.
        "start": null, "end": "2026-03-29T21:59:59.999999+00:00", "page": 7, "size": 10_000,
        "ascending": true, "stages": true, "metrics": true,
    });
    assert_eq!(asked_of_sleep(query).await, expected);
    let off = asked_of_sleep("include_stages=false&include_metrics=0&sort=desc").await;
    assert_eq!(
        (&off["stages"], &off["metrics"], &off["ascending"]),
        (&json!(false), &json!(false), &json!(false))
    );
}

#[actix_web::test]
async fn a_date_is_read_in_every_spelling_in_the_persons_zone() {
    for (text, instant) in [
        ("2026-03-01", "2026-02-28T23:00:00.000000+00:00"),
        ("2026-03-01T12:00", "2026-03-01T11:00:00.000000+00:00"),
        ("2026-03-01T12:00:30.5", "2026-03-01T11:00:30.500000+00:00"),
        ("2026-03-01T12:00Z", "2026-03-01T12:00:00.000000+00:00"),
        ("2026-03-01T12:00:00%2B02:00", "2026-03-01T10:00:00.000000+00:00"),
        ("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00.000000+00:00"),
        ("2026-03-01T12:00:00+0200", "2026-03-01T10:00:00.000000+00:00"),
        ("2026-03-01T12:00:00-05", "2026-03-01T17:00:00.000000+00:00"),
    ] {
        assert_eq!(asked_of_sleep(&format!("startDate={text}")).await["start"], instant, "{text}");
    }
}

#[actix_web::test]
async fn supplements_are_asked_for_from_a_start_and_by_id() {
    let (supplements, asked) = recording_supplements();
    let world = World::new(Parts { supplements, ..parts() });
    let path = &paths("supplements", USER)[0];
    let id = "B1D7F0C2-94a3-4e56-8c1b-7a2f3e4d5c60";
    for query in
        [String::new(), format!("startDate=2026-03-01&supplementID={id}&endDate=2020-01-01&sort=asc")]
    {
        assert_eq!(world.get(&format!("{path}?{query}")).await.status, 200);
    }
    let asked = asked.lock().unwrap();
    let [plain, narrow] = asked.as_slice() else { panic!("asked {} times", asked.len()) };
    assert_eq!((plain.start, plain.supplement_id, plain.page.size.get()), (None, None, 1_000));
    assert_eq!(plain.page.sort, SortDirection::Descending);
    assert_eq!(format::utc(narrow.start.unwrap()), "2026-02-28T23:00:00Z");
    assert_eq!(narrow.supplement_id.unwrap().to_string(), id.to_lowercase());
    assert_eq!(narrow.page.sort, SortDirection::Ascending);
}

#[actix_web::test]
async fn a_page_whose_offset_overflows_is_just_past_the_end() {
    let path = &paths("sleep", USER)[0];
    let answer = World::empty().get(&format!("{path}?page=999999999999999999&pageSize=10000")).await;
    assert_eq!(answer.status, 200);
    let body = answer.json();
    assert_eq!(body["data"], json!([]));
    let pagination = &body["pagination"];
    assert_eq!(pagination["current_page"], 999_999_999_999_999_999_u64);
    assert_eq!((&pagination["has_more"], &pagination["next_page"]), (&json!(false), &Value::Null));
    let before = format!("/api/sleep/{USER}?page=999999999999999998&pageSize=10000");
    assert_eq!(pagination["prev_page"], before);
}
