//! Data that backends create, change and delete, as shown in the audit trail and on the person's activity
//! page.

use super::backend::{Backend, night};
use crate::e2e::browser::Browser;
use crate::e2e::person::Person;
use crate::e2e::response::ReceivedResponse;
use crate::e2e::security::account::people::trail;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use reqwest::Method;
use serde_json::{Value, json};

/// Signed-in person, and a backend.
struct Scene {
    world: World,
    server: Server,
    person: Person,
    browser: Browser,
    backend: Backend,
}

impl Scene {
    async fn new(world: World) -> Self {
        let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:8080");
        let person = Person::create(&world, "sam@example.org");
        let server = world.serve();
        let browser = Browser::new(&server);
        browser.sign_in(&person).await;
        let backend = Backend::new(&world, &server).await;
        Self { world, server, person, browser, backend }
    }

    fn events(&self, kind: &str) -> Vec<Value> {
        trail(&self.world, &["--user", &self.person.user_id, "--kind", kind])
    }

    /// Checks that there is one event of a kind by a client, and that the activity page shows these words
    /// after the client's name.
    async fn assert_recorded(&self, kind: &str, words: &str) -> Value {
        let mut events = self.events(kind);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(events[0]["actor"], "client", "{events:?}");
        assert!(events[0]["client_id"].is_string(), "{events:?}");
        let shown = self.browser.open("/activity").await.text();
        assert!(shown.contains(&format!("Backend {words}")), "{words}: {shown}");
        events.remove(0)
    }

    fn path(&self, collection: &str) -> String {
        collection.replace("{}", &self.person.user_id)
    }
}

on_sqlite! {
    async fn writing_sleep_is_recorded_once_a_day(world: World) {
        let scene = Scene::new(world).await;
        let path = scene.path("sleep/{}");
        assert_eq!(scene.backend.post(&path, &json!([{}])).await.outcomes(), ["missing_member time_in_bed_start"]);
        assert!(scene.events("sleep.written").is_empty(), "nothing was stored");
        for number in 1..5 {
            assert_eq!(scene.backend.post(&path, &night(number)).await.outcomes(), ["created"]);
        }
        // Replicas do not share memory.
        let second = scene.world.serve_as("second");
        assert_eq!(scene.backend.at(&second).post(&path, &night(5)).await.outcomes(), ["created"]);
        scene.assert_recorded("sleep.written", "added or changed sleep data first time that day").await;
    }

    async fn deleting_a_night_is_recorded_each_time(world: World) {
        let scene = Scene::new(world).await;
        let path = scene.path("sleep/{}");
        let id = scene.backend.post(&path, &night(1)).await.id();
        assert_eq!(scene.backend.delete(&format!("{path}/{id}")).await.status, 204);
        let event = scene.assert_recorded("sleep.deleted", "deleted a night").await;
        assert_eq!(event["subject"], id);
    }

    async fn writing_labels_and_intakes_is_recorded(world: World) {
        let scene = Scene::new(world).await;
        let label = json!({ "name": "Evening Capsule", "upc": "012345678905" });
        scene.backend.post("supplements", &label).await;
        let labels = trail(&scene.world, &["--kind", "supplement.written"]);
        assert_eq!((labels.len(), &labels[0]["user_id"]), (1, &Value::Null), "labels are nobody's");
        let path = scene.path("supplements/{}/logs");
        let at = |hour: u32| json!({ "created_at": format!("2026-01-10T{hour:02}:00:00Z"), "upc": "012345678905", "servings": 1 });
        let id = scene.backend.post(&path, &at(8)).await.id();
        scene.backend.post(&path, &at(9)).await;
        scene.assert_recorded("supplement_log.written", "added or changed supplement data first time that day").await;
        assert_eq!(scene.backend.delete(&format!("{path}/{id}")).await.status, 204);
        scene.assert_recorded("supplement_log.deleted", "deleted a supplement intake").await;
    }

    async fn changing_a_profile_is_recorded_once_a_day(world: World) {
        let scene = Scene::new(world).await;
        let path = scene.path("profile/{}");
        for weight in [64.5, 65.5] {
            let request = scene.backend.request(Method::PUT, &path).json(&json!({ "weight_kg": weight }));
            assert_eq!(ReceivedResponse::send(request).await.outcomes(), ["updated"]);
        }
        let taller = json!({ "email": scene.person.email, "height_cm": 172 });
        assert_eq!(scene.backend.post("users", &taller).await.outcomes(), ["updated"]);
        scene.assert_recorded("user.changed", "changed your account or profile first time that day").await;
    }

    async fn creating_a_person_is_shown_to_them(world: World) {
        let scene = Scene::new(world).await;
        let user = scene.backend.person("kim@example.org").await;
        let events = trail(&scene.world, &["--user", &user, "--kind", "user.created"]);
        assert_eq!((events.len(), &events[0]["actor"]), (1, &json!("client")), "{events:?}");
        crate::e2e::security::account::people::give_password(&scene.world, &user, &scene.person.password);
        let kim = Person { user_id: user, email: "kim@example.org".to_owned(), ..scene.person.clone() };
        let browser = Browser::new(&scene.server);
        browser.sign_in(&kim).await;
        let shown = browser.open("/activity").await.text();
        assert!(shown.contains("Backend created your account"), "{shown}");
    }
}
