//! Daily limits, and the record of reads.

use super::client::{Assistant, import, night, person};
use crate::e2e::app::read;
use crate::e2e::polling::eventually;
use crate::e2e::world::World;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

on_sqlite! {
    /// MCP 2026-07-28, Tools, Security Considerations.
    async fn every_call_counts_against_the_limit_of_its_kind(world: World) {
        let user = person(&world);
        let world = world.with("RESTWELL__RATE_LIMITS__SLEEP", "4").with("RESTWELL__RATE_LIMITS__PROFILE", "2");
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep", "profile"]);
        assistant.tools().await;
        for (tool, arguments, remaining) in [
            ("get_sleep", json!({}), "3"),
            ("get_night", json!({ "date": 7 }), "2"),
            ("get_sleep_trend", json!({}), "1"),
        ] {
            let answer = assistant.modern("tools/call", json!({ "name": tool, "arguments": arguments })).await;
            assert_eq!((answer.header("x-ratelimit-limit"), answer.header("x-ratelimit-remaining")), ("4", remaining));
        }
        // The same counter as that of the data endpoint.
        assert_eq!(read(&server, &assistant.token, &format!("/api/v1/sleep/{user}")).await.status(), 200);
        for tool in ["get_sleep", "get_coverage"] {
            let answer = assistant.modern("tools/call", json!({ "name": tool })).await;
            let error = answer.assert_error(429, 429);
            assert_eq!((&error["data"]["code"], &answer.json()["id"]), (&json!("rate_limited"), &json!("a")));
            assert_eq!(error["data"]["limit"]["X-RateLimit-Remaining"], 0);
            assert!(answer.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds <= 86_400));
        }
        assert_eq!(read(&server, &assistant.token, &format!("/api/v1/sleep/{user}")).await.status(), 429);
        // The coverage had counted the profile first.
        assistant.call("get_profile", json!({})).await;
        assert_eq!(assistant.modern("tools/call", json!({ "name": "get_profile" })).await.status, 429);
    }

    async fn the_persons_list_of_reads_has_the_requested_dates_and_returned_nights(world: World) {
        let user = person(&world);
        import(&world, &user, &[night(0, "ring"), night(1, "ring"), night(2, "ring")]);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep"]);
        let returned = assistant.call("get_sleep", json!({})).await;
        assert_eq!(returned["nights"].as_array().map(Vec::len), Some(1), "{returned}");
        let [read] = &eventually("the read", async || {
            let reads = world.json_lines(&["audit", "reads", &user, "--json"]);
            (!reads.is_empty()).then_some(reads)
        }).await[..] else { panic!("one read") };
        let time = |name: &str| read[name].as_str().expect("time").parse::<DateTime<Utc>>().expect("time");
        assert_eq!(read["items"], 1, "{read}");
        assert!(time("to") - time("from") < TimeDelta::hours(26), "{read}");
    }

    async fn every_call_appears_among_the_reads_of_the_person(world: World) {
        let user = person(&world);
        import(&world, &user, &[night(0, "ring"), night(1, "ring")]);
        let server = world.serve();
        let assistant = Assistant::with_scopes(&world, &server, &user, &["sleep", "profile", "supplements"]);
        for tool in ["get_sleep", "get_night", "get_sleep_trend", "get_supplements", "get_profile"] {
            assistant.call(tool, json!({})).await;
        }
        let requests = |kind: &str| -> u64 {
            let reads = world.json_lines(&["audit", "reads", &user, "--json"]);
            let of_kind = reads.iter().filter(|read| read["read"] == kind);
            of_kind.filter_map(|read| read["requests"].as_u64()).sum()
        };
        let counted = eventually("the reads", async || {
            let counted = ["sleep", "supplements", "profile"].map(requests);
            (counted.iter().sum::<u64>() >= 5).then_some(counted)
        }).await;
        assert_eq!(counted, [3, 1, 1]);
        assistant.call("get_coverage", json!({})).await;
        eventually("the reads", async || {
            (["sleep", "supplements", "profile"].map(requests) == [4, 2, 2]).then_some(())
        }).await;
        let reads: Vec<Value> = world.json_lines(&["audit", "reads", &user, "--json"]);
        assert!(reads.iter().all(|read| read["name"] == "Assistant"), "{reads:?}");
    }
}
