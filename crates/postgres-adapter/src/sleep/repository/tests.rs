use super::{CANDIDATES, SLEEP_COLUMNS};
use crate::test_support::TestDatabase;
use chrono::{NaiveDate, TimeDelta};
use serde_json::Value;

/// A person with a night on each of 4,000 days, and each once more with a key from its source.
const POPULATE: &str = "
    INSERT INTO person VALUES ('00000000-0000-0000-0000-000000000001', 'one');
    INSERT INTO account (id, email, home_timezone, created_at) SELECT id, email_normalised, 'UTC', now() FROM person;
    INSERT INTO sleep_session (user_id, started_at, id, ended_at, key_kind, natural_key, updated_at, stages, metrics)
    SELECT p.id, day, gen_random_uuid(), day + interval '8 hours', kind, day::text, now(), '', ''
    FROM person p, (VALUES ('derived'), ('given')) AS k (kind), generate_series('2010-01-01Z'::timestamptz, '2010-01-01Z'::timestamptz + 3999 * interval '1 day',
        '1 day') AS day;";
const TYPES: &str =
    "uuid, text[], text[], text[], timestamptz[], timestamptz[], text[], timestamptz[], timestamptz[]";

/// Number of rows that the plan read and did not use.
fn removed(node: &Value) -> f64 {
    let here =
        node["Rows Removed by Filter"].as_f64().unwrap_or(0.0) * node["Actual Loops"].as_f64().unwrap();
    here + node["Plans"].as_array().into_iter().flatten().map(removed).sum::<f64>()
}

/// An array of one element for each of the next 2,000 nights.
fn array(element: impl Fn(NaiveDate) -> String) -> String {
    let first = NaiveDate::from_ymd_opt(2010, 1, 1).unwrap();
    let elements: Vec<_> = (4_000..6_000).map(|n| element(first + TimeDelta::days(n))).collect();
    format!("'{{{}}}'", elements.join(","))
}

#[tokio::test]
async fn a_plan_made_for_an_empty_store_reads_only_the_week_of_each_record() {
    let database = TestDatabase::create().await;
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let (sources, kinds) = (array(|_| "\"\"".into()), array(|_| "derived".into()));
    let (starts, ends) = (array(|day| format!("{day}Z")), array(|day| format!("{day} 08:00Z")));
    let look_up = format!(
        "EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE candidates ('00000000-0000-0000-0000-000000000001',
            {sources}, {kinds}, {starts}, {starts}, {ends}, {sources}, {starts}, {ends})"
    );
    let prepare = format!(
        "SET plan_cache_mode = force_generic_plan;
        PREPARE candidates ({TYPES}) AS SELECT {SLEEP_COLUMNS} {CANDIDATES}; {look_up}; {POPULATE}"
    );
    client.batch_execute(&prepare).await.unwrap();
    let answer = client.simple_query(&look_up).await.unwrap();
    let text = answer.iter().find_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let plan: Value = serde_json::from_str(text.unwrap()).unwrap();
    let removed = removed(&plan[0]["Plan"]);
    assert!(removed <= 2_000.0 * 10.0, "{removed} rows were read and not used:\n{plan:#}");
}
