//! Imported files: reports, stored records, rejections.

use super::records;
use super::store::register_as;
use crate::e2e::app::register;
use crate::e2e::polling::within;
use crate::e2e::world::{StoreKind, World, json_lines};
use serde_json::{Value, json};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

/// Returns the counts of one kind of record in a report.
pub(super) fn counts(new: usize, updated: usize, unchanged: usize) -> Value {
    json!({"new": new, "updated": updated, "unchanged": unchanged})
}

fn none() -> Value {
    counts(0, 0, 0)
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn reported(output: &Output) -> Vec<Value> {
    json_lines(std::str::from_utf8(&output.stdout).expect("UTF-8"))
}

/// Exports a person in a stable order, without random or time-dependent values.
fn content(world: &World, user_id: &str) -> Vec<String> {
    let export = world.ok(&["export", "--user", user_id]);
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        let members = line.as_object_mut().expect("object");
        members.remove("id");
        members.remove("updated_at");
        if members["type"] == "profile" {
            members.remove("created_at");
        }
        line.to_string()
    };
    let mut lines: Vec<String> = export.lines().map(line).collect();
    lines.sort();
    lines
}

/// Returns the part of [`content`] that does not contain the person.
fn sessions(world: &World, user_id: &str) -> Vec<String> {
    content(world, user_id).into_iter().filter(|line| line.contains("sleep_session")).collect()
}

/// Timeout for a batch, in a test build.
const BATCH_TIMEOUT: Duration = Duration::from_mins(2);
/// Enough for several batches of an import, so that it can be killed between two of them.
const NIGHTS: usize = 6_000;
const STORED: &str = "SELECT count(*) AS number FROM sleep_session";

on_all_stores! {
    /// Kills an import as soon as a batch is stored.
    async fn a_killed_import_is_completed_by_the_next(world: World) {
        let file = world.file("many.ndjson", &records::nights(NIGHTS, 4));
        let person = |name: &str| {
            let email = format!("{name}@example.org");
            let user = world.json(&["user", "create", "--email", &email, "--timezone", "Europe/Berlin", "--json"]);
            user["user_id"].as_str().expect("id").to_owned()
        };
        let undisturbed = person("undisturbed");
        world.ok(&["import", "--user", &undisturbed, &file]);
        let mut killed = None;
        // Again if an import ends before it is killed.
        for attempt in 0..5 {
            let user = person(&format!("killed{attempt}"));
            let before = world.number(STORED).await;
            let mut command = world.command(&["import", "--user", &user, "--json", &file]);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("restwell starts");
            let ended = within(BATCH_TIMEOUT, Instant::now(), "a batch is stored", async || {
                let ended = child.try_wait().expect("status");
                (ended.is_some() || world.number(STORED).await > before).then_some(ended)
            })
            .await;
            child.kill().expect("kill");
            let output = child.wait_with_output().expect("end");
            assert!(ended.is_none_or(|status| status.success()), "the import failed: {}", errors(&output));
            let stored = sessions(&world, &user).len();
            if stored < NIGHTS {
                killed = Some((user, stored));
                break;
            }
        }
        let (user, stored) = killed.expect("no import was killed midway");
        let report = world.json(&["import", "--user", &user, "--json", &file]);
        assert_eq!(report["sessions"], counts(NIGHTS, 0, 0), "what was stored before the kill counts too: {stored}, {report}");
        assert_eq!(sessions(&world, &user), sessions(&world, &undisturbed));
        let imports = reported(&world.run(&["import", "list", "--user", &user, "--json"]));
        assert_eq!(imports.len(), 1, "the import that was killed is the one that was finished");
        assert_eq!((&imports[0]["state"], &imports[0]["sessions"]), (&json!("done"), &json!(NIGHTS)));
        assert_eq!(imports[0]["rejected"], json!(0));
        assert_eq!(world.json(&["import", "--user", &user, "--json", &file])["sessions"], counts(0, 0, NIGHTS));
    }
}

on_sqlite! {
    async fn a_report_has_exactly_what_is_documented(world: World) {
        let user = register(&world).user_id;
        let fitbit = world.file("sleep.json", &records::fitbit());
        let output = world.ok(&["import", "--user", &user, "--timezone", "America/New_York", "--json", &fitbit]);
        // The order of members is part of the line; the fourth stage of the first log is padding.
        let import_id = &world.json(&["import", "list", "--json"])["import_id"];
        let expected = format!(
            "{{\"file\":{},\"format\":\"fitbit\",\"sessions\":{},\"stage_entries\":12,\"supplements\":{},\"logs\":{},\"profile\":[],\"rejected\":[],\"notes\":[{}],\"import_id\":{}}}\n",
            json!(fitbit),
            r#"{"new":5,"updated":0,"unchanged":0}"#,
            r#"{"new":0,"updated":0,"unchanged":0}"#,
            r#"{"new":0,"updated":0,"unchanged":0}"#,
            r#"{"where":"record 6","reason":"this import has another record of the same night or key; one of them was stored","count":1},{"where":"record 1","reason":"an hour without data that only fills the clock change was left out","count":1}"#,
            import_id,
        );
        assert_eq!(output, expected);
        let again = world.json(&["import", "--user", &user, "--timezone", "America/New_York", "--json", &fitbit]);
        assert_eq!(again["sessions"], counts(0, 0, 5));

        let lines = world.file("odd.ndjson", &(records::label_stub(7) + "\n" + &records::odd_lines()));
        let report = world.json(&["import", "--user", &user, "--json", &lines]);
        assert_eq!(report["format"], "ndjson");
        assert_eq!(report["sessions"], counts(4, 0, 0));
        assert_eq!(report["stage_entries"], 4);
        assert_eq!(report["supplements"], counts(3, 0, 0));
        assert_eq!(report["logs"], counts(6, 0, 0));
        let again = world.json(&["import", "--user", &user, "--json", &lines]);
        assert_eq!((&again["sessions"], &again["supplements"], &again["logs"]), (&counts(0, 0, 4), &counts(0, 0, 3), &counts(0, 0, 6)));
    }

    async fn a_rejected_file_stores_nothing_and_the_others_are_imported(world: World) {
        let user = register(&world).user_id;
        let first = world.file("first.ndjson", &records::nights(3, 2));
        // The damage is at the very end, after hundreds of valid records.
        let damaged = world.file("damaged.ndjson", &(records::nights(1500, 0).replace("ring", "watch") + "{\"type\":"));
        let cut = records::fitbit();
        let cut = world.file("cut.json", cut.strip_suffix("}]").expect("a list"));
        let empty = world.file("empty.json", "{\"sleep\":[]}");
        let missing = world.dir.path().join("missing.json").display().to_string();
        let output = world.run(&["import", "--user", &user, "--json", &damaged, &first, &cut, &missing, &empty]);
        assert_eq!(output.status.code(), Some(1));
        let reported = reported(&output);
        assert_eq!(reported.iter().map(|line| line["file"].as_str().expect("file")).collect::<Vec<_>>(), [&damaged, &first, &cut, &missing, &empty]);
        for refused in [0, 2, 3] {
            assert_eq!(reported[refused].get("sessions"), None, "{}", reported[refused]);
        }
        let errors = errors(&output);
        for name in ["damaged.ndjson", "cut.json"] {
            assert!(errors.lines().any(|line| line.contains(name) && line.contains("refused")), "{errors}");
        }
        assert!(errors.lines().any(|line| line.starts_with("there is no file ") && line.ends_with("missing.json")), "{errors}");
        assert!(errors.contains("line 1501") && errors.contains("of 5 files, 1 was not found and 2 were refused"), "{errors}");
        assert_eq!(reported[1]["sessions"], counts(3, 0, 0));
        assert_eq!((&reported[4]["format"], &reported[4]["sessions"]), (&json!("fitbit"), &none()));
        let stored = content(&world, &user);
        assert_eq!(stored.len(), 4, "a profile and three nights");
        assert!(!stored.iter().any(|line| line.contains("watch") || line.contains("fitbit")));

        // With the wrong format.
        let output = world.run(&["import", "--user", &user, "--format", "dsld", &first]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{}", self::errors(&output));
        assert_eq!(content(&world, &user), stored);
    }

    async fn a_dry_run_reports_the_same_and_changes_nothing(world: World) {
        let user = register(&world).user_id;
        let files = [
            world.file("some.ndjson", &records::nights(2, 3)),
            world.file("more.ndjson", &records::nights(4, 3)),
            world.file("sleep.json", &records::fitbit()),
            world.file("label.json", &records::dsld(900_002, "Dry Label")),
        ];
        world.ok(&["import", "--user", &user, &files[0]]);
        let before = world.ok(&["export", "--user", &user]);
        let mut arguments = vec!["import", "--user", &user, "--json", "--dry-run"];
        arguments.extend(files.iter().map(String::as_str));
        let dry = world.ok(&arguments);
        assert_eq!(world.ok(&["export", "--user", &user]), before);
        assert_eq!(world.ok(&arguments), dry, "a dry run changed what the next one tells");
        // Files are independent: a dry run cannot know what the previous file would have stored.
        arguments.retain(|argument| *argument != "--dry-run");
        let wet = world.ok(&arguments);
        let reported = json_lines(&wet);
        // Only a stored import has an id.
        let without_id = |mut report: Value, is_stored: bool| {
            let id = report.as_object_mut().and_then(|members| members.remove("import_id"));
            assert_eq!(id.map(|id| id.is_string()), Some(is_stored), "{report}");
            report
        };
        let stored: Vec<Value> = reported.iter().map(|report| without_id(report.clone(), true)).collect();
        assert_eq!(stored, json_lines(&dry).into_iter().map(|report| without_id(report, false)).collect::<Vec<_>>());
        assert_eq!((&reported[0]["sessions"], &reported[1]["sessions"]), (&counts(0, 0, 2), &counts(2, 0, 2)));
        assert_eq!((&reported[2]["sessions"], &reported[3]["supplements"]), (&counts(5, 0, 0), &counts(1, 0, 0)));
        let human = world.ok(&["import", "--user", &user, "--dry-run", &files[2]]);
        assert!(human.contains("dry run") && human.contains("5 unchanged"), "{human}");
    }

    async fn an_explicit_zone_overrides_the_profiles_zone(world: World) {
        let night = json!([{"logId": 1, "startTime": "2026-01-10T23:00:00.000", "endTime": "2026-01-11T06:00:00.000",
                            "type": "classic", "levels": {"data": []}}]).to_string();
        let file = world.file("night.json", &night);
        let start = |user: &str| {
            let export = world.ok(&["export", "--user", user]);
            let line = export.lines().find(|line| line.contains("sleep_session")).expect("a night");
            let line: Value = serde_json::from_str(line).expect("JSON");
            line["time_in_bed_start"].clone()
        };
        let at_home = register_as(&world, "aaaaaaaa-0000-4000-8000-000000000001", "Asia/Kathmandu").user_id;
        world.ok(&["import", "--user", &at_home, &file]);
        assert_eq!(start(&at_home), "2026-01-10T23:00:00+05:45");
        let away = world.json(&["user", "create", "--email", "away@example.org", "--timezone", "Asia/Kathmandu", "--json"]);
        let away = away["user_id"].as_str().expect("id");
        world.ok(&["import", "--user", away, "--timezone", "America/St_Johns", &file]);
        assert_eq!(start(away), "2026-01-10T23:00:00-03:30");
        let output = world.run(&["import", "--user", away, "--timezone", "Mars/Base", &file]);
        assert!(!output.status.success() && errors(&output).contains("--timezone"), "{}", errors(&output));
    }

    async fn only_a_catalogue_import_needs_no_person(world: World) {
        let label = world.file("label.json", &records::dsld(900_003, "Nobody's Label"));
        assert_eq!(world.json(&["import", "--json", &label])["supplements"], counts(1, 0, 0));
        assert_eq!(world.json(&["import", "--json", &label])["supplements"], counts(0, 0, 1));
        let corrected = world.file("label.json", &records::dsld(900_003, "Nobody's Corrected Label"));
        assert_eq!(world.json(&["import", "--json", &corrected])["supplements"], counts(0, 1, 0));

        for (name, text) in [("sleep.json", records::fitbit()), ("nights.ndjson", records::nights(1, 1))] {
            let output = world.run(&["import", "--json", &world.file(name, &text)]);
            assert_eq!(output.status.code(), Some(1));
            assert!(errors(&output).contains("--user"), "{}", errors(&output));
        }
        let nobody = "aaaaaaaa-0000-4000-8000-00000000ffff";
        let output = world.run(&["import", "--user", nobody, "--json", &world.file("nights.ndjson", &records::nights(1, 1))]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        assert!(errors(&output).contains(nobody) && errors(&output).contains("user list"), "{}", errors(&output));
    }

    async fn only_results_go_to_standard_output_and_a_pipe_gets_no_progress_bar(world: World) {
        let user = register(&world).user_id;
        let file = world.file("nights.ndjson", &records::nights(1200, 4));
        for json in [true, false] {
            let mut arguments = vec!["import", "--user", &user, &file];
            arguments.extend(json.then_some("--json"));
            let output = world.run(&arguments);
            assert!(output.status.success());
            // A slow machine takes long enough for a line of progress.
            let progress = errors(&output);
            assert!(progress.lines().all(|line| line.starts_with("checking ") || line.starts_with("storing ")), "{progress}");
            assert!(!progress.contains(['\u{1b}', '\r', '█', '░']), "{progress}");
            let reported = String::from_utf8(output.stdout).expect("UTF-8");
            assert!(!reported.contains(['\u{1b}', '\r', '█', '░']), "{reported}");
            assert!(reported.contains("1200"), "{reported}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_in_the_documentation_is_imported() {
    let documentation =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../import-adapter/src/formats/ndjson/README.md");
    let documentation = std::fs::read_to_string(documentation).expect("documentation");
    let (_, example) = documentation.split_once("```json\n").expect("example");
    let (example, _) = example.split_once("```").expect("end");
    let world = World::new(StoreKind::Sqlite).await;
    let user = register(&world).user_id;
    let report = world.json(&["import", "--user", &user, "--json", &world.file("example.ndjson", example)]);
    assert_eq!(
        (&report["sessions"], &report["supplements"], &report["logs"]),
        (&counts(1, 0, 0), &counts(1, 0, 0), &counts(1, 0, 0))
    );
    assert_eq!(report["rejected"], json!([]));
}
