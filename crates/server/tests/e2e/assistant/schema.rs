//! The schemas of the tools. [`Assistant::call`] checks every answer of these and other tests against them.

use super::client::{Assistant, ago, conforms, import, night, person};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use serde_json::{Value, json};

const TOOLS: [&str; 6] =
    ["get_coverage", "get_sleep", "get_night", "get_sleep_trend", "get_supplements", "get_profile"];

fn assistant(world: &World, lines: &[Value]) -> (Server, Assistant) {
    let user = person(world);
    if !lines.is_empty() {
        import(world, &user, lines);
    }
    let server = world.serve();
    let assistant = Assistant::with_scopes(world, &server, &user, &["profile", "sleep", "supplements"]);
    (server, assistant)
}

on_sqlite! {
    /// MCP 2026-07-28, Basic, Schema Validation.
    async fn every_schema_is_valid_and_describes_an_object(world: World) {
        let (_server, assistant) = assistant(&world, &[]);
        for list in [assistant.modern("tools/list", json!({})).await, assistant.legacy("tools/list", &json!({})).await] {
            let tools = list.result()["tools"].as_array().expect("tools").clone();
            assert_eq!(tools.iter().map(|tool| tool["name"].as_str().expect("name")).collect::<Vec<_>>(), TOOLS);
            for tool in &tools {
                conforms(&json!({}), &tool["inputSchema"]).expect("no required arguments");
                for (value, schema) in [(json!({ "user_id": "x" }), "inputSchema"), (json!({}), "outputSchema")] {
                    conforms(&value, &tool[schema]).expect_err("a schema that rejects this");
                }
            }
        }
    }

    /// MCP 2026-07-28, Tools, Output Schema.
    async fn answers_about_an_empty_account_conform_to_the_schemas(world: World) {
        let (_server, assistant) = assistant(&world, &[]);
        for tool in TOOLS {
            assistant.call(tool, json!({})).await;
        }
    }

    /// MCP 2026-07-28, Tools, Output Schema.
    async fn answers_with_a_part_of_the_scopes_conform_to_the_schemas(world: World) {
        let user = person(&world);
        let server = world.serve();
        for scope in ["profile", "sleep", "supplements"] {
            let assistant = Assistant::with_scopes(&world, &server, &user, &[scope]);
            for tool in assistant.tools().await {
                assistant.call(&tool, json!({})).await;
            }
        }
    }

    /// MCP 2026-07-28, Tools, Output Schema.
    async fn answers_about_nights_without_stages_conform_to_the_schemas(world: World) {
        let plain = |days: u64| json!({ "type": "sleep_session",
            "time_in_bed_start": format!("{}T23:00:00+01:00", ago(days + 1)), "time_in_bed_end": format!("{}T07:00:00+01:00", ago(days)) });
        let (_server, assistant) = assistant(&world, &[plain(0), plain(1)]);
        for tool in TOOLS {
            assistant.call(tool, json!({})).await;
        }
        let sleep = assistant.call("get_sleep", json!({ "from": ago(1).to_string() })).await;
        assert_eq!((&sleep["nights"][0]["source"], &sleep["nights"][0]["is_nap"]), (&Value::Null, &Value::Null));
        assert_eq!((&sleep["medians"][0]["n"], &sleep["medians"][0]["asleep_minutes"]), (&json!(2), &Value::Null));
        let trend = assistant.call("get_sleep_trend", json!({ "source": "" })).await;
        assert_eq!((&trend["n"], &trend["all"]["asleep_minutes"]), (&json!(2), &Value::Null));
    }

    async fn cut_answers_conform_to_the_schemas_2026_07_28_tools_output_schema(world: World) {
        let nights: Vec<Value> = (0..90).map(|days| night(days, "ring")).collect();
        let (_server, assistant) = assistant(&world, &nights);
        for tool in ["get_sleep", "get_sleep_trend", "get_supplements"] {
            let answer = assistant.call(tool, json!({ "from": "1976-01-01" })).await;
            assert!(answer["cut"].is_object(), "{answer}");
            assistant.call(tool, answer["cut"]["next"][0].clone()).await;
        }
    }
}
