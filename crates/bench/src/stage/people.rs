//! People, the reading app, and its tokens.

use super::program::{Program, Server};
use super::{Stage, data};
use anyhow::{Context, ensure};
use serde_json::Value;

const REDIRECT_URI: &str = "https://app.example.org/callback";
const SCOPES: [&str; 6] = ["--scope", "profile", "--scope", "sleep", "--scope", "supplements"];

/// A person with data.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) user_id: String,
}

/// A registered app.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
    pub(crate) redirect_uri: &'static str,
}

impl App {
    /// Registers an app with all scopes.
    pub(crate) fn register(program: &Program) -> anyhow::Result<Self> {
        let mut arguments =
            vec!["client", "create", "--name", "Night reader", "--redirect-uri", REDIRECT_URI, "--json"];
        arguments.extend(SCOPES);
        let output = program.json(&arguments)?;
        Ok(Self {
            client_id: member(&output, "client_id")?,
            client_secret: member(&output, "client_secret")?,
            redirect_uri: REDIRECT_URI,
        })
    }

    /// Creates a code for a person, as if they had consented.
    pub(crate) fn code(&self, program: &Program, person: &Person) -> anyhow::Result<String> {
        let mut arguments = vec!["code", "create", "--client", &self.client_id, "--user", &person.user_id];
        arguments.extend(["--redirect-uri", self.redirect_uri, "--ttl", "10m", "--json"]);
        arguments.extend(SCOPES);
        member(&program.json(&arguments)?, "code")
    }

    /// Creates and redeems a code for a person; returns the access token.
    pub(crate) fn token(
        &self,
        program: &Program,
        server: &Server,
        person: &Person,
    ) -> anyhow::Result<String> {
        let code = self.code(program, person)?;
        let body = format!(
            "grant_type=authorization_code&client_id={}&client_secret={}&code={code}&redirect_uri={}",
            self.client_id,
            self.client_secret,
            self.redirect_uri.replace(':', "%3A").replace('/', "%2F"),
        );
        let (status, body) = server.ask(&post("/api/token", &body))?;
        ensure!(status == 200, "the code was not redeemed: {}", String::from_utf8_lossy(&body));
        member(&serde_json::from_slice(&body)?, "access_token")
    }
}

impl Stage {
    /// Returns the person with this many nights and body measurements, created on first use.
    pub(crate) fn sleeper(&mut self, nights: usize) -> anyhow::Result<Person> {
        let name = format!("sleeper-{nights}");
        if let Some(person) = self.people.get(&name) {
            return Ok(person.clone());
        }
        let person = self.new_sleeper(&name, nights)?;
        self.people.insert(name, person.clone());
        Ok(person)
    }

    /// Creates a person with this many nights that no other case reads.
    pub(crate) fn new_sleeper(&self, name: &str, nights: usize) -> anyhow::Result<Person> {
        let person = create_person(&self.program, name)?;
        data::import_nights(&self.program, self.folder.path(), &person.user_id, nights)?;
        // Vacuum marks pages as all-visible, as on a long-running server.
        self.postgres.sql("VACUUM ANALYZE")?;
        Ok(person)
    }

    /// Returns the person with supplements and logs, created on first use.
    pub(crate) fn taker(&mut self, supplements: usize, logs: usize) -> anyhow::Result<Person> {
        let name = format!("taker-{supplements}-{logs}");
        if let Some(person) = self.people.get(&name) {
            return Ok(person.clone());
        }
        let person = create_person(&self.program, &name)?;
        data::import_intakes(&self.program, self.folder.path(), &person.user_id, (supplements, logs))?;
        self.postgres.sql("VACUUM ANALYZE")?;
        self.people.insert(name, person.clone());
        Ok(person)
    }

    /// Returns a fresh access token for a person's data from the server with Postgres.
    pub(crate) fn token(&mut self, person: &Person) -> anyhow::Result<String> {
        self.server()?;
        let server = self.server.as_ref().context("the server is gone")?;
        self.app.token(&self.program, server, person)
    }
}

/// Creates a person without a password.
pub(crate) fn create_person(program: &Program, name: &str) -> anyhow::Result<Person> {
    let email = format!("{name}@example.org");
    let output = program.json(&[
        "user",
        "create",
        "--email",
        &email,
        "--timezone",
        "Europe/Berlin",
        "--no-password",
        "--json",
        "--birth-date",
        "1990-05-17",
        "--biological-sex",
        "female",
        "--blood-type",
        "A+",
        "--height-cm",
        "171",
        "--weight-kg",
        "64.5",
        "--skin-type",
        "2",
        "--wheelchair-use",
        "false",
    ])?;
    Ok(Person { user_id: member(&output, "user_id")? })
}

/// Builds a GET request with a token.
pub(crate) fn get(path: &str, token: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost:8080\r\nAuthorization: Bearer {token}\r\n\r\n")
        .into_bytes()
}

/// Builds a form POST.
pub(crate) fn post(path: &str, body: &str) -> Vec<u8> {
    let head = "Content-Type: application/x-www-form-urlencoded";
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost:8080\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Returns a text member of a JSON object.
pub(crate) fn member(object: &Value, name: &str) -> anyhow::Result<String> {
    Ok(object.get(name).and_then(Value::as_str).with_context(|| format!("no `{name}` was given"))?.to_owned())
}
