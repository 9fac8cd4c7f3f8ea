//! The profile page: changes after a preview, where values came from, invalid values.

use super::token::make_token;
use crate::e2e::browser::PageForm;
use crate::e2e::security::account::people::trail;
use crate::e2e::security::caller::Caller;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use serde_json::Value;

async fn scene(world: World) -> (Scene, PageForm) {
    let scene = Scene::new(world);
    scene.browser.sign_in(&scene.person).await;
    let form = scene.browser.open("/profile").await.form("/profile");
    (scene, form)
}

fn shown(scene: &Scene) -> Value {
    scene.world.json(&["user", "show", &scene.person.user_id, "--json"])
}

on_sqlite! {
    async fn a_change_is_previewed_saved_audited_and_reaches_the_apps(world: World) {
        let (scene, form) = scene(world).await;
        let browser = &scene.browser;
        let token = make_token(browser, "reader", &["profile"]).await;
        let changed = form.with("height_cm", "172,5").with("blood_type", "AB-").with("home_timezone", "Asia/Tokyo");
        let preview = browser.submit(&changed).await;
        assert_eq!(preview.status, 200, "{preview:?}");
        let text = preview.text();
        for words in ["Height Now: not set New: 172.5 cm", "Blood type Now: not set New: AB-", "Asia/Tokyo", "The time now"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert_eq!(shown(&scene)["height_cm"], Value::Null);
        let saved = browser.submit(&preview.form("/profile")).await;
        assert_eq!(saved.own_location(), "/profile?done=saved");
        let text = browser.follow(&saved).await.text();
        assert!(text.contains("Your profile has been saved.") && text.contains("Entered by you on"), "{text}");
        let read = Caller::new(&scene.server).read_profile(&token, &scene.app).await;
        assert!(read.body.contains("172.5") && read.body.contains("Asia/Tokyo"), "{read:?}");
        let events = trail(&scene.world, &["--user", &scene.person.user_id, "--kind", "user.changed"]);
        assert_eq!((events.len(), events[0]["actor"].as_str()), (1, Some("person")), "{events:?}");
        // The same form again changes nothing.
        assert_eq!(browser.submit(&preview.form("/profile")).await.own_location(), "/profile?done=same");
    }

    async fn an_invalid_value_is_refused_with_what_was_typed(world: World) {
        let (scene, form) = scene(world).await;
        for (name, value, status) in [
            ("home_timezone", "", 422), ("home_timezone", "US/Eastern", 422), ("home_timezone", "Asia/Calcutta", 422),
            ("home_timezone", "Mars/Base", 422), ("home_timezone", "Europe/Berlin\n", 400), ("birth_date", "1990-02-30", 422),
            ("birth_date", "1879-01-01", 422), ("birth_date", "2199-01-01", 422), ("biological_sex", "x", 422), ("blood_type", "C+", 422), ("height_cm", "0", 422),
            ("height_cm", "-170", 422), ("height_cm", "NaN", 422), ("height_cm", "1e2", 422), ("weight_kg", "99999", 422),
            ("weight_kg", &"9".repeat(400), 422), ("skin_type", "7", 422), ("wheelchair_use", "perhaps", 422),
        ] {
            let page = scene.browser.submit(&form.with(name, value).with("confirm", "yes")).await;
            page.assert_refused(status);
            if status == 422 && !["biological_sex", "blood_type", "skin_type", "wheelchair_use"].contains(&name) {
                assert_eq!(page.form("/profile").value(name), value, "{name}");
            }
        }
        scene.browser.submit(&form.and("height_cm", "170")).await.assert_refused(400);
        scene.browser.submit(&form.with("form_token", "x")).await.assert_refused(403);
        assert_rows(&scene.world, "profile_source", "", 0).await;
        // A part of a name leads to the zone.
        let page = scene.browser.submit(&form.with("home_timezone", "new york")).await;
        page.assert_refused(422);
        let preview = scene.browser.submit(&page.form("/profile").with("zone_choice", "America/New_York")).await;
        assert!(preview.text().contains("America/New_York"), "{preview:?}");
    }

    async fn an_old_form_does_not_take_back_what_others_changed_and_sources_are_named(world: World) {
        let (scene, form) = scene(world).await;
        scene.world.ok(&["user", "update", &scene.person.user_id, "--birth-date", "1988-01-02"]);
        let changed = scene.browser.submit(&form.with("weight_kg", "64").with("confirm", "yes")).await;
        assert_eq!(changed.own_location(), "/profile?done=saved");
        assert_eq!(shown(&scene)["birth_date"], "1988-01-02");
        let text = scene.browser.open("/profile").await.text();
        assert!(text.contains("Set by the operator on") && text.contains("Entered by you on"), "{text}");
        assert!(text.contains("Set when your account was created"), "{text}");
        let line = "{\"type\":\"profile\",\"height_cm\":181}\n";
        let file = scene.world.file("profile.ndjson", line);
        scene.world.ok(&["import", "--user", &scene.person.user_id, &file]);
        let text = scene.browser.open("/profile").await.text();
        assert!(text.contains("Imported from profile.ndjson on"), "{text}");
    }
}
