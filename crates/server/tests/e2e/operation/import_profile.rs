//! Imports and the profile: empty fields are filled, others are overwritten only on request.

use super::import_kept::apple;
use crate::e2e::app::register;
use crate::e2e::browser::{Browser, Page, PageForm, file_form_with};
use crate::e2e::person::signed_in;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use serde_json::{Value, json};

/// Returns an Apple Health export with personal details.
fn export(birth_date: &str, blood_type: &str) -> String {
    let me = format!(
        "<Me HKCharacteristicTypeIdentifierDateOfBirth=\"{birth_date}\" \
         HKCharacteristicTypeIdentifierBloodType=\"HKBloodType{blood_type}\"/>\n <Record "
    );
    apple(&[(10, 6)]).replacen("<Record ", &me, 1)
}

/// Returns the birth date and the blood type of the profile.
fn profile(world: &World, user: &str) -> (Value, Value) {
    let shown = world.json(&["user", "show", user, "--json"]);
    (shown["birth_date"].clone(), shown["blood_type"].clone())
}

fn change(field: &str, old: Option<&str>, new: &str, applied: bool) -> Value {
    json!({"field": field, "old": old, "new": new, "applied": applied})
}

/// Returns the imports that changed this person's profile according to the audit trail, latest first, with
/// the actor.
fn events(world: &World, user: &str) -> Vec<(String, String)> {
    let text = world.ok(&["audit", "list", "--user", user, "--kind", "profile.imported", "--json"]);
    assert!(!text.contains("1990-05") && !text.contains("AB-"), "{text}");
    let line = |line: &str| {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let member = |name: &str| event[name].as_str().unwrap_or_else(|| panic!("{event}")).to_owned();
        (member("subject"), member("actor"))
    };
    text.lines().map(line).collect()
}

/// Signed-in person, born in 1988.
struct Visitor {
    browser: Browser,
    user: String,
}

impl Visitor {
    async fn new(world: &World, server: &Server, email: &str) -> Self {
        let (person, browser) = signed_in(world, server, email).await;
        world.ok(&["user", "update", &person.user_id, "--birth-date", "1988-01-02"]);
        Self { browser, user: person.user_id }
    }

    /// Uploads a file, with or without the profile checkbox, and waits for its end.
    async fn upload(&self, bytes: &str, is_ticked: bool) -> Page {
        let form = self.browser.open("/imports").await.form("/imports");
        let ticked: &[_] = if is_ticked { &[("overwrite_profile", "yes")] } else { &[] };
        let body = file_form_with(Some(form.value("form_token")), "export.xml", bytes.as_bytes(), ticked);
        let path = self.browser.upload_body(body).await.own_location();
        self.browser.processed(&path).await
    }

    async fn submit(&self, form: &PageForm) -> Page {
        let answer = self.browser.submit(form).await;
        self.browser.follow(&answer).await
    }
}

/// Returns the form that applies the proposals of the import.
fn form(page: &Page) -> PageForm {
    page.form("/imports/profile")
}

fn offers(page: &Page) -> usize {
    page.forms("/imports/profile").len()
}

on_sqlite! {
    async fn only_an_option_overwrites_a_profile_field_and_undo_restores_it(world: World) {
        let user = register(&world).user_id;
        world.ok(&["user", "update", &user, "--birth-date", "1988-01-02"]);
        let file = world.file("export.xml", &export("1990-05-17", "ABNegative"));
        let reported = world.ok(&["import", "--user", &user, &file]);
        assert!(reported.contains("not changed: birth_date: profile 1988-01-02, file 1990-05-17\n"), "{reported}");
        assert!(reported.contains("changed: blood_type, was empty, now AB-\n") && reported.contains("--profile"), "{reported}");
        assert_eq!(profile(&world, &user), (json!("1988-01-02"), json!("AB-")));

        let proposed = change("birth_date", Some("1988-01-02"), "1990-05-17", false);
        let again = world.json(&["import", "--user", &user, "--json", &file]);
        assert_eq!(again["profile"], json!([proposed]));
        let changed = json!([change("birth_date", Some("1988-01-02"), "1990-05-17", true)]);
        let dry_run = world.json(&["import", "--user", &user, "--profile", "--dry-run", "--json", &file]);
        assert_eq!((&dry_run["profile"], &dry_run["import_id"]), (&changed, &Value::Null));
        assert_eq!(profile(&world, &user).0, "1988-01-02");

        let done = world.json(&["import", "--user", &user, "--profile", "--json", &file]);
        assert_eq!(done["profile"], changed);
        assert_eq!(profile(&world, &user).0, "1990-05-17");
        let id = done["import_id"].as_str().expect("an id").to_owned();
        let recorded = events(&world, &user);
        assert_eq!((recorded.len(), &recorded[0]), (2, &(id.clone(), "operator".to_owned())));
        world.ok(&["import", "undo", &id]);
        assert_eq!(profile(&world, &user), (json!("1988-01-02"), json!("AB-")));
    }

    async fn a_restore_applies_its_profile_line_without_an_option(world: World) {
        let user = register(&world).user_id;
        world.ok(&["user", "update", &user, "--birth-date", "1988-01-02"]);
        let line = format!("{{\"type\":\"profile\",\"user_id\":\"{user}\",\"birth_date\":\"1990-05-17\"}}\n");
        let file = world.file("restore.ndjson", &line);
        let reported = world.json(&["import", "--user", &user, "--json", &file]);
        assert_eq!(reported["profile"], json!([change("birth_date", Some("1988-01-02"), "1990-05-17", true)]));
        assert_eq!(profile(&world, &user).0, "1990-05-17");
    }

    async fn an_upload_asks_before_it_overwrites_and_undo_restores_what_was_applied(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let page = sam.upload(&export("1990-05-17", "ABNegative"), false).await;
        assert_eq!(profile(&world, &sam.user), (json!("1988-01-02"), json!("AB-")));
        assert!(page.text().contains("Your profile: 1988-01-02. File: 1990-05-17."), "{}", page.text());
        // The page shows the current profile.
        world.ok(&["user", "update", &sam.user, "--birth-date", "1987-03-04"]);
        let path = format!("/imports/{}", form(&page).value("import"));
        let page = sam.browser.open(&path).await;
        assert!(page.text().contains("Your profile: 1987-03-04."), "{}", page.text());

        let nothing_ticked = sam.submit(&form(&page)).await;
        assert!(nothing_ticked.text().contains("Your profile was not changed"), "{}", nothing_ticked.text());
        assert_eq!(profile(&world, &sam.user).0, "1987-03-04");
        let applied = sam.submit(&form(&page).tick("field", &["birth_date"])).await;
        assert!(applied.text().contains("Your profile has been updated"), "{}", applied.text());
        assert!(applied.text().contains("before: 1987-03-04") && offers(&applied) == 0, "{}", applied.text());
        assert_eq!(profile(&world, &sam.user).0, "1990-05-17");
        let recorded = events(&world, &sam.user);
        assert_eq!(recorded.len(), 2);
        assert!(recorded.iter().all(|(subject, actor)| path.ends_with(subject) && actor == "person"));
        // Submits the same form again.
        let replayed = sam.submit(&form(&page).tick("field", &["birth_date"])).await;
        assert!(replayed.text().contains("Your profile was not changed"), "{}", replayed.text());

        let undone = sam.submit(&applied.form("/imports/undo")).await;
        assert!(undone.text().contains("Undone.") && !undone.body.contains("1990-05-17"), "{}", undone.text());
        assert_eq!(profile(&world, &sam.user), (json!("1987-03-04"), Value::Null));
        let late = sam.submit(&form(&page).tick("field", &["birth_date"])).await;
        assert!(late.text().contains("it was undone"), "{}", late.text());
        assert_eq!(profile(&world, &sam.user).0, "1987-03-04");
    }

    async fn an_upload_with_the_box_ticked_overwrites_and_shows_each_old_value(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let page = sam.upload(&export("1990-05-17", "ABNegative"), true).await;
        assert_eq!(profile(&world, &sam.user), (json!("1990-05-17"), json!("AB-")));
        assert!(page.text().contains("before: 1988-01-02") && offers(&page) == 0, "{}", page.text());
        sam.submit(&page.form("/imports/undo")).await;
        assert_eq!(profile(&world, &sam.user), (json!("1988-01-02"), Value::Null));
    }

    async fn two_uploads_with_different_proposals_are_applied_and_undone_independently(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let first = sam.upload(&export("1990-05-17", "ABNegative"), false).await;
        let second = sam.upload(&export("1991-06-18", "APositive"), false).await;
        for (page, expected) in [(&first, "1990-05-17"), (&second, "1991-06-18")] {
            sam.submit(&form(page).and("all", "yes")).await;
            assert_eq!(profile(&world, &sam.user).0, expected);
        }
        for (page, expected) in
            [(&second, (json!("1990-05-17"), json!("AB-"))), (&first, (json!("1988-01-02"), Value::Null))]
        {
            sam.submit(&page.form("/imports/undo")).await;
            assert_eq!(profile(&world, &sam.user), expected);
        }
    }

    async fn a_proposal_of_another_persons_import_cannot_be_applied(world: World) {
        let server = world.serve();
        let sam = Visitor::new(&world, &server, "sam@example.org").await;
        let eve = Visitor::new(&world, &server, "eve@example.org").await;
        let page = sam.upload(&export("1990-05-17", "ABNegative"), false).await;
        let own = form(&page).and("all", "yes");
        let token = eve.browser.open("/imports").await.form("/imports").value("form_token").to_owned();
        eve.browser.submit(&own.with("form_token", &token)).await.assert_refused(404);
        eve.browser.submit(&own).await.assert_refused(403);
        sam.browser.submit(&own.without("form_token")).await.assert_refused(403);
        let foreign = [("origin", "https://evil.example")];
        sam.browser.submit_with(&own, &foreign).await.assert_refused(403);
        Browser::new(&server).submit(&own).await.assert_refused(403);
        for bad in [own.with("import", "7"), own.without("import"), own.and("field", "email")] {
            sam.browser.submit(&bad).await.assert_refused(400);
        }
        for person in [&sam, &eve] {
            assert_eq!(profile(&world, &person.user).0, "1988-01-02");
        }
        world.ok(&["user", "erase", &sam.user, "--yes"]);
        sam.browser.submit(&own).await.assert_refused(403);
    }
}
