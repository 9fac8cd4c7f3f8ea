//! Attacks on adding, renaming and removing passkeys.

use super::{Authenticator, Stage, add, begin, filled, scene};
use crate::e2e::browser::{Browser, Page};
use crate::e2e::person::Person;
use crate::e2e::security::scene::{Scene, assert_rows};
use crate::e2e::world::World;
use chrono::TimeDelta;
use domain::passkey::{from_base64url, to_base64url};

async fn assert_nothing_added(scene: &Scene, page: Page) {
    page.assert_refused(422);
    // The form keeps the typed values.
    assert!(page.body.contains("value=\"My phone\""), "{page:?}");
    assert_rows(&scene.world, "passkey", "", 0).await;
    assert_rows(&scene.world, "passkey_ceremony", "", 0).await;
    assert_rows(&scene.world, "audit_event", "WHERE kind = 'passkey.added'", 0).await;
}

on_both_stores! {
    async fn adding_and_removing_a_passkey_ends_other_sessions_and_is_recorded(world: World) {
        let stage = Stage::new(world).await;
        let (world, browser) = (&stage.scene.world, &stage.scene.browser);
        let other = Browser::new(&stage.scene.server);
        other.sign_in(&stage.scene.person).await;
        let form = browser.open("/account").await.form("/account/passkeys/rename");
        assert_eq!(browser.submit(&form.with("name", "Blue key")).await.own_location(), "/account?done=passkey-renamed");
        assert!(browser.open("/account").await.text().contains("Blue key"));
        assert!(other.is_signed_in().await);
        assert_eq!(add(browser, &Authenticator::new(&[8; 32])).await.own_location(), "/account?done=passkey-added");
        assert!(!other.is_signed_in().await && browser.is_signed_in().await);
        other.sign_in(&stage.scene.person).await;
        let removal = browser.open("/account").await.forms("/account/passkeys/remove").remove(0);
        assert_eq!(browser.submit(&removal).await.own_location(), "/account?done=passkey-removed");
        assert!(!other.is_signed_in().await && browser.is_signed_in().await);
        for (kind, number) in [("added", 2), ("renamed", 1), ("removed", 1)] {
            assert_rows(world, "audit_event", &format!("WHERE kind = 'passkey.{kind}'"), number).await;
        }
        stage.attempt(&stage.authenticator).await.assert_refused(422);
        assert_rows(world, "passkey", "", 1).await;
    }

    async fn a_credential_id_of_another_person_is_refused(world: World) {
        let stage = Stage::new(world).await;
        let stranger = Person::create(&stage.scene.world, "stranger@example.org");
        let browser = Browser::new(&stage.scene.server);
        browser.sign_in(&stranger).await;
        let page = add(&browser, &stage.authenticator).await;
        page.assert_refused(422);
        assert!(page.text().contains("already in use"), "{page:?}");
        add(&browser, &Authenticator::new(&[7; 32])).await.assert_refused(422);
        assert_rows(&stage.scene.world, "passkey", "", 1).await;
    }
}

/// Markup without a space, which an address may contain.
const MARKUP: &str = "<img/src=x/onerror=alert(1)>";

/// Change of an authenticator that makes its response invalid.
type Change = fn(&mut Authenticator);

on_sqlite! {
    // Kanidm rendered it as HTML in 2026.
    async fn html_in_a_name_or_an_address_is_text_at_the_enrolment_of_a_passkey(world: World) {
        let scene = scene(world);
        let person = Person::create(&scene.world, &format!("{MARKUP}@example.org"));
        let browser = &scene.browser;
        browser.sign_in(&person).await;
        let page = browser.open("/account").await;
        assert!(page.body.contains("data-email=\"&#60;img/src=x/onerror=alert(1)&#62;@example.org\""), "{page:?}");
        let form = page.form("/account/passkeys").with("passkey_name", MARKUP);
        let refused = browser.submit(&form).await;
        refused.assert_refused(422);
        assert_eq!(refused.form("/account/passkeys").value("passkey_name"), MARKUP);
        let challenge = begin(browser, &form).await;
        let filled = filled(&form, Authenticator::new(&[7; 32]).register(&challenge));
        assert_eq!(browser.submit(&filled).await.own_location(), "/account?done=passkey-added");
        for page in [&page, &refused, &browser.open("/account").await, &browser.open("/activity").await] {
            assert!(!page.body.contains("<img/src"), "{page:?}");
        }
        assert!(browser.open("/account").await.text().contains(MARKUP));
    }

    // T111
    async fn a_key_that_is_none_is_not_stored(world: World) {
        let scene = scene(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/account").await.form("/account/passkeys").with("passkey_name", "My phone");
        let challenge = begin(&scene.browser, &form).await;
        let authenticator = Authenticator::new(&[7; 32]);
        let mut fields = authenticator.register(&challenge);
        let mut object = from_base64url(&fields[1].1, 8192).expect("base64url");
        // The last byte of the second coordinate: the point is not on the curve.
        *object.last_mut().expect("byte") ^= 1;
        fields[1].1 = to_base64url(&object);
        assert_nothing_added(&scene, scene.browser.submit(&filled(&form, fields)).await).await;
    }

    async fn a_registration_with_any_wrong_part_is_refused(world: World) {
        let wrong: [(&str, Change); 10] = [
            ("origin", |authenticator| authenticator.origin = "http://localhost".to_owned()),
            ("frame of another origin", |authenticator| {
                authenticator.more_client_data = r#","topOrigin":"https://evil.example""#.to_owned();
            }),
            ("relying party", |authenticator| authenticator.relying_party = "example.org".to_owned()),
            ("user verification", |authenticator| authenticator.flags = 0x01),
            ("user presence", |authenticator| authenticator.flags = 0x04),
            ("type", |authenticator| authenticator.kind = Some("webauthn.get")),
            ("algorithm that was not offered", |authenticator| authenticator.algorithm = 0x25),
            ("trailing CBOR", |authenticator| authenticator.trailing = vec![0xa0]),
            ("deeply nested CBOR", |authenticator| authenticator.statement = [vec![0x81; 4000], vec![0]].concat()),
            ("long credential id", |authenticator| authenticator.credential_id = vec![7; 1024]),
        ];
        let scene = scene(world);
        scene.browser.sign_in(&scene.person).await;
        for (part, change) in wrong {
            println!("{part}");
            let mut authenticator = Authenticator::new(&[7; 32]);
            change(&mut authenticator);
            assert_nothing_added(&scene, add(&scene.browser, &authenticator).await).await;
        }
    }

    async fn a_registration_with_truncated_cbor_is_refused(world: World) {
        let scene = scene(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/account").await.form("/account/passkeys");
        let challenge = begin(&scene.browser, &form).await;
        let mut fields = Authenticator::new(&[7; 32]).register(&challenge);
        fields[1].1.truncate(200);
        let form = filled(&form, fields).with("passkey_name", "My phone");
        assert_nothing_added(&scene, scene.browser.submit(&form).await).await;
    }

    async fn oversize_missing_and_malformed_fields_add_no_passkey(world: World) {
        let scene = scene(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/account").await.form("/account/passkeys").with("passkey_name", "My phone");
        for (field, size) in [("client_data", 4097), ("attestation_object", 8193)] {
            for value in [to_base64url(&vec![0; size]), "!".to_owned(), String::new()] {
                let challenge = begin(&scene.browser, &form).await;
                let form = filled(&form, Authenticator::new(&[7; 32]).register(&challenge)).with(field, &value);
                scene.browser.submit(&form).await.assert_refused(422);
            }
        }
        for (name, status) in [("", 422), (" ", 422), (&*"x".repeat(101), 422), ("a\nb", 400), ("a\u{202e}b", 422)] {
            let challenge = begin(&scene.browser, &form).await;
            let form = filled(&form, Authenticator::new(&[7; 32]).register(&challenge)).with("passkey_name", name);
            scene.browser.submit(&form).await.assert_refused(status);
        }
        assert_rows(&scene.world, "passkey", "", 0).await;
    }

    async fn a_registration_with_a_replayed_challenge_is_refused(world: World) {
        let scene = scene(world);
        scene.browser.sign_in(&scene.person).await;
        let form = scene.browser.open("/account").await.form("/account/passkeys").with("passkey_name", "My phone");
        let challenge = begin(&scene.browser, &form).await;
        let first = filled(&form, Authenticator::new(&[7; 32]).register(&challenge));
        assert_eq!(scene.browser.submit(&first).await.own_location(), "/account?done=passkey-added");
        // The new session has another form.
        let form = scene.browser.open("/account").await.form("/account/passkeys").with("passkey_name", "My phone");
        let again = filled(&form, Authenticator::new(&[8; 32]).register(&challenge));
        scene.browser.submit(&again).await.assert_refused(422);
        assert_rows(&scene.world, "passkey", "", 1).await;
    }

    async fn a_registration_with_a_challenge_of_another_browser_is_refused(world: World) {
        let scene = scene(world);
        scene.browser.sign_in(&scene.person).await;
        let other = Browser::new(&scene.server);
        other.sign_in(&scene.person).await;
        let theirs = other.open("/account").await.form("/account/passkeys");
        let challenge = begin(&other, &theirs).await;
        let form = scene.browser.open("/account").await.form("/account/passkeys").with("passkey_name", "My phone");
        let page = scene.browser.submit(&filled(&form, Authenticator::new(&[7; 32]).register(&challenge))).await;
        assert_nothing_added(&scene, page).await;
    }

    async fn adding_and_removing_a_passkey_requires_a_recent_sign_in(world: World) {
        let stage = Stage::new(world).await;
        let browser = &stage.scene.browser;
        let account = browser.open("/account").await;
        let (removal, form) = (account.form("/account/passkeys/remove"), account.form("/account/passkeys"));
        let challenge = begin(browser, &form).await;
        let filled = filled(&form, Authenticator::new(&[8; 32]).register(&challenge)).with("passkey_name", "New");
        stage.scene.world.advance(TimeDelta::seconds(301));
        for form in [removal, filled] {
            assert_eq!(browser.submit(&form).await.own_location(), "/sign-in?to=passkeys");
        }
        let old = browser.open("/account").await;
        assert!(old.forms("/account/passkeys").is_empty(), "{old:?}");
        assert_rows(&stage.scene.world, "passkey", "", 1).await;
    }

    async fn another_persons_passkey_is_neither_renamed_nor_removed(world: World) {
        let stage = Stage::new(world).await;
        let stranger = Person::create(&stage.scene.world, "stranger@example.org");
        let browser = Browser::new(&stage.scene.server);
        browser.sign_in(&stranger).await;
        add(&browser, &Authenticator::new(&[8; 32])).await.own_location();
        let theirs = stage.scene.browser.open("/account").await.form("/account/passkeys/remove");
        let id = theirs.value("passkey");
        let page = browser.open("/account").await;
        let rename = page.form("/account/passkeys/rename").with("name", "Mine now").with("passkey", id);
        assert_eq!(browser.submit(&rename).await.own_location(), "/account");
        let remove = page.form("/account/passkeys/remove").with("passkey", id);
        assert_eq!(browser.submit(&remove).await.own_location(), "/account");
        browser.submit(&remove.with("passkey", "no-uuid")).await.assert_refused(400);
        assert_rows(&stage.scene.world, "passkey", "WHERE name = 'My phone'", 2).await;
        assert_eq!(stage.attempt(&stage.authenticator).await.own_location(), "/");
    }

    async fn an_invalid_new_name_is_shown_again(world: World) {
        let stage = Stage::new(world).await;
        let browser = &stage.scene.browser;
        let form = browser.open("/account").await.form("/account/passkeys/rename");
        let long = "y".repeat(101);
        let page = browser.submit(&form.with("name", &long)).await;
        page.assert_refused(422);
        assert!(page.body.contains(&long), "{page:?}");
        assert_rows(&stage.scene.world, "passkey", "WHERE name = 'My phone'", 1).await;
    }

    async fn a_person_has_at_most_twenty_passkeys(world: World) {
        let stage = Stage::new(world).await;
        for number in 1..20 {
            let added = add(&stage.scene.browser, &Authenticator::new(&[number; 16])).await;
            assert_eq!(added.own_location(), "/account?done=passkey-added");
        }
        let page = stage.scene.browser.open("/account").await;
        assert!(page.forms("/account/passkeys").is_empty() && page.text().contains("reached the maximum number of passkeys"), "{page:?}");
    }
}
