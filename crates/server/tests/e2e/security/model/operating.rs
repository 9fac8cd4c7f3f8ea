//! Actions of the operator.

use super::action::{Action, Party};
use super::case::{Case, Surprise};
use super::state::Status;
use crate::e2e::person::PASSWORD;
use crate::e2e::security::operator::all_scopes;
use application::key::OlderKeys;

impl Case<'_> {
    pub(super) async fn operate(&mut self, action: &Action) -> Result<(), Surprise> {
        match *action {
            Action::IssueByHand { party } => self.issue_by_hand(party).await,
            Action::SetPassword { person } => {
                self.set_password(person).await;
                Ok(())
            }
            Action::RevokeGrants { party } => {
                self.revoke_grants(party).await;
                Ok(())
            }
            Action::Lock { person } => {
                self.lock(person, Status::Locked).await;
                Ok(())
            }
            Action::Unlock { person } => {
                self.lock(person, Status::Active).await;
                Ok(())
            }
            Action::Delete { person } => {
                self.delete(person).await;
                Ok(())
            }
            Action::Disable { client } => {
                self.enable(client, false).await;
                Ok(())
            }
            Action::Enable { client } => {
                self.enable(client, true).await;
                Ok(())
            }
            Action::RotateSecret { client } => {
                let secret = self.scene.operator.rotate_secret(&self.clients[client]).await;
                self.model.clients[client].secrets.push(secret);
                Ok(())
            }
            Action::RotateKey { is_emergency } => self.rotate_key(is_emergency).await,
            _ => unreachable!("not an action of the operator: {action:?}"),
        }
    }

    pub(super) async fn issue_by_hand(&mut self, party: Party) -> Result<(), Surprise> {
        let code = self.scene.operator.try_issue_code(&self.party(party), &all_scopes()).await;
        match (code, self.model.may_be_connected(party)) {
            (Some(code), true) => self.add_code(party, code, false),
            (None, false) => {}
            (code, _) => return Err(format!("a code is issued: {}", code.is_some())),
        }
        Ok(())
    }

    async fn set_password(&mut self, person: usize) {
        if self.model.people[person] == Status::Deleted {
            return;
        }
        self.scene.operator.set_password(&self.people[person].user_id, PASSWORD).await;
        self.people[person].password = PASSWORD.to_owned();
        self.model.end_sessions(person);
        self.model.void_codes(person);
    }

    /// Also voids the person's pending codes of all clients.
    async fn revoke_grants(&mut self, party: Party) {
        self.scene.operator.revoke_grants(&self.party(party)).await;
        self.model.end_grants(party.person, Some(party.client));
        self.model.void_codes(party.person);
    }

    /// Locking ends sessions for good; unlocking restores everything else.
    async fn lock(&mut self, person: usize, status: Status) {
        if self.model.people[person] != Status::Deleted {
            self.scene.operator.lock(&self.people[person].user_id, status == Status::Locked).await;
            self.model.people[person] = status;
            if status == Status::Locked && !super::state::mutant("locksession") {
                self.model.end_sessions(person);
            }
        }
    }

    async fn delete(&mut self, person: usize) {
        if self.model.people[person] != Status::Deleted {
            self.scene.operator.delete(&self.people[person].user_id).await;
            self.model.delete(person);
        }
    }

    async fn enable(&mut self, client: usize, is_enabled: bool) {
        self.scene.operator.enable(&self.clients[client], is_enabled).await;
        self.model.clients[client].is_enabled = is_enabled;
    }

    async fn rotate_key(&mut self, is_emergency: bool) -> Result<(), Surprise> {
        let older = if is_emergency { OlderKeys::Retire } else { OlderKeys::Keep };
        let made = self.scene.operator.rotate_key(older).await;
        if is_emergency {
            self.scene.wait_for_only_key(&made).await?;
            self.model.retire_keys();
        }
        Ok(())
    }
}
