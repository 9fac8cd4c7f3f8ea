//! Descriptions of the tools for clients and models: JSON Schema 2020-12.

use super::Tool;
use domain::data_kind::DataKind;
use serde_json::{Map, Value, json};

/// Description of a tool in `tools/list`.
pub(super) struct ToolDescription {
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) input: Value,
    pub(super) output: Value,
}

const FROM: &str = "First date, YYYY-MM-DD.";
const TO: &str = "Last date, YYYY-MM-DD. Default: today.";

/// Returns the description of a tool.
pub(super) fn describe(tool: Tool) -> ToolDescription {
    match tool {
        Tool::Coverage => coverage(),
        Tool::Sleep => sleep(),
        Tool::Night => night(),
        Tool::Trend => trend(),
        Tool::Supplements => supplements(),
        Tool::Profile => profile(),
    }
}

fn coverage() -> ToolDescription {
    let mut members = vec![("time_zone", text()), ("today", text())];
    members.extend(DataKind::ALL.map(|kind| (kind.as_str(), nullable("object"))));
    members.push(("not_granted", list(&text())));
    ToolDescription {
        title: "What is recorded",
        description: "Which profile values, nights and supplements are on record, since when, from which \
            sources, and what this assistant was not granted.",
        input: input(&[]),
        output: output(&members),
    }
}

fn sleep() -> ToolDescription {
    ToolDescription {
        title: "Sleep per night",
        description: "One line per sleep session by wake-up date, latest first, and medians per source with \
            the number of nights n. Without arguments: last night, which ends today.",
        input: input(&[("from", "First date, YYYY-MM-DD. Default: the same as to."), ("to", TO)]),
        output: with_latest_date(ranged(&[
            ("nights", list(&session(&[]))),
            (
                "medians",
                list(&object(&[
                    ("source", nullable("string")),
                    ("n", json!({ "type": "integer" })),
                    ("in_bed_minutes", number()),
                    ("asleep_minutes", nullable("number")),
                    ("asleep_n", json!({ "type": "integer" })),
                ])),
            ),
        ])),
    }
}

fn night() -> ToolDescription {
    ToolDescription {
        title: "One night with stages",
        description: "All sleep sessions that end on one date, with the stages in time order. Without \
            arguments: last night, which ends today. Sources are listed side by side and never merged.",
        input: input(&[
            ("date", "Wake-up date, YYYY-MM-DD. Default: today."),
            ("session_id", "Only this session."),
            ("stages_after", "Only stages that start after this time, such as 2026-03-08T23:10:00-05:00."),
        ]),
        output: with_latest_date(output(&[
            ("time_zone", text()),
            ("today", text()),
            ("date", text()),
            ("sessions", list(&session(&[("stages", list(&stage()))]))),
            ("missing", nullable("string")),
            ("cut", cut()),
        ])),
    }
}

fn trend() -> ToolDescription {
    let summary = |more: &[(&str, Value)]| {
        let mut members = vec![
            ("in_bed_minutes", spread("number")),
            ("asleep_minutes", spread("number")),
            ("bedtime", spread("string")),
            ("wake_time", spread("string")),
        ];
        members.extend_from_slice(more);
        object(&members)
    };
    let mut all = summary(&[]);
    if let Some(kind) = all.get_mut("type") {
        *kind = json!(["object", "null"]);
    }
    ToolDescription {
        title: "Sleep over weeks or months",
        description: "Medians and quartiles of time in bed, time asleep, bedtime and wake-up time of one \
            source, per week (per month beyond 26 weeks), each with the number of nights n. Naps are \
            excluded. Without arguments: the last four weeks, and the source with the most nights.",
        input: input(&[
            ("from", "First date, YYYY-MM-DD. Default: 27 days before to."),
            ("to", TO),
            ("source", "A source that this tool returned; an empty string for nights without a source."),
        ]),
        output: with_latest_date(ranged(&[
            (
                "sources",
                list(&object(&[("source", nullable("string")), ("nights", json!({ "type": "integer" }))])),
            ),
            ("source", nullable("string")),
            ("n", json!({ "type": "integer" })),
            ("all", all),
            ("period", text()),
            ("periods", list(&summary(&[("first", text())]))),
        ])),
    }
}

fn supplements() -> ToolDescription {
    let product = object(&[
        ("name", nullable("string")),
        ("brand", nullable("string")),
        ("servings", number()),
        ("entries", json!({ "type": "integer" })),
    ]);
    let ingredient = object(&[("name", text()), ("quantity", number()), ("unit", text())]);
    let mut arguments = input(&[("from", FROM), ("to", TO)]);
    if let Some(properties) = arguments.get_mut("properties").and_then(Value::as_object_mut) {
        let skip = json!({ "type": "integer", "minimum": 0,
            "description": "Number of products and ingredients to skip on each day." });
        properties.insert("skip".to_owned(), skip);
    }
    ToolDescription {
        title: "Supplements per day",
        description: "Products taken on each day with their servings, and totals of the ingredients whose \
            amount is on the label, latest day first. Without arguments: the last seven days.",
        input: arguments,
        output: ranged(&[(
            "days",
            list(&object(&[
                ("date", text()),
                ("products", list(&product)),
                ("ingredients", list(&ingredient)),
                ("ingredients_without_amount", json!({ "type": "integer" })),
                ("products_left_out", json!({ "type": "integer" })),
                ("ingredients_left_out", json!({ "type": "integer" })),
            ])),
        )]),
    }
}

fn profile() -> ToolDescription {
    ToolDescription {
        title: "Profile",
        description: "Time zone, birth date, biological sex, blood type, height, weight, skin type and \
            wheelchair use. Unknown values are null and listed as missing.",
        input: input(&[]),
        output: output(&[("profile", json!({ "type": "object" })), ("missing", list(&text()))]),
    }
}

/// An object of optional texts, and nothing else.
fn input(arguments: &[(&str, &str)]) -> Value {
    let property = |(name, description): &(&str, &str)| {
        ((*name).to_owned(), json!({ "type": "string", "description": description }))
    };
    let properties: Map<String, Value> = arguments.iter().map(property).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// An answer about a range of days.
fn ranged(members: &[(&str, Value)]) -> Value {
    let mut all = vec![
        ("time_zone", text()),
        ("today", text()),
        ("from", text()),
        ("to", text()),
        ("missing_days", json!({ "type": "integer" })),
        ("missing", list(&object(&[("from", text()), ("to", text())]))),
        ("cut", cut()),
    ];
    all.extend_from_slice(members);
    output(&all)
}

fn output(members: &[(&str, Value)]) -> Value {
    object(members)
}

/// An object with at least these members.
fn object(members: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": names })
}

/// An answer about sleep, which may also have the latest date with sleep.
fn with_latest_date(mut answer: Value) -> Value {
    if let Some(properties) = answer.get_mut("properties").and_then(Value::as_object_mut) {
        let latest = json!({ "type": ["string", "null"],
            "description": "Present if these dates have no sleep: the latest date with sleep, null if there is none." });
        properties.insert("latest_date_on_record".to_owned(), latest);
    }
    answer
}

/// A sleep session; metrics that are not known are absent.
fn session(more: &[(&str, Value)]) -> Value {
    let mut members = vec![
        ("date", text()),
        ("session_id", text()),
        ("source", nullable("string")),
        ("start", text()),
        ("end", text()),
        ("is_nap", nullable("boolean")),
        ("in_bed_minutes", number()),
    ];
    members.extend_from_slice(more);
    object(&members)
}

fn stage() -> Value {
    object(&[("stage", text()), ("start", text()), ("minutes", number())])
}

fn spread(kind: &str) -> Value {
    let mut schema = object(&[
        ("n", json!({ "type": "integer" })),
        ("lower", json!({ "type": kind })),
        ("median", json!({ "type": kind })),
        ("upper", json!({ "type": kind })),
    ]);
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!(["object", "null"]);
    }
    schema
}

fn cut() -> Value {
    json!({
        "type": ["object", "null"],
        "description": "Set if the result is incomplete: next lists the arguments that return the rest.",
        "properties": { "note": { "type": "string" }, "next": { "type": "array", "items": { "type": "object" } } },
        "required": ["note", "next"],
    })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn nullable(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn number() -> Value {
    json!({ "type": "number" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::user::ProfileField;

    #[test]
    fn the_description_of_a_profile_names_every_field() {
        let text = profile().description.to_lowercase();
        for field in ProfileField::ALL.into_iter().filter(|field| *field != ProfileField::CreatedAt) {
            let name = match field {
                ProfileField::HomeTimezone => "time zone".to_owned(),
                _ => field.as_str().trim_end_matches("_cm").trim_end_matches("_kg").replace('_', " "),
            };
            assert!(text.contains(&name), "{name}");
        }
    }
}
