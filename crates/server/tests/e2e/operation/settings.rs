//! Invalid and valid settings.

use super::schema::refusal;
use crate::e2e::world::{StoreKind, World};
use postgres_adapter::test_support::TestDatabase;
use url::Url;

async fn world() -> World {
    World::new(StoreKind::Sqlite).await.in_processes()
}

/// Returns the output of `serve` with additional settings.
async fn errors_with(settings: &[(&str, &str)]) -> String {
    let world = settings.iter().fold(world().await, |world, (key, value)| world.with(key, value));
    let serve = refusal(&world);
    // `check-config` reports the same.
    let check = world.run(&["check-config"]);
    assert_eq!(check.status.code(), Some(1), "check-config accepts what serve refuses: {serve}");
    assert!(check.stdout.is_empty());
    serve
}

#[tokio::test]
async fn an_unknown_key_is_reported_from_every_source() {
    let message = errors_with(&[("RESTWELL__SERVER__LISTNE", "127.0.0.1:1")]).await;
    assert!(message.contains("server.listne") && message.contains("RESTWELL__SERVER__LISTNE"), "{message}");
    let world = world().await;
    let file = world.file("restwell.toml", "[storage]\npool_size = 4\nurll = \"sqlite:///HIDDEN\"\n");
    let output = world.run(&["serve", "--config", &file]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        errors.contains("storage.urll") && errors.contains(&file) && !errors.contains("HIDDEN"),
        "{errors}"
    );
    let output = world.run(&["serve", "--config", "/nowhere/restwell.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/restwell.toml"));
}

#[tokio::test]
async fn a_public_server_requires_an_encryption_key() {
    let public = ("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.org");
    let message = errors_with(&[public]).await;
    assert!(
        message.contains("keys.encryption_key") && message.contains("restwell key generate"),
        "{message}"
    );
    let message = errors_with(&[public, ("RESTWELL__KEYS__ENCRYPTION_KEY", "HIDDEN")]).await;
    assert!(message.contains("keys.encryption_key") && !message.contains("HIDDEN"), "{message}");
}

#[tokio::test]
async fn check_and_start_warn_about_a_proxy_that_is_not_configured() {
    let fresh = world().await;
    let key = fresh.dir.path().join("restwell.key").display().to_string();
    let world = fresh
        .with("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.org")
        .with("RESTWELL__KEYS__ENCRYPTION_KEY_FILE", &key);
    let warning = "server.trusted_proxies lists none";
    let starts = |world: &World, name: &str| {
        let mut server = world.serve_as(name);
        assert_eq!(server.terminate(), Some(0));
        server.log()
    };
    assert!(world.ok(&["check-config"]).contains(warning));
    let log = starts(&world, "unnamed");
    assert!(log.lines().any(|line| line.contains("WARN") && line.contains(warning)), "{log}");
    let world = world.with("RESTWELL__SERVER__TRUSTED_PROXIES", "127.0.0.1");
    assert!(!world.ok(&["check-config"]).contains(warning));
    assert!(!starts(&world, "named").contains(warning));
}

#[tokio::test]
async fn a_secret_is_set_as_text_or_as_a_file_but_not_both() {
    let world = world().await;
    let key = world.ok(&["key", "generate"]);
    assert_ne!(key, world.ok(&["key", "generate"]));
    let file = world.file("key.txt", &key);
    let message = errors_with(&[
        ("RESTWELL__KEYS__ENCRYPTION_KEY", key.trim()),
        ("RESTWELL__KEYS__ENCRYPTION_KEY_FILE", &file),
    ])
    .await;
    assert!(message.contains("keys.encryption_key and keys.encryption_key_file are both set"), "{message}");
    assert!(!message.contains(key.trim()));
    let message = errors_with(&[("RESTWELL__KEYS__ENCRYPTION_KEY_FILE", "/nowhere/key")]).await;
    assert!(message.contains("keys.encryption_key_file") && message.contains("/nowhere/key"), "{message}");
    let message = errors_with(&[("RESTWELL__STORAGE__URL_FILE", &file)]).await;
    assert!(message.contains("storage.url and storage.url_file are both set"), "{message}");

    // A store whose keys are sealed with another key.
    let fresh = World::new(StoreKind::Sqlite).await.in_processes();
    let sealed_otherwise = fresh.with("RESTWELL__KEYS__ENCRYPTION_KEY_FILE", &file);
    let message = refusal(&sealed_otherwise);
    assert!(message.contains("key") && !message.contains(key.trim()), "{message}");
}

#[tokio::test]
async fn a_server_is_configured_by_file_environment_and_secret_files() {
    let world = world().await;
    let key = world.file("key.txt", &world.ok(&["key", "generate"]));
    let storage =
        world.file("storage.txt", &format!("sqlite://{}\n", world.dir.path().join("other.db").display()));
    let file = world.file("restwell.toml", &format!(
        "[server]\nlisten = \"127.0.0.1:1\"\npublic_url = \"https://sleep.example.org\"\n\
         [storage]\nurl_file = \"{storage}\"\n[keys]\nencryption_key_file = \"{key}\"\n[rate_limits]\nsleep = 7\n",
    ));
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env_remove("RESTWELL__STORAGE__URL").env("RESTWELL_CONFIG", &file);
        command
    };
    let checked = run(&["check-config"]).output().expect("restwell runs");
    let text = String::from_utf8(checked.stdout).expect("UTF-8");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    for line in
        ["rate_limits.sleep = 7", "server.listen = 127.0.0.1:0", "* public URL: https://sleep.example.org"]
    {
        assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
    }
    assert!(text.contains("counted per process"), "{text}");
    assert!(!world.dir.path().join("other.db").exists(), "check-config made the store");
    let migrated = run(&["migrate"]).output().expect("restwell runs");
    assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
    let log = world.dir.path().join("configured.log");
    let mut server = crate::e2e::server::Server::spawn(run(&["serve"]), &log);
    let answer = reqwest::get(format!("{}/livez", server.base_url)).await.expect("answer");
    assert_eq!(
        answer.headers()["strict-transport-security"].to_str().ok().map(|text| text.contains("max-age")),
        Some(true)
    );
    assert_eq!(server.terminate(), Some(0));
}

#[tokio::test]
async fn without_any_settings_the_store_is_in_the_local_data_folder() {
    let world = world().await;
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env_clear().output().expect("restwell runs")
    };
    let output = run(&["migrate"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(world.dir.path().join("restwell-data/restwell.db").exists());
    assert!(run(&["user", "list"]).status.success());
}

/// Returns the one-sentence errors of `migrate` and `user list` for an unusable Postgres.
async fn errors_of_store(storage_url: &str) -> [String; 2] {
    let world = world().await.with("RESTWELL__STORAGE__URL", storage_url);
    [&["migrate"][..], &["user", "list"]].map(|arguments| {
        let output = world.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{errors}");
        assert!(!errors.contains("HIDDEN"), "{errors}");
        errors.lines().last().expect("a sentence").to_owned()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unusable_store_is_rejected_with_the_reason_on_postgres() {
    for message in errors_of_store("postgres://u:HIDDEN@127.0.0.1:1/d").await {
        assert!(message.starts_with("restwell: ") && message.contains("refused"), "{message}");
    }
    let database = TestDatabase::create_without_schema().await;
    let mut url = Url::parse(database.url()).expect("URL");
    url.set_path("/nowhere");
    for message in errors_of_store(url.as_str()).await {
        assert!(message.contains("\"nowhere\" does not exist"), "{message}");
    }
}
