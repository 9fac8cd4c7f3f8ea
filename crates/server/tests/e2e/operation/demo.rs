//! The demo, as a newcomer starts it.

use super::reader::Reader;
use super::store::register_as;
use crate::e2e::app::{self, Registration, text};
use crate::e2e::browser::Browser;
use crate::e2e::person::Person;
use crate::e2e::program::program;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World, json_lines};
use reqwest::StatusCode;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Running demo with its output.
struct Demo {
    server: Server,
    output: PathBuf,
    dir: PathBuf,
}

impl Demo {
    fn start(dir: &Path, more: &[&str]) -> Self {
        let output = dir.with_extension("out");
        let mut command = demo_command(dir);
        command.args(["--listen", "127.0.0.1:0"]).args(more);
        command.stdout(std::fs::File::create(&output).expect("file"));
        let server = Server::spawn(command, &dir.with_extension("log"));
        Self { server, output, dir: dir.to_owned() }
    }

    /// Returns the standard output.
    fn output(&self) -> String {
        std::fs::read_to_string(&self.output).expect("output")
    }

    /// Returns the object on the first line.
    fn summary(&self) -> Value {
        serde_json::from_str(self.output().lines().next().expect("a line")).expect("JSON")
    }

    /// Returns the client's credentials.
    fn registration(&self) -> Registration {
        let summary = self.summary();
        Registration {
            user_id: text(&summary, "user_id"),
            client_id: text(&summary, "client_id"),
            client_secret: text(&summary, "client_secret"),
        }
    }

    /// Redeems the printed code, which is bound to the demo's redirect URI.
    async fn redeem(&self) -> Value {
        let summary = self.summary();
        let member = |name: &str| text(&summary, name);
        let parameters = [
            ("code", member("code")),
            ("client_id", member("client_id")),
            ("client_secret", member("client_secret")),
            ("redirect_uri", member("redirect_uri")),
        ];
        let url = format!("{}/api/token", self.server.base_url);
        let answer = reqwest::Client::new().get(url).query(&parameters).send().await.expect("answer");
        assert_eq!(answer.status(), StatusCode::OK);
        answer.json().await.expect("JSON")
    }

    async fn reader(&self) -> Reader {
        let tokens = self.redeem().await;
        Reader::new(&self.server, &text(&self.summary(), "user_id"), &text(&tokens, "access_token"))
    }

    /// Runs another command on the demo's store while the demo runs.
    fn command(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_restwell"));
        command.args(arguments).env_clear().current_dir(&self.dir);
        let url = format!("sqlite://{}", self.dir.join("restwell.db").display());
        let output = command.env("RESTWELL__STORAGE__URL", url).output().expect("restwell runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

fn demo_command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restwell"));
    command
        .env_clear()
        .env("RESTWELL__LOG__FORMAT", "json")
        .args(["demo", "--today", "2026-04-02", "--data-dir"])
        .arg(dir);
    command
}

fn folder() -> (TempDir, PathBuf) {
    let root = TempDir::new().expect("temporary folder");
    // The blank is deliberate: printed commands must work with it.
    let dir = root.path().join("made up data");
    (root, dir)
}

#[tokio::test]
async fn a_demo_serves_sample_data_of_every_kind() {
    let (_root, dir) = folder();
    let mut demo = Demo::start(&dir, &["--json"]);
    assert_eq!(demo.output().lines().count(), 1, "{}", demo.output());
    let summary = demo.summary();
    let members: BTreeSet<&str> = summary.as_object().expect("object").keys().map(String::as_str).collect();
    let expected = [
        "base_url",
        "client_id",
        "client_secret",
        "code",
        "email",
        "password",
        "redirect_uri",
        "scopes",
        "user_id",
    ];
    assert_eq!(members, BTreeSet::from(expected));
    assert_eq!(summary["base_url"], demo.server.base_url.as_str());
    assert_eq!(summary["scopes"], serde_json::json!(["profile", "sleep", "supplements"]));
    assert!(text(&summary, "client_secret").starts_with("rws_"));

    let tokens = demo.redeem().await;
    assert_eq!(tokens["user_id"], summary["user_id"]);
    let refreshed =
        app::ask_refresh(&demo.server, &demo.registration(), &text(&tokens, "refresh_token")).await;
    assert_eq!(refreshed.status(), StatusCode::OK);
    let reader = demo.reader_after(&tokens);
    check_records(&reader).await;
    check_commands(&demo, &reader).await;
    check_activity(&demo).await;
    demo.server.signal("INT");
    assert_eq!(demo.server.wait(), Some(0));
    assert!(demo.dir.join("restwell.db").exists());
}

/// Checks that there are records of every kind.
async fn check_records(reader: &Reader) {
    let sleep = reader.read("sleep", "pageSize=10000&include_stages=true&include_metrics=true").await;
    let sessions = sleep["data"].as_array().expect("sessions");
    let naps = sessions.iter().filter(|session| session["is_nap"] == true).count();
    assert_eq!((naps, sessions.len()), (10, 100));
    let offset =
        |session: &Value, member: &str| text(session, member).chars().rev().take(6).collect::<String>();
    let over_the_change =
        |session: &&Value| offset(session, "time_in_bed_start") != offset(session, "time_in_bed_end");
    assert_eq!(sessions.iter().filter(over_the_change).count(), 1);
    let has_no_stages = |session: &&Value| session["raw_sleep"] == serde_json::json!([]);
    let without_stages: Vec<&Value> = sessions.iter().filter(has_no_stages).collect();
    assert_eq!(without_stages.len(), 1);
    assert!(!without_stages[0]["sleep_metric"].as_array().expect("metrics").is_empty());

    let supplements = reader.read("supplements", "").await;
    let records = supplements["data"].as_array().expect("records");
    assert_eq!(records.len(), 5);
    for record in records {
        assert!(!record["logs"].as_array().expect("logs").is_empty());
        assert!(!record["details"]["supplement_ingredient"].as_array().expect("ingredients").is_empty());
    }
    assert_eq!(reader.read("profile", "").await["data"]["home_timezone"], "America/New_York");
}

/// Checks that other commands work on the store while the demo runs.
async fn check_commands(demo: &Demo, reader: &Reader) {
    let registration = demo.registration();
    let user = registration.user_id.as_str();
    assert!(demo.command(&["user", "list", "--json"]).contains(user));

    let created = demo.command(&[
        "code",
        "create",
        "--client",
        &registration.client_id,
        "--user",
        user,
        "--redirect-uri",
        &text(&demo.summary(), "redirect_uri"),
        "--scope",
        "sleep",
        "--json",
    ]);
    let created: Value = serde_json::from_str(&created).expect("JSON");
    assert_ne!(created["code"], demo.summary()["code"]);

    let before = reader.column("sleep", "pageSize=10000", "id").await;
    let export = demo.command(&["export", "--user", user]);
    let lines = |kind: &str| {
        export.lines().filter(|line| line.starts_with(&format!("{{\"type\":\"{kind}\""))).count()
    };
    assert_eq!((lines("profile"), lines("sleep_session"), lines("supplement")), (1, before.len(), 5));

    let file = demo.dir.join("more.ndjson");
    std::fs::write(&file, super::records::nights(3, 2)).expect("file");
    let report = demo.command(&["import", "--user", user, "--json", &file.display().to_string()]);
    assert_eq!(json_lines(&report)[0]["sessions"]["new"], 3);
    assert_eq!(reader.column("sleep", "pageSize=10000", "id").await.len(), before.len() + 3);
}

/// Checks that the sample data is on the activity page of its person.
async fn check_activity(demo: &Demo) {
    let summary = demo.summary();
    let user_id = text(&summary, "user_id");
    for kind in ["user.created", "import.started"] {
        let events =
            json_lines(&demo.command(&["audit", "list", "--user", &user_id, "--kind", kind, "--json"]));
        assert!(!events.is_empty() && events.iter().all(|event| event["actor"] == "operator"), "{events:?}");
    }
    let browser = Browser::new(&demo.server);
    let (email, password) = (text(&summary, "email"), text(&summary, "password"));
    browser.sign_in(&Person { user_id, email, password }).await;
    let shown = browser.open("/activity").await.text();
    assert!(shown.contains("The operator started an import"), "{shown}");
}

/// Returns whether a line assigns an upper-case shell variable.
fn is_assignment(line: &str) -> bool {
    let is_capital = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    line.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_capital))
}

/// Makes a folder that has only these programs.
fn folder_of<const COUNT: usize>(root: &Path, programs: [PathBuf; COUNT]) -> PathBuf {
    let folder = root.join("programs");
    std::fs::create_dir(&folder).expect("folder");
    for program in programs {
        symlink(&program, folder.join(program.file_name().expect("name"))).expect("link");
    }
    folder
}

#[tokio::test]
async fn every_printed_line_works_in_a_shell() {
    let (root, dir) = folder();
    let mut demo = Demo::start(&dir, &[]);
    let output = demo.output();
    let mut script = String::from("set -u\n");
    let mut requests = 0;
    let mut add_request = |script: &mut String, arguments: &str| {
        requests += 1;
        writeln!(script, "echo \"$(curl -sS -o /dev/null -w '%{{http_code}}' {arguments}) {requests}\"")
            .expect("text");
    };
    for line in output.lines() {
        if let Some(arguments) = line.strip_prefix("curl ") {
            add_request(&mut script, arguments);
        } else if is_assignment(line) || line.starts_with("export ") || line.ends_with(" user list") {
            writeln!(script, "{line}").expect("text");
        }
    }
    // The variables are for further commands.
    let own = "\"$BASE/api/refresh?refresh_token=$REFRESH_TOKEN&client_id=$CLIENT_ID&client_secret=$CLIENT_SECRET&user_id=$USER_ID\"";
    add_request(&mut script, own);
    writeln!(script, "echo $CODE at $REDIRECT_URI").expect("text");
    // The line that revokes the refresh token is a comment.
    let revocation = output.lines().find_map(|line| line.strip_prefix("# curl ")).expect("a revocation");
    add_request(&mut script, revocation);
    assert!(requests >= 21, "{output}");
    assert!(script.contains("TOKEN=$(") && script.contains("export RESTWELL__STORAGE__URL"), "{output}");
    let mut shell = Command::new(program("bash"));
    shell.args(["-c", &script]).env_clear().current_dir(root.path());
    // Restwell is in cargo's target folder, not on the path.
    shell.env("PATH", folder_of(root.path(), [program("curl"), program("sed")]));
    let output = shell.output().expect("bash runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}\n{script}");
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    for request in 1..=requests {
        assert!(answers.lines().any(|line| line == format!("200 {request}")), "{answers}\n{script}");
    }
    assert!(answers.contains(" at http"), "{answers}");
    assert!(answers.contains("demo@example.org"), "restwell user list printed nobody: {answers}");
    assert_eq!(demo.server.terminate(), Some(0));
}

#[tokio::test]
async fn restarting_on_the_same_folder_issues_a_new_code_and_keeps_the_secret() {
    let (_root, dir) = folder();
    let mut first = Demo::start(&dir, &["--json"]);
    let old = first.registration();
    let tokens = first.redeem().await;
    let expected = first.reader_after(&tokens).everything().await;
    assert_eq!(first.server.terminate(), Some(0));
    let before = first.summary();

    let second = Demo::start(&dir, &["--json"]);
    let after = second.summary();
    assert_eq!((&after["user_id"], &after["client_id"]), (&before["user_id"], &before["client_id"]));
    assert_ne!(after["code"], before["code"]);
    assert_ne!(after["client_secret"], before["client_secret"]);
    assert_eq!(after["password"], before["password"]);
    let refresh = text(&tokens, "refresh_token");
    for registration in [&old, &second.registration()] {
        let refreshed = app::ask_refresh(&second.server, registration, &refresh).await;
        assert_eq!(refreshed.status(), StatusCode::OK);
    }
    assert_eq!(second.reader().await.everything().await, expected);
}

impl Demo {
    fn reader_after(&self, tokens: &Value) -> Reader {
        Reader::new(&self.server, &text(tokens, "user_id"), &text(tokens, "access_token"))
    }
}

#[test]
fn a_public_address_is_rejected() {
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.7:8080", "[::ffff:192.0.2.7]:0"] {
        let (_root, dir) = folder();
        let output = demo_command(&dir).args(["--listen", listen]).output().expect("restwell runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("loopback") && errors.lines().count() == 1, "{errors}");
        assert!(output.stdout.is_empty() && !dir.exists());
    }
}

/// Transfers the demo's person to another store.
async fn the_demo_carried_over(kind: StoreKind) {
    let (_root, dir) = folder();
    let demo = Demo::start(&dir, &["--json"]);
    let user = text(&demo.summary(), "user_id");
    let world = World::new(kind).await.in_processes();
    let registration = register_as(&world, &user, "Asia/Tokyo");
    let export = world.file("demo.ndjson", &demo.command(&["export", "--user", &user]));
    let report = &world.json_lines(&["import", "--user", &user, "--json", &export])[0];
    assert_eq!(report["rejected"], serde_json::json!([]));
    let server = world.serve();
    let reader = Reader::authorized(&world, &server, &registration).await;
    assert_eq!(reader.everything().await, demo.reader().await.everything().await);
    let again = &world.json_lines(&["import", "--user", &user, "--json", &export])[0];
    for kind in ["sessions", "supplements", "logs"] {
        assert_eq!((&again[kind]["new"], &again[kind]["updated"]), (&0.into(), &0.into()), "{again}");
        assert_eq!(again[kind]["unchanged"], report[kind]["new"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_person_moves_to_another_sqlite_store() {
    the_demo_carried_over(StoreKind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_person_moves_to_another_store_on_postgres() {
    the_demo_carried_over(StoreKind::Postgres).await;
}
