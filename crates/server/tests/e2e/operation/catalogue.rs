//! The catalogue of supplements: dumps, lookup by product code, and logs that keep their label.

use super::import::counts;
use super::reader::Reader;
use super::records;
use crate::e2e::app::register;
use crate::e2e::world::World;
use serde_json::{Value, json};

fn found(world: &World, code: &str) -> Vec<Value> {
    world.json_lines(&["catalogue", "find", "--json", code])
}

on_sqlite! {
    async fn a_dump_is_a_list_lines_or_a_folder_and_has_no_owner(world: World) {
        let labels: Vec<String> = (1..=1_100).map(|id| records::dsld(id, &format!("Label {id}"))).collect();
        let lines = world.file("dump.ndjson", &(labels.join("\n") + "\n"));
        let list = world.file("dump.json", &format!("[{}]", labels.join(",\n")));
        let folder = world.dir.path().join("labels");
        std::fs::create_dir(&folder).expect("folder");
        for (number, label) in labels.iter().take(3).enumerate() {
            std::fs::write(folder.join(format!("{number}.json")), label).expect("file");
        }
        let folder = folder.display().to_string();
        let dry = world.json(&["catalogue", "import", "--dry-run", "--json", &lines]);
        assert_eq!(dry["supplements"], counts(1_100, 0, 0));
        let reported = world.json_lines(&["catalogue", "import", "--json", &lines, &list, &folder]);
        assert_eq!((&reported[0]["format"], &reported[0]["supplements"]), (&json!("dsld"), &counts(1_100, 0, 0)));
        assert_eq!(reported[1]["supplements"], counts(0, 0, 1_100));
        assert_eq!(reported[2]["supplements"], counts(0, 0, 3));
        let damaged = world.file("damaged.ndjson", &format!("{}\n{}", labels[0].replace("Label 1", "Other"), "{\"id\":"));
        let sleep = world.file("sleep.json", &records::fitbit());
        for refused in [damaged, sleep] {
            assert_eq!(world.run(&["catalogue", "import", &refused]).status.code(), Some(1), "{refused}");
        }
        let listed = world.json_lines(&["import", "list", "--json"]);
        assert_eq!(listed.len(), 3);
        let first = listed.last().expect("import");
        assert_eq!((&first["user_id"], &first["supplements"]), (&json!(""), &json!(1_100)));
        let undone = world.json(&["import", "undo", "--json", first["import_id"].as_str().expect("id")]);
        assert_eq!(undone, json!({"taken_back": 1_100, "removed": 1_100, "restored": 0, "kept": 0, "kept_records": []}));
        assert_eq!(world.run(&["catalogue", "find", "011111222223"]).status.code(), Some(1));
    }

    async fn a_code_is_found_in_any_spelling(world: World) {
        world.ok(&["catalogue", "import", &world.file("label.json", &records::dsld(900_010, "Harbour Zinc"))]);
        for spelling in ["0 11111 22222 3", "011111222223", "0-11111-22222-3", "11111222223", "00011111222223"] {
            let labels = found(&world, spelling);
            assert_eq!(labels.len(), 1, "{spelling}");
            let label = &labels[0];
            assert_eq!((&label["label"], &label["version"]), (&json!("dsld 900010"), &json!("current")));
            assert_eq!((&label["brand"], &label["name"], &label["upc"]), (&json!("Harbour & Söhne"), &json!("Harbour Zinc"), &json!("0 11111 22222 3")));
        }
        let people = world.ok(&["catalogue", "find", "011111222223"]);
        assert!(people.starts_with("supplement_id") && people.contains("Harbour Zinc"), "{people}");
        for (code, message) in [("011111222224", "00011111222224"), ("12", "8 to 14 digits"), ("abc", "8 to 14 digits")] {
            let output = world.run(&["catalogue", "find", code]);
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && output.stdout.is_empty() && errors.contains(message), "{errors}");
        }
    }

    async fn a_log_keeps_pointing_at_the_label_it_was_logged_with(world: World) {
        let registration = register(&world);
        let user = &registration.user_id;
        world.ok(&["catalogue", "import", &world.file("label.json", &records::dsld(900_011, "Printed First"))]);
        let logged = found(&world, "011111222223")[0]["supplement_id"].clone();
        let taken = world.file("taken.csv", "created_at,upc,servings\n2026-02-01T08:00:00Z,0 11111 22222 3,2\n");
        assert_eq!(world.json(&["import", "--user", user, "--json", &taken])["logs"], counts(1, 0, 0));
        let corrected = world.file("label.json", &records::dsld(900_011, "Printed Later"));
        assert_eq!(world.json(&["catalogue", "import", "--json", &corrected])["supplements"], counts(0, 1, 0));

        let versions = found(&world, "011111222223");
        let reported: Vec<_> = versions.iter().map(|label| (&label["version"], &label["name"])).collect();
        assert_eq!(reported, [(&json!("current"), &json!("Printed Later")), (&json!("replaced"), &json!("Printed First"))]);
        assert_eq!(versions[1]["supplement_id"], logged);
        // A log that is added now refers to the corrected label.
        let later = world.file("later.csv", "created_at,upc,servings\n2026-02-02T08:00:00Z,011111222223,1\n");
        assert_eq!(world.json(&["import", "--user", user, "--json", &later])["logs"], counts(1, 0, 0));

        let mut server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let answer = reader.get(&format!("/api/v1/supplements/{user}?sort=asc")).await.json();
        let data = answer["data"].as_array().expect("data");
        let shown: Vec<_> = data.iter().map(|record| record["details"]["name"].as_str().expect("name")).collect();
        assert_eq!(shown, ["Printed First", "Printed Later"], "{answer}");
        assert_eq!(server.terminate(), Some(0));
    }
}
