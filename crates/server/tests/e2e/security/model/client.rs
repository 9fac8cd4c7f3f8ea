//! Actions of clients: presenting codes and tokens.

use super::action::{Action, Pick, Presenter};
use super::case::{Case, Mismatch};
use super::checking::expect;
use super::state::{CodeState, Verdict};
use crate::e2e::app::Registration;
use crate::e2e::security::caller::{Form, Reply};

impl Case<'_> {
    pub(super) async fn present(&mut self, action: &Action) -> Result<(), Mismatch> {
        match *action {
            Action::Redeem { code, by, at } => match self.find_code(code) {
                Some(code) => {
                    self.redeem(code, self.presenter(by, self.model.codes[code].party.client), at).await
                }
                None => Ok(()),
            },
            Action::RedeemAtOnce { code, by } => match self.find_code(code) {
                Some(code) => {
                    self.redeem_at_once(code, self.presenter(by, self.model.codes[code].party.client)).await
                }
                None => Ok(()),
            },
            Action::Refresh { grant, by, at } => match grant.index_among(self.model.grants.len()) {
                Some(grant) => self.refresh(grant, by, at).await,
                None => Ok(()),
            },
            Action::GiveRefreshBack { grant, by, at } => match grant.index_among(self.model.grants.len()) {
                Some(grant) => {
                    let token = self.model.grants[grant].refresh.clone();
                    self.revoke(grant, &token, by, at).await
                }
                None => Ok(()),
            },
            Action::GiveAccessBack { access, by, at } => {
                match access.index_among(self.model.accesses.len()) {
                    Some(access) => self.give_access_back(access, by, at).await,
                    None => Ok(()),
                }
            }
            Action::Introspect { access, by, at } => match access.index_among(self.model.accesses.len()) {
                Some(access) => self.introspect(access, by, at).await,
                None => Ok(()),
            },
            _ => unreachable!("not an action of a client: {action:?}"),
        }
    }

    /// Returns a code whose validity is certain.
    fn find_code(&self, pick: Pick) -> Option<usize> {
        let code = pick.index_among(self.model.codes.len())?;
        (self.model.codes[code].state != CodeState::Fresh || self.model.is_sure_of(code)).then_some(code)
    }

    /// Returns the presenting client and the index of its secret.
    fn presenter(&self, by: Presenter, owner: usize) -> (usize, usize) {
        let client = if by.is_owner { owner } else { 1 - owner };
        let secrets = self.model.clients[client].secrets.len();
        (client, by.secret.index_among(secrets).unwrap_or_default())
    }

    /// Presents a code, and records its grant.
    pub(super) async fn redeem(
        &mut self,
        code: usize,
        (client, secret): (usize, usize),
        at: usize,
    ) -> Result<(), Mismatch> {
        let verdict = self.model.judge_code(code, client, secret);
        let presented = &self.model.codes[code];
        let registration = self.registration(presented.party.person, (client, secret));
        let reply = self.scene.callers[at].redeem(&registration, &presented.text).await;
        expect(&reply, verdict)?;
        self.learn(code, client, verdict, &reply);
        Ok(())
    }

    fn learn(&mut self, code: usize, client: usize, verdict: Verdict, reply: &Reply) {
        match verdict {
            Verdict::Good => self.add_grant(code, reply.tokens()),
            Verdict::NotAGrant => self.model.note_replay(code, client),
            Verdict::NotTheClient => {}
        }
    }

    /// Presents a code to both servers concurrently: one of them accepts it, and for the other it is a
    /// replay.
    async fn redeem_at_once(
        &mut self,
        code: usize,
        (client, secret): (usize, usize),
    ) -> Result<(), Mismatch> {
        let verdict = self.model.judge_code(code, client, secret);
        let presented = &self.model.codes[code];
        let registration = self.registration(presented.party.person, (client, secret));
        let [first, second] = &self.scene.callers;
        let (first, second) = tokio::join!(
            first.redeem(&registration, &presented.text),
            second.redeem(&registration, &presented.text)
        );
        if verdict != Verdict::Good {
            expect(&first, verdict)?;
            expect(&second, verdict)?;
            self.learn(code, client, verdict, &first);
            return Ok(());
        }
        let (winner, loser) = if first.status == 200 { (first, second) } else { (second, first) };
        expect(&winner, Verdict::Good)?;
        expect(&loser, Verdict::NotAGrant)?;
        self.learn(code, client, Verdict::Good, &winner);
        self.model.note_replay(code, client);
        Ok(())
    }

    async fn refresh(&mut self, grant: usize, by: Presenter, at: usize) -> Result<(), Mismatch> {
        let party = self.model.grants[grant].party;
        let (client, secret) = self.presenter(by, party.client);
        let verdict = self.model.judge_refresh(grant, client, secret);
        let registration = self.registration(party.person, (client, secret));
        let reply = self.scene.callers[at].refresh(&registration, &self.model.grants[grant].refresh).await;
        expect(&reply, verdict)?;
        if verdict == Verdict::Good {
            self.add_access(grant, reply.access());
        }
        Ok(())
    }

    /// An authenticated client gets 200 for any token; its own token ends with its grant.
    async fn revoke(&mut self, grant: usize, token: &str, by: Presenter, at: usize) -> Result<(), Mismatch> {
        let party = self.model.grants[grant].party;
        let (client, secret) = self.presenter(by, party.client);
        let registration = self.registration(party.person, (client, secret));
        let is_client = self.model.authenticates(client, secret);
        let reply = self.ask("/oauth/revoke", token, &registration, at).await;
        expect(&reply, if is_client { Verdict::Good } else { Verdict::NotTheClient })?;
        if is_client && client == party.client {
            self.model.grants[grant].is_live = false;
        }
        Ok(())
    }

    /// A token whose key is retired is treated as unknown.
    async fn give_access_back(&mut self, access: usize, by: Presenter, at: usize) -> Result<(), Mismatch> {
        let held = &self.model.accesses[access];
        let (grant, token, has_live_key) = (held.grant, held.text.clone(), held.has_live_key);
        let was_live = self.model.grants[grant].is_live;
        self.revoke(grant, &token, by, at).await?;
        if !has_live_key {
            self.model.grants[grant].is_live = was_live;
        }
        Ok(())
    }

    async fn introspect(&mut self, access: usize, by: Presenter, at: usize) -> Result<(), Mismatch> {
        let held = &self.model.accesses[access];
        let party = self.model.grants[held.grant].party;
        let (client, secret) = self.presenter(by, party.client);
        let registration = self.registration(party.person, (client, secret));
        let reply = self.ask("/oauth/introspect", &held.text, &registration, at).await;
        if !self.model.authenticates(client, secret) {
            return expect(&reply, Verdict::NotTheClient);
        }
        let is_active = client == party.client && self.model.access_works(access);
        if reply.status == 200 && reply.json()["active"] == is_active {
            return Ok(());
        }
        Err(format!("access token {access} is active: {is_active}, and server {at} says {}", reply.body))
    }

    pub(super) async fn ask(&self, path: &str, token: &str, client: &Registration, at: usize) -> Reply {
        let form = Form(vec![("token", token.to_owned())]).signed_by(client);
        self.scene.callers[at].post(path, &form).await
    }
}
