//! Ingest of users: created, or found by id or email address.

use super::{IngestError, IngestRecords, ItemResult, ItemStatus};
use crate::import::batch::Numbered;
use crate::import::batch_writer::MAX_TRIES;
use crate::ports::ingest_source::{IngestedUser, ItemCode, ItemRefusal};
use crate::ports::storage::{StorageError, UniqueKey, UnitOfWork};
use domain::audit::AuditKind;
use domain::id::{ClientId, UserId};
use domain::user::{ProfileOrigin, ProfileSource, User, UserStatus};

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

    /// Stores users in one unit of work, with retries after conflicts.
    async fn store_people_together(
        &self,
        client_id: ClientId,
        people: &[Person],
    ) -> Result<Vec<Numbered<ItemResult>>, StorageError> {
        let mut tries = 1;
        loop {
            match self.try_people(client_id, people).await {
                Err(StorageError::Conflict(_) | StorageError::Retryable) if tries < MAX_TRIES => tries += 1,
                outcome => return outcome,
            }
        }
    }

    async fn try_people(
        &self,
        client_id: ClientId,
        people: &[Person],
    ) -> Result<Vec<Numbered<ItemResult>>, StorageError> {
        let mut unit = self.storing().begin().await?;
        let (mut results, mut daily) = (Vec::with_capacity(people.len()), Vec::new());
        for (position, person) in people {
            let (result, kind) = self.place(unit.as_mut(), person).await?;
            match kind.map(|(kind, id)| self.event(client_id, kind, id)) {
                Some(event) if event.is_daily() => daily.push(event),
                Some(event) => unit.audit().append(&event).await?,
                None => {}
            }
            results.push((*position, result));
        }
        self.daily.commit(unit, daily).await?;
        Ok(results)
    }

    /// Stores the changes of one user; returns the result and the audit event.
    async fn place(
        &self,
        unit: &mut dyn UnitOfWork,
        person: &IngestedUser,
    ) -> Result<UserOutcome, StorageError> {
        if let Err(error) = person.biology.check_birth(self.trail.now()) {
            return Ok((ItemResult::Rejected(error.into()), None));
        }
        let by_id = match person.id {
            Some(id) => unit.users().find(id).await?,
            None => None,
        };
        let by_email = unit.users().find_by_email(&person.email).await?;
        match (by_id, by_email) {
            (Some(known), Some(other)) if known.id == other.id => self.change(unit, known, person).await,
            (Some(_), None) => Ok(refused(
                ItemCode::InvalidMember,
                "email",
                "the email address differs from that of the person with this id and cannot be changed here",
            )),
            (_, Some(other)) if person.id.is_none_or(|id| id == other.id) => {
                // Found by address only; locked from here on.
                match unit.users().find(other.id).await? {
                    Some(known) => self.change(unit, known, person).await,
                    None => Err(StorageError::Retryable),
                }
            }
            (_, Some(_)) => Ok((refused_by(UniqueKey::UserEmail), None)),
            (None, None) => self.create(unit, person).await,
        }
    }

    async fn create(
        &self,
        unit: &mut dyn UnitOfWork,
        person: &IngestedUser,
    ) -> Result<UserOutcome, StorageError> {
        let IngestedUser { id, email, home_timezone, biology } = person;
        let Some(home_timezone) = *home_timezone else {
            return Ok(refused(ItemCode::MissingMember, "home_timezone", "a new person needs home_timezone"));
        };
        if let Some(id) = id
            && unit.erasures().was_erased(*id).await?
        {
            return Ok((refused_by(UniqueKey::UserId), None));
        }
        let id = id.unwrap_or_else(|| UserId::from_uuid(self.trail.entropy.uuid()));
        let user = User {
            id,
            email: email.clone(),
            home_timezone,
            created_at: self.trail.now(),
            status: UserStatus::Active,
            biology: *biology,
        };
        unit.users().insert(&user).await?;
        let created = ItemResult::accepted(ItemStatus::Created, id.as_uuid());
        Ok((created, Some((AuditKind::UserCreated, id))))
    }

    /// Overwrites the stored values with those of the item; missing ones stay unchanged.
    async fn change(
        &self,
        unit: &mut dyn UnitOfWork,
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
        unit.users().update(&changed).await?;
        let sources = ProfileSource::of_change(&known, &changed, ProfileOrigin::Client, self.trail.now());
        unit.users().record_sources(known.id, &sources).await?;
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
