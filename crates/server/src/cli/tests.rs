use super::{Cli, Command, StoreCommand, escaped, settings_file};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use domain::scope::Scope;

const ID: &str = "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48";

fn parsed(line: &str) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(std::iter::once("restwell").chain(line.split_whitespace()))
}

#[test]
fn the_command_line_is_well_formed() {
    Cli::command().debug_assert();
}

#[test]
fn a_name_with_a_direction_override_is_rejected_and_escaped_in_the_error() {
    let error = parsed("client create --name Owl\u{202e} --redirect-uri https://a.example/cb").unwrap_err();
    let text = escaped(error).render().to_string();
    assert!(text.contains(r"invalid value 'Owl\u{202e}' for '--name <NAME>': a client's name has"), "{text}");
    assert!(text.contains("no invisible or direction-changing characters"), "{text}");
    let error = parsed("client create --nam\u{200b}e Owl").unwrap_err();
    assert!(!escaped(error).render().to_string().contains('\u{200b}'));
}

#[test]
fn a_redirect_uri_with_a_shortened_loopback_address_or_port_0_is_refused() {
    let commands = |uri: &str| {
        [
            format!("client create --name N --scope sleep --redirect-uri {uri}"),
            format!("client update {ID} --redirect-uri {uri}"),
        ]
    };
    for uri in
        ["http://127.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.0.0.1:0/"]
    {
        for line in commands(uri) {
            assert_eq!(parsed(&line).unwrap_err().kind(), ErrorKind::ValueValidation, "{line}");
        }
    }
    assert!(commands("http://127.0.0.1:9000/cb").iter().all(|line| parsed(line).is_ok()));
}

#[test]
fn an_option_takes_a_challenge_or_an_address_that_begins_with_a_hyphen() {
    let challenge = "-BN9Ocxba-RZKDXNSZlEAQO1tQMv5qnLHmEbQGEvSBQ";
    let code =
        format!("code create --client {ID} --user {ID} --redirect-uri https://owl.example/cb --scope sleep");
    for line in [
        format!("{code} --code-challenge {challenge} --json"),
        format!("{code} --code-challenge={challenge}"),
        "user create --email -a@b.example --timezone UTC".to_owned(),
        "token list --user -a@b.example".to_owned(),
    ] {
        assert!(parsed(&line).is_ok(), "{line}");
    }
    for line in [format!("{code} --code-challenge --json"), "token list --user --json".to_owned()] {
        assert_eq!(parsed(&line).unwrap_err().kind(), ErrorKind::ValueValidation, "{line}");
    }
}

#[test]
fn every_documented_command_exists() {
    for line in [
        "demo".to_owned(),
        "demo --listen 127.0.0.1:0 --data-dir d --json".to_owned(),
        "serve".to_owned(),
        "serve --config f.toml".to_owned(),
        "--config f.toml migrate".to_owned(),
        "check-config".to_owned(),
        format!("user create --email a@b --timezone Europe/Berlin --user-id {ID} --birth-date 1990-05-17 --json"),
        "user list --json".to_owned(),
        format!("user show {ID}"),
        format!("user update {ID} --timezone UTC --blood-type A- --wheelchair-use false"),
        format!("user lock {ID}"),
        format!("user unlock {ID}"),
        format!("webhook create --client {ID} --url https://owl.example/hooks --contact dev@owl.example --json"),
        format!("webhook list --client {ID} --json"),
        format!("webhook test {ID} --json"),
        format!("webhook rotate {ID} --json"),
        format!("webhook delete {ID} --json"),
        format!("webhook deliveries {ID} --limit 5 --json"),
        format!("webhook replay {ID} --last 24h --json"),
        format!("user erase {ID} --yes --json"),
        format!("user delete {ID} --yes"),
        "client create --name N --redirect-uri https://a.example/cb --scope sleep --scope profile --no-query-secrets --json"
            .to_owned(),
        "client create --name N --service --scope sleep:write".to_owned(),
        "client list".to_owned(),
        format!("client show {ID} --json"),
        format!("client update {ID} --allow-query-secrets false --require-pkce true"),
        format!("client rotate-secret {ID} --overlap 24h --json"),
        format!("client disable {ID}"),
        format!("client enable {ID}"),
        format!("grant list --user {ID} --json"),
        format!("grant revoke --client {ID}"),
        format!("grant revoke --id {ID}"),
        "key generate".to_owned(),
        "key rotate --emergency --json".to_owned(),
        "key list --json".to_owned(),
        format!("key retire {ID} --json"),
        format!("code create --client {ID} --user {ID} --redirect-uri https://a.example/cb --scope sleep --ttl 10m --json"),
        format!("import --user {ID} --format fitbit --timezone UTC --dry-run --json a.json b.csv"),
        "import --format dsld a.json".to_owned(),
        format!("import --user {ID} --start 2026-01-10T22:30:00+01:00 night.txt"),
        format!("export --user {ID}"),
        format!("export --user {ID} --format zip --output ada.zip"),
        "reference openapi".to_owned(),
        "reference configuration".to_owned(),
        "reference errors".to_owned(),
        "reference authorization".to_owned(),
    ] {
        if let Err(error) = parsed(&line) {
            panic!("{line}: {error}");
        }
    }
}

#[test]
fn the_error_names_the_invalid_argument() {
    for (line, name) in [
        ("user create --email nobody --timezone UTC".to_owned(), "--email"),
        ("user create --email a@b --timezone Moon/Base".to_owned(), "--timezone"),
        ("import --start 2026-01-10T22:30:00 night.txt".to_owned(), "--start"),
        ("user show 17".to_owned(), "USER"),
        ("client create --name N --redirect-uri javascript://x --scope sleep".to_owned(), "--redirect-uri"),
        (
            "client create --name N --redirect-uri https://a.example/cb --scope everything".to_owned(),
            "--scope",
        ),
        (format!("code create --client {ID} --user {ID} --redirect-uri x --scope sleep --ttl 11m"), "--ttl"),
        ("import --format csv a".to_owned(), "--format"),
        ("key retire youngest".to_owned(), "KEY_ID"),
        ("demo --listen somewhere".to_owned(), "--listen"),
    ] {
        let error = parsed(&line).expect_err(&line).to_string();
        assert!(error.contains(name), "{line}: {error}");
    }
}

#[test]
fn a_replay_of_a_longer_period_than_the_log_covers_is_rejected() {
    assert!(parsed(&format!("webhook replay {ID} --last 30d")).is_ok());
    for period in ["31d", "721h", "101d", "9999999999999d"] {
        let error = parsed(&format!("webhook replay {ID} --last {period}")).expect_err(period).to_string();
        assert!(error.contains("--last") && error.contains("at most 30 days"), "{error}");
    }
}

#[test]
fn missing_arguments_are_rejected() {
    for line in
        ["", "user", "user create", "client create --name N", "import", "export", "code create", "reference"]
    {
        assert!(parsed(line).is_err(), "{line}");
    }
}

#[test]
fn a_code_is_valid_for_a_minute_by_default() {
    let cli =
        parsed(&format!("code create --client {ID} --user {ID} --redirect-uri x --scope sleep")).unwrap();
    let Command::InStore(StoreCommand::Code(code)) = cli.command else { panic!("another command") };
    assert!(format!("{code:?}").contains("CodeLifetime(60)"));
}

#[test]
fn the_config_argument_overrides_the_variable_and_an_empty_variable_is_ignored() {
    let path = |name: &str| Some(std::path::PathBuf::from(name));
    assert_eq!(settings_file(None, None), None);
    assert_eq!(settings_file(None, Some("".into())), None);
    assert_eq!(settings_file(None, Some("v.toml".into())), path("v.toml"));
    for variable in ["", "v.toml"] {
        assert_eq!(settings_file(path("a.toml"), Some(variable.into())), path("a.toml"));
    }
    // An argument without a file name is invalid.
    assert!(Cli::try_parse_from(["restwell", "--config", "", "serve"]).is_err());
}

#[test]
fn every_command_about_a_user_takes_an_email_address() {
    for line in [
        "user show",
        "user update --timezone UTC",
        "user reset-password",
        "user lock",
        "user unlock",
        "user erase --yes",
        "session list",
        "session revoke",
        "token list --user",
        "token revoke --user",
        "grant list --user",
        "grant revoke --user",
        "audit list --user",
        "audit reads",
        "export --user",
        "import list --user",
        "import a.json --user",
        &format!("code create --client {ID} --redirect-uri x --scope sleep --user"),
    ] {
        for user in ["ada@example.org", "Ada.Lovelace+sleep@localhost", ID] {
            if let Err(error) = parsed(&format!("{line} {user}")) {
                panic!("{line} {user}: {error}");
            }
        }
        for nobody in ["ada", "ada@", "ada@a@b"] {
            assert!(parsed(&format!("{line} {nobody}")).is_err(), "{line} {nobody}");
        }
    }
}

#[test]
fn the_help_of_client_create_lists_every_scope() {
    let help = parsed("client create --help").expect_err("help").to_string();
    for scope in Scope::ALL {
        let is_listed = help.split([' ', ',', '\n', '.']).any(|word| word == scope.as_str());
        assert!(is_listed, "{}: {help}", scope.as_str());
    }
}
