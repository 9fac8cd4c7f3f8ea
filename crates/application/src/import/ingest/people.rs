//! Ingest of users: created, or found by id or email address.

use super::{IngestError, IngestRecords, ItemResult, ItemStatus};
use crate::import::batch::Numbered;
use crate::ports::ingest_source::{IngestedUser, ItemCode, ItemRefusal};
use crate::ports::storage::{StorageError, UniqueKey, UnitOfWork};
use crate::retry::Tries;
use crate::store::transact;
use domain::audit::AuditKind;
use domain::id::{ClientId, UserId};
use domain::user::{ProfileOrigin, ProfileSource, User};

type Person = Numbered<Box<IngestedUser>>;
/// Result of a user, and the audit event, if any.
type UserOutcome = (ItemResult, Option<(AuditKind, UserId)>);

impl IngestRecords {
    /// Stores users, all of a batch together if possible; returns their results.
    pub(super) async fn store_people(
        &self,
        client_id: ClientId,
        people: Vec<Person>,
    ) -> Result<Vec<Numbered<ItemResult>>, IngestError> {
        if people.is_empty() {
            return Ok(Vec::new());
        }
        match self.store_people_together(client_id, &people).await {
            Err(StorageError::Conflict(_)) => {}
            outcome => return Ok(outcome?),
        }
        let mut results = Vec::with_capacity(people.len());
        for person in people {
            match self.store_people_together(client_id, std::slice::from_ref(&person)).await {
                Ok(found) => results.extend(found),
                Err(StorageError::Conflict(key)) => results.push((person.0, refused_by(key))),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(results)
    }

    /// Stores users in one transaction, with retries after conflicts.
    async fn store_people_together(
        &self,
        client_id: ClientId,
        people: &[Person],
    ) -> Result<Vec<Numbered<ItemResult>>, StorageError> {
        let mut tries = Tries::new(None);
        loop {
            match self.try_people(client_id, people).await {
                Err(error) if tries.again(&error).await => {}
                outcome => return outcome,
            }
        }
    }

    async fn try_people(
        &self,
        client_id: ClientId,
        people: &[Person],
    ) -> Result<Vec<Numbered<ItemResult>>, StorageError> {
        let (results, events) = transact!(self.store, |tx| {
            let (mut results, mut daily) = (Vec::with_capacity(people.len()), Vec::new());
            for (position, person) in people {
                let (result, kind) = self.place(tx, person).await?;
                match kind.map(|(kind, id)| self.event(client_id, kind, id)) {
                    Some(event) if event.is_daily() => daily.push(event),
                    Some(event) => tx.record(event).await?,
                    None => {}
                }
                results.push((*position, result));
            }
            Ok::<_, StorageError>((results, self.daily.append(tx, daily).await?))
        })
        .await?;
        self.daily.remember(&events);
        Ok(results)
    }

    /// Stores the changes of one user; returns the result and the audit event.
    async fn place(
        &self,
        tx: &mut dyn UnitOfWork,
        person: &IngestedUser,
    ) -> Result<UserOutcome, StorageError> {
        if let Err(error) = person.biology.check_birth(self.store.now()) {
            return Ok((ItemResult::Rejected(error.into()), None));
        }
        let by_id = match person.id {
            Some(id) => tx.users().find(id).await?,
            None => None,
        };
        let by_email = tx.users().find_by_email(&person.email).await?;
        match (by_id, by_email) {
            (Some(known), Some(other)) if known.id == other.id => self.change(tx, known, person).await,
            (Some(_), None) => Ok(refused(
                ItemCode::InvalidMember,
                "email",
                "the email address differs from that of the person with this id and cannot be changed here",
            )),
            (_, Some(other)) if person.id.is_none_or(|id| id == other.id) => {
                // Found by address only; locked from here on.
                match tx.users().find(other.id).await? {
                    Some(known) => self.change(tx, known, person).await,
                    None => Err(StorageError::Retryable),
                }
            }
            (_, Some(_)) => Ok((refused_by(UniqueKey::UserEmail), None)),
            (None, None) => self.create(tx, person).await,
        }
    }

    async fn create(
        &self,
        tx: &mut dyn UnitOfWork,
        person: &IngestedUser,
    ) -> Result<UserOutcome, StorageError> {
        let IngestedUser { id, email, home_timezone, biology } = person;
        let Some(home_timezone) = *home_timezone else {
            return Ok(refused(ItemCode::MissingMember, "home_timezone", "a new person needs home_timezone"));
        };
        if let Some(id) = id
            && tx.erasures().was_erased(*id).await?
        {
            return Ok((refused_by(UniqueKey::UserId), None));
        }
        let id = id.unwrap_or_else(|| UserId::from_uuid(self.store.entropy().uuid()));
        let user =
            User { biology: *biology, ..User::new(id, email.clone(), home_timezone, self.store.now()) };
        tx.users().insert(&user).await?;
        let created = ItemResult::accepted(ItemStatus::Created, id.as_uuid());
        Ok((created, Some((AuditKind::UserCreated, id))))
    }

    /// Overwrites the stored values with those of the item; missing ones stay unchanged.
    async fn change(
        &self,
        tx: &mut dyn UnitOfWork,
        known: User,
        person: &IngestedUser,
    ) -> Result<UserOutcome, StorageError> {
        let IngestedUser { id: _, email: _, home_timezone, biology } = person;
        let changed = User {
            home_timezone: home_timezone.unwrap_or(known.home_timezone),
            biology: biology.over(known.biology),
            ..known.clone()
        };
        let id = known.id;
        if changed == known {
            return Ok((ItemResult::accepted(ItemStatus::Unchanged, id.as_uuid()), None));
        }
        tx.users().update(&changed).await?;
        let sources = ProfileSource::of_change(&known, &changed, ProfileOrigin::Client, self.store.now());
        tx.users().record_sources(known.id, &sources).await?;
        let updated = ItemResult::accepted(ItemStatus::Updated, id.as_uuid());
        Ok((updated, Some((AuditKind::UserChanged, id))))
    }
}

fn refused(code: ItemCode, field: &'static str, detail: &str) -> UserOutcome {
    let refusal = ItemRefusal { code, field: Some(field), detail: detail.to_owned() };
    (ItemResult::Rejected(refusal), None)
}

/// Describes a conflict. A conflict on an unused id means that its user was erased.
fn refused_by(key: UniqueKey) -> ItemResult {
    let (code, field, detail) = match key {
        UniqueKey::UserEmail => {
            (ItemCode::EmailTaken, "email", "the email address belongs to a person with another id")
        }
        _ => (ItemCode::IdErased, "id", "a person with this id was erased, and the id cannot be reused"),
    };
    refused(code, field, detail).0
}
