//! Apps that name themselves by the URL of a client metadata document.

use super::document_host::DocumentHost;
use super::*;
use crate::e2e::security::auth_request::ask;
use crate::e2e::security::scene::assert_rows;
use serde_json::{Value, json};

const HOSTS: &str = "RESTWELL__CLIENTS__METADATA_DOCUMENT_HOSTS";
const MODE: &str = "RESTWELL__CLIENTS__METADATA_DOCUMENTS";

/// A loopback URI with the port that the app listens at.
const LISTENING_URI: &str = "http://127.0.0.1:49152/callback";

/// A server that trusts the host's authority, and an app with a document there.
async fn published(world: World) -> (PublicScene, DocumentHost) {
    let host = DocumentHost::start().await;
    let world = trusting(world, &host).with(HOSTS, &host.host);
    (scene_of(world, &host), host)
}

/// The program reads the variable when it first needs authorities, so it runs in a process.
fn trusting(world: World, host: &DocumentHost) -> World {
    let file = world.file("authority.pem", &host.authority);
    world.in_processes().with("SSL_CERT_FILE", &file)
}

fn scene_of(world: World, host: &DocumentHost) -> PublicScene {
    let scene = PublicScene::new(world);
    PublicScene { app: Registration { client_id: host.url(), ..scene.app.clone() }, ..scene }
}

/// Ends the freshness of all documents.
async fn expire(scene: &PublicScene) {
    scene.world.execute("UPDATE client SET document = json_set(document, '$.fresh_until', 0)").await;
}

/// Returns the app as the operator sees it.
fn listed(scene: &PublicScene) -> Value {
    let clients = scene.world.json_lines(&["client", "list", "--json"]);
    let mut published =
        clients.into_iter().filter(|client| client["metadata_url"] == scene.app.client_id.as_str());
    let found = published.next().expect("the app");
    assert_eq!(published.next(), None);
    found
}

on_sqlite! {
    /// MCP 2026-07-28, Security Considerations, Localhost Redirect URI Risks.
    async fn an_app_with_a_document_reads_and_refreshes_without_a_registration(world: World) {
        let (scene, host) = published(world).await;
        let consent = reach_consent(&scene.browser, &scene.auth_request(LISTENING_URI), &scene.person).await;
        let words = consent.text();
        assert!(words.contains("Published Owl") && words.contains(&format!("published at {}", host.host)), "{words}");
        assert!(words.contains("127.0.0.1:49152") && words.contains("your own computer"), "{words}");
        assert!(!words.contains("has not reviewed"), "{words}");
        let code = allow(&scene.browser, &consent, &SCOPES).await.answer_to(LISTENING_URI)["code"].clone();
        let form = scene.exchange(&code, LISTENING_URI);
        let stored = listed(&scene);
        assert_eq!((&stored["type"], &stored["status"]), (&"public".into(), &"active".into()), "{stored}");
        // The stored id is not a client_id.
        let by_id = form.clone().with("client_id", &text(&stored, "client_id"));
        assert!(scene.caller().post("/api/token", &by_id).await.status >= 400);
        let tokens = scene.caller().post("/api/token", &form).await.tokens();
        assert_eq!(scene.caller().read_profile(&tokens.access, &scene.app).await.status, 200);
        let second = scene.refresh(&tokens.refresh).await.tokens();
        assert_eq!(scene.caller().read_profile(&second.access, &scene.app).await.status, 200);
        let revoke = Form(vec![("token", second.refresh.clone()), ("client_id", scene.app.client_id.clone())]);
        assert_eq!(scene.caller().post("/oauth/revoke", &revoke).await.status, 200);
        scene.refresh(&second.refresh).await.assert_error(400, "invalid_grant");
        assert_eq!(host.fetches(), 1);
        let events = scene.world.ok(&["audit", "list", "--json"]);
        assert!(events.lines().any(|line| line.contains("client.created") && line.contains("\"server\"")), "{events}");
    }

    async fn cimd_section_5_the_metadata_states_whether_documents_are_accepted(world: World) {
        for (mode, hosts, expected) in [("off", "owl.example", false), ("listed", "", false), ("listed", "owl.example", true), ("any", "", true)] {
            let server = world.clone().with(MODE, mode).with(HOSTS, hosts).serve();
            let metadata = Caller::new(&server).get("/.well-known/oauth-authorization-server", &Form(Vec::new())).await.json();
            assert_eq!(metadata["client_id_metadata_document_supported"], expected, "{mode} {hosts}");
        }
    }

    /// CIMD section 4.5.
    async fn changed_redirect_uris_are_seen_when_the_document_has_expired(world: World) {
        let (scene, host) = published(world).await;
        scene.connect().await;
        let mut document = host.document();
        document["redirect_uris"] = json!(["https://localhost/moved"]);
        host.serve(&document);
        let moved = scene.auth_request("https://localhost/moved");
        ask(&scene.browser, &moved).await.assert_refused(400);
        reach_consent(&scene.browser, &scene.auth_request(LISTENING_URI), &scene.person).await;
        assert_eq!(host.fetches(), 1);
        expire(&scene).await;
        reach_consent(&scene.browser, &moved, &scene.person).await;
        ask(&scene.browser, &scene.auth_request(LISTENING_URI)).await.assert_refused(400);
        assert_eq!(host.fetches(), 2);
    }

    async fn a_disabled_app_stays_disabled_when_its_document_has_expired(world: World) {
        let (scene, host) = published(world).await;
        let tokens = scene.connect().await;
        let id = text(&listed(&scene), "client_id");
        assert!(scene.world.fails(&["client", "update", &id, "--name", "Other"]).contains("document"));
        scene.world.ok(&["client", "disable", &id]);
        expire(&scene).await;
        ask(&scene.browser, &scene.auth_request(LISTENING_URI)).await.assert_refused(400);
        scene.refresh(&tokens.refresh).await.assert_error(401, "invalid_client");
        assert_eq!((listed(&scene)["status"].as_str(), host.fetches()), (Some("disabled"), 1));
        scene.world.ok(&["client", "enable", &id]);
        scene.refresh(&tokens.refresh).await.access();
    }

    async fn a_removed_host_stops_refreshes_too_an_unreachable_one_only_requests(world: World) {
        let (scene, host) = published(world).await;
        let tokens = scene.connect().await;
        for (mode, hosts) in [("listed", "owl.example"), ("off", host.host.as_str())] {
            let server = scene.world.clone().with(MODE, mode).with(HOSTS, hosts).serve_as("second");
            let refused = Caller::new(&server).post("/api/token", &scene.refreshing(&tokens.refresh)).await;
            refused.assert_error(401, "invalid_client");
            let page = ask(&Browser::new(&server), &scene.auth_request(LISTENING_URI)).await;
            page.assert_refused(400);
            assert!(page.text().contains("clients.metadata_document"), "{page:?}");
        }
        expire(&scene).await;
        host.respond("503 X", "retry-after: 1", "");
        scene.refresh(&tokens.refresh).await.access();
        ask(&scene.browser, &scene.auth_request(LISTENING_URI)).await.assert_refused(400);
    }

    /// CIMD sections 4.1 and 4.4.
    async fn a_bad_document_is_an_error_page_with_the_reason_and_is_not_stored(world: World) {
        let (scene, host) = published(world).await;
        let asking = scene.auth_request(LISTENING_URI);
        let refused = async |reason: &str| {
            let page = ask(&scene.browser, &asking).await;
            page.assert_refused(400);
            assert!(page.text().contains(reason), "{reason}: {page:?}");
            assert!(!page.body.contains("Published Owl"), "{page:?}");
        };
        let with = |name: &str, value: Value| {
            let mut document = host.document();
            document[name] = value;
            host.serve(&document);
        };
        let json = "content-type: application/json";
        let good = host.document().to_string();
        with("client_id", json!("https://localhost/client.json"));
        refused("must be the URL of the document").await;
        with("padding", json!("x".repeat(5120)));
        refused("larger than 5 KB").await;
        with("client_secret", json!(null));
        refused("neither client_secret nor").await;
        with("token_endpoint_auth_method", json!("private_key_jwt"));
        refused("supports neither private_key_jwt").await;
        with("client_name", json!(null));
        refused("client_name must").await;
        with("redirect_uris", json!(["owl://callback"]));
        refused("redirect_uris must").await;
        with("scope", json!("users:write"));
        refused("scope must").await;
        host.respond("302 Found", &format!("location: {}\r\n{json}", host.url()), &good);
        let fetches = host.fetches();
        refused("redirects are not followed").await;
        assert_eq!(host.fetches(), fetches + 1);
        host.respond("404 X", json, &good);
        refused("status 200").await;
        host.respond("200 OK", "content-type: text/html", &good);
        refused("application/json").await;
        host.respond("200 OK", json, "<html>");
        refused("must be a JSON object").await;
        host.respond("200 OK", json, &format!(r#"{{"redirect_uris": {}"#, "[".repeat(5000)));
        refused("must be a JSON object").await;
        assert_rows(&scene.world, "client", "WHERE document IS NOT NULL", 0).await;
        host.serve(&host.document());
        reach_consent(&scene.browser, &asking, &scene.person).await;
    }

    /// CIMD section 6.5.
    async fn a_server_that_is_not_on_loopback_fetches_no_document_from_its_machine(world: World) {
        let host = DocumentHost::start().await;
        let key = world.dir.path().join("restwell.key").display().to_string();
        let world = trusting(world, &host).with(MODE, "any").with("RESTWELL__SERVER__PUBLIC_URL", "https://id.example");
        let world = world.with("RESTWELL__KEYS__ENCRYPTION_KEY_FILE", &key);
        let scene = scene_of(world, &host);
        for id in [host.url(), host.url().replace("localhost", "127.0.0.1"), host.url().replace("localhost", "[::1]")] {
            let page = ask(&scene.browser, &scene.auth_request(LISTENING_URI).with("client_id", &id)).await;
            page.assert_refused(400);
            assert!(page.text().contains("could not be fetched"), "{page:?}");
            assert!(!page.text().contains("not allowed"), "{page:?}");
        }
        assert_eq!(host.fetches(), 0);
    }

    async fn an_app_of_any_host_is_shown_as_not_reviewed(world: World) {
        let host = DocumentHost::start().await;
        let scene = scene_of(trusting(world, &host).with(MODE, "any"), &host);
        let mut document = host.document();
        document["redirect_uris"] = json!(["https://localhost/callback"]);
        host.serve(&document);
        let consent = reach_consent(&scene.browser, &scene.auth_request("https://localhost/callback"), &scene.person).await;
        assert!(consent.text().contains("has not reviewed this app"), "{consent:?}");
        assert!(!consent.body.contains("name=\"remember\""), "{consent:?}");
    }

    async fn cimd_section_3_a_url_that_cannot_be_a_client_id_is_refused_with_the_reason(world: World) {
        let scene = PublicScene::new(world.with(MODE, "any"));
        for (id, reason) in [
            ("https://owl.example/", "with a path"),
            ("https://owl.example/../x", "path segments"),
            ("https://owl.example/x#y", "fragment"),
            ("https://sam:secret@owl.example/x", "user name"),
            ("http://owl.example/x", "https URL"),
        ] {
            let page = ask(&scene.browser, &scene.auth_request(LISTENING_URI).with("client_id", id)).await;
            page.assert_refused(400);
            assert!(page.text().contains(reason), "{id}: {page:?}");
            assert!(!page.body.contains("owl.example"), "{page:?}");
        }
    }
}
