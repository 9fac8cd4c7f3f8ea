//! Supplements by hand: own products, entries, and what others see of them.

use super::token::make_token;
use crate::e2e::app::{Registration, create_service};
use crate::e2e::browser::{Browser, Page, PageForm, file_form};
use crate::e2e::person::{Person, signed_in};
use crate::e2e::security::account::people::trail;
use crate::e2e::security::caller::{Caller, Form};
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::server::Server;
use crate::e2e::world::{World, json_lines};
use reqwest::Method;
use serde_json::{Value, json};

async fn scene(world: World) -> Scene {
    let scene = Scene::new(world);
    scene.browser.sign_in(&scene.person).await;
    scene
}

/// Returns the part of a location after a prefix, up to the next parameter.
fn after<'a>(text: &'a str, prefix: &str) -> &'a str {
    let (_, rest) = text.split_once(prefix).unwrap_or_else(|| panic!("no {prefix} in {text}"));
    rest.split(['&', '"']).next().unwrap()
}

async fn product_form(browser: &Browser) -> PageForm {
    browser.open("/supplements/product").await.form("/supplements/product")
}

/// Returns the form with only these rows of ingredients.
fn with_rows(form: &PageForm, rows: &[(&str, &str, &str)]) -> PageForm {
    let form = form.without("ingredient").without("amount").without("unit");
    rows.iter().fold(form, |form, (name, amount, unit)| {
        form.and("ingredient", name).and("amount", amount).and("unit", unit)
    })
}

/// Creates a product and returns its id.
async fn create(browser: &Browser, name: &str) -> String {
    let form = with_rows(
        &product_form(browser).await.with("name", name),
        &[("Vitamin D3", "25", "mcg"), ("Oil", "", "")],
    );
    let saved = browser.submit(&form).await.own_location();
    after(&saved, "/supplements/add?supplement=").to_owned()
}

async fn entry_form(browser: &Browser, product: &str) -> PageForm {
    browser.open(&format!("/supplements/add?supplement={product}")).await.form("/supplements/add")
}

/// Logs an intake and returns the page of its day.
async fn log(browser: &Browser, product: &str) -> Page {
    let form = entry_form(browser, product).await.with("date", "2026-01-15").with("time", "07:30");
    let done = browser.submit(&form).await;
    assert_eq!(done.own_location(), "/supplements?day=2026-01-15&done=added");
    browser.follow(&done).await
}

async fn read_supplements(server: &Server, token: &str, person: &Person) -> Value {
    let reply = Caller::new(server).read(token, &format!("/api/v1/supplements/{}", person.user_id)).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    serde_json::from_str(&reply.body).unwrap()
}

on_sqlite! {
    async fn a_product_of_ones_own_is_created_logged_changed_and_deleted_by_hand(world: World) {
        let scene = scene(world).await;
        let (browser, person) = (&scene.browser, &scene.person);
        let token = make_token(browser, "reader", &["supplements"]).await;
        let product = create(browser, "Grandmother's drops").await;
        let page = log(browser, &product).await;
        assert!(page.text().contains("Your intake has been added."), "{page:?}");
        assert!(page.text().contains("Vitamin D3 25 mcg"), "{}", page.text());
        assert!(page.text().contains("1 ingredient is not included"), "{}", page.text());
        // All marks are equal.
        assert!(page.text().contains("One row for each product") && !page.text().contains("taller"), "{}", page.text());
        let entry = after(&page.body, "/supplements/change?entry=").to_owned();

        let read = read_supplements(&scene.server, &token, person).await;
        let record = &read["data"][0];
        assert_eq!(record["details"]["name"], "Grandmother's drops", "{read}");
        assert_eq!(record["logs"][0]["servings"], 1.0, "{read}");
        assert_eq!(record["logs"][0]["created_at"], "2026-01-15T06:30:00.000000+00:00", "{read}");

        let form = browser.open(&format!("/supplements/change?entry={entry}")).await.form("/supplements/change");
        assert_eq!((form.value("servings"), form.value("date"), form.value("time")), ("1", "2026-01-15", "07:30"));
        let changed = browser.submit(&form.with("servings", "2,5").with("time", "08:00")).await;
        assert_eq!(changed.own_location(), "/supplements?day=2026-01-15&done=changed");
        let page = browser.follow(&changed).await;
        assert!(page.text().contains("08:00") && page.text().contains("62.5 mcg"), "{}", page.text());

        // A change of the product leaves the entry as it was.
        let form = browser.open(&format!("/supplements/product?product={product}")).await.form("/supplements/product");
        let saved = browser.submit(&form.with("name", "Other drops")).await;
        assert_eq!(saved.own_location(), "/supplements?done=product");
        let read = read_supplements(&scene.server, &token, person).await;
        assert_eq!(read["data"][0]["details"]["name"], "Grandmother's drops", "{read}");
        assert!(browser.open("/supplements/add").await.text().contains("Other drops"));

        let delete = browser.open(&format!("/supplements/change?entry={entry}")).await.form("/supplements/delete");
        for _ in 0..2 {
            assert_eq!(browser.submit(&delete).await.own_location(), "/supplements?done=deleted");
        }
        assert_eq!(read_supplements(&scene.server, &token, person).await["data"], json!([]));
        let feed = Caller::new(&scene.server)
            .read(&token, &format!("/api/v1/changes/{}?types=supplements", person.user_id)).await;
        assert_eq!(feed.status, 200, "{feed:?}");
        assert!(feed.body.contains(&entry), "{feed:?}");
        let kinds = |kind: &str| trail(&scene.world, &["--user", &person.user_id, "--kind", kind]);
        for (kind, count) in [("supplement_log.written", 2), ("supplement_log.deleted", 1), ("supplement.written", 2)] {
            let events = kinds(kind);
            assert_eq!(events.len(), count, "{events:?}");
            assert!(events.iter().all(|event| event["actor"] == "person"), "{events:?}");
        }
        let shown = browser.open("/activity").await.text();
        assert!(shown.contains("You deleted a supplement intake") && shown.contains("You changed your products"), "{shown}");
    }

    async fn another_persons_products_and_entries_do_not_exist(world: World) {
        let scene = scene(world).await;
        let product = create(&scene.browser, "Secret drops").await;
        let page = log(&scene.browser, &product).await;
        let entry = after(&page.body, "/supplements/change?entry=").to_owned();
        let (stranger, other) = signed_in(&scene.world, &scene.server, "stranger@example.org").await;
        for path in [
            format!("/supplements/add?supplement={product}"), format!("/supplements/change?entry={entry}"),
            format!("/supplements/product?product={product}"), "/supplements/add?supplement=x".to_owned(),
            "/supplements/change?entry=x".to_owned(), "/supplements/change".to_owned(),
        ] {
            other.get(&path).await.assert_refused(404);
        }
        let own = create(&other, "Mine").await;
        let theirs = log(&other, &own).await;
        let form = entry_form(&other, &own).await;
        other.submit(&form.with("supplement", &product)).await.assert_refused(404);
        let own_entry = after(&theirs.body, "/supplements/change?entry=").to_owned();
        let page = other.open(&format!("/supplements/change?entry={own_entry}")).await;
        other.submit(&page.form("/supplements/change").with("entry", &entry)).await.assert_refused(404);
        other.submit(&page.form("/supplements/delete").with("entry", &entry)).await.own_location();
        let page = other.open(&format!("/supplements/product?product={own}")).await;
        let change = page.form("/supplements/product").with("product", &product).with("name", "Taken over");
        other.submit(&change).await.assert_refused(404);
        other.submit(&page.form("/supplements/product/delete").with("product", &product)).await.own_location();
        let search = other.open("/supplements/add").await.form("/supplements/search");
        let found = other.submit(&search.with("query", "secret drops")).await;
        assert!(found.text().contains("No product matches"), "{found:?}");
        assert_rows(&scene.world, "intake_log", "", 2).await;
        assert_rows(&scene.world, "supplement", "WHERE name = 'Secret drops'", 1).await;

        // A backend cannot give one person's product to another either, or change it.
        let scopes = ["supplements:write"];
        let service = create_service(&scene.world, &scene.person.user_id, &scopes);
        let token = service_token(&scene.server, &service).await;
        let log = json!({"supplement_id": product, "created_at": "2026-01-15T06:30:00Z", "servings": 1});
        let path = format!("/api/v1/supplements/{}/logs", stranger.user_id);
        let refused = post(&scene.server, &token, &path, &log).await;
        assert!(refused.contains("unknown_supplement"), "{refused}");
        let path = format!("/api/v1/supplements/{}/logs", scene.person.user_id);
        let stored = post(&scene.server, &token, &path, &log).await;
        assert!(!stored.contains("unknown_supplement"), "{stored}");
        let label = json!({"id": product, "name": "Taken over", "external_source": "shop", "external_id": "1"});
        post(&scene.server, &token, "/api/v1/supplements", &label).await;
        let own_source = json!({"name": "Forged", "external_source": "own", "external_id": format!("{}/{product}", stranger.user_id)});
        post(&scene.server, &token, "/api/v1/supplements", &own_source).await;
        assert_rows(&scene.world, "supplement", "WHERE name = 'Secret drops'", 1).await;
        assert_rows(&scene.world, "supplement", "WHERE name = 'Forged'", 0).await;
    }

    async fn an_invalid_intake_is_refused_with_what_was_typed(world: World) {
        let scene = scene(world).await;
        let product = create(&scene.browser, "Drops").await;
        let form = entry_form(&scene.browser, &product).await;
        let tomorrow = "2199-01-01";
        for (name, value, status) in [
            ("servings", "", 422), ("servings", "0", 422), ("servings", "-1", 422), ("servings", "NaN", 422),
            ("servings", "inf", 422), ("servings", "1e3", 422), ("servings", "10001", 422), ("servings", "1\n2", 400),
            ("servings", &"1".repeat(300), 422), ("date", "2026-02-30", 422), ("date", "", 422), ("date", "0000-00-00", 422),
            ("date", "1899-12-31", 422), ("date", tomorrow, 422), ("date", "99999-01-01", 422), ("time", "25:00", 422),
            ("time", "", 422), ("time", "7", 422), ("entry", "", 400), ("entry", "x", 400), ("supplement", "x", 400),
            ("supplement", "11111111-2222-4333-8444-555555555555", 404), ("fold", "third", 400),
        ] {
            let page = scene.browser.submit(&form.with(name, value)).await;
            page.assert_refused(status);
            if status == 422 && value.len() < 100 {
                assert_eq!(page.form("/supplements/add").value(name), value, "{name}");
            }
        }
        scene.browser.submit(&form.and("servings", "1")).await.assert_refused(400);
        let stale = form.with("form_token", "x");
        scene.browser.submit(&stale).await.assert_refused(403);
        assert_rows(&scene.world, "intake_log", "", 0).await;
    }

    async fn a_time_that_clocks_skip_is_refused_and_one_that_occurs_twice_is_asked_about(world: World) {
        let scene = scene(world).await;
        let product = create(&scene.browser, "Drops").await;
        let form = entry_form(&scene.browser, &product).await;
        let skipped = form.with("date", "2025-03-30").with("time", "02:30");
        let page = scene.browser.submit(&skipped).await;
        page.assert_refused(422);
        assert!(page.text().contains("this time did not exist"), "{page:?}");
        let page = scene.browser.submit(&form.with("date", "2025-10-26").with("time", "02:30")).await;
        page.assert_refused(422);
        assert!(page.text().contains("Which of the two?"), "{page:?}");
        let second = page.form("/supplements/add").with("fold", "second");
        let done = scene.browser.submit(&second).await;
        assert_eq!(done.own_location(), "/supplements?day=2025-10-26&done=added");
        let page = scene.browser.follow(&done).await;
        let entry = after(&page.body, "/supplements/change?entry=").to_owned();
        let exported = scene.world.ok(&["export", "--user", &scene.person.user_id]);
        assert!(exported.contains("2025-10-26T01:30:00"), "{exported}");
        // The form of the entry keeps the choice.
        let form = scene.browser.open(&format!("/supplements/change?entry={entry}")).await;
        assert!(form.body.contains("value=\"second\" checked"), "{form:?}");
    }

    async fn a_form_that_is_sent_twice_has_one_effect(world: World) {
        let scene = scene(world).await;
        let form = product_form(&scene.browser).await.with("name", "Drops");
        let first = scene.browser.submit(&form).await.own_location();
        assert_eq!(scene.browser.submit(&form).await.own_location(), first);
        scene.browser.submit(&form.with("name", "Other")).await.assert_refused(422);
        assert_rows(&scene.world, "supplement", "", 1).await;
        let entry = entry_form(&scene.browser, after(&first, "supplement=")).await;
        for _ in 0..2 {
            scene.browser.submit(&entry).await.own_location();
        }
        let page = scene.browser.submit(&entry.with("servings", "3")).await;
        page.assert_refused(422);
        assert!(page.text().contains("already saved this form"), "{page:?}");
        assert_rows(&scene.world, "intake_log", "", 1).await;
    }

    async fn an_invalid_product_is_refused_with_what_was_typed(world: World) {
        let scene = scene(world).await;
        let form = product_form(&scene.browser).await.with("name", "Drops");
        for (form, status) in [
            (form.with("name", ""), 422), (form.with("name", "  "), 422), (form.with("name", &"x".repeat(201)), 422),
            (form.with("name", "a\tb"), 400), (form.with("brand", &"x".repeat(201)), 422), (form.with("upc", "12"), 422),
            (form.with("upc", "no code"), 422), (with_rows(&form, &[("Zinc", "0", "mg")]), 422),
            (with_rows(&form, &[("Zinc", "-5", "mg")]), 422), (with_rows(&form, &[("Zinc", "NaN", "mg")]), 422),
            (with_rows(&form, &[("Zinc", "999999999999", "mg")]), 422), (with_rows(&form, &[("Zinc", "5", "")]), 422),
            (with_rows(&form, &[("Zinc", "5", "NP")]), 422), (with_rows(&form, &[("", "5", "mg")]), 422),
            (with_rows(&form, &[(&"x".repeat(501), "5", "mg")]), 422), (with_rows(&form, &[("a\nb", "5", "mg")]), 400),
            (with_rows(&form, &[("Zinc", "5", &"x".repeat(61))]), 422), (form.and("ingredient", "x"), 400),
            (with_rows(&form, &[("x", "", ""); 31]), 400), (form.with("entry", "x"), 400), (form.with("product", "x"), 400),
            (form.with("product", "11111111-2222-4333-8444-555555555555"), 404),
        ] {
            scene.browser.submit(&form).await.assert_refused(status);
        }
        let page = scene.browser.submit(&with_rows(&form.with("brand", "B"), &[("Zinc", "0", "mg")])).await;
        let again = page.form("/supplements/product");
        assert_eq!((again.value("name"), again.value("brand")), ("Drops", "B"));
        assert_eq!((again.values("ingredient")[0], again.values("amount")[0]), ("Zinc", "0"));
        assert_rows(&scene.world, "supplement", "", 0).await;
    }

    async fn a_search_needs_a_word_and_repeats_the_query_as_text(world: World) {
        let scene = scene(world).await;
        let form = scene.browser.open("/supplements/add").await.form("/supplements/search");
        for (query, status) in [("", 422), ("--", 422), (&"x".repeat(201), 422), ("a\u{1}", 400)] {
            scene.browser.submit(&form.with("query", query)).await.assert_refused(status);
        }
        for query in ["<script>", "'; DROP TABLE supplement --", ":* & |", "%", "\\", "vitamin d", "012345678905"] {
            let page = scene.browser.submit(&form.with("query", query)).await;
            assert!(page.status == 200 || page.status == 422, "{query}: {page:?}");
        }
    }

    async fn custom_products_return_with_an_export_and_belong_to_who_uploads_it(world: World) {
        let scene = scene(world).await;
        let product = create(&scene.browser, "Secret drops").await;
        log(&scene.browser, &product).await;
        let export = scene.world.ok(&["export", "--user", &scene.person.user_id]);
        assert!(export.contains("Secret drops") && export.contains("\"own\""), "{export}");
        let (heir, other) = signed_in(&scene.world, &scene.server, "heir@example.org").await;
        let export = export.replace(&scene.person.user_id, &heir.user_id);
        for (new, count) in [("Intakes 1 new", 2), ("Intakes 0 new", 2)] {
            let form = other.open("/imports").await.form("/imports");
            let body = file_form(Some(form.value("form_token")), "export.ndjson", export.as_bytes());
            let path = other.upload_body(body).await.own_location();
            let page = other.processed(&path).await;
            assert!(page.text().contains(new), "{}", page.text());
            assert_rows(&scene.world, "supplement", "WHERE name = 'Secret drops'", count).await;
        }
        let page = other.open("/supplements?day=2026-01-15").await;
        let entry = after(&page.body, "/supplements/change?entry=").to_owned();
        assert!(page.text().contains("Secret drops"), "{page:?}");
        let delete = other.open(&format!("/supplements/change?entry={entry}")).await.form("/supplements/delete");
        other.submit(&delete).await.own_location();
        assert_rows(&scene.world, "intake_log", "", 1).await;
        // Their own product did not change, and is erased with them.
        let lines = json_lines(&scene.world.ok(&["export", "--user", &scene.person.user_id]));
        assert!(lines.iter().any(|line| line["id"] == product.as_str()), "{lines:?}");
        scene.world.ok(&["user", "erase", &heir.user_id, "--yes"]);
        assert_rows(&scene.world, "supplement", "WHERE name = 'Secret drops'", 1).await;
    }

    async fn a_form_after_the_session_ended_stores_nothing(world: World) {
        let scene = scene(world).await;
        let product = create(&scene.browser, "Drops").await;
        let form = entry_form(&scene.browser, &product).await;
        let page = scene.browser.open("/account").await;
        scene.browser.submit(&page.form("/account/sign-out-everywhere")).await;
        let refused = scene.browser.submit(&form).await;
        assert!(refused.status == 403 || refused.status == 303, "{refused:?}");
        assert_rows(&scene.world, "intake_log", "", 0).await;
    }
}

async fn service_token(server: &Server, service: &Registration) -> String {
    let form = Form(vec![("grant_type", "client_credentials".to_owned())]).signed_by(service);
    Caller::new(server).post("/api/token", &form).await.access()
}

async fn post(server: &Server, token: &str, path: &str, body: &Value) -> String {
    let url = format!("{}{path}", server.base_url);
    let request = reqwest::Client::new().request(Method::POST, url).bearer_auth(token).json(body);
    request.send().await.unwrap().text().await.unwrap()
}
