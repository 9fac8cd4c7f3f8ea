//! Every way in and out for data, as shown in the audit trail and on the person's activity page.
//! `ingest/activity.rs` has those of backends.

use super::reader::Reader;
use super::records;
use crate::e2e::app::{Registration, SCOPES, code, read, redeem, text};
use crate::e2e::browser::Browser;
use crate::e2e::person::{Person, party};
use crate::e2e::polling::eventually;
use crate::e2e::security::account::people::trail;
use crate::e2e::security::account::visit::make_token;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use serde_json::Value;

/// Signed-in person with nights, and an app.
struct Scene {
    world: World,
    server: Server,
    person: Person,
    app: Registration,
    browser: Browser,
}

impl Scene {
    async fn new(world: World) -> Self {
        let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:8080");
        let (person, app) = party(&world);
        let nights = world.file("nights.ndjson", &records::nights(3, 2));
        world.ok(&["import", "--user", &person.user_id, &nights]);
        let server = world.serve();
        let browser = Browser::new(&server);
        browser.sign_in(&person).await;
        Self { world, server, person, app, browser }
    }

    /// Returns the events of a kind about the person.
    fn events(&self, kind: &str) -> Vec<Value> {
        trail(&self.world, &["--user", &self.person.user_id, "--kind", kind])
    }

    /// Checks that there is one event of a kind with this actor, and that the activity page shows these
    /// words; returns the event.
    async fn assert_recorded(&self, (kind, actor): (&str, &str), words: &str) -> Value {
        let mut events = self.events(kind);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(events[0]["actor"], actor, "{events:?}");
        let shown = self.browser.open("/activity").await.text();
        assert!(shown.contains(words), "{words}: {shown}");
        events.remove(0)
    }

    async fn app_token(&self) -> String {
        redeem(&self.server, &self.app, &code(&self.world, &self.app, &SCOPES)).await.access
    }
}

on_sqlite! {
    async fn a_persons_own_export_is_on_their_activity_page(world: World) {
        let scene = Scene::new(world).await;
        scene.browser.export("ndjson").await.text().await.expect("lines");
        scene.assert_recorded(("data.exported", "person"), "You exported your data").await;
        scene.browser.export("zip").await.bytes().await.expect("archive");
        assert_eq!(scene.events("data.exported").len(), 2);
    }

    async fn an_export_aborted_before_its_body_is_recorded(world: World) {
        let scene = Scene::new(world).await;
        drop(scene.browser.export("ndjson").await);
        scene.assert_recorded(("data.exported", "person"), "You exported your data").await;
        // Rejected requests export nothing.
        scene.browser.submit(&scene.browser.open("/account").await.form("/account/export").with("format", "pdf")).await;
        let path = format!("/api/v1/export/{}", scene.person.user_id);
        assert_eq!(read(&scene.server, "no token", &path).await.status(), 401);
        assert_eq!(scene.events("data.exported").len(), 1);
    }

    async fn an_export_by_an_app_is_recorded_once_a_day_with_its_name(world: World) {
        let scene = Scene::new(world).await;
        let reader = Reader::new(&scene.server, &scene.person.user_id, &scene.app_token().await);
        drop(reader.begin("export", "").await);
        for format in ["ndjson", "zip"] {
            reader.begin("export", &format!("format={format}")).await.bytes().await.expect("export");
        }
        // Replicas do not share memory.
        let other = scene.world.serve_as("second");
        let beside = Reader::new(&other, &scene.person.user_id, &scene.app_token().await);
        assert_eq!(beside.ask("export", "").await.status, 200);
        let event = scene.assert_recorded(("data.exported", "client"), "Night Reader exported your data first time").await;
        assert_eq!(event["client_id"], scene.app.client_id);
    }

    async fn an_export_with_a_personal_token_is_recorded_with_its_name(world: World) {
        let scene = Scene::new(world).await;
        let token = make_token(&scene.browser, "Notebook", "sleep").await;
        let reader = Reader::new(&scene.server, &scene.person.user_id, &token);
        for _ in 0..2 {
            reader.begin("export", "").await.bytes().await.expect("export");
        }
        let event = scene.assert_recorded(("data.exported", "person"), "Notebook your token exported your data").await;
        assert_ne!(event["subject"], Value::Null);
        assert!(!event.to_string().contains("Notebook"), "{event}");
    }

    async fn reads_of_every_data_endpoint_and_the_change_feed_are_shown_to_the_person(world: World) {
        let scene = Scene::new(world).await;
        let user = scene.person.user_id.as_str();
        let reader = Reader::new(&scene.server, user, &scene.app_token().await);
        reader.read("profile", "").await;
        reader.read("sleep", "").await;
        reader.read("supplements", "").await;
        eventually("the reads are shown", async || {
            let shown = scene.browser.open("/activity").await.text();
            let reported = ["read your profile", "read your nights", "read your supplements"];
            reported.iter().all(|words| shown.contains(&format!("Night Reader {words}"))).then_some(())
        }).await;
        let reads = |user: &str| scene.world.ok(&["audit", "reads", user, "--json"]);
        assert!(["profile", "sleep", "supplements"].iter().all(|kind| reads(user).contains(&format!("\"{kind}\""))));
        let before = reads(user);
        reader.read("changes", "types=sleep").await;
        eventually("what the feed reported is shown", async || (reads(user) != before).then_some(())).await;
    }

    async fn an_operators_export_is_shown_to_the_person(world: World) {
        let scene = Scene::new(world).await;
        let user = scene.person.user_id.as_str();
        scene.world.ok(&["export", "--user", user]);
        scene.assert_recorded(("data.exported", "operator"), "The operator exported your data").await;
        // The output is not read to its end.
        let mut command = scene.world.command(&["export", "--user", user]);
        let piped = std::process::Stdio::piped;
        let mut child = command.stdout(piped()).stderr(piped()).spawn().expect("restwell starts");
        drop(child.stdout.take());
        child.wait().expect("end");
        assert_eq!(scene.events("data.exported").len(), 2);
    }

    async fn an_operators_view_of_a_profile_is_shown_to_the_person(world: World) {
        let scene = Scene::new(world).await;
        let user = scene.person.user_id.as_str();
        scene.world.ok(&["user", "list"]);
        assert!(scene.events("profile.shown").is_empty(), "a list shows no profile");
        scene.world.ok(&["user", "show", user]);
        scene.assert_recorded(("profile.shown", "operator"), "The operator viewed your profile").await;
        scene.world.ok(&["user", "update", user, "--weight-kg", "71.8125"]);
        let event = scene.assert_recorded(("user.changed", "operator"), "The operator changed your account or profile").await;
        assert!(!event.to_string().contains("71.8125"), "{event}");
        assert_eq!(scene.events("profile.shown").len(), 2, "an update shows the profile");
    }

    async fn an_operators_import_and_its_undo_are_shown_to_the_person(world: World) {
        let scene = Scene::new(world).await;
        let started = scene.assert_recorded(("import.started", "operator"), "The operator started an import").await;
        let id = text(&started, "subject");
        scene.world.ok(&["import", "undo", &id]);
        let undone = scene.assert_recorded(("import.undone", "operator"), "The operator undid an import").await;
        assert_eq!(undone["subject"], id);
        let nights = scene.world.file("nights.ndjson", &records::nights(3, 2));
        scene.world.ok(&["import", "--user", &scene.person.user_id, "--dry-run", &nights]);
        assert_eq!(scene.events("import.started").len(), 1, "a dry run brings nothing in");
    }

    async fn a_catalogue_import_is_in_the_trail_without_a_person(world: World) {
        let labels = world.file("labels.json", &records::dsld(900_001, "Night Harbour Magnesium"));
        world.ok(&["import", "--format", "dsld", &labels]);
        let events = trail(&world, &["--kind", "import.started"]);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!((&events[0]["user_id"], &events[0]["actor"]), (&Value::Null, &Value::from("operator")));
    }

    async fn a_persons_upload_and_its_undo_are_shown_to_the_person(world: World) {
        let (person, _) = party(&world);
        let server = world.serve();
        let browser = Browser::new(&server);
        browser.sign_in(&person).await;
        let path = browser.upload("nights.ndjson", records::nights(3, 2).as_bytes()).await.own_location();
        let reported = |kind: &str, words: &str, shown: &str| {
            let events = trail(&world, &["--user", &person.user_id, "--kind", kind]);
            assert_eq!(events.len(), 1, "{events:?}");
            assert_eq!(events[0]["actor"], "person");
            assert!(path.ends_with(&text(&events[0], "subject")), "{events:?}");
            assert!(shown.contains(words), "{shown}");
        };
        // Visible at once, before the file is processed.
        let shown = browser.open("/activity").await.text();
        reported("import.started", "You started an import", &shown);
        let page = browser.processed(&path).await;
        browser.submit(&page.form("/imports/undo")).await;
        let shown = browser.open("/activity").await.text();
        reported("import.undone", "You undid an import", &shown);
    }

    async fn the_activity_page_links_to_all_earlier_entries(world: World) {
        let scene = Scene::new(world).await;
        for _ in 0..60 {
            scene.world.ok(&["user", "show", &scene.person.user_id]);
        }
        let first = scene.browser.open("/activity").await;
        let (_, after) = first.body.split_once("href=\"/activity?").expect("a link to earlier entries");
        let (query, _) = after.split_once('"').expect("its end");
        let second = scene.browser.open(&format!("/activity?{}", query.replace("&amp;", "&"))).await;
        let count = |text: &str| text.matches("viewed your profile").count();
        assert_eq!((count(&first.text()), count(&second.text())), (50, 10));
        assert!(second.text().contains("The operator created your account"), "{}", second.text());
        for query in ["events=1", "events=x.y", "before=1", "events=-1.7c1f0a5e-6d4a-4c57-9b1f-3f2b8c1e9b48"] {
            scene.browser.get(&format!("/activity?{query}")).await.assert_refused(400);
        }
    }

    async fn another_persons_activity_is_not_shown(world: World) {
        let scene = Scene::new(world).await;
        let other = Person::create(&scene.world, "kim@example.org");
        scene.world.ok(&["export", "--user", &scene.person.user_id]);
        let browser = Browser::new(&scene.server);
        browser.sign_in(&other).await;
        let shown = browser.open("/activity").await.text();
        assert!(shown.contains("created your account") && !shown.contains("The operator exported"), "{shown}");
    }
}
