//! Webhook endpoints of a developer's app, on its page.

use super::developer::{approve, register, relax, with_self_service};
use crate::e2e::app::{Registration, code, redeem};
use crate::e2e::browser::{Browser, Page, PageForm};
use crate::e2e::operation::mail_server::{MailServer, with_mail};
use crate::e2e::operation::receiver::{Receiver, ReceiverResponse};
use crate::e2e::person::{Person, signed_in};
use crate::e2e::polling::eventually;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use chrono::TimeDelta;

/// A developer with an app and a receiver.
struct Developer {
    scene: Scene,
    app: Registration,
    receiver: Receiver,
}

impl Developer {
    async fn new(world: World) -> Self {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (app, _) = register(&scene.browser, &scene.person).await;
        Self { scene, app, receiver: Receiver::start().await }
    }

    fn path(&self) -> String {
        format!("/developer/webhooks/{}", self.app.client_id)
    }

    async fn open(&self) -> Page {
        self.scene.browser.open(&self.path()).await
    }

    /// Submits the form for an endpoint with this URL.
    async fn create_at(&self, url: &str) -> Page {
        let form = self.open().await.form("/developer/webhooks/create").with("url", url);
        self.scene.browser.submit(&form).await
    }

    /// Creates an endpoint at the receiver, waits until it is active, and returns its secret.
    async fn create(&self) -> String {
        let secret = secret(&self.create_at(&self.receiver.url).await);
        self.wait_for("Active").await;
        secret
    }

    /// Submits a form whose sign-in is too old, confirms the password, and returns the page of the kept form.
    async fn submit_and_sign_in(&self, form: &PageForm) -> Page {
        let browser = &self.scene.browser;
        let sent = browser.submit(form).await;
        let confirm = browser.follow(&sent).await.form("/sign-in");
        let confirmed = browser.submit(&confirm.with("password", &self.scene.person.password)).await;
        browser.follow(&confirmed).await
    }

    /// Waits until the page has this text.
    async fn wait_for(&self, text: &str) -> Page {
        eventually(text, async || {
            let page = self.open().await;
            page.text().contains(text).then_some(page)
        })
        .await
    }
}

/// Returns the webhook secrets on a page.
fn secrets(page: &Page) -> Vec<String> {
    page.text().split_whitespace().filter(|word| word.starts_with("whsec_")).map(str::to_owned).collect()
}

fn secret(page: &Page) -> String {
    assert_eq!(page.status, 200, "{page:?}");
    let [secret] = &secrets(page)[..] else { panic!("one secret: {page:?}") };
    secret.clone()
}

const ACTIONS: [&str; 4] = ["test", "rotate-secret", "replay", "delete"];

fn action(name: &str) -> String {
    format!("/developer/webhooks/{name}")
}

on_sqlite! {
    async fn an_endpoint_is_created_tested_rotated_and_deleted_on_the_page(world: World) {
        let developer = Developer::new(world).await;
        let (browser, receiver) = (&developer.scene.browser, &developer.receiver);
        let link = format!("href=\"{}\"", developer.path());
        let own_app = browser.open(&format!("/developer/{}", developer.app.client_id)).await;
        assert!(own_app.body.contains(&link), "{own_app:?}");
        let first = developer.create().await;
        assert!(receiver.messages("endpoint.challenge")[0].is_signed_with(&first));
        let page = developer.open().await;
        assert!(secrets(&page).is_empty() && page.text().contains(&receiver.url), "{page:?}");
        let tested = browser.submit(&page.form(&action("test"))).await;
        assert!(tested.own_location().contains("?done=tested"), "{tested:?}");
        let result = format!("{}#messages-1\">Show the result", developer.path());
        assert!(browser.follow(&tested).await.body.contains(&result));
        let listed = developer.wait_for("endpoint.test").await;
        assert!(listed.text().contains(&receiver.messages("endpoint.test")[0].id), "{listed:?}");
        let second = secret(&browser.submit(&page.form(&action("rotate-secret"))).await);
        assert_ne!(first, second);
        assert!(developer.open().await.text().contains("Also signs messages until"));
        browser.submit(&page.form(&action("test"))).await;
        eventually("a second test", async || (receiver.messages("endpoint.test").len() == 2).then_some(())).await;
        let message = &receiver.messages("endpoint.test")[1];
        assert!(message.is_signed_with(&first) && message.is_signed_with(&second));
        let deleted = browser.submit(&page.form(&action("delete"))).await;
        assert!(deleted.own_location().ends_with("?done=deleted"), "{deleted:?}");
        assert!(browser.follow(&deleted).await.text().contains("No endpoints yet"));
        assert_rows(&developer.scene.world, "webhook_endpoint", "", 0).await;
        let changes = "WHERE actor = 'person' AND user_id IS NOT NULL AND address IS NOT NULL AND kind LIKE 'webhook.%'";
        assert_rows(&developer.scene.world, "audit_event", changes, 5).await;
    }

    async fn a_webhook_secret_form_that_is_sent_again_creates_no_second_secret(world: World) {
        let developer = Developer::new(world).await;
        let (browser, receiver) = (&developer.scene.browser, &developer.receiver);
        let first = developer.create().await;
        let form = developer.open().await.form(&action("rotate-secret"));
        for newest in ["", "x"] {
            browser.submit(&form.with("newest", newest)).await.assert_refused(400);
        }
        let created = browser.submit(&form).await;
        let second = secret(&created);
        let again = browser.submit(&form).await;
        assert!(again.own_location().ends_with("?done=sent-before"), "{again:?}");
        let page = browser.follow(&again).await;
        assert!(page.text().contains("no other one was created") && secrets(&page).is_empty(), "{page:?}");
        browser.submit(&page.form(&action("test"))).await;
        eventually("a test", async || (receiver.messages("endpoint.test").len() == 1).then_some(())).await;
        let message = &receiver.messages("endpoint.test")[0];
        assert!(message.is_signed_with(&first) && message.is_signed_with(&second));
        // The form beside the new secret is another one.
        assert_ne!(secret(&browser.submit(&created.form(&action("rotate-secret"))).await), second);
        assert_rows(&developer.scene.world, "audit_event", "WHERE kind = 'webhook.secret_rotated'", 2).await;
    }

    async fn deliveries_and_replays_name_no_person(world: World) {
        let developer = Developer::new(world).await;
        let Scene { world, server, browser, .. } = &developer.scene;
        developer.create().await;
        let other = Person::create(world, "other@example.org");
        let granted = Registration { user_id: other.user_id.clone(), ..developer.app.clone() };
        relax(world, &developer.app);
        redeem(server, &granted, &code(world, &granted, &["sleep"])).await;
        let file = world.file("sleep-2026-03-07.json", &crate::e2e::operation::records::fitbit());
        world.ok(&["import", "--user", &other.user_id, &file]);
        let page = developer.wait_for("records.changed").await;
        let replay = page.form(&action("replay")).with("days", "7");
        assert!(browser.submit(&replay).await.own_location().ends_with("?done=replayed"));
        eventually("a replay", async || {
            (developer.receiver.messages("records.changed").len() == 2).then_some(())
        })
        .await;
        world.ok(&["user", "erase", &other.user_id, "--yes"]);
        let page = developer.wait_for("person.erased").await;
        let messages = developer.receiver.messages("records.changed");
        for word in messages.iter().map(|message| &message.id).chain([&other.user_id, &other.email]) {
            assert!(!page.body.contains(word), "{word} in {page:?}");
        }
    }

    async fn an_invalid_or_private_url_and_an_eleventh_endpoint_are_rejected(world: World) {
        let developer = Developer::new(world).await;
        for url in ["", "owl.example", "http://owl.example/x", "https://a:b@owl.example/", "https://owl.example:22/",
            "https://owl.example/#x", "ftp://owl.example/"] {
            let page = developer.create_at(url).await;
            page.assert_refused(422);
            assert!(page.text().contains("The URL must") && secrets(&page).is_empty(), "{url}: {page:?}");
        }
        for url in ["https://10.0.0.1/x", "https://[fd00::1]/x", "https://169.254.169.254/latest"] {
            let page = developer.create_at(url).await;
            page.assert_refused(422);
            assert!(page.text().contains("private or loopback addresses"), "{url}: {page:?}");
        }
        let form = developer.open().await.form("/developer/webhooks/create").with("url", "https://hooks.example/x");
        developer.scene.browser.submit(&form.and("url", "https://hooks.example/y")).await.assert_refused(400);
        developer.scene.browser.submit(&form.with("client", "x")).await.assert_refused(400);
        for number in 0..10 {
            let form = form.with("url", &format!("https://hooks.example/{number}"));
            secret(&developer.scene.browser.submit(&form).await);
            // A reload creates nothing.
            let again = developer.scene.browser.submit(&form).await;
            again.assert_refused(422);
            assert!(again.text().contains("There is already an endpoint with this URL."), "{again:?}");
        }
        let full = developer.scene.browser.submit(&form).await;
        full.assert_refused(422);
        assert!(full.text().contains("has reached the limit of 10 webhook endpoints"), "{full:?}");
        assert!(developer.open().await.forms("/developer/webhooks/create").is_empty());
        assert_rows(&developer.scene.world, "webhook_endpoint", "", 10).await;
    }

    // T109
    async fn tests_challenges_and_replays_are_limited_with_a_time_to_wait(world: World) {
        let developer = Developer::new(world).await;
        developer.create().await;
        let (browser, page) = (&developer.scene.browser, developer.open().await);
        let (test, replay) = (page.form(&action("test")), page.form(&action("replay")).with("days", "1"));
        for form in [&test, &replay].repeat(5) {
            assert!(browser.submit(form).await.own_location().contains("?done="));
        }
        for form in [&test, &replay] {
            let refused = browser.submit(form).await;
            refused.assert_refused(429);
            let seconds: u32 = refused.header("retry-after").expect("seconds").parse().expect("a number");
            assert!((541..=600).contains(&seconds), "{refused:?}");
            assert!(refused.text().contains("Nothing was sent. Try again in 10 minutes."), "{refused:?}");
        }
        assert_rows(&developer.scene.world, "audit_event", "WHERE kind = 'webhook.tested'", 5).await;
        developer.scene.world.advance(TimeDelta::seconds(601));
        assert!(browser.submit(&test).await.own_location().contains("?done=tested"));
    }

    // T108
    async fn failed_connections_are_told_apart_only_after_an_approval(world: World) {
        let developer = Developer::new(world).await;
        let refused_port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a port");
        for url in [format!("http://{refused_port}/"), "https://nowhere.invalid/".to_owned()] {
            secret(&developer.create_at(&url).await);
        }
        let page = developer.wait_for("Failed").await;
        for told in ["No connection", "no address", " ms;"] {
            assert!(!page.text().contains(told), "{told}: {page:?}");
        }
        approve(&developer.scene.world, &developer.app.client_id);
        let page = developer.wait_for("No connection").await;
        assert!(page.text().contains(" ms;") && !page.text().contains("Failed"), "{page:?}");
    }

    async fn another_persons_app_or_endpoint_is_not_found(world: World) {
        let developer = Developer::new(world).await;
        developer.create().await;
        let page = developer.open().await;
        let endpoint = page.form(&action("test")).value("endpoint").to_owned();
        let (other, browser) = signed_in(&developer.scene.world, &developer.scene.server, "other@example.org").await;
        let (app, _) = register(&browser, &other).await;
        browser.get(&developer.path()).await.assert_refused(404);
        browser.get("/developer/webhooks/no-uuid").await.assert_refused(404);
        let create = browser.open(&format!("/developer/webhooks/{}", app.client_id)).await;
        let create = create.form(&action("create")).with("url", "https://hooks.example/x");
        let own = secret(&browser.submit(&create).await);
        assert!(!own.is_empty());
        browser.submit(&create.with("client", &developer.app.client_id)).await.assert_refused(404);
        let mine = browser.open(&format!("/developer/webhooks/{}", app.client_id)).await;
        for name in ACTIONS {
            let form = mine.form(&action(name));
            for (client, endpoint) in [(&app.client_id, &endpoint), (&developer.app.client_id, &endpoint)] {
                let foreign = form.with("client", client).with("endpoint", endpoint);
                browser.submit(&foreign).await.assert_refused(404);
            }
            browser.submit(&form.with("endpoint", "x")).await.assert_refused(400);
            browser.submit(&form.without("form_token")).await.assert_refused(403);
            Browser::new(&developer.scene.server).submit(&form).await.assert_refused(403);
        }
        browser.submit(&mine.form(&action("replay")).with("days", "2")).await.assert_refused(400);
        browser.submit(&mine.form(&action("replay")).with("days", "-1")).await.assert_refused(400);
        assert_rows(&developer.scene.world, "webhook_endpoint", "", 2).await;
        assert_rows(&developer.scene.world, "audit_event", "WHERE kind = 'webhook.secret_rotated'", 0).await;
    }

    async fn a_secret_and_a_deletion_need_a_recent_sign_in(world: World) {
        let developer = Developer::new(world).await;
        developer.create().await;
        let (browser, page) = (&developer.scene.browser, developer.open().await);
        developer.scene.world.advance(TimeDelta::seconds(301));
        let create = page.form(&action("create")).with("url", "https://hooks.example/kept");
        for form in [&page.form(&action("rotate-secret")), &page.form(&action("delete")), &create] {
            assert_eq!(browser.submit(form).await.own_location(), "/sign-in?to=continue");
        }
        for (name, done) in [("test", "tested"), ("replay", "replayed")] {
            assert!(browser.submit(&page.form(&action(name))).await.own_location().contains(done));
        }
        let delete = page.form(&action("delete"));
        let kept = developer.submit_and_sign_in(&delete).await;
        assert!(kept.text().contains(delete.value("url")), "{kept:?}");
        developer.scene.world.advance(TimeDelta::seconds(301));
        let create = developer.open().await.form(&action("create")).with("url", "https://hooks.example/kept");
        let kept = developer.submit_and_sign_in(&create).await;
        assert!(kept.text().contains("hooks.example/kept") && !kept.text().contains(&developer.app.client_id));
        secret(&browser.submit(&kept.form(&action("create"))).await);
    }

    async fn the_owner_is_notified_of_a_disabled_endpoint_and_tests_it_on_the_page(world: World) {
        let mail = MailServer::start().await;
        let developer = Developer::new(with_mail(world, mail.port)).await;
        developer.create().await;
        developer.receiver.answer_with(ReceiverResponse::Status(410));
        let page = developer.open().await;
        developer.scene.browser.submit(&page.form(&action("test"))).await;
        let [message] = &mail.wait_for(1).await[..] else { panic!("one email") };
        assert_eq!(message.to, developer.scene.person.email);
        assert!(message.text.contains(&developer.path()), "{message:?}");
        let disabled = developer.wait_for("Disabled since").await;
        assert!(disabled.text().contains("It responded with status 410."), "{disabled:?}");
        developer.receiver.answer_with(ReceiverResponse::Status(204));
        let tested = developer.scene.browser.submit(&disabled.form(&action("test"))).await;
        assert!(tested.own_location().contains("?done=challenged"), "{tested:?}");
        developer.wait_for("Active").await;
    }
}
