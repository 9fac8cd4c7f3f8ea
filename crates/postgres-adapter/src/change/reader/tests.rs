use super::page_sql;
use crate::test_support::TestDatabase;
use serde_json::Value;

/// A person with ten thousand sessions, logs and deletions of each kind, among a few others, scattered on
/// disk.
///
/// Committed synchronously, because vacuum leaves a page unmarked if its commit may still be lost.
const POPULATE: &str = "
    SET synchronous_commit = on;
    INSERT INTO person SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, n FROM generate_series(1, 4) AS n;
    INSERT INTO person SELECT md5('u' || n)::uuid, 'u' || n FROM generate_series(1, 3000) AS n;
    INSERT INTO account (id, email, home_timezone, created_at) SELECT id, email_normalised, 'UTC', now() FROM person;
    INSERT INTO supplement (id, catalogue_source, catalogue_key, is_current, brand, name, servings, upc, entry_date,
        ingredients)
    SELECT md5('v' || n)::uuid, 'x', n::text, true, '', '', '', '', now(), '[]' FROM generate_series(1, 5000) AS n;
    INSERT INTO sleep_session (user_id, started_at, id, ended_at, key_kind, natural_key, updated_at, stages, metrics,
        change_number)
    SELECT ('00000000-0000-0000-0000-00000000000' || u)::uuid, '2000-01-01Z'::timestamptz + n * interval '1 day',
        md5('s' || u || '-' || n)::uuid, '2000-01-01Z'::timestamptz + n * interval '1 day' + interval '8 hours',
        'given', n::text, now(), decode(repeat('1302', 62), 'hex'), decode(repeat('1008', 30), 'hex'), n / 100
    FROM generate_series(1, 4) AS u, generate_series(1, 10000) AS n ORDER BY md5(n::text);
    INSERT INTO intake_log (user_id, supplement_id, created_at, id, servings, change_number)
    SELECT ('00000000-0000-0000-0000-00000000000' || u)::uuid, md5('v' || n % 5000 + 1)::uuid,
        '2000-01-01Z'::timestamptz + n * interval '1 day', md5('l' || u || '-' || n)::uuid, 1, n / 100 + 200
    FROM generate_series(1, 4) AS u, generate_series(1, 10000) AS n ORDER BY md5(n::text);
    INSERT INTO deletion (user_id, kind, id, change_number, deleted_at)
    SELECT ('00000000-0000-0000-0000-00000000000' || u)::uuid, kind, md5(kind || u || '-' || n)::uuid, n / 100 + 400,
        now()
    FROM generate_series(1, 4) AS u, generate_series(1, 10000) AS n, (VALUES ('sleep'), ('supplements')) AS k (kind)
    ORDER BY md5(n::text);";

#[derive(Debug)]
struct Plan {
    blocks: i64,
    nodes: Vec<String>,
    rows: i64,
}

/// Runs the statement from these positions of the three kinds, and parses its plan.
async fn explain(client: &tokio_postgres::Client, places: [i64; 3], mode: &str) -> Plan {
    client.batch_execute(&format!("SET plan_cache_mode = {mode}; DEALLOCATE ALL")).await.unwrap();
    let types = "uuid, bigint, bigint, uuid, bigint, uuid, bigint, uuid, bigint";
    client.batch_execute(&format!("PREPARE page ({types}) AS {}", page_sql())).await.unwrap();
    let [profile, sleep, supplements] =
        places.map(|number| format!("{number}, 'ffffffff-ffff-ffff-ffff-ffffffffffff'"));
    let sql = format!(
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
         EXECUTE page ('00000000-0000-0000-0000-000000000001', 31, {profile}, {sleep}, {supplements}, 0)"
    );
    let answer = client.simple_query(&sql).await.unwrap();
    let json: String = answer
        .iter()
        .filter_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        })
        .collect();
    let json: Value = serde_json::from_str(&json).unwrap();
    let root = &json[0]["Plan"];
    let blocks = root["Shared Hit Blocks"].as_i64().unwrap() + root["Shared Read Blocks"].as_i64().unwrap();
    let mut plan = Plan { blocks, nodes: Vec::new(), rows: root["Actual Rows"].as_i64().unwrap() };
    walk(root, &mut plan);
    plan
}

fn walk(node: &Value, plan: &mut Plan) {
    // Nodes that never ran read nothing; one partition's node runs.
    if node["Actual Loops"].as_i64() != Some(0) {
        plan.nodes.push(node["Node Type"].as_str().unwrap().to_owned());
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        walk(child, plan);
    }
}

#[tokio::test]
async fn a_page_of_changes_reads_its_own_rows_wherever_it_begins() {
    let database = TestDatabase::create().await;
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(POPULATE).await.unwrap();
    client.batch_execute("VACUUM (ANALYZE)").await.unwrap();
    client.batch_execute("SET jit = off").await.unwrap();
    let past = i64::MAX;
    for mode in ["force_custom_plan", "force_generic_plan"] {
        for places in [
            [-1, -1, -1],
            [50, 50, 50],
            [250, 250, 250],
            [450, 450, 450],
            [past, 490, past],
            [past, past, 150],
            [0, past, past],
        ] {
            let plan = explain(&client, places, mode).await;
            println!("{mode} {places:?}: {} blocks, {} rows", plan.blocks, plan.rows);
            assert!(plan.rows == 31 || places == [0, past, past], "{plan:?}");
            // Four index scans, then one or two index look-ups and a block per row.
            assert!(plan.blocks <= 60 + 31 * 8, "{mode} {places:?}: {plan:?}");
            assert!(!plan.nodes.iter().any(|node| node == "Seq Scan"), "{mode} {places:?}: {plan:?}");
        }
    }
}
