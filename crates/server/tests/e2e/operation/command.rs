//! Commands about people, clients, grants, codes and keys.

use super::reader::Reader;
use super::records;
use crate::e2e::app::{REDIRECT_URI, ask_token, redeem, register, text};
use crate::e2e::polling::{REVOCATION_LIMIT, within};
use crate::e2e::world::World;
use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Instant;

const NOBODY: &str = "aaaaaaaa-0000-4000-8000-00000000dead";

fn members(value: &Value) -> Vec<&str> {
    value.as_object().expect("object").keys().map(String::as_str).collect()
}

/// Waits until a token gets this status, within the time limit of revocations.
async fn wait_for_status(reader: &Reader, expected: StatusCode) {
    within(REVOCATION_LIMIT, Instant::now(), "the token gets another answer", async || {
        (reader.ask("profile", "").await.status == expected).then_some(())
    })
    .await;
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
        assert!(world.fails(&["user", "erase", EMAIL]).contains(&id));
        for command in ABOUT_A_USER {
            let output = world.run(&[command, &[EMAIL][..]].concat());
            let errors = String::from_utf8_lossy(&output.stderr);
            // There is no token and no grant to revoke; the user was found all the same.
            assert!(output.status.success() || errors.contains("nothing was revoked"), "{command:?}: {errors}");
        }
        assert!(world.json_lines(&["user", "list", "--json"]).is_empty());
    }

    async fn an_address_that_no_user_has_is_reported_as_unknown_and_not_repeated(world: World) {
        let code = ["code", "create", "--client", NOBODY, "--redirect-uri", REDIRECT_URI, "--scope", "sleep", "--user"];
        world.file("nights.ndjson", &records::nights(2, 1));
        for command in ABOUT_A_USER.iter().copied().chain([&code[..]]) {
            let errors = world.fails(&[command, &["stranger@example.org"][..]].concat());
            assert!(errors.contains("there is no user with this email address"), "{command:?}: {errors}");
            assert!(!errors.contains("stranger"), "{command:?}: {errors}");
        }
    }

    async fn an_empty_list_is_a_sentence_for_people_and_nothing_for_programs(world: World) {
        let id = text(&world.json(&["user", "create", "--email", "ada@example.org", "--timezone", "UTC", "--json"]), "user_id");
        for (command, items) in [
            (&["import", "list"][..], "imports"),
            (&["import", "list", "--user", &id], "imports"),
            (&["client", "list"], "clients"),
            (&["client", "list", "--drafts"], "clients"),
            (&["grant", "list"], "grants"),
            (&["session", "list", &id], "sign-ins"),
            (&["token", "list", "--user", &id], "personal access tokens"),
            (&["audit", "reads", &id], "reads"),
            (&["audit", "list", "--kind", "sleep.deleted"], "events"),
            (&["webhook", "list"], "webhook endpoints"),
            (&["sandbox", "list"], "sandbox people"),
        ] {
            assert_eq!(world.ok(command), format!("There are no {items} to show.\n"), "{command:?}");
            assert_eq!(world.ok(&[command, &["--json"]].concat()), "", "{command:?}");
        }
    }

    async fn a_rotation_that_retires_no_key_says_so(world: World) {
        let rotated = world.ok(&["key", "rotate"]);
        let retired = rotated.lines().find(|line| line.starts_with("retired:")).expect("line");
        assert!(retired.trim_end().ends_with(" none"), "{rotated}");
        for line in rotated.lines() {
            assert!(line.split_once(':').is_some_and(|(_, value)| !value.trim().is_empty()), "{rotated}");
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
        let listed: BTreeSet<String> = world.json_lines(&["user", "list", "--json"]).iter().map(|user| text(user, "user_id")).collect();
        assert_eq!(listed, BTreeSet::from([id.clone(), other.to_owned()]));
        let human = world.ok(&["user", "list"]);
        assert!(human.lines().count() == 3 && human.contains("Ada@Example.org"), "{human}");

        // Duplicates and invalid addresses, zones, dates and ids are rejected.
        let again = world.fails(&["user", "create", "--email", "aDA@example.ORG", "--timezone", "UTC"]);
        assert!(again.contains("not created"), "{again}");
        world.fails(&["user", "create", "--email", "c@example.org", "--timezone", "UTC", "--user-id", other]);
        world.fails(&["user", "update", other, "--email", "ada@example.org"]);
        for (option, value) in [("--email", "ada"), ("--timezone", "Europe/Atlantis"), ("--birth-date", "1985-02-30"), ("--user-id", "7")] {
            let mut arguments = vec!["user", "create", option, value];
            for (name, value) in [("--email", "d@example.org"), ("--timezone", "UTC")] {
                if name != option {
                    arguments.extend([name, value]);
                }
            }
            assert!(world.fails(&arguments).contains(option), "{option}");
        }
        assert!(world.fails(&["user", "show", NOBODY]).contains(NOBODY));
        assert!(world.fails(&["user", "update", &id]).contains("nothing to change"));
        world.fails(&["user", "update", NOBODY, "--timezone", "UTC"]);
        world.fails(&["user", "lock", NOBODY]);
        world.fails(&["export", "--user", NOBODY]);
        assert_eq!(world.json_lines(&["user", "list", "--json"]).len(), 2);
    }

    async fn clients_are_created_shown_and_changed(world: World) {
        let created = world.json(&["client", "create", "--name", "Night Owl", "--redirect-uri", "https://owl.example/cb?tenant=1",
            "--redirect-uri", "http://127.0.0.1:9000/cb", "--scope", "sleep", "--scope", "profile", "--no-query-secrets",
            "--home-page", "https://owl.example", "--json"]);
        assert_eq!(members(&created), ["client_id", "client_secret"]);
        let id = text(&created, "client_id");
        let mut shown = world.json(&["client", "show", &id, "--json"]);
        assert!(shown["created_at"].take().is_string());
        let revision = text(&shown, "revision");
        assert_eq!(shown, json!({"client_id": id, "name": "Night Owl", "kind": "app", "type": "confidential", "status": "active",
            "scopes": ["profile", "sleep"], "home_page": "https://owl.example/", "privacy_policy": null,
            "created_at": null, "redirect_uris": ["https://owl.example/cb?tenant=1", "http://127.0.0.1:9000/cb"],
            "allow_query_secrets": false, "require_pkce": false, "disabled_at": null, "live_secrets": 1, "review": "approved", "contact": null, "owner": null, "webhooks": [], "revision": revision,
            "metadata_url": null}));
        let everything = format!("{}{}", world.ok(&["client", "list"]), world.ok(&["client", "show", &id]));
        assert!(!everything.contains("rws_"), "a secret is shown twice");

        let changed = world.json(&["client", "update", &id, "--name", "Owl", "--redirect-uri", REDIRECT_URI, "--scope", "supplements",
            "--allow-query-secrets", "true", "--require-pkce", "true", "--json"]);
        assert_eq!((&changed["name"], &changed["redirect_uris"], &changed["scopes"], &changed["allow_query_secrets"], &changed["require_pkce"]),
            (&json!("Owl"), &json!([REDIRECT_URI]), &json!(["supplements"]), &json!(true), &json!(true)));
        let changed = world.json(&["client", "update", &id, "--privacy-policy", "https://owl.example/privacy", "--json"]);
        assert_eq!((&changed["home_page"], &changed["privacy_policy"]),
            (&json!("https://owl.example/"), &json!("https://owl.example/privacy")));
        assert!(world.fails(&["client", "update", &id, "--home-page", "http://owl.example"]).contains("https URL"));
        assert!(world.fails(&["client", "update", &id]).contains("nothing to change"));
        for arguments in [["client", "show", NOBODY], ["client", "disable", NOBODY], ["client", "enable", NOBODY], ["client", "rotate-secret", NOBODY]] {
            assert!(world.fails(&arguments).contains(NOBODY), "{arguments:?}");
        }
        for wrong in [&["--scope", "everything"][..], &["--scope", "sleep", "--scope", "sleep:write"], &[]] {
            let mut arguments = vec!["client", "create", "--name", "Bad", "--redirect-uri", REDIRECT_URI];
            arguments.extend(wrong);
            world.fails(&arguments);
        }
        world.fails(&["client", "create", "--name", "No address", "--scope", "sleep"]);
        assert_eq!(world.json_lines(&["client", "list", "--json"]).len(), 1);
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
            world.json_lines(&arguments).into_iter().filter(|grant| grant["status"] == "live").map(|grant| text(&grant, "grant_id")).collect::<Vec<_>>()
        };
        assert_eq!(live(&[]).len(), 4);
        assert_eq!((live(&["--user", user]).len(), live(&["--client", &registration.client_id]).len(), live(&["--user", NOBODY]).len()), (4, 4, 0));
        let grants = world.json_lines(&["grant", "list", "--json"]);
        assert_eq!(members(&grants[0]).into_iter().collect::<BTreeSet<_>>(), BTreeSet::from(["client_id", "created_at", "grant_id",
            "last_used_at", "reason", "revoked_at", "scopes", "status", "user_id"]));

        assert!(world.fails(&["grant", "revoke"]).contains("--user, --client or --id"));
        let one = live(&[])[0].clone();
        assert_eq!(world.json(&["grant", "revoke", "--id", &one, "--json"]), json!({"revoked": 1}));
        assert_eq!(world.json(&["grant", "revoke", "--id", &one, "--json"]), json!({"revoked": 0}));
        assert_eq!(live(&[]).len(), 3);
        let revoked = &world.json_lines(&["grant", "list", "--id", &one, "--json"])[0];
        assert_eq!((revoked["status"].as_str(), revoked["reason"].is_string(), revoked["revoked_at"].is_string()), (Some("revoked"), true, true));
        // All criteria must match.
        for nothing in [&["--user", NOBODY, "--client", &registration.client_id][..], &["--id", NOBODY], &["--client", NOBODY, "--json"]] {
            assert!(world.fails(&[&["grant", "revoke"], nothing].concat()).contains("no grant matches"), "{nothing:?}");
        }
        assert_eq!(live(&[]).len(), 3);
        assert_eq!(world.json(&["grant", "revoke", "--user", user, "--json"]), json!({"revoked": 3}));
        for reader in &readers {
            wait_for_status(reader, StatusCode::UNAUTHORIZED).await;
        }
        let again = Reader::authorized(&world, &server, &registration).await;
        assert_eq!(world.json(&["grant", "revoke", "--client", &registration.client_id, "--json"]), json!({"revoked": 1}));
        wait_for_status(&again, StatusCode::UNAUTHORIZED).await;
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
        world.fails(&["code", "create", "--client", NOBODY, "--user", &registration.user_id, "--redirect-uri", REDIRECT_URI, "--scope", "sleep"]);
        world.fails(&["code", "create", "--client", &registration.client_id, "--user", NOBODY, "--redirect-uri", REDIRECT_URI, "--scope", "sleep"]);
        // A code with a lifetime of one second is expired.
        let short: Value = serde_json::from_slice(&create(&[&good[..], &["--ttl", "1s"]].concat()).stdout).expect("JSON");
        world.advance(TimeDelta::seconds(2));
        assert_eq!(ask_token(&server, &registration, &text(&short, "code")).await.status(), StatusCode::BAD_REQUEST);
        world.ok(&["client", "disable", &registration.client_id]);
        assert!(!create(&good).status.success());
    }
}
