use super::SleepPageText;
use crate::test_support::TestDatabase;
use domain::paging::SortDirection;
use serde_json::Value;

/// Number of the person's sessions; the last page starts 30 before the end.
const SESSIONS: i64 = 10_000;

/// A person with sessions in random order on disk, among a few other people, as after a year of use.
///
/// Committed synchronously, because vacuum leaves a page unmarked if its commit may still be lost.
const POPULATE: &str = "
    SET synchronous_commit = on;
    INSERT INTO person SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, n FROM generate_series(1, 4) AS n;
    INSERT INTO account (id, email, home_timezone, created_at) SELECT id, email_normalised, 'UTC', now() FROM person;
    INSERT INTO sleep_session (user_id, started_at, id, ended_at, key_kind, natural_key, updated_at, stages, metrics)
    SELECT ('00000000-0000-0000-0000-00000000000' || u)::uuid, '2000-01-01Z'::timestamptz + n * interval '1 day',
        md5(u || '-' || n)::uuid, '2000-01-01Z'::timestamptz + n * interval '1 day' + interval '8 hours',
        'given', n::text, now(), decode(repeat('1302', 62), 'hex'), decode(repeat('1008', 30), 'hex')
    FROM generate_series(1, 4) AS u, generate_series(1, 10000) AS n ORDER BY md5(n::text);";

struct Plan {
    blocks: i64,
    rows: f64,
    nodes: Vec<String>,
    heap_fetches: i64,
}

/// Runs the statement and parses its plan.
async fn explain(client: &tokio_postgres::Client, text: SleepPageText, skipped: i64, mode: &str) -> Plan {
    client.batch_execute(&format!("SET plan_cache_mode = {mode}; DEALLOCATE ALL")).await.unwrap();
    let types = "uuid, timestamptz, timestamptz, bigint, bigint";
    client.batch_execute(&format!("PREPARE page ({types}) AS {}", text.sql())).await.unwrap();
    let user = "'00000000-0000-0000-0000-000000000001'";
    let sql = format!(
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
         EXECUTE page ({user}, '0001-01-01Z', '9999-12-31Z', {skipped}, 31)"
    );
    let answer = client.simple_query(&sql).await.unwrap();
    let text = answer.iter().find_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let json: Value = serde_json::from_str(text.unwrap()).unwrap();
    let root = &json[0]["Plan"];
    let rows = root["Actual Rows"].as_f64().unwrap();
    let mut plan = Plan { blocks: blocks(root), rows, nodes: Vec::new(), heap_fetches: 0 };
    walk(root, &mut plan);
    plan
}

fn blocks(node: &Value) -> i64 {
    node["Shared Hit Blocks"].as_i64().unwrap() + node["Shared Read Blocks"].as_i64().unwrap()
}

fn walk(node: &Value, plan: &mut Plan) {
    plan.nodes.push(node["Node Type"].as_str().unwrap().to_owned());
    plan.heap_fetches += node["Heap Fetches"].as_i64().unwrap_or(0);
    for child in node["Plans"].as_array().into_iter().flatten() {
        walk(child, plan);
    }
}

#[tokio::test]
async fn the_last_of_ten_thousand_sessions_costs_a_skip_over_index_keys_and_its_own_rows() {
    let database = TestDatabase::create().await;
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(POPULATE).await.unwrap();
    client.batch_execute("VACUUM (ANALYZE) sleep_session").await.unwrap();
    for mode in ["force_custom_plan", "force_generic_plan"] {
        for sort in [SortDirection::Ascending, SortDirection::Descending] {
            let text = SleepPageText { sort, is_first: true, with_stages: true, with_metrics: true };
            let first = explain(&client, text, 0, mode).await;
            let text = SleepPageText { is_first: false, ..text };
            let last = explain(&client, text, SESSIONS - 30, mode).await;
            println!("{mode} {sort:?}: {} blocks, last page {} blocks", first.blocks, last.blocks);
            // Each scattered row costs one block on any page.
            assert!(first.blocks <= 31 + 10, "{mode} {sort:?}: {} blocks", first.blocks);
            // All keys of a person fill about 100 blocks of the index; the 9,970 skipped rows would add 9,970
            // blocks.
            assert!(last.blocks <= 31 + 200, "{mode} {sort:?}: {} blocks", last.blocks);
            assert_eq!(last.heap_fetches, 0);
            assert!(last.nodes.iter().any(|node| node == "Index Only Scan"));
            assert!((last.rows - 30.0).abs() < 0.5, "{mode} {sort:?}: {} rows", last.rows);
            for nodes in [first.nodes, last.nodes] {
                assert!(!nodes.iter().any(|node| node == "Sort" || node == "Seq Scan"), "{nodes:?}");
            }
        }
    }
}
