//! People who export all of their data and delete their account.

use super::records;
use crate::e2e::browser::Browser;
use crate::e2e::person::Person;
use crate::e2e::world::World;

on_sqlite! {
    async fn a_person_exports_and_erases_their_account(world: World) {
        let server = world.serve();
        let sam = Person::create(&world, "sam@example.org");
        let nights = world.file("nights.ndjson", &records::nights(3, 4));
        world.ok(&["import", "--user", &sam.user_id, &nights]);
        let browser = Browser::new(&server);
        browser.sign_in(&sam).await;
        let export = browser.export("ndjson").await.text().await.expect("lines");
        assert_eq!(export.lines().filter(|line| line.contains("sleep_session")).count(), 3, "{export}");

        let form = browser.open("/account/erase").await.form("/account/erase");
        browser.submit(&form.with("email", "kim@example.org")).await.assert_refused(422);
        assert!(browser.is_signed_in().await);
        let receipt = browser.submit(&form.with("email", &sam.email)).await;
        assert_eq!(receipt.status, 200, "{receipt:?}");
        assert!(receipt.text().contains("Your account has been deleted"), "{}", receipt.text());
        assert!(!browser.is_signed_in().await);

        assert!(!world.run(&["user", "show", &sam.user_id]).status.success());
        assert_eq!(world.ok(&["audit", "list", "--user", &sam.user_id, "--json"]).trim(), "");
        assert!(world.ok(&["audit", "list", "--json"]).contains("user.erased"));
        let same_id = ["user", "create", "--user-id", &sam.user_id, "--email", "kim@example.org"];
        let same_id = [&same_id[..], &["--timezone", "UTC", "--no-password"]].concat();
        assert!(!world.run(&same_id).status.success(), "an erased id was given out again");
    }
}
