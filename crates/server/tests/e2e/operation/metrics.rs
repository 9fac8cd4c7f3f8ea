//! Metrics for Prometheus; dashboard and alerts use no others.

use super::reader::Reader;
use crate::e2e::app::{SCOPES, ask_refresh, ask_token, code, redeem, register};
use crate::e2e::collector::{metrics, metrics_url};
use crate::e2e::polling::eventually;
use crate::e2e::world::World;
use std::collections::BTreeSet;
use std::path::Path;

/// Metrics that no panel shows, deliberately.
const NOT_SHOWN: [&str; 1] = ["process_virtual_memory_bytes"];

/// Metrics that appear only after events that this test does not cause.
const RARE: [&str; 14] = [
    "restwell_clock_offset_seconds",
    "restwell_housekeeping_deleted_total",
    "restwell_ingest_items_total",
    "restwell_mail_messages_total",
    "restwell_mail_oldest_wait_seconds",
    "restwell_mail_waiting",
    "restwell_rate_limit_store_outages_total",
    "restwell_rate_limit_store_up",
    "restwell_sign_ins_total",
    "restwell_tls_certificate_end_seconds",
    "restwell_upload_received_bytes_total",
    "restwell_upload_records_total",
    "restwell_webhook_deliveries_total",
    "restwell_webhook_events_due",
];

/// More of those.
const UPLOADS: [&str; 2] = ["restwell_upload_read_bytes_total", "restwell_uploads_total"];

fn measuring(world: World) -> World {
    world.with("RESTWELL__METRICS__LISTEN", "127.0.0.1:0")
}

/// Lists the metrics of the reference.
fn listed(world: &World) -> BTreeSet<String> {
    let reference = world.ok(&["reference", "metrics"]);
    let rows = reference.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    rows.map(str::to_owned).collect()
}

/// Lists the metrics of a page, each of which has a description.
fn reported(page: &str) -> BTreeSet<String> {
    let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    types.map(str::to_owned).collect()
}

/// Finds the names of metrics in a text; parts of a histogram become the histogram.
fn named(text: &str, listed: &BTreeSet<String>) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = words.filter(|word| word.starts_with("restwell_") || word.starts_with("process_"));
    let whole = |name: &str| {
        let parts = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        parts.filter(|base| listed.contains(*base)).unwrap_or(name).to_owned()
    };
    names.map(whole).collect()
}

fn deployed(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dashboard_and_alerts_use_existing_metrics_and_all_of_them() {
    let world = World::new(crate::e2e::world::StoreKind::Sqlite).await.in_processes();
    let listed = listed(&world);
    assert!(listed.len() > 30, "{listed:?}");
    let dashboard = deployed("grafana/restwell.json");
    serde_json::from_str::<serde_json::Value>(&dashboard).expect("the dashboard is JSON");
    let shown = named(&dashboard, &listed);
    let alerted = named(&deployed("prometheus/restwell.rules.yml"), &listed);
    let unknown: Vec<_> = shown.union(&alerted).filter(|name| !listed.contains(*name)).collect();
    assert!(unknown.is_empty(), "the program tells nothing of {unknown:?}");
    let hidden: Vec<_> =
        listed.difference(&shown).filter(|name| !NOT_SHOWN.contains(&name.as_str())).collect();
    assert!(hidden.is_empty(), "no panel shows {hidden:?}");
}

on_both_stores! {
    async fn exported_and_documented_metrics_are_the_same(world: World) {
        let world = world.in_processes();
        let world = measuring(world);
        let registration = register(&world);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        for endpoint in ["profile", "sleep", "supplements"] {
            reader.read(endpoint, "").await;
        }
        assert_eq!(ask_token(&server, &registration, "nonsense").await.status(), 400);
        assert_eq!(reader.get("/nowhere").await.status, 404);
        let tokens = redeem(&server, &registration, &code(&world, &registration, &SCOPES)).await;
        assert_eq!(ask_refresh(&server, &registration, &tokens.refresh).await.status(), 200);
        let page = metrics(&server).await;
        let (listed, reported) = (listed(&world), reported(&page));
        let unlisted: Vec<_> = reported.difference(&listed).collect();
        assert!(unlisted.is_empty(), "not in the reference: {unlisted:?}");
        let is_rare = |name: &&String| RARE.contains(&name.as_str()) || UPLOADS.contains(&name.as_str());
        let silent: Vec<_> = listed.difference(&reported).filter(|name| !is_rare(name)).collect();
        assert!(silent.is_empty(), "never reported: {silent:?}\n{page}");
        for line in [
            r#"restwell_http_requests_total{route="/api/v1/sleep/{user_id}",method="GET",status="200"} 1"#,
            r#"restwell_http_requests_total{route="unmatched",method="GET",status="404"} 1"#,
            r#"restwell_problems_total{code="not_found"} 1"#,
            r#"restwell_token_requests_total{grant_type="authorization_code",outcome="issued"} 2"#,
            r#"restwell_token_requests_total{grant_type="refresh_token",outcome="issued"} 1"#,
            r#"restwell_rate_limit_decisions_total{endpoint="sleep",outcome="granted",counted_in="process"} 1"#,
            "restwell_http_requests_in_flight 0",
            "restwell_ready 1",
        ] {
            assert!(page.lines().any(|reported| reported == line), "{line} is not in\n{page}");
        }
        assert!(!page.contains(&registration.user_id) && !page.contains(&registration.client_id), "{page}");
    }
}

on_sqlite! {
    async fn the_readiness_metric_equals_the_current_readiness(world: World) {
        let world = world.in_processes();
        let world = measuring(world)
            .with("RESTWELL__SERVER__DRAIN_SECONDS", "60")
            .with("RESTWELL__SERVER__STOP_SECONDS", "90");
        let server = world.serve();
        let asks = async |is_ready: bool| {
            let status = if is_ready { 200 } else { 503 };
            let answer = reqwest::get(format!("{}/readyz", server.base_url)).await.expect("answer");
            (answer.status() == status).then_some(())
        };
        eventually("the server is ready", async || asks(true).await).await;
        assert!(metrics(&server).await.contains("\nrestwell_ready 1\n"));
        server.signal("TERM");
        eventually("the server drains", async || asks(false).await).await;
        let page = metrics(&server).await;
        assert!(page.contains("\nrestwell_ready 0\n"), "{page}");
        assert!(page.contains("\nrestwell_ready_check{check=\"drain\"} 0\n"), "{page}");
    }

    // T110
    async fn callers_choose_no_label_and_add_no_series(world: World) {
        let server = measuring(world.in_processes()).serve();
        let http = reqwest::Client::new();
        let attack = async |number: usize| {
            for method in ["PUT".to_owned(), "PATCH".to_owned(), "TRACE".to_owned(), format!("HOSTILE{number}")] {
                for path in ["/api/token", "/sign-in", "/livez", "/assets/pages.css", "/hostile", "/api/v1/sleep/hostile"] {
                    let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
                    let request = http.request(method, format!("{}{path}?hostile={number}", server.base_url));
                    let request = request.header("user-agent", format!("hostile{number}"));
                    let answer = request.header("origin", format!("https://hostile{number}.example")).send().await;
                    assert!(answer.expect("an answer").status().is_client_error(), "{path}");
                }
            }
        };
        let series = async || {
            let page = metrics(&server).await;
            assert!(!page.to_ascii_lowercase().contains("hostile"), "{page}");
            let requests = page.lines().filter(|line| line.starts_with("restwell_http_requests_total"));
            requests.filter_map(|line| line.split_once(' ')).map(|(name, _)| name.to_owned()).collect::<BTreeSet<_>>()
        };
        attack(1).await;
        let before = series().await;
        let of_route = |route: &str| before.iter().filter(|name| name.contains(&format!("route=\"{route}\""))).count();
        for route in ["/api/token", "/sign-in", "/livez", "/assets/pages.css"] {
            assert!((1..=2).contains(&of_route(route)), "{route}: {before:?}");
        }
        assert!(before.iter().filter(|name| !name.contains("unmatched")).all(|name| name.contains("method=\"other\"")), "{before:?}");
        for number in 2..6 {
            attack(number).await;
        }
        assert_eq!(series().await, before);
    }

    async fn a_revocation_and_its_delay_are_measured(world: World) {
        let world = world.in_processes();
        let world = measuring(world);
        let registration = register(&world);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        reader.read("profile", "").await;
        world.ok(&["grant", "revoke", "--user", &registration.user_id, "--client", &registration.client_id]);
        eventually("the token is refused", async || (reader.ask("profile", "").await.status == 401).then_some(())).await;
        let page = metrics(&server).await;
        assert!(page.contains("restwell_revocation_delay_seconds_count 1"), "{page}");
        assert!(page.contains(r#"restwell_revocation_delay_seconds_bucket{le="2"} 1"#), "{page}");
    }

    async fn metrics_are_off_by_default_and_never_on_the_public_listener(world: World) {
        let world = world.in_processes();
        let server = world.serve();
        assert_eq!(metrics_url(&server), None);
        let answer = reqwest::get(format!("{}/metrics", server.base_url)).await.expect("answer");
        assert_eq!(answer.status(), 404);
        let world = world.with("RESTWELL__SERVER__LISTEN", "127.0.0.1:8080").with("RESTWELL__METRICS__LISTEN", "0.0.0.0:8080");
        let output = world.run(&["check-config"]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains("metrics.listen must use a different port"), "{message}");
    }
}
