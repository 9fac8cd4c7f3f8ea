//! Export, then import elsewhere: the same responses, byte for byte.

use super::reader::Reader;
use super::records;
use super::store::register_as;
use crate::e2e::app::register;
use crate::e2e::world::{StoreKind, World};
use serde_json::{Value, json};

/// Returns whether an import changed nothing.
fn changed_nothing(report: &Value) -> bool {
    ["sessions", "supplements", "logs"]
        .iter()
        .all(|kind| report[kind]["new"] == 0 && report[kind]["updated"] == 0)
}

/// Fills one store, transfers it to the other, and compares the responses of every endpoint.
async fn carry_over(from: StoreKind, to: StoreKind) {
    let source = World::new(from).await;
    let there = register(&source);
    source.ok(&["user", "update", &there.user_id, "--timezone", "America/New_York"]);
    let user = &there.user_id;
    let fitbit = source.file("sleep-2026-03-07.json", &records::fitbit());
    let label = source.file("label.json", &records::dsld(900_001, "Night Harbour Magnesium"));
    let lines = source.file("odd.ndjson", &records::odd_lines());
    // A line sets the label's id, so that another line can log it.
    let stub = source.file("stub.ndjson", &records::label_stub(900_001));
    let first = source.json_lines(&["import", "--user", user, "--json", &stub, &fitbit, &label, &lines]);
    assert_eq!(first[1]["sessions"], json!({"new": 5, "updated": 0, "unchanged": 0}), "{}", first[1]);
    assert_eq!(first[2]["supplements"], json!({"new": 0, "updated": 1, "unchanged": 0}), "{}", first[2]);
    assert_eq!(first[3]["rejected"], json!([]), "{}", first[3]);

    let target = World::new(to).await;
    let here = register_as(&target, user, "UTC");
    let export = target.file("export.ndjson", &source.ok(&["export", "--user", user]));
    let carried = &target.json_lines(&["import", "--user", user, "--json", &export])[0];
    assert_eq!(carried["rejected"], json!([]));
    assert_eq!(carried["sessions"]["new"], 9, "{carried}");
    assert_eq!(carried["supplements"]["new"], 3, "{carried}");
    assert_eq!(carried["logs"]["new"], 6, "{carried}");

    let (mut old, mut new) = (source.serve(), target.serve());
    let expected = Reader::authorized(&source, &old, &there).await.everything().await;
    let reader = Reader::authorized(&target, &new, &here).await;
    assert!(
        expected.len() > 30 && expected.iter().any(|page| page.contains("Night Harbour")),
        "too little was compared"
    );
    assert_eq!(reader.everything().await, expected);

    // Neither the same export nor its source file creates duplicates.
    let again = target.json_lines(&["import", "--user", user, "--json", &export, &fitbit, &label]);
    for report in &again {
        assert!(changed_nothing(report), "{report}");
    }
    assert_eq!(again[1]["sessions"]["unchanged"], 5);
    assert_eq!(again[2]["supplements"]["unchanged"], 1);
    assert_eq!(reader.everything().await, expected);
    assert_eq!(target.ok(&["export", "--user", user]), source.ok(&["export", "--user", user]));
    assert_eq!((old.terminate(), new.terminate()), (Some(0), Some(0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_sqlite_to_a_store_on_postgres() {
    carry_over(StoreKind::Sqlite, StoreKind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_a_store_on_postgres_to_sqlite() {
    carry_over(StoreKind::Postgres, StoreKind::Sqlite).await;
}
