//! Passwords set by the operator.

use crate::e2e::browser::Browser;
use crate::e2e::security::account::people::{OTHER_PASSWORD, PASSWORD, give_password, person};
use crate::e2e::security::account::visit::{sign_in, try_to_sign_in};
use crate::e2e::world::World;

const EMAIL: &str = "sam@example.org";

on_sqlite! {
    async fn a_password_set_by_the_operator_is_valid_at_once_and_ends_every_session(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        let browser = Browser::new(&servers[0]);
        sign_in(&browser, EMAIL, PASSWORD).await;
        give_password(&world, &user, OTHER_PASSWORD);
        for server in &servers {
            assert!(!browser.at(server).is_signed_in().await);
            assert_eq!(try_to_sign_in(&Browser::new(server), EMAIL, PASSWORD).await.status, 422);
            sign_in(&Browser::new(server), EMAIL, OTHER_PASSWORD).await;
        }
    }

    async fn a_rejected_password_creates_no_account(world: World) {
        let create =
            ["user", "create", "--email", EMAIL, "--timezone", "Europe/Berlin", "--password-stdin", "--json"];
        for refused in ["too short\n", "passwordpassword\n", "two\nlines of a password\n"] {
            let output = world.run_with_input(&create, refused);
            assert!(!output.status.success(), "{refused:?}");
            assert_eq!(world.ok(&["user", "list", "--json"]).trim(), "", "{refused:?}");
        }
        person(&world, EMAIL, PASSWORD);
    }

    async fn a_password_on_standard_input_is_one_line(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        let arguments = ["user", "reset-password", &user, "--password-stdin", "--json"];
        for (input, is_taken) in [("", false), ("\n", false), ("vier graue Schafe\nim Gras\n", false), ("vier graue Schafe\r\n", true)] {
            let output = world.run_with_input(&arguments, input);
            assert_eq!(output.status.success(), is_taken, "{input:?}: {output:?}");
        }
        // The line end is not part of it.
        sign_in(&Browser::new(&server), EMAIL, "vier graue Schafe").await;
    }
}
