//! The list of imports, undo, and the same records in another file format.

use super::import::counts;
use super::records;
use crate::e2e::app::register;
use crate::e2e::world::World;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::Output;

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns an Apple Health export with a night that starts on each of these days; lengths are in half hours.
pub(super) fn apple(nights: &[(u32, usize)]) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<HealthData locale=\"en_GB\">\n".to_owned();
    for (day, halves) in nights {
        for half in 0..*halves {
            let stage = ["AsleepCore", "AsleepDeep", "AsleepREM"][half % 3];
            let (from, to) = (half * 30, half * 30 + 30);
            let time =
                |minutes: usize| format!("2026-01-{day:02} {:02}:{:02}:00 +0100", minutes / 60, minutes % 60);
            let (from, to) = (time(from), time(to));
            writeln!(
                text,
                " <Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"Watch\" creationDate=\"{to}\" \
                 startDate=\"{from}\" endDate=\"{to}\" value=\"HKCategoryValueSleepAnalysis{stage}\"/>"
            )
            .expect("text");
        }
    }
    text + "</HealthData>\n"
}

fn zip(world: &World, name: &str, entries: &[(&str, &str)]) -> String {
    let path = world.dir.path().join(name);
    std::fs::write(&path, records::zip(entries)).expect("file");
    path.display().to_string()
}

/// Returns the nights of a person with their ids, without the time of the last change.
fn nights(world: &World, user: &str) -> Vec<Value> {
    let export = world.json_lines(&["export", "--user", user]);
    let mut nights: Vec<Value> = export.into_iter().filter(|line| line["type"] == "sleep_session").collect();
    for night in &mut nights {
        night.as_object_mut().expect("object").remove("updated_at");
    }
    nights
}

fn imports(world: &World, user: &str) -> Vec<Value> {
    world.json_lines(&["import", "list", "--user", user, "--json"])
}

on_sqlite! {
    async fn undoing_a_longer_export_restores_the_shorter_nights(world: World) {
        let user = register(&world).user_id;
        let short = world.file("short.xml", &apple(&[(10, 6), (11, 4)]));
        // The first night continues, the second is merged with its continuation, and there is a third.
        let long = world.file("long.xml", &apple(&[(10, 12), (11, 16), (12, 8)]));
        assert_eq!(world.json(&["import", "--user", &user, "--json", &short])["sessions"], counts(2, 0, 0));
        let before = nights(&world, &user);
        assert_eq!(world.json(&["import", "--user", &user, "--json", &long])["sessions"], counts(1, 2, 0));
        assert_eq!(nights(&world, &user).len(), 3);

        let listed = imports(&world, &user);
        assert_eq!(listed.iter().map(|import| &import["file"]).collect::<Vec<_>>(), ["long.xml", "short.xml"]);
        assert_eq!((&listed[0]["format"], &listed[0]["state"], &listed[0]["sessions"]), (&json!("apple-health"), &json!("done"), &json!(3)));
        assert_eq!(world.ok(&["import", "list", "--json", "--limit", "1"]).lines().count(), 1);
        let id = listed[0]["import_id"].as_str().expect("id");
        assert_eq!(world.json(&["import", "undo", "--json", id]), json!({"taken_back": 3, "removed": 1, "restored": 2, "kept": 0, "kept_records": []}));
        assert_eq!(nights(&world, &user), before);
        assert_eq!(imports(&world, &user)[0]["state"], "undone");

        let again = world.run(&["import", "undo", id]);
        assert_eq!((again.status.code(), again.stdout.len()), (Some(1), 0));
        assert!(errors(&again).contains("undone already"), "{}", errors(&again));
        assert_eq!(nights(&world, &user), before);
        // An undone import can be imported again.
        assert_eq!(world.json(&["import", "--user", &user, "--json", &long])["sessions"], counts(1, 2, 0));

        let unknown = world.run(&["import", "undo", "7c1f0a5e-6d4a-4c57-9b1f-3f2b8c1e9b48"]);
        assert_eq!(unknown.status.code(), Some(1));
        assert!(errors(&unknown).contains("import list"), "{}", errors(&unknown));
    }

    async fn reimporting_a_folder_with_overlapping_nights_changes_nothing(world: World) {
        let user = register(&world).user_id;
        let folder = world.dir.path().join("exports");
        std::fs::create_dir_all(&folder).expect("folder");
        for (name, nights) in [("a.xml", &[(10, 12), (11, 4)]), ("b.xml", &[(10, 6), (11, 8)])] {
            std::fs::write(folder.join(name), apple(nights)).expect("file");
        }
        let folder = folder.display().to_string();
        world.ok(&["import", "--user", &user, &folder]);
        let stored = nights(&world, &user);
        for dry in [true, false] {
            let command = ["import", "--user", &user, "--json", &folder, "--dry-run"];
            let reported = world.json(&command[..if dry { 6 } else { 5 }]);
            assert_eq!(reported["sessions"], counts(0, 0, 2), "{reported}");
        }
        assert_eq!(nights(&world, &user), stored);
        let reported = world.ok(&["import", "--user", &user, &folder]);
        assert!(reported.contains("notes: 1") && reported.contains("were read once: 10"), "{reported}");
    }

    async fn missing_and_existing_files_and_unknown_people_are_reported(world: World) {
        let user = register(&world).user_id;
        let file = world.file("nights.xml", &apple(&[(10, 6)]));
        let reported = errors(&world.run(&["import", "--user", &user, &file, "none.xml"]));
        assert!(reported.contains("there is no file none.xml") && reported.contains("1 of 2 files was not found"), "{reported}");
        let reported = errors(&world.run(&["export", "--user", &user, "--output", &file]));
        assert!(reported.contains("already exists and is not overwritten; choose another name"), "{reported}");
        let reported = errors(&world.run(&["export", "--user", "7c1f0a5e-6d4a-4c57-9b1f-3f2b8c1e9b48"]));
        assert!(reported.contains("there is no user 7c1f0a5e") && !reported.contains("not complete"), "{reported}");
        let export = world.file("own.ndjson", &world.ok(&["export", "--user", &user]));
        let reported = world.ok(&["import", "--user", &user, &export]);
        assert!(reported.contains("1 unchanged") && !reported.contains("profile"), "{reported}");
    }

    async fn a_folder_and_its_zip_are_imported_like_their_files(world: World) {
        let user = register(&world).user_id;
        let folder = world.dir.path().join("Takeout/Fitbit/Global Export Data");
        std::fs::create_dir_all(&folder).expect("folder");
        std::fs::write(folder.join("sleep-2026-03-07.json"), records::fitbit()).expect("file");
        std::fs::write(folder.join("steps.json"), r#"[{"dateTime":"03/07/26 00:00:00","value":"7"}]"#).expect("file");
        let folder = world.dir.path().join("Takeout").display().to_string();
        let packed = zip(&world, "takeout.zip", &[("Takeout/Fitbit/sleep.json", &records::fitbit())]);
        let reported = world.json_lines(&["import", "--user", &user, "--timezone", "America/New_York", "--json", &folder, &packed]);
        assert_eq!((&reported[0]["format"], &reported[0]["sessions"]), (&json!("fitbit"), &counts(5, 0, 0)));
        assert_eq!(reported[1]["sessions"], counts(0, 0, 5));
        let sentences = world.ok(&["import", "--user", &user, "--timezone", "America/New_York", &folder]);
        assert!(sentences.contains("skipped: 1 (Fitbit/Global Export Data/steps.json)"), "{sentences}");
    }

    async fn a_recording_without_a_start_requires_the_option_and_others_reject_it(world: World) {
        let user = register(&world).user_id;
        let scored = world.file("scored.txt", &"0\n2\n3\n4\n".repeat(60));
        let missing = world.run(&["import", "--user", &user, "--json", &scored]);
        assert!(errors(&missing).contains("--start") || String::from_utf8_lossy(&missing.stdout).contains("--start"), "{}", errors(&missing));
        assert_eq!(nights(&world, &user).len(), 0);
        let start = ["import", "--user", &user, "--start", "2026-01-10T22:30:00+01:00", "--json"];
        assert_eq!(world.json(&[&start[..], &[&scored]].concat())["sessions"], counts(1, 0, 0));
        assert_eq!(nights(&world, &user)[0]["time_in_bed_start"], "2026-01-10T22:30:00+01:00");
        let two = world.run(&[&start[..], &[&scored, &scored]].concat());
        assert_eq!(two.status.code(), Some(1));
        assert!(errors(&two).contains("one FILE"), "{}", errors(&two));
        let other = world.run(&[&start[..], &[&world.file("sleep.json", &records::fitbit())]].concat());
        assert_eq!(other.status.code(), Some(1));
        assert!(errors(&other).contains("omit --start"), "{}", errors(&other));
        assert_eq!(nights(&world, &user).len(), 1);
    }

    async fn an_unknown_file_is_described_without_its_values(world: World) {
        let user = register(&world).user_id;
        for (name, text, seen) in [
            ("steps.json", r#"{"steps":[{"secretcount":4711}],"device":"secretwatch"}"#, "a JSON object with the members steps, device"),
            ("list.json", r#"[{"weight":"secret"}]"#, "a JSON list of objects with the member weight"),
            ("notes.txt", "secret diary\n", "a text file in no supported format"),
            ("empty.txt", "", "an empty file"),
        ] {
            let output = world.run(&["import", "--user", &user, &world.file(name, text)]);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
            let errors = errors(&output);
            assert!(errors.contains(&format!("{name}: refused: ")) && errors.contains(seen), "{errors}");
            assert!(!errors.contains("secret"), "{errors}");
        }
        assert_eq!(imports(&world, &user), Vec::<Value>::new(), "what was refused leaves no import");
    }
}
