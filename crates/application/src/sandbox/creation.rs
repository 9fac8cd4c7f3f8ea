//! Creation of sandbox people.

use super::{SandboxPeople, store_records, yesterday};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::store::transact;
use crate::synthetic::{SyntheticPerson, days_before};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::sandbox::{MAX_PER_OWNER, SandboxPerson, Story};
use domain::supplement::{CatalogueKey, Supplement};
use domain::time::TimeZone;
use domain::user::User;

/// Errors of [`SandboxPeople::create`].
#[derive(Debug, thiserror::Error)]
pub enum CreateSandboxError {
    /// The developer has no active account.
    #[error("there is no active user with the id of the owner")]
    UnknownOwner,
    /// The developer would have more than [`MAX_PER_OWNER`] sandbox people. None was created.
    #[error("the limit of sandbox people is reached")]
    TooMany,
    /// A constant of a story is invalid: a bug.
    #[error("the time zone of the story is invalid")]
    Invalid,
    /// The store failed. The people of earlier stories were created.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl SandboxPeople {
    /// Creates a person for each story, with records up to yesterday, each in a transaction, for a developer
    /// or, without an owner, for the operator. A story may occur several times. Returns the people in the
    /// order of the stories.
    pub async fn create(
        &self,
        owner: Option<UserId>,
        stories: &[Story],
    ) -> Result<Vec<SandboxPerson>, CreateSandboxError> {
        let actor = if owner.is_some() { AuditActor::Person } else { AuditActor::Operator };
        let mut people = Vec::with_capacity(stories.len());
        for story in stories {
            let missing = stories.len() - people.len();
            let created = transact!(self.store, |tx| {
                if let Some(owner) = owner {
                    admit(tx, owner, missing).await?;
                }
                let person = self.insert(tx, *story, owner).await?;
                tx.record(self.store.event(actor, AuditKind::UserCreated).user(person.user_id)).await?;
                Ok::<_, CreateSandboxError>(person)
            });
            people.push(created.await?);
        }
        Ok(people)
    }

    async fn insert(
        &self,
        tx: &mut dyn UnitOfWork,
        story: Story,
        owner: Option<UserId>,
    ) -> Result<SandboxPerson, CreateSandboxError> {
        let user_id = UserId::from_uuid(self.store.entropy().uuid());
        let home_timezone = TimeZone::parse(story.time_zone()).map_err(|_| CreateSandboxError::Invalid)?;
        let now = self.store.now();
        let records_until = yesterday(now, home_timezone);
        let person = SandboxPerson { user_id, story, owner, records_until };
        let generator = SyntheticPerson::new(user_id, story, home_timezone);
        let user = User::new(user_id, person.email(), home_timezone, now);
        let user = User { biology: generator.biology(), ..user };
        tx.users().insert(&user).await?;
        tx.sandbox().insert(&person).await?;
        // Products of the person, so that nobody finds them in the catalogue.
        let custom =
            |(key, supplement): (CatalogueKey, Supplement)| (generator.own_key(key.key()), supplement);
        let supplements: Vec<_> = generator.supplements().into_iter().map(custom).collect();
        tx.supplements().insert(&supplements).await?;
        let today = records_until.succ_opt().unwrap_or(records_until);
        store_records(tx, user_id, &generator, &days_before(today, story)).await?;
        Ok(person)
    }
}

/// Locks the developer, who must be a real person with an active account and room for this many more sandbox
/// people.
async fn admit(tx: &mut dyn UnitOfWork, owner: UserId, more: usize) -> Result<(), CreateSandboxError> {
    let user = tx.active_user(owner).await?.filter(|user| !user.email.is_sandbox());
    user.ok_or(CreateSandboxError::UnknownOwner)?;
    let existing = tx.sandbox().list_of_owner(owner).await?.len();
    if existing + more > MAX_PER_OWNER { Err(CreateSandboxError::TooMany) } else { Ok(()) }
}
