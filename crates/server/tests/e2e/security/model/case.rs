//! One sequence of actions on two people and two clients.

use super::action::{Action, Party, Pick};
use super::scene::Scene;
use super::state::{Access, Client, Code, CodeState, Grant, Model, Session, Status};
use crate::e2e::app::{REDIRECT_URI, Registration, Tokens};
use crate::e2e::browser::Browser;
use crate::e2e::person::{Person, app_of};

/// Description of an unexpected response.
pub(super) type Mismatch = String;

/// Sequence in progress.
pub(super) struct Case<'a> {
    pub(super) scene: &'a Scene,
    pub(super) model: Model,
    pub(super) people: Vec<Person>,
    /// Ids of the clients.
    pub(super) clients: Vec<String>,
}

impl<'a> Case<'a> {
    /// Creates people who are signed in and have a personal token, and clients that are connected to each of
    /// them and have had more secrets than are valid.
    pub(super) async fn begin(scene: &'a Scene, number: u32) -> Result<Self, Mismatch> {
        let mut case = Self { scene, model: Model::default(), people: Vec::new(), clients: Vec::new() };
        for place in 0..2 {
            let email = format!("sleeper-{number}-{place}@example.org");
            let person = Person::create(&scene.world, &email);
            let client = app_of(&scene.world, &person, &["--name", "App", "--redirect-uri", REDIRECT_URI]);
            case.people.push(person);
            case.clients.push(client.client_id);
            case.model.people.push(Status::Active);
            case.model.clients.push(Client { is_enabled: true, secrets: vec![client.client_secret] });
            case.sign_in(place, place).await?;
            case.make_token(place, place).await?;
            for _ in 0..2 {
                case.operate(&Action::RotateSecret { client: place }).await?;
            }
        }
        for (person, client) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let party = Party { person, client };
            case.issue_by_hand(party)?;
            case.redeem(case.model.codes.len() - 1, (client, 2), person).await?;
        }
        Ok(case)
    }

    /// Performs and checks the action; then checks all tokens if the action may have affected them.
    pub(super) async fn act(&mut self, action: &Action) -> Result<(), Mismatch> {
        let at = self.perform(action).await?;
        match action {
            Action::IssueByHand { .. }
            | Action::Consent { .. }
            | Action::MakeToken { .. }
            | Action::Read { .. }
            | Action::ReadPersonally { .. }
            | Action::Look { .. }
            | Action::Refresh { .. }
            | Action::Introspect { .. }
            | Action::RotateSecret { .. } => Ok(()),
            // The other server is the more interesting one.
            _ => self.check_tokens(1 - at).await,
        }
    }

    /// Returns the server that performed the action.
    async fn perform(&mut self, action: &Action) -> Result<usize, Mismatch> {
        match *action {
            Action::IssueByHand { .. }
            | Action::SetPassword { .. }
            | Action::RevokeGrants { .. }
            | Action::Lock { .. }
            | Action::Unlock { .. }
            | Action::Delete { .. }
            | Action::Disable { .. }
            | Action::Enable { .. }
            | Action::RotateSecret { .. }
            | Action::RotateKey { .. } => self.operate(action).await.map(|()| 0),
            Action::Redeem { at, .. }
            | Action::Refresh { at, .. }
            | Action::GiveRefreshBack { at, .. }
            | Action::GiveAccessBack { at, .. }
            | Action::Introspect { at, .. } => self.present(action).await.map(|()| at),
            Action::RedeemAtOnce { .. } => self.present(action).await.map(|()| 0),
            Action::Consent { at, .. }
            | Action::MakeToken { at, .. }
            | Action::RevokeToken { at, .. }
            | Action::Disconnect { at, .. }
            | Action::ChangePassword { at, .. }
            | Action::SignIn { at, .. }
            | Action::SignOut { at, .. }
            | Action::SignOutEverywhere { at, .. } => self.use_pages(action).await.map(|()| at),
            Action::Read { access, at } => self.read(access, at).await.map(|()| at),
            Action::ReadPersonally { token, at } => self.read_personally(token, at).await.map(|()| at),
            Action::Look { session, at } => self.look(session, at).await.map(|()| at),
        }
    }

    async fn read(&self, access: Pick, at: usize) -> Result<(), Mismatch> {
        match access.index_among(self.model.accesses.len()) {
            Some(access) => self.check_access(access, at).await,
            None => Ok(()),
        }
    }

    async fn read_personally(&self, token: Pick, at: usize) -> Result<(), Mismatch> {
        match token.index_among(self.model.personal.len()) {
            Some(token) => self.check_personal(token, at).await,
            None => Ok(()),
        }
    }

    async fn look(&self, session: Pick, at: usize) -> Result<(), Mismatch> {
        match session.index_among(self.model.sessions.len()) {
            Some(session) => self.check_session(session, at).await,
            None => Ok(()),
        }
    }

    /// Returns a client with one of its secrets, for a person.
    pub(super) fn registration(&self, person: usize, (client, secret): (usize, usize)) -> Registration {
        Registration {
            user_id: self.people[person].user_id.clone(),
            client_id: self.clients[client].clone(),
            client_secret: self.model.clients[client].secrets[secret].clone(),
        }
    }

    /// Returns a party with the newest secret.
    pub(super) fn party(&self, party: Party) -> Registration {
        let secret = self.model.clients[party.client].secrets.len() - 1;
        self.registration(party.person, (party.client, secret))
    }

    pub(super) fn add_code(&mut self, party: Party, text: String, lives_for_a_minute: bool) {
        let issued_at = lives_for_a_minute.then(std::time::Instant::now);
        self.model.codes.push(Code { party, text, state: CodeState::Fresh, issued_at });
    }

    /// Records that a code was redeemed.
    pub(super) fn add_grant(&mut self, code: usize, tokens: Tokens) {
        let Tokens { access, refresh } = tokens;
        let grant = self.model.grants.len();
        let code = &mut self.model.codes[code];
        code.state = CodeState::Redeemed(grant);
        let party = code.party;
        self.model.grants.push(Grant { party, refresh, is_live: true });
        self.add_access(grant, access);
    }

    pub(super) fn add_access(&mut self, grant: usize, text: String) {
        self.model.accesses.push(Access { grant, text, has_live_key: true });
    }

    pub(super) fn add_session(&mut self, person: usize, browser: Browser) {
        let cookie = browser.session();
        self.model.sessions.push(Session { person, cookie, browser, is_live: true });
    }
}
