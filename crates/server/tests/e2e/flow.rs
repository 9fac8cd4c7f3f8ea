//! From an empty store to the first read, as operator and app.

use super::app::{REDIRECT_URI, SCOPES, ask_refresh, code, read, read_json, redeem, register, text};
use super::browser::Browser;
use super::person::party;
use super::world::World;
use reqwest::StatusCode;
use serde_json::Value;

on_all_stores! {
    async fn from_an_empty_store_to_the_three_reads(world: World) {
        let registration = register(&world);
        let file = world.file("night.ndjson", concat!(
            r#"{"type":"sleep_session","time_in_bed_start":"2026-03-08T23:10:00+01:00","#,
            r#""time_in_bed_end":"2026-03-09T06:10:00+01:00","source":"ring","is_nap":false,"raw_sleep":["#,
            r#"{"stage":"LIGHT","start":"2026-03-08T23:20:00+01:00","end":"2026-03-09T03:00:00+01:00"},"#,
            r#"{"stage":"DEEP","start":"2026-03-09T03:00:00+01:00","end":"2026-03-09T06:00:00+01:00"}]}"#, "\n",
        ));
        let report = world.json(&["import", "--user", &registration.user_id, "--json", &file]);
        assert_eq!(report["sessions"]["new"], 1, "{report}");

        let mut server = world.serve();
        let tokens = redeem(&server, &registration, &code(&world, &registration, &SCOPES)).await;
        let user = &registration.user_id;

        let profile = read_json(&server, &tokens.access, &format!("/api/v1/profile/{user}")).await;
        assert_eq!(profile["data"]["user_id"], user.as_str());
        assert_eq!(profile["data"]["home_timezone"], "Europe/Berlin");
        assert_eq!(profile["data"]["birth_date"], "1985-04-12");
        assert_eq!(profile["data"]["scopes"], serde_json::json!(SCOPES));

        let path = format!("/api/v1/sleep/{user}?include_stages=true&include_metrics=true");
        let sleep = read_json(&server, &tokens.access, &path).await;
        let night = &sleep["data"][0];
        assert_eq!(night["time_in_bed_start"], "2026-03-08T23:10:00+01:00");
        assert_eq!(night["raw_sleep"][1]["stage"], "DEEP");
        assert!(night["sleep_metric"].as_array().expect("metrics").iter().any(|metric| {
            metric["sleep_metric"] == "timeNightInBed" && metric["value"] == 25200
        }));

        let supplements = read_json(&server, &tokens.access, &format!("/api/v1/supplements/{user}")).await;
        assert_eq!(supplements["data"], serde_json::json!([]));

        let refreshed = ask_refresh(&server, &registration, &tokens.refresh).await;
        assert_eq!(refreshed.status(), StatusCode::OK);
        let refreshed: Value = refreshed.json().await.expect("JSON");
        assert_eq!(refreshed["expires_in"], 3600);
        let again = text(&refreshed, "access_token");
        read_json(&server, &again, &format!("/api/v1/profile/{user}")).await;

        assert_eq!(server.terminate(), Some(0));
    }

    async fn an_app_is_authorized_and_reads_data_with_a_different_server_at_each_step(world: World) {
        let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:8080");
        let (person, app) = party(&world);
        let (one, two) = (world.serve(), world.serve_as("second"));
        let browser = Browser::new(&one);
        let query = [
            ("response_type", "code"), ("client_id", &app.client_id), ("redirect_uri", REDIRECT_URI),
            ("scope", "profile sleep"), ("state", "of the app"),
        ];
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        let sent = browser.get(&format!("/authorize?{query}")).await;
        let sign_in = browser.at(&two).follow(&sent).await;
        let sent = browser.submit(&person.credentials(&sign_in.form("/sign-in"))).await;
        let consent = browser.at(&two).follow(&sent).await;
        let shown = consent.text();
        assert!(shown.contains("Allow Night Reader to read your data?") && shown.contains("app.example.org"), "{shown}");
        let form = consent.form("/consent");
        assert_eq!(form.values("scope"), ["profile", "sleep"]);
        let sent = browser.submit(&form.tick("scope", &["sleep"]).with("decision", "allow")).await;
        let answer = sent.answer_to(REDIRECT_URI);
        assert_eq!((answer["state"].as_str(), answer["iss"].as_str()), ("of the app", "http://localhost:8080"));
        let tokens = redeem(&two, &app, &answer["code"]).await;
        let user = &person.user_id;
        let sleep = read_json(&one, &tokens.access, &format!("/api/v1/sleep/{user}")).await;
        assert_eq!(sleep["data"], serde_json::json!([]));
        let refused = read(&one, &tokens.access, &format!("/api/v1/profile/{user}")).await;
        assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    }
}
