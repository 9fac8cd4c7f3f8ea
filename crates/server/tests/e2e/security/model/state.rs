//! State of the model: everything that exists, and whether it should work. It implements the rules without a
//! server.

use super::action::Party;
use crate::e2e::browser::Browser;
use std::time::{Duration, Instant};

/// Number of valid secrets of a client (decisions 3).
const LIVE_SECRETS: usize = 2;

/// Age below which a code from the pages, whose lifetime is a minute, is certainly valid.
const SURE_LIFE: Duration = Duration::from_secs(40);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Active,
    Locked,
    Deleted,
}

pub(super) struct Client {
    pub(super) is_enabled: bool,
    /// Newest last.
    pub(super) secrets: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeState {
    Fresh,
    /// Redeemed for this grant.
    Redeemed(usize),
    Void,
}

pub(super) struct Code {
    pub(super) party: Party,
    pub(super) text: String,
    pub(super) state: CodeState,
    /// Time of issue, if its lifetime is a minute only.
    pub(super) issued_at: Option<Instant>,
}

pub(super) struct Grant {
    pub(super) party: Party,
    pub(super) refresh: String,
    pub(super) is_live: bool,
}

pub(super) struct Access {
    pub(super) grant: usize,
    pub(super) text: String,
    /// Whether the key that signed it is not retired.
    pub(super) has_live_key: bool,
}

pub(super) struct PersonalToken {
    pub(super) person: usize,
    pub(super) id: String,
    pub(super) text: String,
    pub(super) is_live: bool,
}

pub(super) struct Session {
    pub(super) person: usize,
    pub(super) cookie: String,
    pub(super) browser: Browser,
    pub(super) is_live: bool,
}

/// Expected response to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Good,
    /// 401 `invalid_client`.
    NotTheClient,
    /// 400 `invalid_grant`.
    NotAGrant,
}

/// Everything that exists. Nothing is removed, so that ended access can be tried again.
#[derive(Default)]
pub(super) struct Model {
    pub(super) people: Vec<Status>,
    pub(super) clients: Vec<Client>,
    pub(super) codes: Vec<Code>,
    pub(super) grants: Vec<Grant>,
    pub(super) accesses: Vec<Access>,
    pub(super) personal: Vec<PersonalToken>,
    pub(super) sessions: Vec<Session>,
}

impl Model {
    pub(super) fn is_active(&self, person: usize) -> bool {
        self.people[person] == Status::Active
    }

    /// Returns whether a client may currently be connected to a person.
    pub(super) fn may_be_connected(&self, party: Party) -> bool {
        self.is_active(party.person) && self.clients[party.client].is_enabled
    }

    /// Returns whether a client authenticates with the secret at this index.
    pub(super) fn authenticates(&self, client: usize, secret: usize) -> bool {
        let client = &self.clients[client];
        client.is_enabled && secret + LIVE_SECRETS >= client.secrets.len()
    }

    pub(super) fn grant_works(&self, grant: usize) -> bool {
        let grant = &self.grants[grant];
        grant.is_live && self.may_be_connected(grant.party)
    }

    pub(super) fn access_works(&self, access: usize) -> bool {
        let access = &self.accesses[access];
        access.has_live_key && self.grant_works(access.grant)
    }

    pub(super) fn personal_works(&self, token: usize) -> bool {
        let token = &self.personal[token];
        token.is_live && self.is_active(token.person)
    }

    pub(super) fn session_works(&self, session: usize) -> bool {
        let session = &self.sessions[session];
        session.is_live && self.is_active(session.person)
    }

    /// Returns the last session of a person.
    pub(super) fn last_session(&self, person: usize) -> usize {
        let found = self.sessions.iter().rposition(|session| session.person == person);
        found.expect("everyone signed in at the beginning")
    }

    /// Returns whether a code is certainly not expired.
    pub(super) fn is_sure_of(&self, code: usize) -> bool {
        self.codes[code].issued_at.is_none_or(|at| at.elapsed() < SURE_LIFE)
    }

    /// Returns the verdict on a code presented by this client.
    pub(super) fn judge_code(&self, code: usize, client: usize, secret: usize) -> Verdict {
        let Code { party, state, .. } = &self.codes[code];
        if !self.authenticates(client, secret) {
            return Verdict::NotTheClient;
        }
        let is_good = party.client == client && *state == CodeState::Fresh && self.is_active(party.person);
        if is_good { Verdict::Good } else { Verdict::NotAGrant }
    }

    /// A second presentation by the code's own client revokes the grant of the first one (T12); one by
    /// another client does not.
    pub(super) fn note_replay(&mut self, code: usize, client: usize) {
        if let (CodeState::Redeemed(grant), true) =
            (self.codes[code].state, self.codes[code].party.client == client)
        {
            self.grants[grant].is_live = false;
        }
    }

    /// Returns the verdict on a refresh token presented by this client.
    pub(super) fn judge_refresh(&self, grant: usize, client: usize, secret: usize) -> Verdict {
        if !self.authenticates(client, secret) {
            return Verdict::NotTheClient;
        }
        let is_own = self.grants[grant].party.client == client;
        if is_own && self.grant_works(grant) { Verdict::Good } else { Verdict::NotAGrant }
    }

    /// Voids the codes of a person that no client has redeemed.
    pub(super) fn void_codes(&mut self, person: usize) {
        let codes = self.codes.iter_mut().filter(|code| code.party.person == person);
        for code in codes.filter(|code| code.state == CodeState::Fresh) {
            code.state = CodeState::Void;
        }
    }

    /// Ends grants of a person, of one client or all.
    pub(super) fn end_grants(&mut self, person: usize, client: Option<usize>) {
        let grants = self.grants.iter_mut().filter(|grant| grant.party.person == person);
        for grant in grants.filter(|grant| client.is_none_or(|client| grant.party.client == client)) {
            grant.is_live = false;
        }
    }

    pub(super) fn end_sessions(&mut self, person: usize) {
        for session in self.sessions.iter_mut().filter(|session| session.person == person) {
            session.is_live = false;
        }
    }

    pub(super) fn end_personal_tokens(&mut self, person: usize) {
        for token in self.personal.iter_mut().filter(|token| token.person == person) {
            token.is_live = false;
        }
    }

    pub(super) fn delete(&mut self, person: usize) {
        self.people[person] = Status::Deleted;
        self.void_codes(person);
        self.end_grants(person, None);
        self.end_sessions(person);
        self.end_personal_tokens(person);
    }

    pub(super) fn retire_keys(&mut self) {
        for access in &mut self.accesses {
            access.has_live_key = false;
        }
    }
}
