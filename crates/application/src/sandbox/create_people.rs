//! Creates sandbox people.

use super::{store_records, yesterday};
use crate::audit;
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::synthetic::{SyntheticPerson, days_before};
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;
use domain::sandbox::{MAX_PER_OWNER, SandboxPerson, Story};
use domain::supplement::{CatalogueKey, Supplement};
use domain::time::TimeZone;
use domain::user::{User, UserStatus};

/// Input of [`CreateSandboxPeople`].
#[derive(Debug, Clone)]
pub struct CreateSandboxCommand {
    /// A person is created for each, in this order; a story may occur several times.
    pub stories: Vec<Story>,
    /// The developer; `None` for the operator.
    pub owner: Option<UserId>,
}

/// Errors of [`CreateSandboxPeople`].
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

audit::use_case! {
    /// Creates sandbox people.
    CreateSandboxPeople
}

impl CreateSandboxPeople {
    /// Creates a person for each story, with records up to yesterday, each in a unit of work, and returns
    /// them in the order of the stories.
    pub async fn run(&self, command: CreateSandboxCommand) -> Result<Vec<SandboxPerson>, CreateSandboxError> {
        let CreateSandboxCommand { stories, owner } = command;
        let mut people = Vec::with_capacity(stories.len());
        for story in &stories {
            let mut unit = self.units.begin().await?;
            let missing = stories.len() - people.len();
            match self.create(unit.as_mut(), *story, owner, missing).await {
                Ok(person) => {
                    let actor = if owner.is_some() { AuditActor::Person } else { AuditActor::Operator };
                    let event = self.trail.event(actor, AuditKind::UserCreated).user(person.user_id);
                    audit::commit(unit, &[event]).await?;
                    people.push(person);
                }
                Err(error) => return unit.refuse(error).await,
            }
        }
        Ok(people)
    }

    async fn create(
        &self,
        unit: &mut dyn UnitOfWork,
        story: Story,
        owner: Option<UserId>,
        missing: usize,
    ) -> Result<SandboxPerson, CreateSandboxError> {
        if let Some(owner) = owner {
            admit(unit, owner, missing).await?;
        }
        let user_id = UserId::from_uuid(self.trail.entropy.uuid());
        let home_timezone = TimeZone::parse(story.time_zone()).map_err(|_| CreateSandboxError::Invalid)?;
        let now = self.trail.now();
        let records_until = yesterday(now, home_timezone);
        let person = SandboxPerson { user_id, story, owner, records_until };
        let generator = SyntheticPerson::new(user_id, story, home_timezone);
        let user = User {
            id: user_id,
            email: person.email(),
            home_timezone,
            created_at: now,
            status: UserStatus::Active,
            biology: generator.biology(),
        };
        unit.users().insert(&user).await?;
        unit.sandbox().insert(&person).await?;
        // Products of the person, so that nobody finds them in the catalogue.
        let own = |(key, supplement): (CatalogueKey, Supplement)| (generator.own_key(key.key()), supplement);
        let supplements: Vec<_> = generator.supplements().into_iter().map(own).collect();
        unit.supplements().insert(&supplements).await?;
        let today = records_until.succ_opt().unwrap_or(records_until);
        store_records(unit, user_id, &generator, &days_before(today, story)).await?;
        Ok(person)
    }
}

/// Locks the developer, who must be a real person with an active account and room for this many more sandbox
/// people.
async fn admit(unit: &mut dyn UnitOfWork, owner: UserId, more: usize) -> Result<(), CreateSandboxError> {
    let user = unit.users().find(owner).await?;
    let is_admitted = user.is_some_and(|user| user.status.is_active() && !user.email.is_sandbox());
    if !is_admitted {
        return Err(CreateSandboxError::UnknownOwner);
    }
    let existing = unit.sandbox().list_of_owner(owner).await?.len();
    if existing + more > MAX_PER_OWNER { Err(CreateSandboxError::TooMany) } else { Ok(()) }
}
