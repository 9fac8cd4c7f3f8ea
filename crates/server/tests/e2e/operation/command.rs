//! Commands about people, clients, grants, codes and keys.

use super::reader::Reader;
use super::records;
use crate::e2e::app::{
    REDIRECT_URI, Registration, SCOPES, ask_refresh, ask_token, code, redeem, register, text,
};
use crate::e2e::patience::{REVOCATION_LIMIT, within};
use crate::e2e::world::{StoreKind, World};
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const NOBODY: &str = "aaaaaaaa-0000-4000-8000-00000000dead";

/// Runs a command that must fail; returns its error.
fn refused(world: &World, arguments: &[&str]) -> String {
    let output = world.run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code == 1 || code == 2), "{arguments:?}: {errors}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed a result");
    assert!(!errors.is_empty() && !errors.contains("panicked"), "{arguments:?}: {errors}");
    errors
}

/// Parses the output of a list: one object per line.
fn list(world: &World, arguments: &[&str]) -> Vec<Value> {
    let output = world.ok(arguments);
    output.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().expect("object").keys().map(String::as_str).collect()
}

/// Waits until a token gets this status, within the time limit of revocations.
async fn soon(reader: &Reader, expected: StatusCode) {
    within(REVOCATION_LIMIT, Instant::now(), "the token gets another answer", async || {
        (reader.ask("profile", "").await.status == expected).then_some(())
    })
    .await;
}

/// Every command, and names that its help must contain.
const HELP: &[(&str, &str)] = &[
    (
        "",
        "demo serve migrate check-config user session token client grant mail key code import export catalogue audit invalidate \
         calibrate-password-hash --config",
    ),
    ("demo", "--listen --data-dir --json"),
    ("serve", "--config"),
    ("migrate", "--config"),
    ("check-config", "--config"),
    ("user", "create list show update reset-password lock unlock erase"),
    ("user create", "--email --timezone --user-id --birth-date --password-stdin --no-password --json"),
    ("user list", "--json"),
    ("user show", "USER --json"),
    ("user update", "--email --timezone --birth-date --json"),
    ("user lock", "USER"),
    ("user unlock", "USER"),
    ("user erase", "USER --yes --json"),
    ("user reset-password", "USER --password-stdin --json"),
    ("session", "list revoke"),
    ("session list", "USER --json"),
    ("session revoke", "USER --id --json"),
    ("token", "list revoke"),
    ("token list", "--user --json"),
    ("token revoke", "--user --id --json"),
    ("client", "create list show update rotate-secret disable enable"),
    ("client create", "--name --redirect-uri --scope --no-query-secrets --require-pkce --service --json"),
    ("client list", "--json"),
    ("client show", "CLIENT_ID"),
    ("client update", "--name --redirect-uri --scope"),
    ("client rotate-secret", "CLIENT_ID --overlap"),
    ("client disable", "CLIENT_ID"),
    ("client enable", "CLIENT_ID"),
    ("grant", "list revoke"),
    ("grant list", "--user --client --json"),
    ("grant revoke", "--user --client --id"),
    ("key", "generate rotate list retire"),
    ("key rotate", "--emergency --json"),
    ("key list", "--json"),
    ("key retire", "KEY_ID --json rotate"),
    ("key generate", "RESTWELL__KEYS__ENCRYPTION_KEY_FILE"),
    ("code", "create"),
    ("code create", "--client --user --redirect-uri --scope --ttl --json"),
    ("import", "--user --format --timezone --dry-run --json FILE"),
    ("export", "--user --format --output"),
    ("audit", "list reads"),
    ("audit list", "--user --client --kind --since --limit --json"),
    ("audit reads", "USER --limit --json"),
    ("calibrate-password-hash", "--milliseconds --json"),
    ("import list", "--user --limit --json"),
    ("mail test", "ADDRESS --json"),
    ("import undo", "IMPORT_ID --json"),
    ("catalogue", "import find"),
];

#[tokio::test]
async fn every_command_explains_itself() {
    let world = World::new(StoreKind::Sqlite).await;
    for (command, options) in HELP {
        let mut arguments: Vec<&str> = command.split_whitespace().collect();
        arguments.push("--help");
        let help = world.ok(&arguments);
        for option in options.split_whitespace() {
            assert!(help.contains(option), "restwell {command} --help does not name {option}: {help}");
        }
    }
    assert!(world.ok(&["--version"]).starts_with("restwell "));
    for wrong in [&["sing"][..], &[], &["user", "create"], &["user", "list", "--loud"], &["import"]] {
        let output = world.run(wrong);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{wrong:?}");
    }
}

/// Every command with a user argument.
const ABOUT_A_USER: &[&[&str]] = &[
    &["user", "show"],
    &["user", "update", "--timezone", "UTC"],
    &["user", "lock"],
    &["user", "unlock"],
    &["user", "reset-password"],
    &["session", "list"],
    &["session", "revoke"],
    &["token", "list", "--user"],
    &["token", "revoke", "--user"],
    &["grant", "list", "--user"],
    &["grant", "revoke", "--user"],
    &["audit", "list", "--user"],
    &["audit", "reads"],
    &["import", "list", "--user"],
    &["import", "nights.ndjson", "--user"],
    &["export", "--user"],
    &["user", "erase", "--yes"],
];

on_sqlite! {
    async fn a_user_is_named_by_email_address_wherever_an_id_is_accepted(world: World) {
        const EMAIL: &str = "ADA@example.org";
        // In a separate working directory, which only processes have.
        let world = world.in_processes();
        let id = text(&world.json(&["user", "create", "--email", "Ada@example.org", "--timezone", "UTC", "--json"]), "user_id");
        let client = world.json(&["client", "create", "--name", "Owl", "--redirect-uri", REDIRECT_URI, "--scope", "sleep", "--json"]);
        world.file("nights.ndjson", &records::nights(2, 1));
        world.ok(&["import", "--user", EMAIL, "nights.ndjson"]);
        for lines in [&["import", "list", "--user"][..], &["audit", "list", "--user"], &["export", "--user"], &["user", "show"]] {
            let by_email = world.ok(&[lines, &[EMAIL]].concat());
            assert!(by_email.lines().count() > 1, "{lines:?}: {by_email}");
            assert_eq!(by_email, world.ok(&[lines, &[&id]].concat()), "{lines:?}");
        }
        world.ok(&["code", "create", "--client", &text(&client, "client_id"), "--user", EMAIL, "--redirect-uri", REDIRECT_URI, "--scope", "sleep"]);
        assert!(refused(&world, &["user", "erase", EMAIL]).contains(&id));
        for command in ABOUT_A_USER {
            let output = world.run(&[command, &[EMAIL][..]].concat());
            let errors = String::from_utf8_lossy(&output.stderr);
            // There is no token and no grant to revoke; the user was found all the same.
            assert!(output.status.success() || errors.contains("nothing was revoked"), "{command:?}: {errors}");
        }
        assert!(list(&world, &["user", "list", "--json"]).is_empty());
    }

    async fn an_address_that_no_user_has_is_reported_as_unknown_and_not_repeated(world: World) {
        let code = ["code", "create", "--client", NOBODY, "--redirect-uri", REDIRECT_URI, "--scope", "sleep", "--user"];
        world.file("nights.ndjson", &records::nights(2, 1));
        for command in ABOUT_A_USER.iter().copied().chain([&code[..]]) {
            let errors = refused(&world, &[command, &["stranger@example.org"][..]].concat());
            assert!(errors.contains("there is no user with this email address"), "{command:?}: {errors}");
            assert!(!errors.contains("stranger"), "{command:?}: {errors}");
        }
    }

    async fn people_are_created_shown_and_changed(world: World) {
        let created = world.json(&["user", "create", "--email", "Ada@Example.org", "--timezone", "Europe/Berlin",
            "--birth-date", "1985-04-12", "--json"]);
        assert_eq!(members(&created), ["link_expires_at", "password_link", "user_id"]);
        let id = text(&created, "user_id");
        let mut shown = world.json(&["user", "show", &id, "--json"]);
        let created_at = shown["created_at"].take();
        assert!(created_at.as_str().is_some_and(|at| at.ends_with('Z')));
        assert_eq!(shown, json!({"user_id": id, "email": "Ada@Example.org", "home_timezone": "Europe/Berlin", "status": "active",
            "created_at": null, "locked_at": null, "birth_date": "1985-04-12", "biological_sex": null, "blood_type": null,
            "height_cm": null, "weight_kg": null, "skin_type": null, "wheelchair_use": null}));

        let changed = world.json(&["user", "update", &id, "--timezone", "Asia/Kathmandu", "--blood-type", "A-", "--height-cm",
            "180.5", "--weight-kg", "70", "--wheelchair-use", "false", "--json"]);
        assert_eq!((&changed["home_timezone"], &changed["blood_type"], &changed["height_cm"], &changed["weight_kg"],
            &changed["wheelchair_use"], &changed["birth_date"]),
            (&json!("Asia/Kathmandu"), &json!("A-"), &json!(180.5), &json!(70), &json!(false), &json!("1985-04-12")));
        assert_eq!(world.json(&["user", "show", &id, "--json"]), changed);

        let other = "aaaaaaaa-0000-4000-8000-000000000009";
        assert_eq!(text(&world.json(&["user", "create", "--email", "b@example.org", "--timezone", "UTC", "--user-id", other, "--json"]), "user_id"), other);
        let listed: BTreeSet<String> = list(&world, &["user", "list", "--json"]).iter().map(|user| text(user, "user_id")).collect();
        assert_eq!(listed, BTreeSet::from([id.clone(), other.to_owned()]));
        let human = world.ok(&["user", "list"]);
        assert!(human.lines().count() == 3 && human.contains("Ada@Example.org"), "{human}");

        // Duplicates and invalid addresses, zones, dates and ids are rejected.
        let again = refused(&world, &["user", "create", "--email", "aDA@example.ORG", "--timezone", "UTC"]);
        assert!(again.contains("not created"), "{again}");
        refused(&world, &["user", "create", "--email", "c@example.org", "--timezone", "UTC", "--user-id", other]);
        refused(&world, &["user", "update", other, "--email", "ada@example.org"]);
        for (option, value) in [("--email", "ada"), ("--timezone", "Europe/Atlantis"), ("--birth-date", "1985-02-30"), ("--user-id", "7")] {
            let mut arguments = vec!["user", "create", option, value];
            for (name, value) in [("--email", "d@example.org"), ("--timezone", "UTC")] {
                if name != option {
                    arguments.extend([name, value]);
                }
            }
            assert!(refused(&world, &arguments).contains(option), "{option}");
        }
        assert!(refused(&world, &["user", "show", NOBODY]).contains(NOBODY));
        assert!(refused(&world, &["user", "update", &id]).contains("nothing to change"));
        refused(&world, &["user", "update", NOBODY, "--timezone", "UTC"]);
        refused(&world, &["user", "lock", NOBODY]);
        refused(&world, &["export", "--user", NOBODY]);
        assert_eq!(list(&world, &["user", "list", "--json"]).len(), 2);
    }

    async fn a_locked_persons_data_is_unreadable_until_unlocked_and_a_deleted_one_is_gone(world: World) {
        let registration = register(&world);
        let user = registration.user_id.as_str();
        let nights = world.file("nights.ndjson", &records::nights(2, 1));
        world.ok(&["import", "--user", user, &nights]);
        let server = world.serve();
        let tokens = redeem(&server, &registration, &code(&world, &registration, &SCOPES)).await;
        let reader = Reader::new(&server, user, &tokens.access);
        reader.read("profile", "").await;
        let locked = world.json(&["user", "lock", user, "--json"]);
        assert_eq!(locked, json!({"user_id": user, "status": "locked"}));
        assert!(world.json(&["user", "show", user, "--json"])["locked_at"].is_string());
        soon(&reader, StatusCode::UNAUTHORIZED).await;
        assert_eq!(ask_refresh(&server, &registration, &tokens.refresh).await.status(), StatusCode::BAD_REQUEST);
        let refusal = refused(&world, &["code", "create", "--client", &registration.client_id, "--user", user, "--redirect-uri", REDIRECT_URI, "--scope", "sleep"]);
        assert!(refusal.contains("locked"), "{refusal}");
        assert_eq!(world.json(&["user", "unlock", user, "--json"]), json!({"user_id": user, "status": "active"}));
        soon(&reader, StatusCode::OK).await;
        assert_eq!(ask_refresh(&server, &registration, &tokens.refresh).await.status(), StatusCode::OK);

        assert!(refused(&world, &["user", "erase", user]).contains("--yes"));
        assert_eq!(world.json(&["user", "show", user, "--json"])["status"], "active");
        let receipt = world.json(&["user", "erase", user, "--yes", "--json"]);
        assert_eq!(members(&receipt), ["erased_at", "erasure_id"]);
        soon(&reader, StatusCode::UNAUTHORIZED).await;
        assert_eq!(ask_refresh(&server, &registration, &tokens.refresh).await.status(), StatusCode::BAD_REQUEST);
        // By the former name too.
        refused(&world, &["user", "delete", user, "--yes"]);
        assert!(list(&world, &["grant", "list", "--json"]).is_empty());
        // The address is free again, the id is not: a new person must not be mistaken for the deleted one.
        let create = ["user", "create", "--email", "sleeper@example.org", "--timezone", "UTC", "--no-password"];
        refused(&world, &[&create[..], &["--user-id", user]].concat());
        let heir = world.json(&[&create[..], &["--json"]].concat());
        assert_eq!(world.ok(&["export", "--user", &text(&heir, "user_id")]).lines().count(), 1);
    }

    async fn clients_are_created_shown_and_changed(world: World) {
        let created = world.json(&["client", "create", "--name", "Night Owl", "--redirect-uri", "https://owl.example/cb?tenant=1",
            "--redirect-uri", "http://127.0.0.1:9000/cb", "--scope", "sleep", "--scope", "profile", "--no-query-secrets", "--json"]);
        assert_eq!(members(&created), ["client_id", "client_secret"]);
        let id = text(&created, "client_id");
        let mut shown = world.json(&["client", "show", &id, "--json"]);
        assert!(shown["created_at"].take().is_string());
        assert_eq!(shown, json!({"client_id": id, "name": "Night Owl", "kind": "app", "status": "active", "scopes": ["profile", "sleep"],
            "created_at": null, "redirect_uris": ["https://owl.example/cb?tenant=1", "http://127.0.0.1:9000/cb"],
            "allow_query_secrets": false, "require_pkce": false, "disabled_at": null, "live_secrets": 1}));
        let everything = format!("{}{}", world.ok(&["client", "list"]), world.ok(&["client", "show", &id]));
        assert!(!everything.contains("rws_"), "a secret is shown twice");

        let changed = world.json(&["client", "update", &id, "--name", "Owl", "--redirect-uri", REDIRECT_URI, "--scope", "supplements",
            "--allow-query-secrets", "true", "--require-pkce", "true", "--json"]);
        assert_eq!((&changed["name"], &changed["redirect_uris"], &changed["scopes"], &changed["allow_query_secrets"], &changed["require_pkce"]),
            (&json!("Owl"), &json!([REDIRECT_URI]), &json!(["supplements"]), &json!(true), &json!(true)));
        assert!(refused(&world, &["client", "update", &id]).contains("nothing to change"));
        for arguments in [["client", "show", NOBODY], ["client", "disable", NOBODY], ["client", "enable", NOBODY], ["client", "rotate-secret", NOBODY]] {
            assert!(refused(&world, &arguments).contains(NOBODY), "{arguments:?}");
        }
        for uri in ["javascript:alert(1)", "data:text/html,x", "http://app.example.org/cb", "https://app.example.org/cb#part", "/cb",
                    "https://user@app.example.org/cb", "https://*.example.org/cb", "https://app.example.org/cb?code=1", "file:///etc/passwd",
                    "https://app.example.org\\@evil.example/cb", "https:app.example.org", "myapp://cb", "http://127.0.0.1.evil.example/cb", ""] {
            refused(&world, &["client", "create", "--name", "Bad", "--redirect-uri", uri, "--scope", "sleep"]);
            refused(&world, &["client", "update", &id, "--redirect-uri", uri]);
        }
        for wrong in [&["--scope", "everything"][..], &["--scope", "sleep", "--scope", "sleep:write"], &[]] {
            let mut arguments = vec!["client", "create", "--name", "Bad", "--redirect-uri", REDIRECT_URI];
            arguments.extend(wrong);
            refused(&world, &arguments);
        }
        refused(&world, &["client", "create", "--name", "No address", "--scope", "sleep"]);
        assert_eq!(list(&world, &["client", "list", "--json"]).len(), 1);
    }

    async fn a_rotated_secret_stays_valid_and_a_disabled_client_is_rejected(world: World) {
        let first = register(&world);
        let server = world.serve();
        let tokens = redeem(&server, &first, &code(&world, &first, &SCOPES)).await;
        let reader = Reader::new(&server, &first.user_id, &tokens.access);
        let rotate = |more: &[&str]| {
            let mut arguments = vec!["client", "rotate-secret", &first.client_id, "--json"];
            arguments.extend(more);
            let rotated = world.json(&arguments);
            assert_eq!(members(&rotated), ["client_id", "client_secret"]);
            Registration { client_secret: text(&rotated, "client_secret"), ..first.clone() }
        };
        let status = async |registration: &Registration| ask_refresh(&server, registration, &tokens.refresh).await.status();
        let second = rotate(&[]);
        assert_eq!((status(&first).await, status(&second).await), (StatusCode::OK, StatusCode::OK));
        // At most two are valid: the third invalidates the first.
        let third = rotate(&[]);
        assert_eq!((status(&first).await, status(&second).await, status(&third).await), (StatusCode::UNAUTHORIZED, StatusCode::OK, StatusCode::OK));
        let fourth = rotate(&["--overlap", "0s"]);
        assert_eq!((status(&third).await, status(&fourth).await), (StatusCode::UNAUTHORIZED, StatusCode::OK));
        refused(&world, &["client", "rotate-secret", &first.client_id, "--overlap", "soon"]);

        assert_eq!(world.json(&["client", "disable", &first.client_id, "--json"])["status"], "disabled");
        soon(&reader, StatusCode::UNAUTHORIZED).await;
        assert_eq!(status(&fourth).await, StatusCode::UNAUTHORIZED);
        assert_eq!(world.json(&["client", "enable", &first.client_id, "--json"])["status"], "active");
        soon(&reader, StatusCode::OK).await;
        assert_eq!(status(&fourth).await, StatusCode::OK);
    }

    async fn grants_are_listed_and_revoked_by_id_by_person_and_by_client(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let user = registration.user_id.as_str();
        let mut readers = Vec::new();
        for _ in 0..4 {
            readers.push(Reader::authorized(&world, &server, &registration).await);
        }
        let live = |filter: &[&str]| {
            let mut arguments = vec!["grant", "list", "--json"];
            arguments.extend(filter);
            list(&world, &arguments).into_iter().filter(|grant| grant["status"] == "live").map(|grant| text(&grant, "grant_id")).collect::<Vec<_>>()
        };
        assert_eq!(live(&[]).len(), 4);
        assert_eq!((live(&["--user", user]).len(), live(&["--client", &registration.client_id]).len(), live(&["--user", NOBODY]).len()), (4, 4, 0));
        let grants = list(&world, &["grant", "list", "--json"]);
        assert_eq!(members(&grants[0]).into_iter().collect::<BTreeSet<_>>(), BTreeSet::from(["client_id", "created_at", "grant_id",
            "last_used_at", "reason", "revoked_at", "scopes", "status", "user_id"]));

        assert!(refused(&world, &["grant", "revoke"]).contains("--user, --client or --id"));
        let one = live(&[])[0].clone();
        assert_eq!(world.json(&["grant", "revoke", "--id", &one, "--json"]), json!({"revoked": 1}));
        assert_eq!(world.json(&["grant", "revoke", "--id", &one, "--json"]), json!({"revoked": 0}));
        assert_eq!(live(&[]).len(), 3);
        let revoked = &list(&world, &["grant", "list", "--id", &one, "--json"])[0];
        assert_eq!((revoked["status"].as_str(), revoked["reason"].is_string(), revoked["revoked_at"].is_string()), (Some("revoked"), true, true));
        // All criteria must match.
        for nothing in [&["--user", NOBODY, "--client", &registration.client_id][..], &["--id", NOBODY], &["--client", NOBODY, "--json"]] {
            assert!(refused(&world, &[&["grant", "revoke"], nothing].concat()).contains("no grant matches"), "{nothing:?}");
        }
        assert_eq!(live(&[]).len(), 3);
        assert_eq!(world.json(&["grant", "revoke", "--user", user, "--json"]), json!({"revoked": 3}));
        for reader in &readers {
            soon(reader, StatusCode::UNAUTHORIZED).await;
        }
        let again = Reader::authorized(&world, &server, &registration).await;
        assert_eq!(world.json(&["grant", "revoke", "--client", &registration.client_id, "--json"]), json!({"revoked": 1}));
        soon(&again, StatusCode::UNAUTHORIZED).await;
    }

    async fn a_manually_issued_code_is_bound_and_expires_within_ten_minutes(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let create = |more: &[&str]| {
            let mut arguments = vec!["code", "create", "--client", &registration.client_id, "--user", &registration.user_id, "--json"];
            arguments.extend(more);
            world.run(&arguments)
        };
        let good = ["--redirect-uri", REDIRECT_URI, "--scope", "sleep"];
        let made: Value = serde_json::from_slice(&create(&[&good[..], &["--ttl", "10m"]].concat()).stdout).expect("JSON");
        assert_eq!(members(&made), ["code", "expires_at"]);
        let expires: chrono::DateTime<chrono::Utc> = text(&made, "expires_at").parse().expect("time");
        let answer = reqwest::get(format!("{}/livez", server.base_url)).await.expect("answer");
        let date = chrono::DateTime::parse_from_rfc2822(answer.headers()["date"].to_str().expect("text")).expect("date");
        let left = (expires - date.to_utc()).num_seconds();
        assert!((570..=601).contains(&left), "{left} seconds are left");
        // The person granted one of three scopes.
        let tokens = redeem(&server, &registration, &text(&made, "code")).await;
        let reader = Reader::new(&server, &registration.user_id, &tokens.access);
        reader.read("sleep", "").await;
        assert_eq!(reader.ask("profile", "").await.status, StatusCode::FORBIDDEN);

        for wrong in [
            ["--redirect-uri", "https://app.example.org/other", "--scope", "sleep", "--ttl", "60s"],
            ["--redirect-uri", REDIRECT_URI, "--scope", "sleep:write", "--ttl", "60s"],
            ["--redirect-uri", REDIRECT_URI, "--scope", "sleep", "--ttl", "601s"],
            ["--redirect-uri", REDIRECT_URI, "--scope", "sleep", "--ttl", "11m"],
            ["--redirect-uri", REDIRECT_URI, "--scope", "sleep", "--ttl", "0s"],
            ["--redirect-uri", REDIRECT_URI, "--scope", "sleep", "--ttl", "soon"],
        ] {
            let output = create(&wrong);
            assert!(!output.status.success() && output.stdout.is_empty() && !output.stderr.is_empty(), "{wrong:?}");
        }
        refused(&world, &["code", "create", "--client", NOBODY, "--user", &registration.user_id, "--redirect-uri", REDIRECT_URI, "--scope", "sleep"]);
        refused(&world, &["code", "create", "--client", &registration.client_id, "--user", NOBODY, "--redirect-uri", REDIRECT_URI, "--scope", "sleep"]);
        // A code with a lifetime of one second is expired.
        let short: Value = serde_json::from_slice(&create(&[&good[..], &["--ttl", "1s"]].concat()).stdout).expect("JSON");
        tokio::time::sleep(Duration::from_millis(1100)).await;
        assert_eq!(ask_token(&server, &registration, &text(&short, "code")).await.status(), StatusCode::BAD_REQUEST);
        world.ok(&["client", "disable", &registration.client_id]);
        assert!(!create(&good).status.success());
    }
}

#[tokio::test]
async fn a_command_is_silent_about_a_closed_pipe() {
    let world = World::new(StoreKind::Sqlite).await;
    let user = register(&world).user_id;
    world.ok(&["import", "--user", &user, &world.file("nights.ndjson", &records::nights(500, 40))]);
    let mut command = world.command(&["export", "--user", &user]);
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("restwell starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("end");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && !errors.contains("panic"), "{errors}");
}
