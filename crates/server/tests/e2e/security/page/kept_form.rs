//! Forms that are kept while the person signs in again.

use crate::e2e::browser::Browser;
use crate::e2e::person::Person;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;

/// Signs the scene's browser out from another browser of the person.
async fn end_session(scene: &Scene) {
    let other = Browser::new(&scene.server);
    other.sign_in(&scene.person).await;
    let form = other.open("/account").await.form("/account/sign-out-others");
    assert_eq!(other.submit(&form).await.own_location(), "/account?done=others-signed-out");
}

on_sqlite! {
    async fn nothing_typed_is_lost_when_the_session_ends_in_the_middle_of_a_form(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/supplements/product").await.form("/supplements/product");
        let form = form.with("name", "Tea & honey, \u{201c}evening\u{201d}").with("brand", "a=b;c");
        end_session(&scene).await;
        let sent = scene.browser.submit(&form).await;
        assert_eq!(sent.own_location(), "/sign-in?to=continue");
        assert_rows(&scene.world, "supplement", "WHERE owner_id IS NOT NULL", 0).await;
        let sign_in = scene.browser.follow(&sent).await.form("/sign-in");
        let sign_in = sign_in.with("email", &scene.person.email).with("password", &scene.person.password);
        let signed_in = scene.browser.submit(&sign_in).await;
        assert_eq!(signed_in.own_location(), "/continue");
        let page = scene.browser.follow(&signed_in).await;
        assert!(page.text().contains("You were entering a product"), "{page:?}");
        let kept = page.form("/supplements/product");
        assert_eq!(kept.value("name"), form.value("name"));
        assert_eq!(kept.value("brand"), "a=b;c");
        assert_ne!(kept.value("form_token"), form.value("form_token"));
        assert!(scene.browser.submit(&kept).await.own_location().starts_with("/supplements/add?supplement="));
        assert_rows(&scene.world, "supplement", "WHERE owner_id IS NOT NULL", 1).await;
    }

    async fn a_kept_form_is_offered_to_its_person_alone_and_once(world: World) {
        let scene = Scene::new(world);
        let other = Person::create(&scene.world, "other@example.org");
        for person in [&other, &scene.person] {
            let browser = Browser::new(&scene.server);
            browser.sign_in(&scene.person).await;
            let form = browser.open("/profile").await.form("/profile");
            end_session(&scene).await;
            let sent = browser.submit(&form.with("weight_kg", "99.5").with("confirm", "yes")).await;
            assert!(!format!("{:?}", sent.headers).contains("99.5"), "{sent:?}");
            browser.sign_in(person).await;
            let page = browser.get("/continue").await;
            if person.email == other.email {
                assert_eq!(page.own_location(), "/");
            } else {
                let kept = page.form("/profile");
                assert_eq!((kept.value("weight_kg"), kept.values("confirm").len()), ("99.5", 0));
            }
            assert_eq!(browser.get("/continue").await.own_location(), "/");
        }
    }

    // T27
    async fn a_form_without_the_token_of_the_ended_session_is_not_kept(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/tokens").await.form("/tokens").with("name", "x");
        end_session(&scene).await;
        let page = scene.browser.submit(&form.with("form_token", "x")).await;
        page.assert_refused(403);
        assert!(page.set_cookies().is_empty(), "{page:?}");
    }

    async fn a_form_too_long_to_be_kept_shows_advice(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/tokens").await.form("/tokens").with("name", &"x".repeat(4000));
        end_session(&scene).await;
        let page = scene.browser.submit(&form).await;
        page.assert_refused(403);
        assert!(page.text().contains("Nothing was saved") && page.set_cookies().is_empty(), "{page:?}");
    }

    async fn signing_out_forgets_the_kept_form(world: World) {
        let scene = Scene::new(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/tokens").await.form("/tokens").with("name", "x");
        end_session(&scene).await;
        scene.browser.submit(&form).await.own_location();
        scene.browser.sign_in(&scene.person).await;
        let sign_out = scene.browser.open("/account").await.form("/sign-out");
        scene.browser.submit(&sign_out).await;
        scene.browser.sign_in(&scene.person).await;
        assert_eq!(scene.browser.get("/continue").await.own_location(), "/");
    }
}
