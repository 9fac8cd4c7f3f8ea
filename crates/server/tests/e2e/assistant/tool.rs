//! Results of the tools.

use super::client::{Assistant, ago, import, night, person, today};
use crate::e2e::app::read_json;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use domain::deceptive_text::deceptive_characters;
use serde_json::{Value, json};
use std::collections::BTreeSet;

struct Scene {
    world: World,
    user: String,
    server: Server,
    assistant: Assistant,
}

impl Scene {
    fn new(world: World, lines: &[Value]) -> Self {
        let user = person(&world);
        if !lines.is_empty() {
            import(&world, &user, lines);
        }
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["profile", "sleep", "supplements"]);
        Self { world, user, server, assistant }
    }

    /// Calls the tool again as long as its answer is cut, which must be more than once; returns the answers.
    async fn call_until_complete(&self, tool: &str, mut arguments: Value) -> Vec<Value> {
        let mut answers = Vec::new();
        while !arguments.is_null() {
            let answer = self.assistant.call(tool, arguments).await;
            arguments = answer["cut"]["next"][0].clone();
            assert_eq!(arguments.is_null(), answer["cut"].is_null(), "{answer}");
            answers.push(answer);
            assert!(answers.len() < 10, "{answers:?}");
        }
        assert!(answers.len() > 1);
        answers
    }
}

const LABEL: &str = "5e7a0000-0000-4000-8000-000000000001";

/// Returns a label with two ingredients, and logs of it some days ago.
fn intake(days_ago: &[u64]) -> Vec<Value> {
    let label = json!({ "type": "supplement", "id": LABEL, "brand": "Harbour", "name": "Night Mag",
        "supplement_ingredient": [
            { "ingredient_name": "Magnesium", "quantity": 100.5, "unit": "mg", "active": true, "order": 1 },
            { "ingredient_name": "Rice Flour", "active": false, "order": 2 },
        ] });
    let log = |days: &u64| {
        json!({ "type": "supplement_log", "created_at": format!("{}T20:00:00Z", ago(*days)),
        "supplement_id": LABEL, "servings": 2 })
    };
    [label].into_iter().chain(days_ago.iter().map(log)).collect()
}

on_sqlite! {
    async fn without_arguments_sleep_is_last_night_by_the_day_of_waking_up(world: World) {
        let scene = Scene::new(world, &[night(0, "ring"), night(1, "ring")]);
        let answer = scene.assistant.call("get_sleep", json!({})).await;
        assert_eq!((&answer["from"], &answer["to"]), (&json!(today().to_string()), &json!(today().to_string())));
        let [night] = answer["nights"].as_array().expect("nights").as_slice() else { panic!("{answer}") };
        assert_eq!(night["date"], today().to_string());
        assert_eq!((&night["source"], &night["in_bed_minutes"], &night["asleep_minutes"]), (&json!("ring"), &json!(435), &json!(420)));
        assert_eq!((&night["deep_minutes"], &night["latency_minutes"]), (&json!(180), &json!(15)));
        assert!(night.get("rem_minutes").is_none_or(|rem| rem == 0), "{night}");
        let start = night["start"].as_str().expect("start");
        assert!(start.starts_with(&format!("{}T22:53:00+01:00", ago(1))), "{start}");
        assert_eq!(answer["medians"], json!([{ "source": "ring", "n": 1, "in_bed_minutes": 435, "asleep_minutes": 420, "asleep_n": 1 }]));
        assert_eq!((&answer["missing_days"], &answer["cut"]), (&json!(0), &Value::Null));
    }

    async fn a_range_has_a_line_for_each_session_and_names_the_days_without_any(world: World) {
        let nap = json!({ "type": "sleep_session", "source": "ring", "is_nap": true,
            "time_in_bed_start": format!("{}T14:00:00+01:00", ago(2)), "time_in_bed_end": format!("{}T14:30:00+01:00", ago(2)) });
        let scene = Scene::new(world, &[night(1, "ring"), night(2, "ring"), night(2, "watch"), nap, night(5, "ring")]);
        let answer = scene.assistant.call("get_sleep", json!({ "from": ago(6).to_string() })).await;
        let dates: Vec<&str> = answer["nights"].as_array().expect("nights").iter().map(|night| night["date"].as_str().expect("date")).collect();
        let expected = [1, 2, 2, 2, 5].map(|days| ago(days).to_string());
        assert_eq!(dates, expected);
        assert_eq!(answer["missing_days"], 4);
        let range = |from: u64, to: u64| json!({ "from": ago(from).to_string(), "to": ago(to).to_string() });
        assert_eq!(answer["missing"], json!([range(0, 0), range(4, 3), range(6, 6)]));
        let medians: Vec<(&Value, &Value)> = answer["medians"].as_array().expect("medians").iter().map(|one| (&one["source"], &one["n"])).collect();
        assert_eq!(medians, [(&json!("ring"), &json!(3)), (&json!("watch"), &json!(1))]);
    }

    async fn a_last_night_without_data_is_named_and_the_latest_is_pointed_to(world: World) {
        let scene = Scene::new(world, &[night(3, "ring")]);
        for tool in ["get_sleep", "get_night"] {
            let answer = scene.assistant.call(tool, json!({})).await;
            assert_eq!(answer["latest_date_on_record"], ago(3).to_string(), "{answer}");
            assert!(!answer["missing"].is_null() && answer["missing"] != json!([]), "{answer}");
        }
        let empty = Scene::new(World::new(scene.world.kind).await, &[]);
        for tool in ["get_sleep", "get_night", "get_sleep_trend", "get_supplements"] {
            let answer = empty.assistant.call(tool, json!({})).await;
            assert!(answer["latest_date_on_record"].is_null() && !answer["missing"].is_null(), "{answer}");
        }
        let coverage = empty.assistant.call("get_coverage", json!({})).await;
        assert_eq!((&coverage["sleep"]["first_date"], &coverage["sleep"]["days_of_last_366"]), (&Value::Null, &json!(0)));
    }

    async fn dates_with_sleep_have_no_latest_date_on_record(world: World) {
        let scene = Scene::new(world, &[night(0, "ring")]);
        for tool in ["get_sleep", "get_night", "get_sleep_trend"] {
            let answer = scene.assistant.call(tool, json!({})).await;
            assert!(answer.get("latest_date_on_record").is_none(), "{answer}");
        }
    }

    async fn a_long_list_is_cut_and_names_the_next_request(world: World) {
        let nights: Vec<Value> = (0..90).map(|days| night(days, "ring")).collect();
        let scene = Scene::new(world, &nights);
        let mut seen = Vec::new();
        for answer in scene.call_until_complete("get_sleep", json!({ "from": ago(89).to_string() })).await {
            seen.extend(answer["nights"].as_array().expect("nights").iter().map(|night| night["date"].clone()));
        }
        assert_eq!(seen, (0..90).map(|days| json!(ago(days).to_string())).collect::<Vec<_>>());
    }

    /// MCP 2026-07-28, Tools, Security Considerations.
    async fn a_range_of_50_years_is_cut_to_a_year(world: World) {
        let scene = Scene::new(world, &[night(1, "ring"), night(400, "ring")]);
        for tool in ["get_sleep", "get_sleep_trend", "get_supplements"] {
            let answer = scene.assistant.call(tool, json!({ "from": "1976-01-01" })).await;
            let next = &answer["cut"]["next"][0];
            assert_eq!(next["from"], "1976-01-01", "{answer}");
            assert!(next["to"].as_str().expect("date") < today().to_string().as_str());
        }
        let answer = scene.assistant.call("get_sleep", json!({ "from": "1976-01-01" })).await;
        let rest = scene.assistant.call("get_sleep", answer["cut"]["next"][0].clone()).await;
        assert_eq!(rest["nights"][0]["date"], ago(400).to_string());
    }

    async fn the_note_of_a_range_of_over_366_days_names_the_dates_that_the_medians_cover(world: World) {
        let scene = Scene::new(world, &[night(1, "ring"), night(365, "ring"), night(366, "ring")]);
        let asked = json!({ "from": ago(400).to_string(), "to": today().to_string() });
        let answer = scene.assistant.call("get_sleep", asked).await;
        let (from, to) = (ago(365).to_string(), today().to_string());
        assert_eq!((&answer["from"], &answer["to"], &answer["medians"][0]["n"]), (&json!(from), &json!(to), &json!(2)));
        let note = format!("Earlier nights are left out. The medians cover {from} to {to}; ask for earlier dates separately.");
        assert_eq!(answer["cut"]["note"], note);
        let rest = scene.assistant.call("get_sleep", answer["cut"]["next"][0].clone()).await;
        assert_eq!((&rest["to"], &rest["medians"][0]["n"]), (&json!(ago(366).to_string()), &json!(1)));
    }

    async fn a_night_lists_its_stages_in_order(world: World) {
        let scene = Scene::new(world, &[night(1, "ring"), night(1, "watch")]);
        let answer = scene.assistant.call("get_night", json!({ "date": ago(1).to_string() })).await;
        let sessions = answer["sessions"].as_array().expect("sessions");
        assert_eq!(sessions.len(), 2);
        let before = ago(2);
        assert_eq!(sessions[0]["stages"], json!([
            { "stage": "AWAKE", "start": format!("{before}T22:53:00+01:00"), "minutes": 15 },
            { "stage": "LIGHT", "start": format!("{before}T23:08:00+01:00"), "minutes": 240 },
            { "stage": "DEEP", "start": format!("{}T03:08:00+01:00", ago(1)), "minutes": 180 },
        ]));
        let id = &sessions[1]["session_id"];
        let only = scene.assistant.call("get_night", json!({ "date": ago(1).to_string(), "session_id": id })).await;
        assert_eq!(only["sessions"], json!([sessions[1]]));
    }

    async fn a_night_with_many_stages_is_cut_and_continued(world: World) {
        let mut long = night(0, "ring");
        let stage = |minute: u32| {
            let at = |minute: u32| format!("{}T{:02}:{:02}:00+01:00", today(), minute / 60, minute % 60);
            json!({ "stage": if minute.is_multiple_of(2) { "LIGHT" } else { "REM" }, "start": at(minute), "end": at(minute + 1) })
        };
        long["raw_sleep"] = (0..360).map(stage).collect();
        let scene = Scene::new(world, &[long]);
        let mut stages = Vec::new();
        for answer in scene.call_until_complete("get_night", json!({})).await {
            stages.extend(answer["sessions"][0]["stages"].as_array().expect("stages").clone());
        }
        let starts: Vec<&str> = stages.iter().map(|stage| stage["start"].as_str().expect("start")).collect();
        assert_eq!(starts.len(), 360);
        assert!(starts.is_sorted() && stages[7]["stage"] == "REM");
    }

    async fn a_trend_has_medians_per_week_and_their_number(world: World) {
        let nights: Vec<Value> = (0..14).map(|days| night(days, "ring")).chain([night(0, "watch")]).collect();
        let scene = Scene::new(world, &nights);
        let answer = scene.assistant.call("get_sleep_trend", json!({})).await;
        assert_eq!((&answer["source"], &answer["n"], &answer["period"]), (&json!("ring"), &json!(14), &json!("week")));
        assert_eq!(answer["all"]["asleep_minutes"], json!({ "n": 14, "lower": 420, "median": 420, "upper": 420 }));
        let periods = answer["periods"].as_array().expect("periods");
        assert_eq!(periods.iter().filter_map(|week| week["in_bed_minutes"]["n"].as_u64()).sum::<u64>(), 14);
        assert_eq!(answer["missing_days"], 14);
        let watch = scene.assistant.call("get_sleep_trend", json!({ "source": "watch" })).await;
        assert_eq!((&watch["n"], &watch["all"]["in_bed_minutes"]["n"]), (&json!(1), &json!(1)));
        let months = scene.assistant.call("get_sleep_trend", json!({ "from": ago(300).to_string() })).await;
        assert_eq!(months["period"], "month");
    }

    async fn tools_date_a_night_where_it_was_recorded_and_count_short_sessions_as_naps(world: World) {
        let session = |start: String, end: String| json!({ "type": "sleep_session", "source": "ring",
            "time_in_bed_start": start, "time_in_bed_end": end });
        // Waking up at 23:30 in Honolulu, the next day in Berlin.
        let there = session(format!("{}T16:00:00-10:00", ago(3)), format!("{}T23:30:00-10:00", ago(3)));
        let nap = session(format!("{}T14:00:00+01:00", ago(1)), format!("{}T14:40:00+01:00", ago(1)));
        let here = session(format!("{}T22:00:00+01:00", ago(2)), format!("{}T05:30:00+01:00", ago(1)));
        let scene = Scene::new(world, &[there, here, nap]);
        let night = scene.assistant.call("get_night", json!({ "date": ago(3).to_string() })).await;
        assert_eq!(night["sessions"][0]["date"], ago(3).to_string(), "{night}");
        let range = json!({ "from": ago(5).to_string(), "to": today().to_string() });
        let answer = scene.assistant.call("get_sleep", range.clone()).await;
        let dates: Vec<&Value> = answer["nights"].as_array().expect("nights").iter().map(|night| &night["date"]).collect();
        assert_eq!(dates, [ago(1), ago(1), ago(3)].map(|date| date.to_string()).each_ref());
        // The kind stays unknown.
        assert!(answer["nights"][0]["is_nap"].is_null(), "{answer}");
        assert_eq!((&answer["medians"][0]["n"], &answer["medians"][0]["in_bed_minutes"]), (&json!(2), &json!(450)));
        let trend = scene.assistant.call("get_sleep_trend", range).await;
        assert_eq!((&trend["n"], &trend["all"]["bedtime"]["n"]), (&json!(2), &json!(2)), "{trend}");
    }

    async fn times_of_a_trend_are_those_of_the_clock_where_the_person_lives(world: World) {
        let night = |day: u32, offset: &str| json!({ "type": "sleep_session", "source": "ring",
            "time_in_bed_start": format!("2026-03-{:02}T23:00:00+01:00", day - 1), "time_in_bed_end": format!("2026-03-{day}T07:00:00{offset}") });
        // The clocks of Berlin were set forward on the 29th.
        let scene = Scene::new(world, &[night(28, "+01:00"), night(29, "+02:00")]);
        let answer = scene.assistant.call("get_sleep_trend", json!({ "from": "2026-03-28", "to": "2026-03-29" })).await;
        assert_eq!((&answer["all"]["bedtime"]["median"], &answer["all"]["wake_time"]["median"]), (&json!("23:00"), &json!("07:00")));
        assert_eq!(answer["all"]["in_bed_minutes"]["median"], 450);
    }

    async fn supplements_are_summed_per_day(world: World) {
        let scene = Scene::new(world, &intake(&[0, 2]));
        let answer = scene.assistant.call("get_supplements", json!({})).await;
        let days = answer["days"].as_array().expect("days");
        assert_eq!(days.len(), 2);
        assert_eq!(days[0], json!({
            "date": today().to_string(),
            "products": [{ "name": "Night Mag", "brand": "Harbour", "servings": 2.0, "entries": 1 }],
            "ingredients": [{ "name": "Magnesium", "quantity": 201.0, "unit": "mg" }],
            "ingredients_without_amount": 1, "products_left_out": 0, "ingredients_left_out": 0,
        }));
        assert_eq!((&answer["missing_days"], &days[1]["date"]), (&json!(5), &json!(ago(2).to_string())));
        let earlier = scene.assistant.call("get_supplements", json!({ "to": ago(1).to_string() })).await;
        assert_eq!(earlier["days"].as_array().map(Vec::len), Some(1));
    }

    async fn a_day_with_many_ingredients_is_cut_and_continued(world: World) {
        let ingredient = |number: u32| json!({ "ingredient_name": format!("Extract of the root number {number}"),
            "quantity": 1, "unit": "mg", "active": true, "order": number });
        let mut lines = intake(&[0]);
        lines[0]["supplement_ingredient"] = (1..=250).map(ingredient).collect();
        let scene = Scene::new(world, &lines);
        let mut names = BTreeSet::new();
        for answer in scene.call_until_complete("get_supplements", json!({})).await {
            let found = answer["days"][0]["ingredients"].as_array().expect("ingredients");
            names.extend(found.iter().map(|one| one["name"].to_string()));
        }
        assert_eq!(names.len(), 250);
    }

    async fn coverage_reports_what_is_recorded_since_when(world: World) {
        let lines: Vec<Value> = [night(1, "ring"), night(30, "watch"), night(500, "ring")].into_iter().chain(intake(&[1, 40])).collect();
        let scene = Scene::new(world, &lines);
        let answer = scene.assistant.call("get_coverage", json!({})).await;
        assert_eq!((&answer["today"], &answer["time_zone"]), (&json!(today().to_string()), &json!("Europe/Berlin")));
        let sleep = &answer["sleep"];
        assert_eq!((&sleep["first_date"], &sleep["last_date"]), (&json!(ago(500).to_string()), &json!(ago(1).to_string())));
        assert_eq!([&sleep["days_of_last_7"], &sleep["days_of_last_28"], &sleep["days_of_last_366"]], [1, 1, 2]);
        assert_eq!(answer["supplements"]["first_date"], ago(40).to_string());
        assert_eq!((&answer["supplements"]["days_of_last_28"], &answer["supplements"]["products_of_last_28_days"]), (&json!(1), &json!(["Night Mag"])));
        let missing = answer["profile"]["missing"].as_array().expect("missing");
        assert!(missing.contains(&json!("height_cm")) && !missing.contains(&json!("birth_date")), "{answer}");
        assert_eq!(answer["not_granted"], json!([]));
    }

    /// MCP 2026-07-28, Tools, Security Considerations.
    async fn names_lose_their_deceptive_characters(world: World) {
        let mut lines = intake(&[0]);
        lines[0]["name"] = json!("Night \u{202e}gaM\u{202c}");
        lines[0]["brand"] = json!("Har\u{200b}bour");
        lines[0]["supplement_ingredient"][0]["ingredient_name"] = json!("Magne\u{ad}sium\u{2066}");
        let scene = Scene::new(world, &[&[night(0, "ri\u{200b}ng\u{feff}")], &lines[..]].concat());
        // The API returns them as they were imported.
        let stored = read_json(&scene.server, &scene.assistant.token, &format!("/api/v1/supplements/{}", scene.user)).await;
        assert!(stored.to_string().contains("Night \u{202e}gaM\u{202c}"), "{stored}");
        let mut answers = Vec::new();
        for (tool, arguments) in [
            ("get_coverage", json!({})), ("get_sleep", json!({})), ("get_night", json!({})), ("get_supplements", json!({})),
            ("get_sleep_trend", json!({ "source": "ring" })),
        ] {
            let answer = scene.assistant.call(tool, arguments).await;
            let found = deceptive_characters(&answer.to_string()).next();
            assert_eq!(found, None, "{answer}");
            answers.push(answer);
        }
        let day = &answers[3]["days"][0];
        assert_eq!((&day["products"][0]["name"], &day["products"][0]["brand"]), (&json!("Night gaM"), &json!("Harbour")));
        assert_eq!(day["ingredients"][0]["name"], "Magnesium");
        assert_eq!((&answers[1]["nights"][0]["source"], &answers[2]["sessions"][0]["source"]), (&json!("ring"), &json!("ring")));
        assert_eq!((&answers[4]["source"], &answers[4]["n"]), (&json!("ring"), &json!(1)));
    }

    async fn the_profile_is_that_of_the_api_with_its_unknown_values(world: World) {
        let scene = Scene::new(world, &[]);
        let answer = scene.assistant.call("get_profile", json!({})).await;
        assert_eq!((&answer["profile"]["user_id"], &answer["profile"]["birth_date"]), (&json!(scene.user), &json!("1985-04-12")));
        assert!(answer["missing"].as_array().is_some_and(|missing| missing.len() == 6), "{answer}");
        assert!(!answer.to_string().contains("sleeper@example.org"));
    }

    async fn an_unknown_tool_is_32602_2026_07_28_tools_error_handling(world: World) {
        let scene = Scene::new(world, &[]);
        for name in ["get_everything", "GET_SLEEP", "get_sleep ", ""] {
            let params = json!({ "name": name });
            let error = scene.assistant.legacy("tools/call", &params).await.assert_error(200, -32_602);
            assert!(!error.to_string().contains("everything"));
        }
        for params in [json!({}), json!({ "name": 7 }), json!({ "name": "get_sleep", "arguments": [] })] {
            scene.assistant.legacy("tools/call", &params).await.assert_error(200, -32_602);
        }
        for name in ["get_everything", "GET_SLEEP", ""] {
            let answer = scene.assistant.modern("tools/call", json!({ "name": name })).await;
            assert!(!answer.assert_error(200, -32_602).to_string().contains("everything"));
        }
    }

    async fn invalid_arguments_are_an_error_result_2026_07_28_tools_error_handling(world: World) {
        let scene = Scene::new(world, &[night(0, "ring")]);
        for (tool, arguments, expected) in [
            ("get_sleep", json!({ "from": 20_260_308 }), "from must be a string."),
            ("get_sleep", json!({ "from": "8 March" }), "from must be a date such as 2026-03-08."),
            ("get_sleep", json!({ "to": "2026-02-30" }), "to must be a date such as 2026-03-08."),
            ("get_sleep", json!({ "from": "2026-03-02", "to": "2026-03-01" }), "from must not be after to; without to, the range ends today."),
            ("get_sleep", json!({ "user_id": "x" }), "Unknown argument. This tool takes: from, to."),
            ("get_night", json!({ "date": ["2026-03-08"] }), "date must be a string."),
            ("get_night", json!({ "session_id": "1" }), "session_id must be an id that this tool returned."),
            (
                "get_night",
                json!({ "session_id": "00000000-0000-4000-8000-000000000000" }),
                "session_id must be an id that this tool returned for this date.",
            ),
            ("get_night", json!({ "stages_after": "23:10" }), "stages_after must be a time such as 2026-03-08T23:10:00-05:00."),
            ("get_sleep_trend", json!({ "source": "watch" }), "source must be one that this tool returned for these dates."),
            ("get_supplements", json!({ "day": "2026-03-08" }), "Unknown argument. This tool takes: from, to, skip."),
            ("get_supplements", json!({ "skip": "7" }), "skip must be a whole number of 0 or more."),
            ("get_supplements", json!({ "skip": -1 }), "skip must be a whole number of 0 or more."),
            ("get_supplements", json!({ "skip": 1.5 }), "skip must be a whole number of 0 or more."),
            ("get_supplements", json!({ "skip": [7] }), "skip must be a whole number of 0 or more."),
            ("get_profile", json!({ "x": 1 }), "This tool takes no arguments."),
            ("get_coverage", json!({ "x": 1 }), "This tool takes no arguments."),
        ] {
            assert_eq!(scene.assistant.refused(tool, arguments).await, expected, "{tool}");
        }
    }
}
