//! Ingest of a user's profile.

use super::{IngestCommand, IngestError, IngestRecords, ItemResult, ItemStatus};
use crate::import::batch::Numbered;
use crate::import::profile::merged;
use crate::ports::import_source::{ImportItem, ImportedProfile};
use crate::retry::Tries;
use crate::store::transact;
use domain::audit::AuditKind;
use domain::id::UserId;
use domain::user::{ProfileOrigin, ProfileSource};

type Profile = Numbered<Box<ImportedProfile>>;

impl IngestRecords {
    /// Removes the profiles from the records and stores them, in order.
    pub(super) async fn store_profiles(
        &self,
        command: IngestCommand,
        records: &mut Vec<Numbered<ImportItem>>,
    ) -> Result<Vec<Numbered<ItemResult>>, IngestError> {
        let Some(user_id) = command.shape.user_id else { return Ok(Vec::new()) };
        let mut profiles = Vec::new();
        for (position, item) in std::mem::take(records) {
            match item {
                ImportItem::Profile(profile) => profiles.push((position, profile)),
                item => records.push((position, item)),
            }
        }
        let mut tries = Tries::new(None);
        while !profiles.is_empty() {
            match self.try_profiles(command, user_id, &profiles).await {
                Err(IngestError::Storage(error)) if tries.again(&error).await => {}
                outcome => return outcome,
            }
        }
        Ok(Vec::new())
    }

    async fn try_profiles(
        &self,
        command: IngestCommand,
        user_id: UserId,
        profiles: &[Profile],
    ) -> Result<Vec<Numbered<ItemResult>>, IngestError> {
        let (results, events) = transact!(self.store, |tx| {
            // The user was erased while the body was read.
            let known = tx.users().find(user_id).await?.ok_or(IngestError::UnknownUser)?;
            let (mut user, mut results) = (known.clone(), Vec::with_capacity(profiles.len()));
            for (position, profile) in profiles {
                if let Err(error) = profile.biology.check_birth(self.store.now()) {
                    results.push((*position, ItemResult::Rejected(error.into())));
                    continue;
                }
                let changed = merged(user.clone(), profile);
                let status = if changed == user { ItemStatus::Unchanged } else { ItemStatus::Updated };
                results.push((*position, ItemResult::accepted(status, user_id.as_uuid())));
                user = changed;
            }
            if user == known {
                return Ok((results, Vec::new()));
            }
            tx.users().update(&user).await?;
            let sources = ProfileSource::of_change(&known, &user, ProfileOrigin::Client, self.store.now());
            tx.users().record_sources(user_id, &sources).await?;
            let event = self.event(command.client_id, AuditKind::UserChanged, user_id);
            Ok::<_, IngestError>((results, self.daily.append(tx, vec![event]).await?))
        })
        .await?;
        self.daily.remember(&events);
        Ok(results)
    }
}
