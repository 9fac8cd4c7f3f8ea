//! The sandbox people on the pages of a developer.

use super::request::Developer;
use super::view::SandboxLine;
use crate::moment;
use crate::view::Moment;
use domain::sandbox::{MAX_PER_OWNER, SandboxPerson, Story};
use http_adapter::problem::Problem;

/// Lists the developer's sandbox people by story.
pub(super) async fn list(developer: &Developer<'_>) -> Result<Vec<SandboxLine>, Problem> {
    let mut people = developer.use_cases.people.list(Some(developer.person.user_id)).await?;
    people.sort_by_key(|person| (person.story, person.user_id));
    Ok(people.iter().map(line).collect())
}

/// Returns whether another person of every story would exceed the limit.
pub(super) const fn is_full(people: usize) -> bool {
    people + Story::ALL.len() > MAX_PER_OWNER
}

fn line(person: &SandboxPerson) -> SandboxLine {
    let email = person.email();
    let name = email.as_str().split('@').next().unwrap_or_default();
    SandboxLine {
        id: person.user_id.to_string(),
        name: name.to_owned(),
        story: person.story.description(),
        until: Moment { text: moment::date(person.records_until), machine: person.records_until.to_string() },
    }
}
