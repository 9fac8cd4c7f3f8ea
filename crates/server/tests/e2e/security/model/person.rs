//! Actions of people, on the pages.

use super::action::{Action, Party};
use super::case::{Case, Mismatch};
use super::state::PersonalToken;
use crate::e2e::app::{REDIRECT_URI, SCOPES};
use crate::e2e::browser::{Browser, Page};
use crate::e2e::person::PASSWORD;
use crate::e2e::security::caller::Form;

/// The other password that people have.
const OTHER_PASSWORD: &str = "nine brass kettles beside a canal";

impl Case<'_> {
    pub(super) async fn use_pages(&mut self, action: &Action) -> Result<(), Mismatch> {
        match *action {
            Action::Consent { party, at } => self.consent(party, at).await,
            Action::MakeToken { person, at } => self.make_token(person, at).await,
            Action::RevokeToken { token, at } => match token.index_among(self.model.personal.len()) {
                Some(token) => self.revoke_token(token, at).await,
                None => Ok(()),
            },
            Action::Disconnect { person, client, at } => self.disconnect(person, client, at).await,
            Action::ChangePassword { person, disconnects, at } => {
                self.change_password(person, disconnects, at).await
            }
            Action::SignIn { person, at } => self.sign_in(person, at).await,
            Action::SignOut { person, at } => self.sign_out(person, at).await,
            Action::SignOutEverywhere { person, at } => self.sign_out_everywhere(person, at).await,
            _ => unreachable!("not an action of a person: {action:?}"),
        }
    }

    /// Signs a person in in a new browser. A locked or deleted person gets the usual error.
    pub(super) async fn sign_in(&mut self, person: usize, at: usize) -> Result<(), Mismatch> {
        let browser = Browser::new(&self.scene.servers[at]);
        let form = browser.open("/sign-in").await.form("/sign-in");
        let page = browser.submit(&self.people[person].credentials(&form)).await;
        match (page.status, self.model.is_active(person)) {
            (303, true) => self.add_session(person, browser),
            (422, false) => {}
            (status, _) => return Err(format!("a sign-in is answered {status}")),
        }
        Ok(())
    }

    /// Opens a page in the browser of the person's last sign-in, or in a new one if that session ended.
    /// `None` for a locked or deleted person, who cannot sign in.
    async fn open(
        &mut self,
        person: usize,
        path: &str,
        at: usize,
    ) -> Result<Option<(Browser, Page)>, Mismatch> {
        if self.model.is_active(person) && !self.model.session_works(self.model.last_session(person)) {
            self.sign_in(person, at).await?;
        }
        let browser = &self.model.sessions[self.model.last_session(person)].browser;
        let browser = browser.at(&self.scene.servers[at]);
        let page = browser.get(path).await;
        match (page.status, self.model.is_active(person)) {
            (200, true) => Ok(Some((browser, page))),
            (303, false) if page.own_location().starts_with("/sign-in") => Ok(None),
            (status, _) => Err(format!("{path} is answered {status}")),
        }
    }

    async fn consent(&mut self, party: Party, at: usize) -> Result<(), Mismatch> {
        let Some((browser, _)) = self.open(party.person, "/account", at).await? else { return Ok(()) };
        let asked = Form(vec![
            ("response_type", "code".to_owned()),
            ("client_id", self.clients[party.client].clone()),
            ("redirect_uri", REDIRECT_URI.to_owned()),
            ("scope", SCOPES.join(" ")),
        ]);
        let page = browser.get(&format!("/authorize?{}", asked.encoded())).await;
        if !self.model.clients[party.client].is_enabled {
            return is(&page, 400);
        }
        let form = browser.follow(&page).await.form("/consent");
        let allowed = form.tick("scope", &SCOPES).with("decision", "allow");
        let mut answer = browser.submit(&allowed).await.answer_to(REDIRECT_URI);
        let code = answer.remove("code").ok_or_else(|| format!("no code: {answer:?}"))?;
        self.add_code(party, code, true);
        Ok(())
    }

    pub(super) async fn make_token(&mut self, person: usize, at: usize) -> Result<(), Mismatch> {
        let Some((browser, page)) = self.open(person, "/tokens", at).await? else { return Ok(()) };
        let wish = page.form("/tokens").with("name", "Script").tick("scope", &["profile"]);
        let page = browser.submit(&wish).await;
        is(&page, 200)?;
        let ids = page
            .forms("/tokens/revoke")
            .iter()
            .map(|form| form.value("token").to_owned())
            .collect::<Vec<_>>();
        let is_new = |id: &&String| self.model.personal.iter().all(|token| token.id != **id);
        let id = ids.iter().find(is_new).ok_or("the new token is not listed")?.clone();
        let text = page.text();
        let text =
            text.split(' ').find(|word| word.starts_with("rwp_")).ok_or("no token is shown")?.to_owned();
        self.model.personal.push(PersonalToken { person, id, text, is_live: true });
        Ok(())
    }

    async fn revoke_token(&mut self, token: usize, at: usize) -> Result<(), Mismatch> {
        let (person, id) = (self.model.personal[token].person, self.model.personal[token].id.clone());
        let Some((browser, page)) = self.open(person, "/tokens", at).await? else { return Ok(()) };
        let forms = page.forms("/tokens/revoke");
        let form = forms.iter().find(|form| form.value("token") == id);
        if form.is_some() != self.model.personal[token].is_live {
            return Err(format!("personal token {token} is listed: {}", form.is_some()));
        }
        let Some(form) = form else { return Ok(()) };
        is(&browser.submit(form).await, 303)?;
        self.model.personal[token].is_live = false;
        Ok(())
    }

    /// An app is listed while it has a grant or consent. Disconnecting also voids pending codes of all
    /// clients.
    async fn disconnect(&mut self, person: usize, client: Option<usize>, at: usize) -> Result<(), Mismatch> {
        let Some((browser, page)) = self.open(person, "/apps", at).await? else { return Ok(()) };
        let forms = page.forms("/apps/disconnect");
        let form = forms.iter().find(|form| match client {
            Some(client) => form.values("client") == [self.clients[client].as_str()],
            None => form.values("all") == ["yes"],
        });
        let fits = |grant: &super::state::Grant| {
            grant.party.person == person && client.is_none_or(|client| grant.party.client == client)
        };
        let is_connected = self.model.grants.iter().any(|grant| grant.is_live && fits(grant));
        if form.is_none() && is_connected && client.is_some() {
            return Err("an app that holds something is not listed".to_owned());
        }
        let Some(form) = form else { return Ok(()) };
        is(&browser.submit(form).await, 303)?;
        self.model.end_grants(person, client);
        self.model.void_codes(person);
        Ok(())
    }

    async fn change_password(&mut self, person: usize, disconnects: bool, at: usize) -> Result<(), Mismatch> {
        let Some((browser, page)) = self.open(person, "/account", at).await? else { return Ok(()) };
        let current = self.people[person].password.clone();
        let new = if current == PASSWORD { OTHER_PASSWORD } else { PASSWORD };
        let form =
            page.form("/account/password").with("current_password", &current).with("new_password", new);
        let form = if disconnects { form.with("disconnect_apps", "yes") } else { form };
        is(&browser.submit(&form).await, 303)?;
        new.clone_into(&mut self.people[person].password);
        self.model.end_sessions(person);
        self.model.void_codes(person);
        if disconnects {
            self.model.end_grants(person, None);
            self.model.end_personal_tokens(person);
        }
        self.add_session(person, browser);
        Ok(())
    }

    async fn sign_out(&mut self, person: usize, at: usize) -> Result<(), Mismatch> {
        let Some((browser, page)) = self.open(person, "/account", at).await? else { return Ok(()) };
        let form = page.forms("/sign-out").first().cloned().ok_or("no way to sign out")?;
        is(&browser.submit(&form).await, 200)?;
        let session = self.model.last_session(person);
        self.model.sessions[session].is_live = false;
        Ok(())
    }

    async fn sign_out_everywhere(&mut self, person: usize, at: usize) -> Result<(), Mismatch> {
        let Some((browser, page)) = self.open(person, "/account", at).await? else { return Ok(()) };
        is(&browser.submit(&page.form("/account/sign-out-everywhere")).await, 200)?;
        self.model.end_sessions(person);
        Ok(())
    }
}

fn is(page: &Page, status: u16) -> Result<(), Mismatch> {
    if page.status == status { Ok(()) } else { Err(format!("{status} is due, and it is {page:?}")) }
}
