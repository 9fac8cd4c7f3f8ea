//! A person who can sign in.

use super::app::{REDIRECT_URI, Registration, create_app, text};
use super::browser::{Browser, PageForm};
use super::server::Server;
use super::world::World;

/// A valid password.
pub(crate) const PASSWORD: &str = "seven slow otters under a lamp";

/// A person who can sign in.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub(crate) user_id: String,
    pub(crate) email: String,
    pub(crate) password: String,
}

impl Person {
    /// Creates a person with a password through the command line.
    pub(crate) fn create(world: &World, email: &str) -> Self {
        let create = ["user", "create", "--email", email, "--timezone", "Europe/Berlin", "--json"];
        let reported = type_password(world, &[&create[..], &["--password-stdin"]].concat(), PASSWORD);
        let reported = serde_json::from_str(&reported).expect("JSON");
        Self { user_id: text(&reported, "user_id"), email: email.to_owned(), password: PASSWORD.to_owned() }
    }

    /// Fills in the sign-in form.
    pub(crate) fn credentials(&self, form: &PageForm) -> PageForm {
        form.with("email", &self.email).with("password", &self.password)
    }
}

/// Creates a person, and signs them in in a new browser.
pub(crate) async fn signed_in(world: &World, server: &Server, email: &str) -> (Person, Browser) {
    let person = Person::create(world, email);
    let browser = Browser::new(server);
    browser.sign_in(&person).await;
    (person, browser)
}

/// Runs a command that reads a password and must succeed; returns its standard output.
pub(crate) fn type_password(world: &World, arguments: &[&str], password: &str) -> String {
    world.ok_with_input(arguments, &format!("{password}\n"))
}

/// Creates a person who can sign in, and an app with every scope.
pub(crate) fn party(world: &World) -> (Person, Registration) {
    let person = Person::create(world, "sleeper@example.org");
    let registration = app_of(world, &person, &["--name", "Night Reader", "--redirect-uri", REDIRECT_URI]);
    (person, registration)
}

/// Registers an app for a person; the arguments contain its name and redirect URI.
pub(crate) fn app_of(world: &World, person: &Person, arguments: &[&str]) -> Registration {
    create_app(world, &person.user_id, arguments)
}
