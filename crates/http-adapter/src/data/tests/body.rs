//! Response bodies (contract, Resources; decisions 6).

use super::sample;
use super::world::{USER, World, parts, paths, sleep_of, user};
use crate::tests::{Parts, TestResponse, port};
use application::read::SupplementPage;
use domain::user::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, ProfileField, SkinType,
};
use serde_json::{Value, json};

fn members(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Checks the order of members in the text; `serde_json::Value` sorts them.
#[track_caller]
fn assert_order(text: &str, members: &[&str]) {
    let places: Vec<_> = members
        .iter()
        .map(|member| text.find(&format!("\"{member}\":")).unwrap_or_else(|| panic!("no {member} in {text}")))
        .collect();
    assert!(places.is_sorted(), "{members:?} in {text}");
}

async fn sleep(query: &str) -> TestResponse {
    let rows = (1..=2).map(|number| sample::packed(&sample::night(number))).collect();
    let world = World::new(Parts { sleep: sleep_of(rows), ..parts() });
    world.get(&format!("{}?{query}", paths("sleep", USER)[0])).await
}

#[actix_web::test]
async fn a_profile_has_the_contracts_members_and_null_for_what_is_not_known() {
    let answer = World::empty().get(&paths("profile", USER)[0]).await;
    let body = answer.json();
    assert_eq!(members(&body), ["data", "limit"]);
    assert_eq!(
        body["data"],
        json!({
            "user_id": USER, "created_at": "2026-05-28T20:26:40Z", "home_timezone": "Europe/Berlin",
            "scopes": ["profile", "sleep", "supplements"], "birth_date": null, "biological_sex": null,
            "blood_type": null, "height_cm": null, "weight_kg": null, "skin_type": null,
            "wheelchair_use": null,
        })
    );
    assert!(!answer.text().contains("sam@example.org"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    assert_eq!(answer.header("vary"), Some("Origin, Accept-Encoding"));
}

#[test]
fn the_guide_shows_every_member_of_a_profile() {
    let guide = include_str!("../../../../../docs/reading-data.md");
    for name in ProfileField::ALL.map(ProfileField::as_str) {
        assert!(guide.contains(&format!("\"{name}\":")), "{name}");
    }
}

#[actix_web::test]
async fn a_profile_has_its_values_and_whole_numbers_without_a_fraction() {
    let profiles = port::profiles(|id| {
        let biology = Biology {
            birth_date: BirthDate::parse("1990-05-17").ok(),
            biological_sex: Some(BiologicalSex::Other),
            blood_type: Some(BloodType::AbNegative),
            height: BodyHeight::from_centimetres(172.0).ok(),
            weight: BodyWeight::from_kilograms(64.5).ok(),
            skin_type: SkinType::new(3).ok(),
            wheelchair_use: Some(true),
        };
        Ok(Some(domain::user::User { biology, ..user(id) }))
    });
    let world = World::new(Parts { profiles, ..parts() });
    let answer = world.get(&paths("profile", USER)[0]).await;
    let data = &answer.json()["data"];
    assert_eq!(
        (&data["birth_date"], &data["biological_sex"], &data["blood_type"]),
        (&json!("1990-05-17"), &json!("other"), &json!("AB-"))
    );
    assert_eq!((&data["skin_type"], &data["wheelchair_use"]), (&json!(3), &json!(true)));
    assert!(answer.text().contains("\"height_cm\":172,\"weight_kg\":64.5,"));
}

#[actix_web::test]
async fn the_scopes_are_those_of_the_grant_also_for_a_narrower_token() {
    let answer = World::empty().get_with(&paths("profile", USER)[0], "profile").await;
    assert_eq!(answer.json()["data"]["scopes"], json!(["profile", "sleep", "supplements"]));
}

#[actix_web::test]
async fn a_session_carries_stages_and_metrics_only_when_they_are_asked_for() {
    let bare = ["id", "is_nap", "source", "time_in_bed_end", "time_in_bed_start", "updated_at"];
    for (query, additions) in [
        ("", &[][..]),
        ("include_stages=true", &["raw_sleep"]),
        ("include_metrics=1", &["sleep_metric"]),
        ("include_stages=1&include_metrics=true", &["raw_sleep", "sleep_metric"]),
    ] {
        let body = sleep(query).await.json();
        assert_eq!(members(&body), ["data", "limit", "pagination"]);
        let mut expected = [&bare[..], additions].concat();
        expected.sort_unstable();
        for session in body["data"].as_array().unwrap() {
            assert_eq!(members(session), expected, "{query}");
        }
    }
}

#[actix_web::test]
async fn the_members_have_the_order_of_the_contract() {
    let answer = sleep("include_stages=1&include_metrics=1&pageSize=1").await;
    let text = answer.text();
    assert_order(text, &["data", "pagination", "limit"]);
    let session = ["id", "time_in_bed_start", "time_in_bed_end", "sleep_metric", "raw_sleep", "source"];
    assert_order(text, &session);
    assert_order(text, &["source", "is_nap", "updated_at"]);
    assert_order(text, &["current_page", "has_more", "next_page", "prev_page"]);
    assert_order(text, &["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]);
}

#[actix_web::test]
async fn times_carry_the_offset_where_and_when_the_night_was_recorded() {
    let body = sleep("include_stages=1&include_metrics=1").await.json();
    // Newest first: night 2 includes the change to daylight saving time in New York.
    let night = &body["data"][0];
    assert_eq!(night["time_in_bed_start"], "2026-01-03T23:10:00-05:00");
    assert_eq!(night["time_in_bed_end"], "2026-01-04T08:10:00-04:00");
    assert_eq!(
        night["raw_sleep"][0],
        json!({"stage": "AWAKE", "start": "2026-01-03T23:10:00-05:00", "end": "2026-01-03T23:20:00-05:00"})
    );
    assert_eq!(night["raw_sleep"][2]["end"], "2026-01-04T07:10:00-05:00");
    assert_eq!(night["updated_at"], "2026-01-10T00:00:00.250Z");
    assert_eq!(night["sleep_metric"][0], json!({"sleep_metric": "timeNightInBed", "value": 28_800}));
}

#[actix_web::test]
async fn a_supplement_has_its_label_and_its_logs() {
    let supplements =
        port::supplements(|_| Ok(SupplementPage { records: vec![sample::record(1, 2)], has_more: false }));
    let world = World::new(Parts { supplements, ..parts() });
    let answer = world.get(&paths("supplements", USER)[0]).await;
    let id = "00000000-0000-0000-0000-000000000001";
    let log = |number: u32, at: &str| {
        json!({
            "id": format!("00000000-0000-0000-0000-0000000003e{number}"), "created_at": at,
            "user_id": USER, "supplement_id": id, "servings": 1.5,
        })
    };
    assert_eq!(
        answer.json()["data"],
        json!([{
            "id": id,
            "details": {
                "id": id, "brand": "", "name": "Night Calm", "servings": "60", "upc": "0 12345 67890 5",
                "entry_date": "2024-02-01T00:00:00+00:00",
                "supplement_ingredient": [
                    {
                        "quantity": 60, "unit": "mg", "active": true, "ingredient_name": "Magnesium",
                        "order": 1, "amount_stated": true,
                    },
                    {
                        "quantity": 0, "unit": "NP", "active": false, "ingredient_name": "Cellulose",
                        "order": 2, "amount_stated": false,
                    },
                ],
            },
            "logs": [log(8, "2026-01-02T00:00:00.000001+00:00"), log(9, "2026-01-02T01:00:00.000001+00:00")],
        }])
    );
    let text = answer.text();
    assert_order(text, &["brand", "name", "upc", "entry_date", "supplement_ingredient", "logs"]);
    assert_order(text, &["quantity", "unit", "active", "ingredient_name", "order", "amount_stated"]);
    assert_order(text, &["created_at", "user_id", "supplement_id"]);
    assert!(text.contains("\"quantity\":60,") && text.contains("\"servings\":1.5}"));
}
