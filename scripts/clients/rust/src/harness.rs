//! Settings from scripts/check-clients, and one line of output per check.

use crate::browser::Browser;
use anyhow::{Context, ensure};
use reqwest::blocking::Client;
use std::fmt::Debug;
use std::time::{Duration, Instant};

pub const REQUESTED: [&str; 3] = ["profile", "sleep", "supplements"];
/// The user does not grant all of them.
pub const ALLOWED: [&str; 2] = ["profile", "sleep"];

/// The server and the app.
pub struct Settings {
    pub base: String,
    pub client_id: String,
    pub client_secret: String,
    pub redirect_uri: String,
}

impl Settings {
    pub fn read() -> anyhow::Result<(Self, Browser)> {
        let app = Self {
            base: variable("BASE_URL")?,
            client_id: variable("CLIENT_ID")?,
            client_secret: variable("CLIENT_SECRET")?,
            redirect_uri: variable("REDIRECT_URI")?,
        };
        let browser = Browser::new(&app.base, &variable("EMAIL")?, &variable("PASSWORD")?)?;
        Ok((app, browser))
    }
}

/// Returns a variable of the environment.
pub fn variable(name: &str) -> anyhow::Result<String> {
    std::env::var(name).with_context(|| format!("{name} is not set"))
}

/// Prints a passed check; returns an error for a failed one.
pub fn check(what: &str, passed: bool, actual: impl Debug) -> anyhow::Result<()> {
    ensure!(passed, "FAIL {what}: {actual:?}");
    println!("ok   {what}");
    Ok(())
}

/// Checks that the data endpoint rejects the token within the two seconds that a revocation may take.
pub fn check_rejected_within_limit(what: &str, http: &Client, url: &str, token: &str) -> anyhow::Result<()> {
    let started = Instant::now();
    loop {
        let status = http.get(url).bearer_auth(token).send()?.status().as_u16();
        if status == 401 || started.elapsed() > Duration::from_secs(2) {
            return check(what, status == 401, status);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
