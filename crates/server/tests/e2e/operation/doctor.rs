//! `restwell doctor`: what it finds, and the advice.

use super::clock::library;
use super::mail_server::{MailServer, closed_port, with_mail};
use super::store::unmigrated;
use super::tls::authority::{Authority, write};
use crate::e2e::polling::eventually;
use crate::e2e::program::program;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World, run_process};
use rustix::process::geteuid;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output};

/// Result of the command with `--json`.
struct Report {
    code: Option<i32>,
    body: Value,
}

impl Report {
    fn new(output: &Output) -> Self {
        let text = String::from_utf8_lossy(&output.stdout);
        let body = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
        Self { code: output.status.code(), body }
    }

    fn of(world: &World, arguments: &[&str]) -> Self {
        Self::new(&world.run(&[&["doctor", "--json"], arguments].concat()))
    }

    /// Returns the status, message and advice of a check.
    #[track_caller]
    fn check(&self, name: &str) -> (&str, &str, &str) {
        let checks = self.body["checks"].as_array().expect("checks");
        let check = checks.iter().find(|check| check["name"] == name).expect("check");
        let text = |key: &str| check[key].as_str().unwrap_or_default();
        (text("status"), text("message"), text("advice"))
    }

    /// Asserts that a check failed, with these words in its message and its advice.
    #[track_caller]
    fn assert_failed(&self, name: &str, message: &str, advice: &str) {
        let check = self.check(name);
        assert_eq!(
            (self.code, &self.body["ok"], check.0),
            (Some(1), &json!(false), "failed"),
            "{}",
            self.body
        );
        assert!(check.1.contains(message) && check.2.contains(advice), "{check:?}");
    }

    fn names_with(&self, status: &str) -> Vec<&str> {
        let checks = self.body["checks"].as_array().expect("checks");
        let found = checks.iter().filter(|check| check["status"] == status);
        found.map(|check| check["name"].as_str().expect("name")).collect()
    }
}

const AFTER_THE_SETTINGS: [&str; 10] = [
    "store",
    "schema",
    "keys",
    "clock",
    "disk",
    "password_hash",
    "backup",
    "public_url",
    "caller_address",
    "mail",
];

on_both_stores! {
    async fn a_good_installation_passes_every_configured_check(world: World) {
        let url = format!("http://127.0.0.1:{}", free_port());
        let world = world.with("RESTWELL__SERVER__PUBLIC_URL", &url);
        let report = Report::of(&world, &[]);
        assert_eq!((report.code, &report.body["ok"]), (Some(0), &json!(true)), "{}", report.body);
        assert_eq!(report.names_with("skipped"), ["password_hash", "backup", "caller_address", "mail"]);
        let not_started = (format!("no server runs at {url}"), "Start it: restwell serve");
        assert_eq!(report.check("public_url"), ("warning", &*not_started.0, not_started.1));
        assert_eq!(report.names_with("failed"), [""; 0]);
        let first = &report.body["checks"][0];
        assert_eq!(first, &json!({"name": "settings", "status": "ok", "message": "valid", "advice": null}));

        let report = Report::of(&world, &["--password-hash"]);
        let (status, table, _) = report.check("password_hash");
        assert_eq!(status, "ok");
        assert!(table.contains(" ms with 19456 KiB and 2 iterations (the settings), "), "{table}");

        let backup = world.file("restwell.dump", "x");
        std::fs::set_permissions(&backup, std::fs::Permissions::from_mode(0o600)).expect("mode");
        let report = Report::of(&world, &["--backup", &backup]);
        assert_eq!(report.check("backup").0, "ok");
        let text = world.ok(&["doctor"]);
        assert!(text.contains("ok       settings        valid\n"), "{text}");
        assert!(text.contains("-> Name what your backups write: restwell doctor --backup PATH"), "{text}");
    }

    async fn an_older_schema_fails_and_what_needs_it_is_skipped(world: World) {
        world.execute("DELETE FROM __diesel_schema_migrations;
                         INSERT INTO __diesel_schema_migrations (version) VALUES ('20000101000000')").await;
        let report = Report::of(&world, &[]);
        report.assert_failed("schema", "older than this program needs", "Run `restwell migrate`.");
        assert_eq!(report.check("store").0, "ok");
        assert_eq!((report.check("keys").0, report.check("clock").0), ("skipped", "skipped"));
    }
}

on_sqlite! {
    async fn broken_settings_fail_and_everything_else_is_skipped(world: World) {
        let world = world.with("RESTWELL__SERVER__LISTNE", "HIDDEN");
        let report = Report::of(&world, &[]);
        report.assert_failed("settings", "server.listne", "restwell reference configuration");
        assert_eq!(report.names_with("skipped"), AFTER_THE_SETTINGS);
        assert!(!report.body.to_string().contains("HIDDEN"));
        let output = world.run(&["doctor", "--config", "/nowhere/restwell.toml"]);
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.starts_with("failed   settings        "), "{text}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "restwell: 1 check failed\n");
    }

    async fn the_warnings_of_check_config_are_warnings(world: World) {
        let open = world.with("RESTWELL__SERVER__LISTEN", "0.0.0.0:0")
            .with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:8080");
        let report = Report::of(&open, &[]);
        let (status, message, advice) = report.check("settings");
        assert_eq!((report.code, status, advice), (Some(0), "warning", "See `restwell check-config`."));
        assert!(open.ok(&["check-config"]).contains(&format!("* WARNING: {message}")), "{message}");
    }

    async fn a_missing_exposed_or_wrong_key_fails(world: World) {
        let file = world.dir.path().join("restwell.key");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("mode");
        Report::of(&world, &[]).assert_failed("keys", "has mode 0644, which lets others access it", "0600");
        std::fs::remove_file(&file).expect("removed");
        Report::of(&world, &[]).assert_failed("keys", "restwell.key does not exist", "Restore it from your safe copy");
        assert!(!file.exists(), "doctor made a key");
        write(&file, 0o600, &world.ok(&["key", "generate"]));
        Report::of(&world, &[]).assert_failed("keys", "key", "that this store was created with");
        world.execute("DELETE FROM signing_key").await;
        Report::of(&world, &[]).assert_failed("keys", "no signing key", "restwell migrate");
        let public = world.with("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.invalid");
        let report = Report::of(&public, &[]);
        report.assert_failed("keys", "keys.encryption_key must be set", "Set keys.encryption_key_file to");
        report.assert_failed("public_url", "https://sleep.example.invalid: no connection", "DNS");
        assert_eq!(report.check("caller_address"), ("skipped", "the public URL was not reached", ""));
        let low_port = public.with("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.invalid:444");
        assert_eq!(Report::of(&low_port, &[]).names_with("failed"), ["keys"]);
        std::fs::remove_file(&file).expect("removed");
        let without = Report::of(&low_port, &[]);
        without.assert_failed("keys", "keys.encryption_key must be set", "restwell key generate");
    }

    async fn mail_is_checked_up_to_the_sign_in_and_sent_only_on_request(world: World) {
        let mail = MailServer::start().await;
        let with_server = with_mail(world.clone(), mail.port);
        assert_eq!(Report::of(&with_server, &[]).check("mail").0, "ok");
        assert!(mail.messages().is_empty());
        assert_eq!(Report::of(&with_server, &["--mail-to", "ada@example.org"]).check("mail").0, "ok");
        assert_eq!(mail.messages().len(), 1);
        let signing_in = with_server.with("RESTWELL__MAIL__USERNAME", "restwell").with("RESTWELL__MAIL__PASSWORD", "HIDDEN");
        let report = Report::of(&signing_in, &[]);
        report.assert_failed("mail", "offers neither AUTH PLAIN nor AUTH LOGIN", "restwell mail test");
        assert!(!report.body.to_string().contains("HIDDEN"));
        let without = with_mail(world, closed_port().await);
        Report::of(&without, &[]).assert_failed("mail", "the connection to the mail server failed", "mail");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_store_fails_and_is_not_created() {
    let world = unmigrated(StoreKind::Sqlite).await;
    let report = Report::of(&world, &[]);
    report.assert_failed("store", "there is no store at", "restwell migrate");
    assert!(!world.dir.path().join("restwell.db").exists());
    for name in ["schema", "keys", "clock"] {
        assert_eq!(report.check(name), ("skipped", "the store cannot be used", ""));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_store_is_named_without_its_password_on_postgres() {
    let world = World::new(StoreKind::Sqlite).await;
    let url = format!("postgres://u:HIDDEN@127.0.0.1:{}/d", closed_port().await);
    let report = Report::of(&world.with("RESTWELL__STORAGE__URL", &url), &[]);
    report.assert_failed("store", "postgres://u:***@127.0.0.1", "pg_hba.conf");
    assert!(!report.body.to_string().contains("HIDDEN"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clocks_that_are_apart_fail_on_postgres() {
    let world = World::new(StoreKind::Postgres).await;
    let mut command = world.command(&["doctor", "--json"]);
    command.env("LD_PRELOAD", library()).env("FAKETIME", "-300");
    let report = Report::new(&run_process(command, ""));
    report.assert_failed("clock", "s apart, and 2 s is the limit", "NTP");
}

/// Returns the command with the spool folder on a tmpfs with these mount options.
fn with_mounted_spool(world: &World, options: &str) -> Command {
    let spool = world.dir.path().join("spool");
    std::fs::create_dir_all(&spool).expect("folder");
    let script =
        format!("mount -t tmpfs -o {options} tmpfs {} && exec \"$0\" doctor --json", spool.display());
    let mut command = world.command(&[]);
    command.env("RESTWELL__UPLOADS__SPOOL_DIRECTORY", &spool);
    let program = command.get_program().to_owned();
    let mut mounted = Command::new("unshare");
    if !geteuid().is_root() {
        mounted.arg("--map-root-user");
    }
    mounted.arg("--mount").args(["sh", "-c", &script]).arg(program).env_clear();
    mounted.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    mounted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_or_read_only_folder_and_files_of_another_user_fail() {
    let world = World::new(StoreKind::Sqlite).await;
    let report = Report::new(&run_process(with_mounted_spool(&world, "size=50m"), ""));
    report.assert_failed("disk", "50 MiB are free in", "enlarge");
    let report = Report::new(&run_process(with_mounted_spool(&world, "size=500m"), ""));
    assert_eq!((report.code, report.check("disk").0), (Some(0), "warning"), "{}", report.body);
    let report = Report::new(&run_process(with_mounted_spool(&world, "ro"), ""));
    report.assert_failed("disk", "is on a read-only file system", "Mount a writable volume");

    // Without its capabilities, root is a user like any other.
    let spool = world.dir.path().join("spool");
    let owner = if geteuid().is_root() { 65_532 } else { geteuid().as_raw() };
    std::os::unix::fs::chown(&spool, Some(owner), None).expect("owner");
    std::fs::set_permissions(&spool, std::fs::Permissions::from_mode(0o500)).expect("mode");
    let command = world.command(&["doctor", "--json"]);
    let mut bare = Command::new("setpriv");
    bare.args(["--inh-caps=-all", "--bounding-set=-all", "--"]);
    if !geteuid().is_root() {
        bare = Command::new("env");
    }
    bare.arg(command.get_program()).args(command.get_args()).env_clear();
    bare.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bare.env("RESTWELL__UPLOADS__SPOOL_DIRECTORY", &spool);
    let key = world.dir.path().join("restwell.key");
    std::os::unix::fs::chown(&key, Some(owner), None).expect("owner");
    if !geteuid().is_root() {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o000)).expect("mode");
    }
    let report = Report::new(&run_process(bare, ""));
    report.assert_failed("keys", "restwell.key cannot be read: Permission denied", "as the server's user");
    let user = geteuid().as_raw();
    report.assert_failed(
        "disk",
        &format!("user {user}, who runs this command, cannot write to"),
        "Run this command as the server's user",
    );
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("port");
    listener.local_addr().expect("address").port()
}

/// Adds a public URL and the certificate authority that its callers trust.
fn reached_at(world: World, url: &str, authority: &Authority, name: &str) -> World {
    let file = world.file(name, &authority.pem());
    world.with("RESTWELL__SERVER__PUBLIC_URL", url).with("SSL_CERT_FILE", &file)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_http_url_must_be_answered_by_this_server_and_not_by_another() {
    let address = format!("127.0.0.1:{}", free_port());
    let url = format!("http://{address}");
    let at_address = |world: World| world.with("RESTWELL__SERVER__PUBLIC_URL", &url);
    let world = at_address(World::new(StoreKind::Sqlite).await.in_processes())
        .with("RESTWELL__SERVER__LISTEN", &address);
    let _server = world.serve();
    let report = Report::of(&world, &[]);
    assert_eq!(report.check("public_url"), ("ok", &*format!("{url} answers, to this machine only"), ""));
    assert_eq!(report.check("caller_address").0, "skipped");

    let stranger = World::new(StoreKind::Sqlite).await;
    stranger.execute("DELETE FROM signing_key").await;
    stranger.ok(&["migrate"]);
    Report::of(&at_address(stranger), &[]).assert_failed(
        "public_url",
        "keys that are not in this store",
        "uses its settings and store",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_public_url_must_have_a_valid_certificate_and_be_this_server() {
    let (authority, port) = (Authority::new(), free_port());
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    authority.certify(world.dir.path());
    let path = |name: &str| world.dir.path().join(name).display().to_string();
    let (certificate, key) = (path("tls.crt"), path("tls.key"));
    let url = format!("https://localhost:{port}");
    let world = reached_at(world, &url, &authority, "ca.pem")
        .with("RESTWELL__SERVER__LISTEN", &format!("127.0.0.1:{port}"))
        .with("RESTWELL__SERVER__TLS_CERTIFICATE_FILE", &certificate)
        .with("RESTWELL__SERVER__TLS_KEY_FILE", &key);
    Report::of(&world, &[]).assert_failed("public_url", "no connection", "firewall");
    let server = world.serve();
    let report = eventually("it is ready", async || {
        let report = Report::of(&world, &[]);
        (report.check("public_url").0 == "ok").then_some(report)
    })
    .await;
    assert_eq!(report.code, Some(0), "{}", report.body);
    assert_eq!(report.check("caller_address").1, "127.0.0.1 arrives directly, without a proxy");

    let distrusting = reached_at(world.clone(), &url, &Authority::new(), "other.pem");
    let report = Report::of(&distrusting, &[]);
    report.assert_failed("public_url", "no authority that this machine trusts", "intermediates");
    let by_address = world.clone().with("RESTWELL__SERVER__PUBLIC_URL", &format!("https://127.0.0.1:{port}"));
    Report::of(&by_address, &[]).assert_failed(
        "public_url",
        "for another host name",
        "certificate for this host",
    );

    let stranger = World::new(StoreKind::Sqlite).await.in_processes();
    stranger.execute("DELETE FROM signing_key").await;
    stranger.ok(&["migrate"]);
    let stranger = reached_at(stranger, &url, &authority, "ca.pem");
    Report::of(&stranger, &[]).assert_failed(
        "public_url",
        "keys that are not in this store",
        "proxy forwards",
    );
    let renamed = stranger.with("RESTWELL__SERVER__PUBLIC_URL", &format!("https://LOCALHOST:{port}/"));
    assert_eq!(Report::of(&renamed, &[]).check("public_url").0, "failed");

    authority.certify_in_the_past(world.dir.path());
    server.signal("HUP");
    eventually("the certificate has expired", async || {
        let report = Report::of(&world, &[]);
        report.check("public_url").1.contains("it has expired").then_some(())
    })
    .await;
}

/// Running nginx with TLS in front of a server.
struct Nginx(Child);

impl Nginx {
    fn start(folder: &Path, port: u16, server: &Server, header: &str) -> Self {
        let place = folder.display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {place}/{kind};\n"))
            .concat();
        let config = format!(
            "daemon off;\npid {place}/nginx.pid;\nerror_log {place}/nginx.log;\nevents {{}}\nhttp {{\n{temporary}\
             access_log off;\nserver {{\nlisten 127.0.0.1:{port} ssl;\nssl_certificate {place}/tls.crt;\n\
             ssl_certificate_key {place}/tls.key;\nlocation / {{\nproxy_pass http://{};\n\
             proxy_set_header Host $http_host;\n{header}\n}}\n}}\n}}\n",
            server.address()
        );
        std::fs::write(folder.join("nginx.conf"), config).expect("file");
        let mut command = Command::new(program("nginx"));
        command.arg("-e").arg(folder.join("nginx.log")).arg("-c").arg(folder.join("nginx.conf"));
        Self(command.spawn().expect("nginx starts"))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM, because nginx's workers outlive a killed master.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

const FORWARDED_FOR: &str = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_is_not_trusted_or_sends_no_address_fails() {
    let (authority, port) = (Authority::new(), free_port());
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    authority.certify(world.dir.path());
    std::fs::set_permissions(world.dir.path(), std::fs::Permissions::from_mode(0o755)).expect("mode");
    let world = reached_at(world, &format!("https://localhost:{port}"), &authority, "ca.pem");
    let trusting = world.clone().with("RESTWELL__SERVER__TRUSTED_PROXIES", "127.0.0.1");
    for (world, header, status, message, advice) in [
        (
            &world,
            FORWARDED_FOR,
            "failed",
            "is not in server.trusted_proxies",
            "Add 127.0.0.1, or the network",
        ),
        (&trusting, "", "failed", "does not send x-forwarded-for", "Let the proxy set x-forwarded-for"),
        (&trusting, FORWARDED_FOR, "ok", "arrives as the caller's address through the proxy 127.0.0.1", ""),
    ] {
        let mut server = world.serve();
        let nginx = Nginx::start(world.dir.path(), port, &server, header);
        let report = eventually("nginx forwards", async || {
            let report = Report::of(world, &[]);
            (report.check("public_url").0 == "ok").then_some(report)
        })
        .await;
        let check = report.check("caller_address");
        assert!(check.1.contains(message) && check.2.contains(advice), "{check:?}");
        assert_eq!((check.0, report.code), (status, Some(i32::from(status == "failed"))), "{}", report.body);
        // The pass is in no log.
        assert!(!server.log().contains("restwell-doctor"));
        drop(nginx);
        assert_eq!(server.terminate(), Some(0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_start_says_what_to_do_next_until_there_is_a_person() {
    let started = |world: &World| {
        let mut server = world.serve();
        assert_eq!(server.terminate(), Some(0));
        server.log()
    };
    let world = unmigrated(StoreKind::Sqlite).await.in_processes();
    let human = world.clone().with("RESTWELL__LOG__FORMAT", "human");
    let migrated = human.run(&["migrate"]);
    let steps = [
        "Settings file: none",
        "Encryption key: ",
        "First person: restwell user create",
        "Public URL: http://",
        "Check everything: restwell doctor",
    ];
    let log = started(&human);
    for text in [&String::from_utf8_lossy(&migrated.stderr), log.as_str()] {
        let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with(steps[0])).collect();
        assert!(
            steps.iter().zip(&lines).all(|(step, line)| line.starts_with(step)) && lines.len() >= 5,
            "{text}"
        );
    }
    let log = started(&world);
    let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let first: Vec<&Value> =
        events.iter().filter(|event| event["message"] == "first start: no person yet").collect();
    assert!(
        first.len() == 1 && first[0]["steps"].as_str().is_some_and(|text| text.contains(steps[4])),
        "{log}"
    );

    world.ok(&["user", "create", "--email", "ada@example.org", "--timezone", "UTC"]);
    assert!(!started(&world).contains("first start") && !started(&human).contains(steps[4]));
    assert!(!String::from_utf8_lossy(&human.run(&["migrate"]).stderr).contains(steps[4]));
}
