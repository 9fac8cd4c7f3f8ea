//! Uploads on the imports page.

use super::import_kept::apple;
use super::records;
use crate::e2e::browser::{Browser, Page};
use crate::e2e::person::signed_in;
use crate::e2e::polling::within;
use crate::e2e::world::{StoreKind, World};
use std::time::{Duration, Instant};

/// Timeout for processing a large upload in a test build.
const PROCESSING_TIMEOUT: Duration = Duration::from_mins(2);

async fn undo(browser: &Browser, page: &Page) -> Page {
    let answer = browser.submit(&page.form("/imports/undo")).await;
    browser.follow(&answer).await
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

/// Returns an export with two nights and personal details.
fn apple_export() -> String {
    let me = "<Me HKCharacteristicTypeIdentifierDateOfBirth=\"1990-05-17\" \
        HKCharacteristicTypeIdentifierBiologicalSex=\"HKBiologicalSexFemale\" \
        HKCharacteristicTypeIdentifierBloodType=\"HKBloodTypeABNegative\"/>\n <Record ";
    apple(&[(10, 6), (11, 12)]).replacen("<Record ", me, 1)
}

on_sqlite! {
    async fn an_apple_health_archive_is_uploaded_as_it_is_and_nights_are_not_duplicated(world: World) {
        let server = world.serve();
        let (sam, browser) = signed_in(&world, &server, "sam@example.org").await;
        let user = &sam.user_id;
        let export = apple_export();
        let archive = records::zip(&[
            ("apple_health_export/export_cda.xml", "<ClinicalDocument/>"),
            ("apple_health_export/workout-routes/route_2026-01-10_7.30am.gpx", "<gpx/>"),
            ("apple_health_export/export.xml", &export),
        ]);
        let path = browser.upload("export.zip", &archive).await.own_location();
        let page = browser.processed(&path).await;
        assert!(page.text().contains("2 new, 0 updated, 0 unchanged"), "{}", page.text());
        let list = world.json(&["import", "list", "--user", user, "--json"]);
        assert_eq!((list["state"].as_str(), list["format"].as_str()), (Some("done"), Some("apple-health")));
        assert_eq!(nights(&world, user), 2);
        let shown = world.json(&["user", "show", user, "--json"]);
        let reported = ["birth_date", "biological_sex", "blood_type"].map(|member| shown[member].as_str());
        assert_eq!(reported, [Some("1990-05-17"), Some("female"), Some("AB-")], "{shown}");

        // Unpacked, it is the same nights.
        let again = browser.upload("export.xml", export.as_bytes()).await.own_location();
        let again = browser.processed(&again).await;
        assert!(again.text().contains("0 new, 0 updated, 2 unchanged"), "{}", again.text());
        undo(&browser, &page).await;
        assert_eq!(nights(&world, user), 0);
        let shown = world.json(&["user", "show", user, "--json"]);
        assert!(shown["birth_date"].is_null(), "{shown}");
    }

    async fn a_failing_folder_is_logged_once_and_its_upload_processed_later(world: World) {
        let world = world.in_processes();
        let folder = world.dir.path().join("spool");
        std::fs::create_dir(&folder).expect("folder");
        let world = world.with("RESTWELL__UPLOADS__SPOOL_DIRECTORY", &folder.display().to_string());
        let world = world.with("RESTWELL__LOG__LEVEL", "debug");
        let server = world.serve();
        std::fs::remove_dir(&folder).expect("folder");
        let (_, browser) = signed_in(&world, &server, "sam@example.org").await;
        let path = browser.upload("sleep.json", records::fitbit().as_bytes()).await.own_location();
        let tries = |text: &str| server.log().lines().filter(|line| line.contains(text)).count();
        within(PROCESSING_TIMEOUT, Instant::now(), "it is tried three times", async || {
            end_leases(&world).await;
            (tries("reading an upload failed again") >= 2).then_some(())
        })
        .await;
        assert_eq!(tries("reading an upload failed; trying again"), 1, "{}", server.log());
        std::fs::create_dir(&folder).expect("folder");
        end_leases(&world).await;
        let page = browser.processed(&path).await;
        assert!(page.text().contains("5 new, 0 updated, 0 unchanged"), "{}", page.text());
    }

    async fn a_rejected_upload_shows_the_reason_and_stores_nothing(world: World) {
        let server = world.serve();
        let (_, browser) = signed_in(&world, &server, "sam@example.org").await;
        let path = browser.upload("odd.txt", b"nothing that anybody knows").await.own_location();
        let page = browser.processed(&path).await;
        assert!(page.text().contains("The file was rejected"), "{}", page.text());
        let labels = browser.upload("labels.json", records::dsld(1, "Evening Capsule").as_bytes()).await;
        let page = browser.processed(&labels.own_location()).await;
        assert!(page.text().contains("only the operator can import it"), "{}", page.text());
        browser.upload("empty.txt", b"").await.assert_refused(422);
    }

    async fn a_file_that_is_too_large_is_rejected_with_the_limit(world: World) {
        let world = world.with("RESTWELL__UPLOADS__MAX_MEBIBYTES", "1");
        let server = world.serve();
        let (_, browser) = signed_in(&world, &server, "sam@example.org").await;
        let page = browser.upload("large.json", &vec![b' '; (1 << 20) + 1]).await;
        page.assert_refused(413);
        assert!(page.text().contains("larger than the limit of 1 MiB"), "{}", page.text());
    }

    async fn another_persons_import_can_be_neither_seen_nor_undone(world: World) {
        let server = world.serve();
        let (sam, browser) = signed_in(&world, &server, "sam@example.org").await;
        let (_, kim) = signed_in(&world, &server, "kim@example.org").await;
        let path = browser.upload("sleep.json", records::fitbit().as_bytes()).await.own_location();
        browser.processed(&path).await;
        kim.get(&path).await.assert_refused(404);
        let id = path.trim_start_matches("/imports/").to_owned();
        let form = kim.open("/imports").await.form("/sign-out");
        let token = form.value("form_token");
        let body = format!("form_token={token}&import={id}");
        kim.post("/imports/undo", body, &[]).await.assert_refused(404);
        assert_eq!(nights(&world, &sam.user_id), 5);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_servers_upload_is_resumed_with_the_same_result_on_postgres() {
    let world = World::new(StoreKind::Postgres).await.in_processes();
    let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:4711");
    let mut first = world.serve_as("first");
    let (sam, browser) = signed_in(&world, &first, "sam@example.org").await;
    // Four batches.
    let number = 8_000;
    let path = browser.upload("nights.ndjson", records::nights(number, 8).as_bytes()).await.own_location();
    let reported = || world.json(&["import", "list", "--user", &sam.user_id, "--json"]);
    within(PROCESSING_TIMEOUT, Instant::now(), "something is stored", async || {
        reported()["sessions"].as_u64().is_some_and(|stored| stored > 0).then_some(())
    })
    .await;
    first.kill();
    assert_eq!(reported()["state"], "running", "it was read before it could be killed");
    let second = world.serve_as("second");
    end_leases(&world).await;
    let browser = browser.at(&second);
    let page = browser.processed(&path).await;
    assert!(page.text().contains("Done"), "{}", page.text());
    assert_eq!(nights(&world, &sam.user_id), number);
    undo(&browser, &page).await;
    within(PROCESSING_TIMEOUT, Instant::now(), "everything is taken back", async || {
        (nights(&world, &sam.user_id) == 0).then_some(())
    })
    .await;
}
