//! First use of Restwell: error messages say what to do next.

use super::import_kept::apple;
use super::reader::Reader;
use super::records;
use crate::e2e::app::{register, text};
use crate::e2e::person::signed_in;
use crate::e2e::polling::eventually;
use crate::e2e::world::{StoreKind, World};
use serde_json::{Value, json};
use std::io::Read as _;
use std::process::{Output, Stdio};

const OTHER: &str = "bbbbbbbb-0000-4000-8000-000000000002";

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Imports a file that must be rejected with nothing stored; returns the error.
fn refused(world: &World, user: &str, file: &str) -> String {
    let output = world.run(&["import", "--user", user, file]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{}", errors(&output));
    assert_eq!(world.ok(&["import", "list", "--json"]), "", "an import was kept");
    errors(&output)
}

/// Resets the rejected upload to one that is still arriving, which is not processed.
async fn begin_again(world: &World) {
    let statement = "UPDATE import SET state = 'receiving', refusal = NULL, ended_at = NULL";
    world.execute(&format!("PRAGMA busy_timeout = 10000; {statement}")).await;
}

on_sqlite! {
    async fn reading_updates_the_last_use_of_a_grant(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let listed = || world.json(&["grant", "list", "--json"]);
        assert_eq!(listed()["last_used_at"], Value::Null);
        reader.read("sleep", "").await;
        let used = eventually("the read is summed", async || {
            listed()["last_used_at"].as_str().map(str::to_owned)
        })
        .await;
        assert!(used >= text(&listed(), "created_at"), "{used}");
        // The error remains after the grant is revoked.
        world.ok(&["grant", "revoke", "--client", &registration.client_id]);
        let revoked = listed();
        assert_eq!((text(&revoked, "status"), text(&revoked, "last_used_at")), ("revoked".to_owned(), used));
    }

    async fn the_id_of_an_erased_person_is_reported_as_erased(world: World) {
        let create = ["user", "create", "--email", "sam@example.org", "--timezone", "UTC", "--no-password", "--user-id", OTHER];
        world.ok(&create);
        let taken = errors(&world.run(&["user", "create", "--email", "kim@example.org", "--timezone", "UTC", "--user-id", OTHER]));
        assert!(taken.contains("exists already"), "{taken}");
        world.ok(&["user", "erase", OTHER, "--yes"]);
        let output = world.run(&create);
        assert_eq!(output.status.code(), Some(1));
        assert!(errors(&output).contains("was erased") && errors(&output).contains("cannot be reused"), "{}", errors(&output));
    }

    async fn a_pending_upload_is_cancelled_by_command_and_on_the_page(world: World) {
        let server = world.serve();
        let (_, browser) = signed_in(&world, &server, "sam@example.org").await;
        let path = browser.upload("odd.txt", b"nothing that anybody knows").await.own_location();
        browser.processed(&path).await;
        let id = path.trim_start_matches("/imports/").to_owned();
        begin_again(&world).await;
        let cancelled = world.json(&["import", "cancel", &id, "--json"]);
        assert_eq!(cancelled, json!({"cancelled": 1}));
        assert!(browser.open(&path).await.text().contains("the operator cancelled"));
        begin_again(&world).await;
        let page = browser.open(&path).await;
        assert!(page.text().contains("Step 1 of 4") && !page.text().contains("% done"), "{}", page.text());
        let answer = browser.submit(&page.form("/imports/undo")).await;
        assert!(browser.follow(&answer).await.text().contains("Cancelled"));
        assert!(errors(&world.run(&["import", "undo", &id])).contains("has stored nothing"));
        let nobody = errors(&world.run(&["import", "cancel", OTHER]));
        assert!(nobody.contains("there is no import") && nobody.contains("import list"), "{nobody}");
    }

    async fn a_file_of_another_person_is_rejected_before_anything_is_stored(world: World) {
        let user = register(&world).user_id;
        world.ok(&["import", "--user", &user, &world.file("sleep.json", &records::fitbit())]);
        let export = world.ok(&["export", "--user", &user]);
        let other = world.json(&["user", "create", "--email", "kim@example.org", "--timezone", "UTC", "--no-password", "--json"]);
        let other = text(&other, "user_id");
        let before = world.ok(&["export", "--user", &other]);
        let output = world.run(&["import", "--user", &other, &world.file("export.ndjson", &export)]);
        assert_eq!(output.status.code(), Some(1));
        let message = errors(&output);
        assert!(message.contains("line 1: user_id is not the person") && message.contains("--user"), "{message}");
        assert_eq!(world.ok(&["export", "--user", &other]), before);
        // Deliberately imported: the members that identify the other person are removed first.
        let lines = export.lines().map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            let members = line.as_object_mut().expect("object");
            members.remove("user_id");
            members.remove("id");
            line.to_string() + "\n"
        });
        let given = world.file("given.ndjson", &lines.collect::<String>());
        assert_eq!(world.json(&["import", "--user", &other, "--json", &given])["sessions"]["new"], 5);
        // The creation time is the person's own, not that of the file's author.
        let created = |export: &str| serde_json::from_str::<Value>(export.lines().next().expect("a line")).expect("JSON")["created_at"].clone();
        assert_eq!(created(&world.ok(&["export", "--user", &other])), created(&before));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rejection_on_the_command_line_lists_the_formats_and_the_option() {
    let world = World::new(StoreKind::Sqlite).await;
    let user = register(&world).user_id;
    let message = refused(&world, &user, &world.file("odd.txt", "nothing that anybody knows"));
    assert!(
        message.contains("apple-health, health-auto-export, ") && !message.contains("--format"),
        "{message}"
    );
    let message = refused(&world, &user, "missing.json");
    assert!(message.contains("there is no file missing.json") && !message.contains("entity"), "{message}");
    let message = refused(&world, &user, &world.file("night.txt", &"0\n2\n".repeat(60)));
    assert!(message.contains("--start 2026-"), "{message}");
    let output = world.run(&["import", "--user", &user, "--format", "oura", &world.file("a.json", "[{}]")]);
    assert!(errors(&output).contains("not an Oura file"), "{}", errors(&output));
    let log = world.file("log.json", r#"[{"logId":1,"dateOfSleep":"2026-01-01"}]"#);
    let output = world.run(&["import", "--user", &user, "--format", "oura", &log]);
    let message = errors(&output);
    assert!(message.contains("it is a Fitbit file; omit --format, or use --format fitbit"), "{message}");
    let table = world.file("steps.csv", "Start Time,Steps\n2026-01-01,4711.5\n");
    let message = refused(&world, &user, &table);
    assert!(
        message.contains("a table with the columns Start Time, Steps; the nearest format is fitbit"),
        "{message}"
    );
    assert!(!message.contains("4711.5") && !message.contains("--format"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rejection_on_the_page_mentions_no_command_line_options() {
    let world = World::new(StoreKind::Sqlite).await;
    let server = world.serve();
    let (sam, browser) = signed_in(&world, &server, "sam@example.org").await;
    let night = "0\n2\n3\n4\n".repeat(60);
    for (name, bytes, words) in [
        (
            "odd.txt",
            b"nothing that anybody knows".as_slice(),
            "you can upload an Apple Health export, a Health Auto Export file, ",
        ),
        ("night.txt", night.as_bytes(), "its start time"),
        (
            "of_kim.ndjson",
            format!("{{\"type\":\"profile\",\"user_id\":\"{OTHER}\"}}\n").as_bytes(),
            "sign in as that person",
        ),
    ] {
        let page = browser.processed(&browser.upload(name, bytes).await.own_location()).await;
        let message = page.text();
        assert!(message.contains("The file was rejected") && message.contains(words), "{message}");
        assert!(!message.contains("--"), "{message}");
    }
    let list = world.ok(&["import", "list", "--user", &sam.user_id, "--json"]);
    assert!(list.lines().all(|line| line.contains("\"refused\"")), "{list}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tables_of_an_export_are_not_partly_imported() {
    let world = World::new(StoreKind::Sqlite).await;
    let user = register(&world).user_id;
    world.ok(&[
        "import",
        "--user",
        &user,
        &world.file("odd.ndjson", &(records::label_stub(7) + "\n" + &records::odd_lines())),
    ]);
    let tables = world.dir.path().join("tables.zip").display().to_string();
    world.ok(&["export", "--user", &user, "--format", "zip", "--output", &tables]);
    let output = world.run(&["import", "--user", &user, &tables]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(errors(&output).contains("(ndjson)"), "{}", errors(&output));
    // Each table is recognized by itself, whatever the names of the export's columns.
    let mut archive = zip::ZipArchive::new(std::fs::File::open(&tables).expect("file")).expect("a zip");
    let mut known = 0;
    for place in 0..archive.len() {
        let mut entry = archive.by_index(place).expect("entry");
        let name = entry.name().expect("name").into_owned();
        let mut content = String::new();
        entry.read_to_string(&mut content).expect("UTF-8");
        if !matches!(name.as_str(), "README.txt" | "supplement_logs.csv") {
            known += 1;
            let output = world.run(&["import", "--user", &user, &world.file(&name, &content)]);
            assert!(
                errors(&output).contains("a table from a Restwell export"),
                "{name}: {}",
                errors(&output)
            );
        }
    }
    assert_eq!(known, 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_archive_in_a_folder_is_named() {
    let world = World::new(StoreKind::Sqlite).await;
    let user = register(&world).user_id;
    let folder = world.dir.path().join("exports");
    std::fs::create_dir(&folder).expect("folder");
    std::fs::write(folder.join("sleep.json"), records::fitbit()).expect("file");
    let packed = records::zip(&[("export.xml", &apple(&[(10, 6)]))]);
    std::fs::write(folder.join("apple_export.zip"), packed).expect("file");
    let message = world.ok(&["import", "--user", &user, &folder.display().to_string()]);
    assert!(
        message.contains("5 new") && message.contains("import them separately: apple_export.zip"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_to_a_closed_pipe_ends_silently() {
    let world = World::new(StoreKind::Sqlite).await;
    let user = register(&world).user_id;
    // More than the buffer of a pipe.
    world.ok(&["import", "--user", &user, &world.file("nights.ndjson", &records::nights(2000, 4))]);
    let mut child = world
        .command(&["export", "--user", &user])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("restwell starts");
    let mut first = [0; 1];
    let mut out = child.stdout.take().expect("pipe");
    out.read_exact(&mut first).expect("a byte");
    drop(out);
    let output = child.wait_with_output().expect("end");
    assert_eq!((output.status.code(), errors(&output).as_str()), (Some(141), ""));
}
