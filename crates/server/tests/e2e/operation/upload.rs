//! Uploads on the imports page.

use super::import_kept::apple;
use super::records;
use crate::e2e::browser::{Browser, FILE_FORM, Page, file_form};
use crate::e2e::patience::within;
use crate::e2e::person::Person;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use reqwest::Method;
use std::io::{Cursor, Write as _};
use std::time::{Duration, Instant};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Timeout for processing a large upload in a test build.
const PATIENCE: Duration = Duration::from_mins(2);

/// Signed-in person.
struct Visitor {
    browser: Browser,
    person: Person,
}

impl Visitor {
    async fn new(world: &World, server: &Server, email: &str) -> Self {
        let person = Person::create(world, email);
        let browser = Browser::new(server);
        browser.sign_in(&person).await;
        Self { browser, person }
    }

    /// Uploads a file with the form of the page.
    async fn send(&self, name: &str, bytes: &[u8]) -> Page {
        let form = self.browser.open("/imports").await.form("/imports");
        self.send_with(Some(form.value("form_token")), name, bytes).await
    }

    async fn send_with(&self, token: Option<&str>, name: &str, bytes: &[u8]) -> Page {
        let request = self.browser.request(Method::POST, "/imports").header("content-type", FILE_FORM);
        self.browser.send(request.body(file_form(token, name, bytes))).await
    }

    /// Waits until an import has ended, and returns its page.
    async fn ended(&self, path: &str) -> Page {
        within(PATIENCE, Instant::now(), "the upload is read", async || {
            let page = self.browser.open(path).await;
            (!page.body.contains("<progress")).then_some(page)
        })
        .await
    }

    async fn undo(&self, page: &Page) -> Page {
        let answer = self.browser.submit(&page.form("/imports/undo")).await;
        self.browser.follow(&answer).await
    }
}

fn nights(world: &World, user_id: &str) -> usize {
    let export = world.ok(&["export", "--user", user_id]);
    export.lines().filter(|line| line.contains("sleep_session")).count()
}

/// Simulates the expiry of a lease, which takes a minute.
async fn end_leases(world: &World) {
    let (patient, past) = match world.kind {
        StoreKind::Sqlite => ("PRAGMA busy_timeout = 10000;", "0"),
        StoreKind::Postgres => ("", "now() - interval '1 second'"),
    };
    let statement = format!("{patient} UPDATE import SET lease_until = {past} WHERE lease_until IS NOT NULL");
    world.execute(&statement).await;
}

/// Returns an Apple Health archive: the records among unrelated files.
fn apple_archive(export: &str) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [
        ("apple_health_export/export_cda.xml", "<ClinicalDocument/>"),
        ("apple_health_export/workout-routes/route_2026-01-10_7.30am.gpx", "<gpx/>"),
        ("apple_health_export/export.xml", export),
    ] {
        archive.start_file(name, SimpleFileOptions::default()).expect("entry");
        archive.write_all(content.as_bytes()).expect("content");
    }
    archive.finish().expect("end").into_inner()
}

/// Returns an export with two nights and personal details.
fn apple_export() -> String {
    let me = "<Me HKCharacteristicTypeIdentifierDateOfBirth=\"1990-05-17\" \
        HKCharacteristicTypeIdentifierBiologicalSex=\"HKBiologicalSexFemale\" \
        HKCharacteristicTypeIdentifierBloodType=\"HKBloodTypeABNegative\"/>\n <Record ";
    apple(&[(10, 6), (11, 12)]).replacen("<Record ", me, 1)
}

on_both_stores! {
    async fn an_apple_health_archive_is_uploaded_as_it_is_and_nights_are_not_duplicated(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let user = &sam.person.user_id;
        let export = apple_export();
        let path = sam.send("export.zip", &apple_archive(&export)).await.own_location();
        let page = sam.ended(&path).await;
        assert!(page.text().contains("2 new, 0 updated, 0 unchanged"), "{}", page.text());
        let list = world.json(&["import", "list", "--user", user, "--json"]);
        assert_eq!((list["state"].as_str(), list["format"].as_str()), (Some("done"), Some("apple-health")));
        assert_eq!(nights(&world, user), 2);
        let shown = world.json(&["user", "show", user, "--json"]);
        let told = ["birth_date", "biological_sex", "blood_type"].map(|member| shown[member].as_str());
        assert_eq!(told, [Some("1990-05-17"), Some("female"), Some("AB-")], "{shown}");

        // Unpacked, it is the same nights.
        let again = sam.send("export.xml", export.as_bytes()).await.own_location();
        let again = sam.ended(&again).await;
        assert!(again.text().contains("0 new, 0 updated, 2 unchanged"), "{}", again.text());
        sam.undo(&page).await;
        assert_eq!(nights(&world, user), 0);
        let shown = world.json(&["user", "show", user, "--json"]);
        assert!(shown["birth_date"].is_null(), "{shown}");
    }

    async fn a_damaged_archive_is_rejected_and_stores_nothing(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let whole = apple_archive(&apple_export());
        let (cut, _) = whole.split_at(whole.len() - 30);
        let page = sam.send("export.zip", cut).await.own_location();
        let page = sam.ended(&page).await;
        assert!(page.text().contains("The file was rejected"), "{}", page.text());
        assert_eq!(nights(&world, &sam.person.user_id), 0);
        assert!(world.json(&["user", "show", &sam.person.user_id, "--json"])["birth_date"].is_null());
    }

    async fn a_failing_folder_is_logged_once_and_the_upload_is_processed_when_it_recovers(world: World) {
        let world = world.in_processes();
        let folder = world.dir.path().join("spool");
        std::fs::create_dir(&folder).expect("folder");
        let world = world.with("RESTWELL__UPLOADS__SPOOL_DIRECTORY", &folder.display().to_string());
        let world = world.with("RESTWELL__LOG__LEVEL", "debug");
        let server = world.serve();
        std::fs::remove_dir(&folder).expect("folder");
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let path = sam.send("sleep.json", records::fitbit().as_bytes()).await.own_location();
        let tries = |text: &str| server.log().lines().filter(|line| line.contains(text)).count();
        within(PATIENCE, Instant::now(), "it is tried three times", async || {
            end_leases(&world).await;
            (tries("reading an upload failed again") >= 2).then_some(())
        })
        .await;
        assert_eq!(tries("reading an upload failed; trying again"), 1, "{}", server.log());
        std::fs::create_dir(&folder).expect("folder");
        end_leases(&world).await;
        let page = sam.ended(&path).await;
        assert!(page.text().contains("5 new, 0 updated, 0 unchanged"), "{}", page.text());
    }

    async fn an_upload_is_imported_reported_and_undone(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let path = sam.send("sleep.json", records::fitbit().as_bytes()).await.own_location();
        let page = sam.ended(&path).await;
        assert!(page.text().contains("5 new, 0 updated, 0 unchanged"), "{}", page.text());
        assert_eq!(nights(&world, &sam.person.user_id), 5);
        let list = world.json(&["import", "list", "--user", &sam.person.user_id, "--json"]);
        assert_eq!((list["state"].as_str(), list["format"].as_str()), (Some("done"), Some("fitbit")));
        let undone = sam.undo(&page).await;
        assert!(undone.text().contains("Undone"), "{}", undone.text());
        assert_eq!(nights(&world, &sam.person.user_id), 0);
    }

    async fn a_rejected_upload_shows_the_reason_and_stores_nothing(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let path = sam.send("odd.txt", b"nothing that anybody knows").await.own_location();
        let page = sam.ended(&path).await;
        assert!(page.text().contains("The file was rejected"), "{}", page.text());
        let labels = sam.send("labels.json", records::dsld(1, "Evening Capsule").as_bytes()).await;
        let page = sam.ended(&labels.own_location()).await;
        assert!(page.text().contains("only the operator can import it"), "{}", page.text());
        sam.send("empty.txt", b"").await.assert_refused(422);
    }

    async fn a_file_that_is_too_large_is_rejected_with_the_limit(world: World) {
        let world = world.with("RESTWELL__UPLOADS__MAX_MEBIBYTES", "1");
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let page = sam.send("large.json", &vec![b' '; (1 << 20) + 1]).await;
        page.assert_refused(413);
        assert!(page.text().contains("larger than the limit of 1 MiB"), "{}", page.text());
    }

    async fn another_persons_import_can_be_neither_seen_nor_undone(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let kim = Visitor::new(&world, &server, "kim@example.org").await;
        let path = sam.send("sleep.json", records::fitbit().as_bytes()).await.own_location();
        let page = sam.ended(&path).await;
        kim.browser.get(&path).await.assert_refused(404);
        let id = path.trim_start_matches("/imports/").to_owned();
        let form = kim.browser.open("/imports").await.form("/sign-out");
        let token = form.value("form_token");
        let body = format!("form_token={token}&import={id}");
        kim.browser.post("/imports/undo", body, &[]).await.assert_refused(404);
        assert_eq!(nights(&world, &sam.person.user_id), 5);
        drop(page);
    }

    async fn another_persons_form_uploads_nothing(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        for token in [None, Some("x")] {
            sam.send_with(token, "sleep.json", records::fitbit().as_bytes()).await.assert_refused(403);
        }
        assert!(sam.browser.open("/imports").await.text().contains("No imports yet"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_server_resumes_a_killed_servers_upload_with_the_same_result() {
    let world = World::new(StoreKind::Postgres).await.in_processes();
    let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:4711");
    let mut first = world.serve_as("first");
    let sam = Visitor::new(&world, &first, "sam@example.org").await;
    let number = 20_000;
    let path = sam.send("nights.ndjson", records::nights(number, 8).as_bytes()).await.own_location();
    let told = || world.json(&["import", "list", "--user", &sam.person.user_id, "--json"]);
    within(PATIENCE, Instant::now(), "something is stored", async || {
        told()["sessions"].as_u64().is_some_and(|stored| stored > 0).then_some(())
    })
    .await;
    first.kill();
    assert_eq!(told()["state"], "running", "it was read before it could be killed");
    let second = world.serve_as("second");
    end_leases(&world).await;
    let sam = Visitor { browser: sam.browser.at(&second), ..sam };
    let page = sam.ended(&path).await;
    assert!(page.text().contains("Done"), "{}", page.text());
    assert_eq!(nights(&world, &sam.person.user_id), number);
    sam.undo(&page).await;
    within(PATIENCE, Instant::now(), "everything is taken back", async || {
        (nights(&world, &sam.person.user_id) == 0).then_some(())
    })
    .await;
}
