//! Checks that exactly what the model considers valid works.

use super::case::{Case, Mismatch};
use super::state::{CodeState, Verdict};
use crate::e2e::browser::{Browser, SESSION};
use std::time::{Duration, Instant};

impl Case<'_> {
    /// Uses every access token and every personal token.
    pub(super) async fn check_tokens(&self, at: usize) -> Result<(), Mismatch> {
        for access in 0..self.model.accesses.len() {
            self.check_access(access, at).await?;
        }
        for token in 0..self.model.personal.len() {
            self.check_personal(token, at).await?;
        }
        Ok(())
    }

    pub(super) async fn check_access(&self, access: usize, at: usize) -> Result<(), Mismatch> {
        let works = self.model.access_works(access);
        let held = &self.model.accesses[access];
        let person = self.model.grants[held.grant].party.person;
        let checked = self.check_token(&held.text, person, works, at).await;
        checked.map_err(|mismatch| format!("access token {access} {mismatch}"))
    }

    pub(super) async fn check_personal(&self, token: usize, at: usize) -> Result<(), Mismatch> {
        let works = self.model.personal_works(token);
        let held = &self.model.personal[token];
        let checked = self.check_token(&held.text, held.person, works, at).await;
        checked.map_err(|mismatch| format!("personal token {token} {mismatch}"))
    }

    /// Reads with a token. A valid one must work at once; an ended one may be accepted while servers cache
    /// grants.
    async fn check_token(&self, text: &str, person: usize, works: bool, at: usize) -> Result<(), Mismatch> {
        let path = format!("/api/v1/profile/{}", self.people[person].user_id);
        let began_at = Instant::now();
        loop {
            let asked_at = began_at.elapsed();
            let reply = self.scene.callers[at].read(text, &path).await;
            match (works, reply.status) {
                (true, 200) | (false, 401) => return Ok(()),
                (false, 200) if asked_at < self.scene.grace_period => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                (true, _) => return Err(format!("is refused by server {at}: {reply:?}")),
                (false, _) => return Err(format!("is no good, but server {at} answers {}", reply.status)),
            }
        }
    }

    /// Opens a page with the session cookie alone.
    pub(super) async fn check_session(&self, session: usize, at: usize) -> Result<(), Mismatch> {
        let works = self.model.session_works(session);
        let browser = Browser::new(&self.scene.servers[at]);
        browser.plant(SESSION, &self.model.sessions[session].cookie);
        let page = browser.get("/account").await;
        let is_let_in = match page.status {
            200 => true,
            303 if page.own_location().starts_with("/sign-in") => false,
            status => return Err(format!("session {session}: server {at} answers {status}")),
        };
        if is_let_in == works {
            return Ok(());
        }
        Err(format!("session {session} works: {is_let_in} at server {at}, and should: {works}"))
    }

    /// Tries everything that was ever issued, at both servers, and each code twice.
    pub(super) async fn finish(mut self) -> Result<(), Mismatch> {
        for at in 0..2 {
            self.check_tokens(at).await?;
            self.check_secrets(at).await?;
            for session in 0..self.model.sessions.len() {
                self.check_session(session, at).await?;
            }
            for grant in 0..self.model.grants.len() {
                self.check_refresh(grant, at).await?;
            }
        }
        for code in 0..self.model.codes.len() {
            let owner = self.model.codes[code].party.client;
            let secret = self.model.clients[owner].secrets.len() - 1;
            for at in 0..2 {
                if self.model.codes[code].state != CodeState::Fresh || self.model.is_sure_of(code) {
                    self.redeem(code, (owner, secret), at).await?;
                }
            }
        }
        // Every code has been presented twice, so every grant from a code is revoked.
        self.check_tokens(0).await
    }

    /// Sends a request of every client with every secret that it ever had.
    async fn check_secrets(&self, at: usize) -> Result<(), Mismatch> {
        for client in 0..self.clients.len() {
            for secret in 0..self.model.clients[client].secrets.len() {
                let is_client = self.model.authenticates(client, secret);
                let verdict = if is_client { Verdict::Good } else { Verdict::NotTheClient };
                let registration = self.registration(0, (client, secret));
                let reply = self.ask("/oauth/introspect", "nonsense", &registration, at).await;
                expect(&reply, verdict)
                    .map_err(|mismatch| format!("secret {secret} of {client}: {mismatch}"))?;
            }
        }
        Ok(())
    }

    async fn check_refresh(&self, grant: usize, at: usize) -> Result<(), Mismatch> {
        let party = self.model.grants[grant].party;
        let secret = self.model.clients[party.client].secrets.len() - 1;
        let verdict = self.model.judge_refresh(grant, party.client, secret);
        let refresh = &self.model.grants[grant].refresh;
        let reply = self.scene.callers[at].refresh(&self.party(party), refresh).await;
        expect(&reply, verdict)
            .map_err(|mismatch| format!("refresh token {grant} at server {at}: {mismatch}"))
    }
}

/// Compares a response with the expected verdict.
pub(super) fn expect(reply: &crate::e2e::security::caller::Reply, verdict: Verdict) -> Result<(), Mismatch> {
    let fits = match verdict {
        Verdict::Good => reply.status == 200,
        Verdict::NotTheClient => reply.status == 401 && reply.member("error") == "invalid_client",
        Verdict::NotAGrant => reply.status == 400 && reply.member("error") == "invalid_grant",
    };
    if fits { Ok(()) } else { Err(format!("{verdict:?} is due, and it is {} {}", reply.status, reply.body)) }
}
