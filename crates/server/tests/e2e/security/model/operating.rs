//! Actions of the operator, through the command line.

use super::action::{Action, Party};
use super::case::{Case, Mismatch};
use super::state::Status;
use crate::e2e::app::text;
use crate::e2e::person::PASSWORD;
use crate::e2e::security::account::people::give_password;
use crate::e2e::security::party::try_code;

impl Case<'_> {
    pub(super) async fn operate(&mut self, action: &Action) -> Result<(), Mismatch> {
        match *action {
            Action::IssueByHand { party } => return self.issue_by_hand(party),
            Action::SetPassword { person } => self.set_password(person),
            Action::RevokeGrants { party } => self.revoke_grants(party),
            Action::Lock { person } => self.lock(person, Status::Locked),
            Action::Unlock { person } => self.lock(person, Status::Active),
            Action::Delete { person } => self.delete(person),
            Action::Disable { client } => self.enable(client, false),
            Action::Enable { client } => self.enable(client, true),
            Action::RotateSecret { client } => {
                let rotated =
                    self.scene.world.json(&["client", "rotate-secret", &self.clients[client], "--json"]);
                self.model.clients[client].secrets.push(text(&rotated, "client_secret"));
            }
            Action::RotateKey { is_emergency } => return self.rotate_key(is_emergency).await,
            _ => unreachable!("not an action of the operator: {action:?}"),
        }
        Ok(())
    }

    pub(super) fn issue_by_hand(&mut self, party: Party) -> Result<(), Mismatch> {
        let code = try_code(&self.scene.world, &self.party(party));
        match (code, self.model.may_be_connected(party)) {
            (Some(code), true) => self.add_code(party, code, false),
            (None, false) => {}
            (code, _) => return Err(format!("a code is issued: {}", code.is_some())),
        }
        Ok(())
    }

    fn set_password(&mut self, person: usize) {
        if self.model.people[person] != Status::Deleted {
            give_password(&self.scene.world, &self.people[person].user_id, PASSWORD);
            self.people[person].password = PASSWORD.to_owned();
            self.model.end_sessions(person);
            self.model.void_codes(person);
        }
    }

    /// Also voids the person's pending codes of all clients.
    fn revoke_grants(&mut self, party: Party) {
        if self.model.people[party.person] != Status::Deleted {
            let (user, client) = (&self.people[party.person].user_id, &self.clients[party.client]);
            self.scene.world.ok(&["grant", "revoke", "--user", user, "--client", client]);
            self.model.end_grants(party.person, Some(party.client));
            self.model.void_codes(party.person);
        }
    }

    /// Locking ends sessions for good; unlocking restores everything else.
    fn lock(&mut self, person: usize, status: Status) {
        if self.model.people[person] != Status::Deleted {
            let command = if status == Status::Locked { "lock" } else { "unlock" };
            self.scene.world.ok(&["user", command, &self.people[person].user_id]);
            self.model.people[person] = status;
            if status == Status::Locked {
                self.model.end_sessions(person);
            }
        }
    }

    fn delete(&mut self, person: usize) {
        if self.model.people[person] != Status::Deleted {
            self.scene.world.ok(&["user", "erase", &self.people[person].user_id, "--yes"]);
            self.model.delete(person);
        }
    }

    fn enable(&mut self, client: usize, is_enabled: bool) {
        let command = if is_enabled { "enable" } else { "disable" };
        self.scene.world.ok(&["client", command, &self.clients[client]]);
        self.model.clients[client].is_enabled = is_enabled;
    }

    async fn rotate_key(&mut self, is_emergency: bool) -> Result<(), Mismatch> {
        let rotate: &[&str] = if is_emergency {
            &["key", "rotate", "--json", "--emergency"]
        } else {
            &["key", "rotate", "--json"]
        };
        let made = text(&self.scene.world.json(rotate), "key_id");
        if is_emergency {
            self.scene.wait_for_only_key(&made).await?;
            self.model.retire_keys();
        }
        Ok(())
    }
}
