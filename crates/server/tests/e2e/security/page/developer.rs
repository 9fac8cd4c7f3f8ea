//! Apps that people register on the page.

use crate::e2e::app::{REDIRECT_URI, Registration, code, text};
use crate::e2e::browser::{Browser, Page, PageForm};
use crate::e2e::person::{Person, signed_in};
use crate::e2e::security::auth_request::{AuthRequest, allow, ask, reach_consent};
use crate::e2e::security::caller::Caller;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::{World, run_process};
use chrono::TimeDelta;

pub(super) fn with_self_service(world: World) -> Scene {
    Scene::new(world.with("RESTWELL__DEVELOPERS__SELF_SERVICE", "true"))
}

/// Returns the filled form for a new app.
pub(in crate::e2e::security) async fn new_app(browser: &Browser) -> PageForm {
    let form = browser.open("/developer").await.form("/developer");
    let form = form.with("name", "Night Owl").with("contact", "dev@owl.example").with("kind", "confidential");
    form.with("redirect_uri", REDIRECT_URI).tick("scope", &["sleep"])
}

/// Lets an app do without PKCE and send its secret in a query, as apps that the operator creates can.
pub(super) fn relax(world: &World, app: &Registration) {
    let change = ["--require-pkce", "false", "--allow-query-secrets", "true"];
    world.ok(&[&["client", "update", &app.client_id][..], &change].concat());
}

/// Returns the client secrets on a page.
fn secrets(page: &Page) -> Vec<String> {
    page.text().split_whitespace().filter(|word| word.starts_with("rws_")).map(str::to_owned).collect()
}

/// Registers an app; returns it and its page.
pub(super) async fn register(browser: &Browser, person: &Person) -> (Registration, Page) {
    let page = browser.submit(&new_app(browser).await).await;
    assert_eq!(page.status, 200, "{page:?}");
    let secrets = secrets(&page);
    assert_eq!(secrets.len(), 1, "{page:?}");
    let app = Registration {
        user_id: person.user_id.clone(),
        client_id: page.form("/developer/change").value("client").to_owned(),
        client_secret: secrets[0].clone(),
    };
    (app, page)
}

/// Approves an app as it is.
pub(super) fn approve(world: &World, id: &str) {
    let revision = text(&world.json(&["client", "show", id, "--json"]), "revision");
    world.ok(&["client", "approve", id, "--revision", &revision]);
}

fn asking(app: &Registration) -> AuthRequest {
    AuthRequest::new(app).with("scope", "sleep")
}

on_sqlite! {
    async fn without_the_setting_there_is_neither_the_page_nor_a_link_to_it(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        scene.browser.get("/developer").await.assert_refused(404);
        for path in ["/apps", "/activity", "/tokens"] {
            assert!(!scene.browser.open(path).await.body.contains("/developer"), "{path}");
        }
    }

    async fn a_secret_is_shown_once_and_the_draft_works_for_its_owner(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        for path in ["/apps", "/activity", "/tokens"] {
            assert!(scene.browser.open(path).await.body.contains("href=\"/developer\""), "{path}");
        }
        let (app, _) = register(&scene.browser, &scene.person).await;
        let own = scene.browser.open(&format!("/developer/{}", app.client_id)).await;
        assert!(own.text().contains("Night Owl") && own.text().contains("Not approved yet"), "{own:?}");
        assert_eq!(secrets(&own), Vec::<String>::new());
        let list = scene.browser.open("/developer").await;
        assert!(list.text().contains("draft") && secrets(&list).is_empty(), "{list:?}");
        let shown = scene.world.json(&["client", "show", &app.client_id, "--json"]);
        assert_eq!((&shown["require_pkce"], &shown["allow_query_secrets"]), (&true.into(), &false.into()), "{shown}");
        relax(&scene.world, &app);
        let consent = reach_consent(&scene.browser, &asking(&app), &scene.person).await;
        assert!(consent.text().contains("has not reviewed this app"), "{consent:?}");
        assert!(!consent.body.contains("name=\"remember\""), "{consent:?}");
        let code = allow(&scene.browser, &consent, &["sleep"]).await.answer_to(REDIRECT_URI)["code"].clone();
        let caller = Caller::new(&scene.server);
        caller.redeem(&app, &code).await.tokens();
        assert_rows(&scene.world, "draft_user", "", 0).await;
        let rotate = own.form("/developer/rotate-secret");
        let new = secrets(&scene.browser.submit(&rotate).await);
        assert_eq!(new.len(), 1);
        // A reload creates nothing.
        assert!(scene.browser.submit(&rotate).await.own_location().ends_with(&app.client_id));
        let rotated = Registration { client_secret: new[0].clone(), ..app.clone() };
        let old = scene.browser.open(&format!("/developer/{}", app.client_id)).await.forms("/developer/retire-secret");
        assert_eq!(old.len(), 2);
        assert!(scene.browser.submit(&old[0]).await.own_location().ends_with("?done=retired"));
        caller.redeem(&app, "rwc_x").await.assert_error(401, "invalid_client");
        caller.redeem(&rotated, "rwc_x").await.assert_error(400, "invalid_grant");
        // The last one stays.
        assert!(scene.browser.submit(&old[1]).await.own_location().ends_with(&app.client_id));
        caller.redeem(&rotated, "rwc_x").await.assert_error(400, "invalid_grant");
    }

    async fn a_draft_works_for_ten_people_besides_its_owner_until_it_is_approved(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (app, _) = register(&scene.browser, &scene.person).await;
        relax(&scene.world, &app);
        let caller = Caller::new(&scene.server);
        for number in 0..10 {
            let (user, browser) = signed_in(&scene.world, &scene.server, &format!("user-{number}@example.org")).await;
            let consent = reach_consent(&browser, &asking(&app), &user).await;
            let answer = allow(&browser, &consent, &["sleep"]).await.answer_to(REDIRECT_URI);
            caller.redeem(&app, &answer["code"]).await.tokens();
        }
        let (last, browser) = signed_in(&scene.world, &scene.server, "last@example.org").await;
        let consent = reach_consent(&browser, &asking(&app), &last).await;
        let refused = allow(&browser, &consent, &["sleep"]).await;
        refused.assert_refused(403);
        assert!(refused.text().contains("not open to everyone yet"), "{refused:?}");
        assert_rows(&scene.world, "draft_user", "", 10).await;
        assert_rows(&scene.world, "access_grant", "", 10).await;
        // Nor does the operator exceed the limit by hand.
        let by_hand = ["code", "create", "--client", &app.client_id, "--user", &last.user_id,
            "--redirect-uri", REDIRECT_URI, "--scope", "sleep"];
        assert!(scene.world.fails(&by_hand).contains("draft"));
        let drafts = scene.world.json_lines(&["client", "list", "--drafts", "--json"]);
        assert_eq!(drafts.iter().map(|draft| text(draft, "client_id")).collect::<Vec<_>>(), [app.client_id.as_str()]);
        let revision = text(&scene.world.json(&["client", "show", &app.client_id, "--json"]), "revision");
        assert!(scene.world.fails(&["client", "approve", &app.client_id, "--revision", "5d1f"]).contains("review it again"));
        let approved = scene.world.json(&["client", "approve", &app.client_id, "--revision", &revision, "--json"]);
        assert_eq!((text(&approved, "review"), text(&approved, "owner")), ("approved".to_owned(), scene.person.user_id.clone()));
        assert_eq!(scene.world.json_lines(&["client", "list", "--drafts", "--json"]), Vec::<serde_json::Value>::new());
        // The request is still open.
        let answer = allow(&browser, &consent, &["sleep"]).await.answer_to(REDIRECT_URI);
        caller.redeem(&app, &answer["code"]).await.tokens();
        // A new address makes it a draft again, in which the remembered and the older consents do not help.
        let change = scene.browser.open(&format!("/developer/{}", app.client_id)).await.form("/developer/change");
        let sent = scene.browser.submit(&change.with("name", "Night Owl Two")).await;
        assert!(sent.own_location().ends_with("?done=draft"), "{sent:?}");
        assert!(scene.browser.follow(&sent).await.text().contains("a draft again until the operator approves"));
        let consent = reach_consent(&browser, &asking(&app), &last).await;
        assert!(consent.text().contains("has not reviewed this app"), "{consent:?}");
    }

    async fn without_a_terminal_an_app_is_approved_only_by_its_revision(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (app, _) = register(&scene.browser, &scene.person).await;
        for more in [&[][..], &["--json"]] {
            let refused = scene.world.fails(&[&["client", "approve", &app.client_id][..], more].concat());
            assert!(refused.contains("--revision") && refused.contains("client show"), "{refused}");
        }
        let of_process = scene.world.command(&["client", "approve", &app.client_id]).output().expect("a result");
        assert!(!of_process.status.success() && String::from_utf8_lossy(&of_process.stderr).contains("--revision"));
        assert_rows(&scene.world, "client", "WHERE owner_id IS NOT NULL AND is_draft", 1).await;
    }

    async fn on_a_terminal_an_approval_shows_the_app_and_asks(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (app, page) = register(&scene.browser, &scene.person).await;
        let create = scene.browser.open(&format!("/developer/webhooks/{}", app.client_id)).await;
        let create = create.form("/developer/webhooks/create").with("url", "https://hooks.example/new");
        assert_eq!(scene.browser.submit(&create).await.status, 200);
        let refused = approve_on_terminal(&scene.world, &app.client_id, "n\n");
        for shown in ["Night Owl", REDIRECT_URI, "sleep", "dev@owl.example", "https://hooks.example/new", "[y/N]", "nothing was approved"] {
            assert!(refused.contains(shown), "{shown}: {refused}");
        }
        assert_rows(&scene.world, "client", "WHERE owner_id IS NOT NULL AND is_draft", 1).await;
        approve_on_terminal(&scene.world, &app.client_id, "y\n");
        assert_rows(&scene.world, "client", "WHERE owner_id IS NOT NULL AND is_draft", 0).await;
        assert_rows(&scene.world, "webhook_endpoint", "WHERE is_reviewed", 1).await;
        scene.browser.submit(&page.form("/developer/change").with("name", "Night Owl Two")).await;
        let again = approve_on_terminal(&scene.world, &app.client_id, "\n");
        assert!(again.contains("Night Owl Two") && again.contains("nothing was approved"), "{again}");
    }

    async fn a_code_issued_before_an_app_became_a_draft_again_is_not_redeemed_for_others(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (app, page) = register(&scene.browser, &scene.person).await;
        relax(&scene.world, &app);
        approve(&scene.world, &app.client_id);
        let stranger = Person::create(&scene.world, "stranger@example.org");
        let theirs = Registration { user_id: stranger.user_id.clone(), ..app.clone() };
        let code = code(&scene.world, &theirs, &["sleep"]);
        let change = page.form("/developer/change").with("name", "Night Owl Two");
        scene.browser.submit(&change).await.own_location();
        let caller = Caller::new(&scene.server);
        caller.redeem(&app, &code).await.assert_error(400, "invalid_grant");
        assert_rows(&scene.world, "access_grant", "", 0).await;
    }

    async fn another_persons_app_is_neither_shown_nor_changed(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (app, _) = register(&scene.browser, &scene.person).await;
        let (other, browser) = signed_in(&scene.world, &scene.server, "other@example.org").await;
        let (own, page) = register(&browser, &other).await;
        browser.get(&format!("/developer/{}", app.client_id)).await.assert_refused(404);
        browser.get("/developer/no-uuid").await.assert_refused(404);
        for action in ["/developer/change", "/developer/rotate-secret", "/developer/delete"] {
            browser.submit(&page.form(action).with("client", &app.client_id)).await.assert_refused(404);
            browser.submit(&page.form(action).with("client", "no-uuid")).await.assert_refused(400);
        }
        // The operator's app neither.
        browser.submit(&page.form("/developer/delete").with("client", &scene.app.client_id)).await.assert_refused(404);
        // A form of another browser's session is not accepted.
        let stolen = scene.browser.open("/developer").await.form("/developer").value("form_token").to_owned();
        browser.submit(&page.form("/developer/delete").with("form_token", &stolen)).await.assert_refused(403);
        assert_rows(&scene.world, "client", "WHERE owner_id IS NOT NULL", 2).await;
        let deleted = browser.submit(&page.form("/developer/delete")).await;
        assert_eq!(deleted.own_location(), "/developer?done=deleted");
        Caller::new(&scene.server).redeem(&own, "rwc_x").await.assert_error(401, "invalid_client");
        Caller::new(&scene.server).redeem(&app, "rwc_x").await.assert_error(400, "invalid_grant");
    }

    async fn invalid_and_deceptive_details_register_nothing(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let form = new_app(&scene.browser).await;
        for (field, value) in [
            ("name", ""), ("name", "Night\u{200b}Owl"), ("name", "Owl\u{202e}"), ("name", "Restwell"),
            ("name", "R\u{435}stwell"), ("name", "Official Night Owl"), ("contact", ""), ("contact", "me"),
            ("home_page", "http://owl.example"), ("privacy_policy", "javascript:alert(1)"), ("redirect_uri", ""),
            ("redirect_uri", "http://owl.example/cb"), ("redirect_uri", "https://owl.example/cb#x"),
        ] {
            scene.browser.submit(&form.with(field, value)).await.assert_refused(422);
        }
        for wrong in [&[][..], &["sleep:write"], &["x"]] {
            scene.browser.submit(&form.tick("scope", wrong)).await.assert_refused(422);
        }
        let form_with_faults = form.with("name", "Restwell Official").with("contact", "me").tick("scope", &[]);
        let page = scene.browser.submit(&form_with_faults).await;
        page.assert_refused(422);
        for error in ["looks like the name of this server", "Contact: enter", "Choose at least one kind of data"] {
            assert!(page.text().contains(error), "{error}: {page:?}");
        }
        scene.browser.submit(&form.with("kind", "service")).await.assert_refused(400);
        scene.browser.submit(&form.and("name", "x")).await.assert_refused(400);
        assert_rows(&scene.world, "client", "WHERE owner_id IS NOT NULL", 0).await;
    }

    async fn a_person_registers_ten_apps_and_no_more(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let form = new_app(&scene.browser).await;
        for number in 0..10 {
            let form = form.with("name", &format!("Night Owl {number}"));
            assert_eq!(scene.browser.submit(&form).await.status, 200);
            // A reload registers nothing.
            let again = scene.browser.submit(&form).await;
            again.assert_refused(422);
            assert!(again.text().contains("If you reloaded the page, nothing more was registered"), "{again:?}");
        }
        scene.browser.submit(&form).await.assert_refused(422);
        assert_rows(&scene.world, "client", "WHERE owner_id IS NOT NULL", 10).await;
        assert!(scene.browser.open("/developer").await.forms("/developer").is_empty());
    }

    async fn registering_and_rotating_need_a_recent_sign_in_and_keep_what_was_typed(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (_, page) = register(&scene.browser, &scene.person).await;
        let form = new_app(&scene.browser).await.with("name", "Dream Diary");
        scene.world.advance(TimeDelta::seconds(301));
        for form in [&form, &page.form("/developer/change"), &page.form("/developer/rotate-secret")] {
            assert_eq!(scene.browser.submit(form).await.own_location(), "/sign-in?to=continue");
        }
        assert_rows(&scene.world, "client_secret", "WHERE client_id IN (SELECT id FROM client WHERE owner_id IS NOT NULL)", 1).await;
        let sent = scene.browser.submit(&form).await;
        let confirm = scene.browser.follow(&sent).await.form("/sign-in");
        let confirmed = scene.browser.submit(&confirm.with("password", &scene.person.password)).await;
        let kept = scene.browser.follow(&confirmed).await.form("/developer");
        assert_eq!((kept.value("name"), kept.values("scope")), ("Dream Diary", vec!["sleep"]));
        assert_eq!(scene.browser.submit(&kept).await.status, 200);
    }

    async fn the_page_of_an_app_shows_its_addresses_and_leads_to_its_consent_page(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (app, page) = register(&scene.browser, &scene.person).await;
        for path in ["/authorize", "/api/token", "/.well-known/oauth-authorization-server"] {
            assert!(page.text().contains(&format!("{}{path}", scene.server.base_url)), "{path}: {page:?}");
        }
        let (_, link) = page.body.split_once("href=\"/authorize?").expect("a link");
        let query = link.split('"').next().expect("a query").replace("&#38;", "&");
        let started = scene.browser.get(&format!("/authorize?{query}")).await;
        let consent = scene.browser.follow(&started).await;
        assert!(consent.text().contains("Night Owl"), "{consent:?}");
        let code = allow(&scene.browser, &consent, &["sleep"]).await.answer_to(REDIRECT_URI)["code"].clone();
        Caller::new(&scene.server).redeem(&app, &code).await.assert_error(400, "invalid_grant");
    }

    async fn an_app_is_deleted_only_after_the_password_and_a_confirmation(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (_, page) = register(&scene.browser, &scene.person).await;
        scene.world.advance(TimeDelta::seconds(301));
        let sent = scene.browser.submit(&page.form("/developer/delete")).await;
        assert_eq!(sent.own_location(), "/sign-in?to=continue");
        let sign_in = scene.browser.follow(&sent).await;
        assert!(sign_in.text().contains("Nothing has been changed yet."), "{sign_in:?}");
        let confirm = sign_in.form("/sign-in").with("password", &scene.person.password);
        let confirmed = scene.browser.submit(&confirm).await;
        let kept = scene.browser.follow(&confirmed).await;
        let shown = kept.text();
        assert!(shown.contains("You were deleting an app") && shown.contains("Night Owl"), "{kept:?}");
        assert_rows(&scene.world, "client", "WHERE owner_id IS NOT NULL", 1).await;
        let deleted = scene.browser.submit(&kept.form("/developer/delete")).await;
        assert_eq!(deleted.own_location(), "/developer?done=deleted");
        assert_rows(&scene.world, "client", "WHERE owner_id IS NOT NULL", 0).await;
    }

    async fn a_draft_is_erased_with_its_owner_and_an_approved_app_stays(world: World) {
        let scene = with_self_service(world);
        scene.browser.sign_in(&scene.person).await;
        let (draft, _) = register(&scene.browser, &scene.person).await;
        scene.world.ok(&["client", "update", &draft.client_id, "--name", "Dream Diary"]);
        let (approved, _) = register(&scene.browser, &scene.person).await;
        relax(&scene.world, &approved);
        approve(&scene.world, &approved.client_id);
        scene.world.ok(&["user", "erase", &scene.person.user_id, "--yes"]);
        assert!(scene.world.fails(&["client", "show", &draft.client_id]).contains(&draft.client_id));
        let shown = scene.world.json(&["client", "show", &approved.client_id, "--json"]);
        assert!(shown["owner"].is_null() && shown["contact"].is_null(), "{shown}");
        ask(&scene.browser, &asking(&approved)).await.own_location();
    }
}

/// Approves an app on a terminal with this answer; returns what the terminal showed.
fn approve_on_terminal(world: &World, id: &str, answer: &str) -> String {
    let command = world.command(&["client", "approve", id]);
    let line = format!("{} client approve {id}", command.get_program().display());
    let mut terminal = std::process::Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    terminal.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    terminal.current_dir(command.get_current_dir().expect("a folder"));
    let shown = run_process(terminal, answer);
    String::from_utf8_lossy(&shown.stdout).into_owned()
}
