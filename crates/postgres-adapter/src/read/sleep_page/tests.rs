use super::SleepPageText;
use crate::test_support::TestDatabase;
use domain::paging::SortDirection;
use serde_json::Value;

/// How many sessions the person has; the last page begins 30 before.
const SESSIONS: i64 = 10_000;

/// A person with sessions in no order of time on disk, among a few other people, as after a year of use.
///
/// Committed for good, because vacuum leaves a page unmarked whose commit may yet be lost.
const POPULATE: &str = "
    SET synchronous_commit = on;
    INSERT INTO account (id, email, email_normalised, home_timezone, created_at)
    SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, n::text, n::text, 'UTC', now()
    FROM generate_series(1, 4) AS n;
    INSERT INTO sleep_session (user_id, started_at, id, ended_at, key_kind, natural_key, updated_at, stages, metrics)
    SELECT ('00000000-0000-0000-0000-00000000000' || u)::uuid, '2000-01-01Z'::timestamptz + n * interval '1 day',
        md5(u || '-' || n)::uuid, '2000-01-01Z'::timestamptz + n * interval '1 day' + interval '8 hours',
        'given', n::text, now(), decode(repeat('1302', 62), 'hex'), decode(repeat('1008', 30), 'hex')
    FROM generate_series(1, 4) AS u, generate_series(1, 10000) AS n ORDER BY md5(n::text);";

struct Plan {
    blocks: i64,
    rows: f64,
    /// What is done to sessions: the one row of the account is read in whatever way the planner likes.
    nodes: Vec<String>,
    heap_fetches: i64,
}

/// Runs the statement and takes its plan apart.
async fn explain(client: &tokio_postgres::Client, text: SleepPageText, skip: &Skip, mode: &str) -> Plan {
    client.batch_execute(&format!("SET plan_cache_mode = {mode}; DEALLOCATE ALL")).await.unwrap();
    let types = "uuid, timestamptz, timestamptz, bigint, bigint";
    let of_landmark = if text.is_first { "" } else { ", bigint, timestamptz, uuid, bigint, bigint" };
    client.batch_execute(&format!("PREPARE page ({types}{of_landmark}) AS {}", text.sql())).await.unwrap();
    let user = "'00000000-0000-0000-0000-000000000001'";
    let Skip { rows, landmark: (number, [started_at, id, writer], from_there) } = skip;
    let of_landmark = if text.is_first {
        String::new()
    } else {
        format!(", {number}, '{started_at}', '{id}', {from_there}, {writer}")
    };
    let sql = format!(
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
         EXECUTE page ({user}, '0001-01-01Z', '9999-12-31Z', {rows}, 31{of_landmark})"
    );
    let json: Value = serde_json::from_str(&only_row(client, &sql).await[0]).unwrap();
    let root = &json[0]["Plan"];
    let rows = root["Actual Rows"].as_f64().unwrap();
    let mut plan = Plan { blocks: blocks(root), rows, nodes: Vec::new(), heap_fetches: 0 };
    walk(root, &mut plan);
    plan
}

/// Runs a query and lists the cells of its one row.
async fn only_row(client: &tokio_postgres::Client, sql: &str) -> Vec<String> {
    let answer = client.simple_query(sql).await.unwrap();
    let mut rows = answer.iter().filter_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let row = rows.next().unwrap();
    (0..row.len()).map(|cell| row.get(cell).unwrap().to_owned()).collect()
}

/// How far a page is, and what is known on the way.
struct Skip {
    rows: i64,
    /// The number of changes, the key and the transaction, and how many rows it is from there.
    landmark: (i64, [String; 3], i64),
}

impl Skip {
    /// Nothing is known.
    fn all(rows: i64) -> Self {
        let nowhere = ["-infinity", "00000000-0000-0000-0000-000000000000", "0"].map(str::to_owned);
        Self { rows, landmark: (-1, nowhere, rows) }
    }

    /// The beginning of a page is known, some rows before the one that is asked for.
    async fn known(client: &tokio_postgres::Client, sort: SortDirection, rows: i64, before: i64) -> Self {
        let direction = if sort == SortDirection::Ascending { "ASC" } else { "DESC" };
        let sql = format!(
            "SELECT started_at, s.id, a.xmin FROM sleep_session s JOIN account a ON a.id = s.user_id
             WHERE s.user_id = '00000000-0000-0000-0000-000000000001'
             ORDER BY started_at {direction}, s.id {direction} OFFSET {} LIMIT 1",
            rows - before
        );
        let key = only_row(client, &sql).await;
        Self { rows, landmark: (0, key.try_into().unwrap(), before) }
    }
}

fn blocks(node: &Value) -> i64 {
    node["Shared Hit Blocks"].as_i64().unwrap() + node["Shared Read Blocks"].as_i64().unwrap()
}

fn walk(node: &Value, plan: &mut Plan) {
    if node["Relation Name"].as_str() != Some("account") {
        plan.nodes.push(node["Node Type"].as_str().unwrap().to_owned());
    }
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
            let first = explain(&client, text, &Skip::all(0), mode).await;
            let text = SleepPageText { is_first: false, ..text };
            let last = explain(&client, text, &Skip::all(SESSIONS - 30), mode).await;
            println!("{mode} {sort:?}: {} blocks, last page {} blocks", first.blocks, last.blocks);
            // Scattered rows cost one block each, on whichever page they are.
            assert!(first.blocks <= 31 + 10, "{mode} {sort:?}: {} blocks", first.blocks);
            // All keys of a person fill some 100 blocks of the index; the 9,970 rows would be that many more.
            assert!(last.blocks <= 31 + 200, "{mode} {sort:?}: {} blocks", last.blocks);
            assert_eq!(last.heap_fetches, 0);
            assert!(last.nodes.iter().any(|node| node == "Index Only Scan"));
            // With a landmark the last page costs what the first one does, and a few keys from a place before it.
            let mut nodes = vec![first.nodes, last.nodes];
            for before in [0, 30] {
                let skip = Skip::known(&client, sort, SESSIONS - 30, before).await;
                let known = explain(&client, text, &skip, mode).await;
                assert!(known.blocks <= first.blocks + 10, "{mode} {sort:?}: {} blocks", known.blocks);
                assert!((known.rows - 30.0).abs() < 0.5, "{mode} {sort:?}: {} rows", known.rows);
                nodes.push(known.nodes);
                // One that does not hold any longer is not followed.
                let (_, key, from_there) = skip.landmark;
                let [start, id, _] = key.clone();
                let other_writer = [start, id, "1".to_owned()];
                for landmark in [(7, key, from_there), (0, other_writer, from_there)] {
                    let stale = Skip { rows: skip.rows, landmark };
                    assert_eq!(explain(&client, text, &stale, mode).await.blocks, last.blocks);
                }
            }
            for nodes in nodes {
                assert!(!nodes.iter().any(|node| node == "Sort" || node == "Seq Scan"), "{nodes:?}");
            }
        }
    }
}
