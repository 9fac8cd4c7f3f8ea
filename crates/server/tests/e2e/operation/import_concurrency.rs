//! Imports during other work, and records that contradict stored ones.

use super::records;
use crate::e2e::app::register;
use crate::e2e::world::{World, json_lines};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::{Output, Stdio};
use std::time::Instant;

const LABELS: u64 = 1_200;

/// Returns labels of the catalogue, and a night and a log for each.
fn everything() -> String {
    let nights = records::nights(usize::try_from(LABELS).expect("few"), 2);
    (0..LABELS).zip(nights.lines()).fold(String::new(), |mut text, (number, night)| {
        let id = format!("5e7a0000-0000-4000-8000-{number:012}");
        let label = json!({"type": "supplement", "id": id, "name": "Label", "external_id": number.to_string(), "external_source": "dsld"});
        let log = json!({"type": "supplement_log", "supplement_id": id, "created_at": "2026-01-02T03:04:05Z", "servings": 1, "external_id": number.to_string()});
        writeln!(text, "{label}\n{night}\n{log}").expect("text");
        text
    })
}

fn reported(output: &Output) -> Vec<Value> {
    json_lines(std::str::from_utf8(&output.stdout).expect("UTF-8"))
}

fn session(id: &str, key: &str, day: u32) -> Value {
    json!({"type": "sleep_session", "id": id, "external_id": key, "source": "ring",
           "time_in_bed_start": format!("2026-02-{day:02}T22:00:00Z"), "time_in_bed_end": format!("2026-02-{day:02}T23:00:00Z")})
}

fn log(id: &str, key: &str, day: u32) -> Value {
    json!({"type": "supplement_log", "id": id, "external_id": key, "supplement_id": "5e7a0000-0000-4000-8000-0000000000aa",
           "created_at": format!("2026-02-{day:02}T08:00:00Z"), "servings": 1})
}

fn lines(lines: &[Value]) -> String {
    lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n")
}

on_all_stores! {
    async fn three_concurrent_imports_of_one_file_store_it_once(world: World) {
        let user = register(&world).user_id;
        let file = world.file("everything.ndjson", &everything());
        let start = || {
            let mut command = world.command(&["import", "--user", &user, "--json", &file]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("restwell starts")
        };
        let outputs = [start(), start(), start()].map(|child| child.wait_with_output().expect("end"));
        for kind in ["sessions", "supplements", "logs"] {
            let mut new = 0;
            for output in &outputs {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let report = &reported(output)[0];
                let count = |name: &str| report[kind][name].as_u64().expect("count");
                assert_eq!(count("new") + count("updated") + count("unchanged"), LABELS, "{kind}: {report}");
                assert_eq!(report["rejected"], json!([]));
                new += count("new");
            }
            // An import that starts while another one stores the same file continues its report, so
            // a record may be new in both. The import below shows that each record is stored once.
            assert!((LABELS..=3 * LABELS).contains(&new), "{kind}: {new}");
        }
        let again = world.json(&["import", "--user", &user, "--json", &file]);
        for kind in ["sessions", "supplements", "logs"] {
            assert_eq!(again[kind], json!({"new": 0, "updated": 0, "unchanged": LABELS}), "{kind}");
        }
    }
}

on_sqlite! {
    async fn a_record_whose_id_and_key_conflict_is_rejected_and_the_rest_is_stored(world: World) {
        let user = register(&world).user_id;
        let id = |number: u8| format!("5e7a0000-0000-4000-8000-0000000000{number:02x}");
        let label = json!({"type": "supplement", "id": id(0xaa), "name": "Label"});
        let known = [label, session(&id(1), "k1", 1), session(&id(2), "k2", 2), log(&id(3), "l1", 1), log(&id(4), "l2", 2)];
        world.ok(&["import", "--user", &user, &world.file("known.ndjson", &lines(&known))]);
        let odd = [session(&id(5), "k3", 3), session(&id(1), "k2", 1), log(&id(6), "l3", 3), log(&id(3), "l2", 1), log(&id(7), "l4", 4)];
        let odd = world.file("odd.ndjson", &lines(&odd));
        let next = world.file("next.ndjson", &lines(&[session(&id(8), "k8", 8)]));
        for dry_run in [true, false] {
            let mut arguments = vec!["import", "--user", &user, "--json", &odd, &next];
            arguments.extend(dry_run.then_some("--dry-run"));
            let output = world.run(&arguments);
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            let reported = reported(&output);
            assert_eq!((&reported[0]["sessions"]["new"], &reported[0]["logs"]["new"], &reported[1]["sessions"]["new"]), (&json!(1), &json!(2), &json!(1)));
            let rejected = reported[0]["rejected"].as_array().expect("list");
            assert_eq!(rejected.iter().map(|entry| &entry["where"]).collect::<Vec<_>>(), ["line 2", "line 4"]);
            assert!(rejected.iter().all(|entry| entry["reason"].as_str().is_some_and(|reason| reason.contains("id"))));
        }
    }

    async fn an_error_in_a_file_is_reported_and_the_others_are_imported(world: World) {
        let nobody = "aaaaaaaa-0000-4000-8000-00000000ffff";
        let nights = world.file("nights.ndjson", &records::nights(2, 1));
        let damaged = world.file("damaged.ndjson", "{\"type\":");
        let output = world.run(&["import", "--user", nobody, "--timezone", "UTC", "--json", &nights, &damaged, &nights]);
        assert_eq!(output.status.code(), Some(1));
        let reported = reported(&output);
        assert_eq!(reported.len(), 3);
        for place in [0, 2] {
            assert_eq!(reported[place], json!({"file": nights, "error": "there is no user with this id"}));
        }
        assert!(reported[1]["refused"].is_string(), "{}", reported[1]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("of 3 files, 1 was refused and 2 were not completed"), "{errors}");
        assert_eq!(errors.matches("nights.ndjson: the import was not completed: there is no user").count(), 2, "{errors}");
    }

    async fn other_writes_succeed_during_a_dry_run(world: World) {
        let user = register(&world).user_id;
        let file = world.file("nights.ndjson", &records::nights(20_000, 10));
        let mut command = world.command(&["import", "--user", &user, "--json", "--dry-run", &file]);
        let started_at = Instant::now();
        let mut dry_run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("restwell starts");
        let mut writers = Vec::new();
        while dry_run.try_wait().expect("state").is_none() {
            let email = format!("beside{}@example.org", writers.len());
            let started = started_at.elapsed();
            world.ok(&["user", "create", "--email", &email, "--timezone", "UTC", "--json"]);
            writers.push((started, started_at.elapsed()));
        }
        let whole = started_at.elapsed();
        let output = dry_run.wait_with_output().expect("end");
        assert_eq!(reported(&output)[0]["sessions"]["new"], 20_000);
        // The last writer may have outlived the dry run. If the dry run had held the write lock, no writer
        // would have started and finished in the second half, long after the file was checked.
        writers.pop();
        let beside = writers.iter().filter(|(started, _)| *started > whole / 2).count();
        assert!(beside > 0, "of {whole:?} nobody wrote in the second half: {writers:?}");
    }
}
