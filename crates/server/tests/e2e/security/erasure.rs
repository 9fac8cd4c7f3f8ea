//! No data of an erased person remains in the store.

use super::account::visit::make_token;
use super::auth_request::{AuthRequest, ask};
use super::dump::Dump;
use crate::e2e::app::{self, REDIRECT_URI, SCOPES, read_json};
use crate::e2e::browser::Browser;
use crate::e2e::person::{Person, app_of};
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use serde_json::{Value, json};

/// Person with one of everything, marked by a unique word.
struct PersonWithData {
    word: &'static str,
    person: Person,
    /// Access token of an app.
    access: String,
    /// Ids of nights, logs, imports, grants and tokens.
    ids: Vec<String>,
}

/// Returns nights and intakes with the word in every free text.
fn lines(word: &str, from: u32) -> String {
    let label = "5e7a0000-0000-4000-8000-000000000003";
    let mut lines = json!({"type": "supplement", "id": label, "name": "Evening Capsule"}).to_string();
    for day in from..from + 3 {
        let night = json!({
            "type": "sleep_session", "source": format!("{word} ring"), "external_id": format!("{word}-{day}"),
            "time_in_bed_start": format!("2026-01-{day:02}T22:00:00Z"), "time_in_bed_end": format!("2026-01-{day:02}T23:30:00Z"),
        });
        let intake = json!({
            "type": "supplement_log", "created_at": format!("2026-01-{day:02}T21:00:00Z"), "supplement_id": label,
            "servings": 1, "external_id": format!("{word}-intake-{day}"),
        });
        lines.extend(["\n".to_owned(), night.to_string(), "\n".to_owned(), intake.to_string()]);
    }
    lines + "\n" + &json!({"type": "profile", "height_cm": 171.5}).to_string() + "\n"
}

fn members(world: &World, arguments: &[&str], member: &str) -> Vec<String> {
    let lines = world.ok(arguments);
    let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    values.filter_map(|value| value[member].as_str().map(str::to_owned)).collect()
}

impl PersonWithData {
    async fn new(world: &World, server: &Server, marker: &'static str) -> Self {
        let person = Person::create(world, &format!("{marker}@example.org"));
        let user = person.user_id.clone();
        let app = app_of(world, &person, &["--name", "Night Reader", "--redirect-uri", REDIRECT_URI]);
        // Imported, undone, imported again: nights, deletions and earlier versions.
        for (name, from) in [("first", 1), ("second", 2), ("third", 10)] {
            let file = world.file(&format!("{marker}-{name}.ndjson"), &lines(marker, from));
            world.ok(&["import", "--user", &user, &file]);
        }
        let imports = members(world, &["import", "list", "--user", &user, "--json"], "import_id");
        world.ok(&["import", "undo", &imports[0]]);
        let browser = Browser::new(server);
        browser.sign_in(&person).await;
        let name = format!("{marker}-upload.ndjson");
        let path = browser.upload(&name, lines(marker, 20).as_bytes()).await.own_location();
        browser.processed(&path).await;
        make_token(&browser, &format!("{marker} notebook"), "sleep").await;
        // A pending request, one without a sign-in, a link, and a failed sign-in.
        let asking = AuthRequest::new(&app)
            .with("login_hint", &person.email)
            .with("state", &format!("{marker} state"));
        ask(&browser, &asking).await;
        world.ok(&["user", "reset-password", &user]);
        let stranger = Browser::new(server);
        let form = stranger.open("/sign-in").await.form("/sign-in");
        stranger.submit(&form.with("email", &person.email).with("password", "not the password")).await;

        app::code(world, &app, &SCOPES);
        let tokens = app::redeem(server, &app, &app::code(world, &app, &SCOPES)).await;
        app::ask_refresh(server, &app, &tokens.refresh).await;
        let nights = members(world, &["export", "--user", &user], "id");
        let grants = members(world, &["grant", "list", "--user", &user, "--json"], "grant_id");
        let tokens_of_own = members(world, &["token", "list", "--user", &user, "--json"], "token_id");
        let ids: Vec<String> = [vec![user], imports, nights, grants, tokens_of_own].concat();
        // The label belongs to no person.
        let ids: Vec<String> = ids.into_iter().filter(|id| !id.starts_with("5e7a0000")).collect();
        assert!(ids.len() > 1 + 3 + 8 + 1, "{ids:?}");
        Self { word: marker, person, access: tokens.access, ids }
    }

    async fn read(&self, server: &Server) {
        read_json(server, &self.access, &format!("/api/v1/sleep/{}", self.person.user_id)).await;
    }
}

on_all_stores! {
    async fn no_column_of_any_table_identifies_an_erased_person(world: World) {
        let world = world.in_processes();
        let mut server = world.serve();
        let erased = PersonWithData::new(&world, &server, "quillfeather").await;
        let stays = PersonWithData::new(&world, &server, "fennelbrook").await;
        let before = Dump::live(&world).await;
        for somebody in [&erased, &stays] {
            assert!(before.holds(somebody.word), "{}", somebody.word);
            for id in &somebody.ids {
                assert!(before.holds_id(id), "{id} of {} is not found", somebody.word);
            }
        }
        // A read just before the erasure: its sums are still in the process when the person is erased.
        erased.read(&server).await;
        stays.read(&server).await;
        world.ok(&["user", "erase", &erased.person.user_id, "--yes"]);
        assert_eq!(server.terminate(), Some(0), "{}", server.log());

        let after = Dump::live(&world).await;
        assert!(!after.text().to_lowercase().contains(erased.word), "the word is still there");
        for id in &erased.ids {
            assert!(!after.holds_id(id), "{id} is still there");
        }
        assert!(after.holds(stays.word) && stays.ids.iter().all(|id| after.holds_id(id)));
        // The reads of the others were stored in the same batch as those of the erased person.
        let reads = members(&world, &["audit", "reads", &stays.person.user_id, "--json"], "read");
        assert!(reads.iter().any(|read| read == "sleep"), "{reads:?}");
        assert!(!server.log().contains("ERROR") && !server.log().contains("not stored"), "{}", server.log());
    }
}

/// Reads every file in the folder of the embedded store, except logs and import files.
fn files(world: &World) -> Vec<u8> {
    let files = std::fs::read_dir(world.dir.path()).expect("folder").map(|file| file.expect("file").path());
    let of_store = files.filter(|path| path.to_string_lossy().contains("restwell.db"));
    of_store.flat_map(|path| std::fs::read(path).expect("file")).collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_file_of_the_embedded_store_contains_a_value_of_an_erased_person() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let mut server = world.serve();
    let erased = PersonWithData::new(&world, &server, "quillfeather").await;
    let stays = PersonWithData::new(&world, &server, "fennelbrook").await;
    stays.read(&server).await;
    assert!(holds(&files(&world), erased.word));
    world.ok(&["user", "erase", &erased.person.user_id, "--yes"]);
    // At once, with the server's connections open.
    let left = files(&world);
    assert!(!holds(&left, erased.word), "the word is still there");
    for id in &erased.ids {
        let id: uuid::Uuid = id.parse().expect("id");
        assert!(!left.windows(16).any(|window| window == id.as_bytes()), "{id} is still there");
    }
    assert!(holds(&left, stays.word));
    stays.read(&server).await;
    assert_eq!(server.terminate(), Some(0), "{}", server.log());
    let log = std::fs::metadata(world.dir.path().join("restwell.db-wal")).map_or(0, |log| log.len());
    assert_eq!(log, 0, "a stop leaves a log");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_completes_an_erasure_delayed_by_a_reader() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let server = world.serve();
    let erased = PersonWithData::new(&world, &server, "quillfeather").await;
    let store = world.dir.path().join("restwell.db");
    let reader = sqlite_adapter::test_support::hold(&store, "SELECT count(*) FROM account");
    let output = world.run(&["user", "erase", &erased.person.user_id, "--yes"]);
    assert!(output.status.success());
    let warned = String::from_utf8_lossy(&output.stderr);
    assert!(warned.contains("stays readable in the store's files"), "{warned}");
    assert!(holds(&files(&world), erased.word));
    drop(reader);
    eventually("it is finished", async || (!holds(&files(&world), erased.word)).then_some(())).await;
}
