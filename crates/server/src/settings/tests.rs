use super::source::Variables;
use super::{Settings, SettingsError, StoragePlace, reference};
use domain::data_endpoint::PersonEndpoint;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn environment(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn with(file: &str, pairs: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let directory = TempDir::new().unwrap();
    let path = write_file(&directory, "restwell.toml", file);
    Settings::from_sources(Some(&path), &environment(pairs))
}

fn write_file(directory: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn refusal(result: Result<Settings, SettingsError>) -> String {
    result.expect_err("these settings must be refused").to_string()
}

#[test]
fn without_any_setting_the_embedded_store_is_served_on_loopback() {
    let settings = Settings::from_sources(None, &Variables::new()).unwrap();
    let StoragePlace::Sqlite(path) = settings.storage.place().unwrap() else { panic!("not embedded") };
    assert_eq!(path, Path::new("restwell-data/restwell.db"));
    let url = settings.server.public_url().unwrap();
    assert_eq!(url.as_str(), "http://127.0.0.1:8080");
    assert!(settings.tokens.allow_query_secrets);
    assert!(settings.cors.allowed_origins.0.is_empty());
    let limits = settings.rate_limits.daily_limits();
    assert!(PersonEndpoint::all().all(|endpoint| limits.limit(endpoint) == endpoint.daily_limit()));
    assert_eq!(settings.tokens.authentication_limits(), application::token::AuthenticationLimits::default());
    assert_eq!(settings.accounts.sign_in_limits(), application::session::SignInLimits::default());
    assert_eq!(settings.sessions.lifetime(), domain::session::SessionLifetime::default());
    assert_eq!(settings.audit.retention().unwrap(), application::audit::AuditRetention::default());
    assert!(!settings.accounts.sign_up_open && !settings.mail.is_set());
}

#[test]
fn the_file_overrides_the_defaults_and_the_environment_the_file() {
    let file =
        "[server]\nworkers = 3\ndrain_seconds = 2\n[cors]\nallowed_origins = [\"https://a.example\"]\n";
    let settings =
        with(file, &[("RESTWELL__SERVER__WORKERS", "5"), ("RESTWELL__LOG__FORMAT", "json")]).unwrap();
    assert_eq!((settings.server.workers, settings.server.drain_seconds), (5, 2));
    assert_eq!(settings.server.keep_alive_seconds, 75);
    assert_eq!(settings.log.format, super::LogFormat::Json);
    assert_eq!(settings.cors.allowed_origins.0, ["https://a.example"]);
}

#[test]
fn commas_separate_a_list_in_a_variable_and_an_empty_one_sets_nothing() {
    let pairs = [
        ("RESTWELL__CORS__ALLOWED_ORIGINS", "https://a.example, https://b.example"),
        ("RESTWELL__SERVER__WORKERS", ""),
    ];
    let settings = Settings::from_sources(None, &environment(&pairs)).unwrap();
    assert_eq!(settings.cors.allowed_origins.0, ["https://a.example", "https://b.example"]);
    assert_eq!(settings.server.workers, 0);
}

#[test]
fn an_unknown_key_of_the_file_is_refused_by_its_full_name() {
    for (file, name) in [
        ("[server]\nlsten = \"127.0.0.1:1\"\n", "server.lsten"),
        ("[sever]\nlisten = \"127.0.0.1:1\"\n", "sever.listen"),
        ("listen = 5\n", "listen"),
        ("[server.listen]\nport = 5\n", "server.listen.port"),
    ] {
        let text = refusal(with(file, &[]));
        assert!(
            text.contains(&format!("{name} is not a setting")) && text.contains("restwell.toml"),
            "{text}"
        );
    }
}

#[test]
fn an_unknown_variable_is_refused_with_its_name_and_its_key() {
    let text = refusal(Settings::from_sources(None, &environment(&[("RESTWELL__STORAGE__URI", "x")])));
    assert!(text.contains("storage.uri is not a setting"), "{text}");
    assert!(text.contains("RESTWELL__STORAGE__URI") && text.contains("storage.url"), "{text}");
}

#[test]
fn a_value_of_the_wrong_type_names_its_setting() {
    for (name, value, key) in [
        ("RESTWELL__SERVER__LISTEN", "somewhere", "server.listen"),
        ("RESTWELL__SERVER__WORKERS", "many", "server.workers"),
        ("RESTWELL__TOKENS__ALLOW_QUERY_SECRETS", "perhaps", "tokens.allow_query_secrets"),
        ("RESTWELL__LOG__LEVEL", "loud", "log.level"),
    ] {
        let text = refusal(Settings::from_sources(None, &environment(&[(name, value)])));
        assert!(text.contains(key), "{name}: {text}");
        assert!(text.contains("must be") && text.contains(name) && !text.contains(value), "{text}");
    }
}

#[test]
fn no_error_repeats_a_misplaced_value() {
    let mut refused = 0;
    for row in super::rows().filter(|row| !row.key.ends_with("_file")) {
        let (section, name) = row.key.split_once('.').unwrap();
        for value in ["\"LEAKME\"", "[\"LEAKME\"]", "[[\"LEAKME\"]]", "[{ a = \"LEAKME\" }]", "987654321987"]
        {
            let Err(error) = with(&format!("[{section}]\n{name} = {value}\n"), &[]) else { continue };
            let text = error.to_string();
            assert!(text.contains(row.key), "{value}: {text}");
            assert!(!text.contains("LEAKME") && !text.contains("987654321987"), "{value}: {text}");
            assert!(!text.contains("must be a ") || text.contains("restwell.toml"), "{value}: {text}");
            refused += 1;
        }
        let Err(error) = Settings::from_sources(None, &environment(&[(&row.variable(), "LEAKME")])) else {
            continue;
        };
        let text = error.to_string();
        assert!(text.contains(row.key) && !text.contains("LEAKME"), "{text}");
    }
    assert!(refused > 50, "{refused}");
    for text in ["server = \"LEAKME\"\n", "server = [\"LEAKME\"]\n", "[server]\nurl = \"LEAKME\"\n"] {
        let text = refusal(with(text, &[]));
        assert!(text.contains("server") && !text.contains("LEAKME"), "{text}");
    }
    for (name, value) in
        [("RESTWELL__SERVER", "LEAKME"), ("RESTWELL__KEYS__ENCRYPTION_KEY_FILE", "rwk_LEAKME")]
    {
        let text = refusal(Settings::from_sources(None, &environment(&[(name, value)])));
        assert!(!text.contains("LEAKME"), "{text}");
    }
}

#[test]
fn a_number_out_of_range_names_its_setting_and_the_range() {
    for (name, value, key) in [
        ("RESTWELL__TOKENS__ACCESS_CACHE_MILLISECONDS", "1001", "tokens.access_cache_milliseconds"),
        ("RESTWELL__RATE_LIMITS__SLEEP", "0", "rate_limits.sleep"),
        ("RESTWELL__STORAGE__POOL_SIZE", "0", "storage.pool_size"),
        ("RESTWELL__SERVER__KEEP_ALIVE_SECONDS", "0", "server.keep_alive_seconds"),
        ("RESTWELL__SESSIONS__IDLE_MINUTES", "0", "sessions.idle_minutes"),
        ("RESTWELL__SESSIONS__LIFETIME_HOURS", "8761", "sessions.lifetime_hours"),
        ("RESTWELL__ACCOUNTS__SIGN_IN_PER_ACCOUNT", "0", "accounts.sign_in_per_account"),
        ("RESTWELL__ACCOUNTS__FAILURE_WINDOW_SECONDS", "86401", "accounts.failure_window_seconds"),
        ("RESTWELL__AUDIT__EVENT_DAYS", "0", "audit.event_days"),
        ("RESTWELL__AUDIT__READ_DAYS", "36526", "audit.read_days"),
    ] {
        let text = refusal(Settings::from_sources(None, &environment(&[(name, value)])));
        assert!(text.contains(key) && text.contains("between"), "{text}");
    }
}

/// MCP 2026-07-28, Security Considerations, Communication Security.
#[test]
fn plain_http_is_for_loopback_only_and_a_reachable_address_needs_a_public_url() {
    for url in ["http://sleep.example.org", "http://10.0.0.1:8080"] {
        let text =
            refusal(Settings::from_sources(None, &environment(&[("RESTWELL__SERVER__PUBLIC_URL", url)])));
        assert!(text.contains("server.public_url") && text.contains("loopback"), "{text}");
    }
    let text =
        refusal(Settings::from_sources(None, &environment(&[("RESTWELL__SERVER__LISTEN", "0.0.0.0:8080")])));
    assert!(text.contains("server.public_url must be set"), "{text}");
    let pairs =
        [("RESTWELL__SERVER__LISTEN", "0.0.0.0:80"), ("RESTWELL__SERVER__PUBLIC_URL", "https://x.example")];
    assert!(Settings::from_sources(None, &environment(&pairs)).is_ok());
}

#[test]
fn all_problems_are_reported_at_once() {
    let pairs = [("RESTWELL__RATE_LIMITS__SLEEP", "0"), ("RESTWELL__STORAGE__URL", "mysql://h/d")];
    let text = refusal(Settings::from_sources(None, &environment(&pairs)));
    assert!(text.contains("rate_limits.sleep") && text.contains("storage.url"), "{text}");
}

#[test]
fn a_secret_comes_from_its_file_and_not_from_both() {
    let directory = TempDir::new().unwrap();
    let url = write_file(&directory, "url", "sqlite:///from/file.db\n");
    let file = url.to_str().unwrap();
    let settings =
        Settings::from_sources(None, &environment(&[("RESTWELL__STORAGE__URL_FILE", file)])).unwrap();
    assert_eq!(settings.storage.place().unwrap().to_string(), "sqlite:///from/file.db");
    let pairs = [("RESTWELL__STORAGE__URL_FILE", file), ("RESTWELL__STORAGE__URL", "sqlite:///x.db")];
    let text = refusal(Settings::from_sources(None, &environment(&pairs)));
    assert!(text.contains("storage.url and storage.url_file are both set"), "{text}");
}

#[test]
fn the_encryption_key_comes_from_its_file_and_not_from_both() {
    let directory = TempDir::new().unwrap();
    let key = write_file(&directory, "key", "the key\n");
    let toml = format!("[keys]\nencryption_key_file = {key:?}\n");
    let settings = with(&toml, &[]).unwrap();
    assert_eq!(settings.keys.encryption_key.unwrap().expose(), "the key");
    let text = refusal(with(&toml, &[("RESTWELL__KEYS__ENCRYPTION_KEY", "00123")]));
    assert!(text.contains("keys.encryption_key and keys.encryption_key_file are both set"), "{text}");
}

#[test]
fn a_secret_file_that_is_missing_or_empty_is_named() {
    let directory = TempDir::new().unwrap();
    let empty = write_file(&directory, "empty", "\n");
    for path in [empty.as_path(), Path::new("/nowhere/key")] {
        let pairs = [("RESTWELL__KEYS__ENCRYPTION_KEY_FILE", path.to_str().unwrap())];
        let text = refusal(Settings::from_sources(None, &environment(&pairs)));
        assert!(text.contains("keys.encryption_key_file") && text.contains(path.to_str().unwrap()), "{text}");
    }
}

#[test]
fn printed_settings_contain_no_secret() {
    let pairs = [
        ("RESTWELL__STORAGE__URL", "postgres://u:HIDDEN1@h/d?password=HIDDEN2"),
        ("RESTWELL__KEYS__ENCRYPTION_KEY", "HIDDEN3"),
    ];
    let settings = Settings::from_sources(None, &environment(&pairs)).unwrap();
    let place = settings.storage.place().unwrap();
    let printed = format!("{settings:?} {:?} {place} {place:?}", settings.list_values());
    assert!(!printed.contains("HIDDEN"), "{printed}");
}

#[test]
fn a_secret_of_digits_is_read_unchanged() {
    let settings =
        Settings::from_sources(None, &environment(&[("RESTWELL__KEYS__ENCRYPTION_KEY", "00123")])).unwrap();
    assert_eq!(settings.keys.encryption_key.unwrap().expose(), "00123");
}

#[test]
fn an_invalid_file_is_reported_with_its_position_and_without_its_text() {
    let text = refusal(with("[storage]\nurl = \"postgres://u:HIDDEN@h\n", &[]));
    assert!(text.contains("restwell.toml") && text.contains("line 2") && !text.contains("HIDDEN"), "{text}");
    let text = refusal(Settings::from_sources(Some(Path::new("/nowhere/restwell.toml")), &Variables::new()));
    assert!(text.contains("/nowhere/restwell.toml cannot be read"), "{text}");
    let text = refusal(with("[keys]\nencryption_key = [\"HIDDEN\"]\n", &[]));
    assert!(text.contains("keys.encryption_key") && !text.contains("HIDDEN"), "{text}");
}

#[test]
fn the_table_contains_exactly_the_settings_that_are_read() {
    let settings = Settings::from_sources(None, &Variables::new()).unwrap();
    let read: Vec<&str> = settings.list_values().into_iter().map(|(key, _)| key).collect();
    let listed: Vec<&str> = super::rows().map(|row| row.key).collect();
    assert_eq!(read, listed);
}

#[test]
fn the_reference_has_every_setting_and_its_defaults_are_accepted() {
    let text = reference();
    for row in super::rows() {
        assert!(text.contains(&format!("`{}`", row.key)) && text.contains(&row.variable()), "{}", row.key);
        assert!(
            !row.about.trim().is_empty() && !row.unit.is_empty() && !row.example.is_empty(),
            "{}",
            row.key
        );
    }
}

#[test]
fn the_variable_that_the_reference_names_sets_its_setting() {
    for row in super::rows().filter(|row| row.default.is_some_and(|default| !default.is_empty())) {
        let variables = environment(&[(&row.variable(), row.default.unwrap())]);
        let settings =
            Settings::from_sources(None, &variables).unwrap_or_else(|error| panic!("{}: {error}", row.key));
        let shown = settings.list_values().into_iter().find(|(key, _)| *key == row.key).unwrap().1;
        assert_eq!(shown, row.default.unwrap(), "{}", row.key);
    }
}

#[test]
fn every_example_without_a_file_behind_it_is_accepted() {
    for row in super::rows().filter(|row| !row.key.ends_with("_file")) {
        let mut variables = environment(&[
            ("RESTWELL__SERVER__PUBLIC_URL", "https://x.example"),
            // Only Postgres has standbys.
            ("RESTWELL__STORAGE__URL", "postgres://restwell@db.example.org/restwell"),
        ]);
        variables.insert(row.variable(), row.example.to_owned());
        if let Err(error) = Settings::from_sources(None, &variables) {
            panic!("{} = {}: {error}", row.key, row.example);
        }
    }
}

#[test]
fn the_committed_example_is_accepted_and_names_every_setting() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/restwell.example.toml");
    Settings::from_sources(Some(&path), &Variables::new()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for section in super::sections() {
        let (_, body) = text.split_once(&format!("[{}]", section.name)).unwrap();
        let body = body.split("\n[").next().unwrap();
        for row in section.rows {
            let name = row.key.rsplit('.').next().unwrap();
            assert!(
                body.lines().any(|line| line.trim_start_matches("# ").starts_with(&format!("{name} ="))),
                "{}",
                row.key
            );
        }
    }
}

#[test]
fn a_variable_that_is_not_utf8_is_rejected_by_name_without_its_value() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let value = OsString::from_vec(b"HIDDEN\xff".to_vec());
    let pairs =
        [(OsString::from("RESTWELL__STORAGE__URL"), value), (OsString::from("HOME"), OsString::from("/x"))];
    let text = super::variables(pairs).expect_err("not UTF-8").to_string();
    assert!(text.contains("RESTWELL__STORAGE__URL") && !text.contains("HIDDEN"), "{text}");
}
