use super::Tool;
use super::argument::Arguments;
use super::days::DayRange;
use chrono::NaiveDate;
use domain::scope::{Scope, ScopeSet};
use serde_json::json;

// The bound of answers, which the list of tools keeps too: models read it.
#[test]
fn the_list_of_tools_has_fewer_than_8000_tokens() {
    let tools: Vec<String> = Tool::ALL.into_iter().map(|tool| tool.definition().to_string()).collect();
    let bytes: usize = tools.iter().map(String::len).sum();
    assert!(bytes < 12_000, "{bytes}");
}

#[test]
fn a_range_of_days_that_reaches_into_the_future_ends_tomorrow() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    let read = |from: &str, to: &str| {
        let given = json!({ "from": from, "to": to });
        let arguments = Arguments::new(given.as_object().unwrap(), &["from", "to"]).ok().unwrap();
        let range = DayRange::read(arguments, date("2026-03-08"), 7).ok().unwrap();
        (range.first, range.last)
    };
    assert_eq!(read("2026-03-01", "9999-12-31"), (date("2026-03-01"), date("2026-03-09")));
    assert_eq!(read("2026-03-01", "2026-03-05"), (date("2026-03-01"), date("2026-03-05")));
    assert_eq!(read("2030-01-01", "2030-12-31"), (date("2030-01-01"), date("2030-01-01")));
}

#[test]
fn a_tool_is_found_by_its_name_in_this_spelling_alone() {
    for tool in Tool::ALL {
        assert_eq!(Tool::parse(tool.name()), Some(tool));
        assert_eq!(Tool::parse(&tool.name().to_uppercase()), None);
    }
}

#[test]
fn a_token_may_call_the_tools_of_its_scopes() {
    let allowed = |scopes: &[Scope]| {
        let usable: ScopeSet = scopes.iter().copied().collect();
        let tools = Tool::ALL.into_iter().filter(|tool| tool.is_allowed(usable));
        tools.map(Tool::name).collect::<Vec<_>>()
    };
    assert_eq!(allowed(&[Scope::Profile]), ["get_coverage", "get_profile"]);
    assert_eq!(allowed(&[Scope::Sleep]), ["get_coverage", "get_sleep", "get_night", "get_sleep_trend"]);
    assert_eq!(allowed(&[Scope::Supplements]), ["get_coverage", "get_supplements"]);
    assert_eq!(allowed(&[]), [""; 0]);
    assert_eq!(allowed(&[Scope::SleepWrite]), [""; 0]);
}

#[test]
fn every_tool_is_marked_as_reading_and_takes_no_person() {
    for tool in Tool::ALL {
        let definition = tool.definition();
        assert_eq!(definition["annotations"]["readOnlyHint"], true);
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(definition[schema]["type"], "object");
        }
        assert_eq!(definition["inputSchema"]["additionalProperties"], false);
        let arguments = definition["inputSchema"]["properties"].as_object().unwrap();
        assert!(!arguments.keys().any(|name| name.contains("user") || name.contains("person")));
        assert!(definition["description"].as_str().is_some_and(|text| text.len() < 400), "{definition}");
    }
}

#[test]
fn no_argument_is_repeated_in_a_header_2026_07_28_tools_x_mcp_header() {
    let mut arguments = 0;
    for tool in Tool::ALL {
        for schema in tool.definition()["inputSchema"]["properties"].as_object().unwrap().values() {
            arguments += 1;
            assert!(schema.is_object() && schema.get("x-mcp-header").is_none(), "{schema}");
        }
    }
    assert_eq!(arguments, 11);
}
