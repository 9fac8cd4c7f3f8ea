//! Reads what changed of a person's records.

use crate::access::GrantedAccess;
use crate::audit::{AnsweredRead, ReadRecorder};
use crate::ports::storage::{Change, ChangePage, ChangePageQuery, ChangeReader, StorageError};
use crate::ports::system::Clock;
use domain::change::{ChangeCursor, ChangeKind, ChangePosition, PersonMark};
use domain::data_endpoint::DataEndpoint;
use domain::read_tally::{AskedRange, ReadKind};
use domain::scope::{Scope, ScopeSet};
use std::sync::Arc;

/// Which changes a caller wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadChangesQuery {
    /// Where to go on; at the beginning without one.
    pub cursor: Option<ChangeCursor>,
    /// Only these kinds; without, all that the token allows.
    pub kinds: Option<Vec<ChangeKind>>,
    /// Maximum number of items.
    pub limit: u32,
}

/// A page of changes, and where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangesAnswer {
    /// Ascending; of each record only its last change.
    pub changes: Vec<(ChangePosition, Change)>,
    /// After the last of them.
    pub cursor: ChangeCursor,
    /// Whether there are more at once.
    pub has_more: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReadChangesError {
    /// A kind was asked for that the token does not allow.
    #[error("the token lacks a scope")]
    InsufficientScope {
        /// The missing scopes.
        needed: ScopeSet,
    },
    /// The cursor was given out for somebody else.
    #[error("the cursor is another person's")]
    OtherPersonsCursor,
    /// Deletions since the cursor may be forgotten, or it says that it is from the future, or the store was put back to before it and would tell nothing of
    /// what is written next: read everything again, without a cursor.
    #[error("the cursor is older than 90 days or from the future, or the store was put back to before it")]
    CursorExpired,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Reads changes.
pub struct ReadChanges {
    reader: Arc<dyn ChangeReader>,
    recorder: ReadRecorder,
    clock: Arc<dyn Clock>,
}

impl ReadChanges {
    /// Creates the use case; `recorder` logs each read.
    pub fn new(reader: Arc<dyn ChangeReader>, recorder: ReadRecorder, clock: Arc<dyn Clock>) -> Self {
        Self { reader, recorder, clock }
    }

    /// Returns the next page of the person to whom access was granted.
    pub async fn run(
        &self,
        access: &GrantedAccess,
        query: ReadChangesQuery,
    ) -> Result<ChangesAnswer, ReadChangesError> {
        let kinds = allowed(access.usable, query.kinds)?;
        if query.cursor.is_some_and(|cursor| !cursor.may_be_of(access.user_id)) {
            return Err(ReadChangesError::OtherPersonsCursor);
        }
        let now = self.clock.now();
        if query.cursor.is_some_and(|cursor| cursor.is_expired(now)) {
            return Err(ReadChangesError::CursorExpired);
        }
        let after = query.cursor.and_then(|cursor| cursor.after);
        let page_query = ChangePageQuery { user_id: access.user_id, after, kinds, limit: query.limit };
        let ChangePage { changes, has_more, is_ahead } = self.reader.changes(page_query).await?;
        if is_ahead {
            return Err(ReadChangesError::CursorExpired);
        }
        self.record(access, &changes);
        // A page after which there are more is as old as the walk began: what is deleted meanwhile is still to come.
        let given_at = query.cursor.filter(|_| has_more).map_or(now, |cursor| cursor.given_at);
        let after = changes.last().map(|(position, _)| *position).or(after);
        let cursor = ChangeCursor { after, given_at, person: Some(PersonMark::from_user(access.user_id)) };
        Ok(ChangesAnswer { changes, cursor, has_more })
    }

    /// Counts what was told as reads of the endpoint that tells it otherwise.
    fn record(&self, access: &GrantedAccess, changes: &[(ChangePosition, Change)]) {
        for kind in ChangeKind::ALL {
            let items = changes.iter().filter(|(position, _)| position.kind == kind).count();
            if items > 0 {
                self.recorder.record(AnsweredRead {
                    user_id: access.user_id,
                    reader: access.reader,
                    kind: ReadKind::Data(endpoint(kind)),
                    items,
                    range: AskedRange { from: None, to: None },
                });
            }
        }
    }
}

const fn endpoint(kind: ChangeKind) -> DataEndpoint {
    match kind {
        ChangeKind::Profile => DataEndpoint::Profile,
        ChangeKind::Sleep => DataEndpoint::Sleep,
        ChangeKind::Supplements => DataEndpoint::Supplements,
    }
}

fn allowed(usable: ScopeSet, asked: Option<Vec<ChangeKind>>) -> Result<Vec<ChangeKind>, ReadChangesError> {
    let Some(asked) = asked else {
        return Ok(ChangeKind::ALL.into_iter().filter(|kind| usable.contains(kind.scope())).collect());
    };
    let lacks = |scope: &Scope| !usable.contains(*scope);
    let needed: ScopeSet = asked.iter().map(|kind| kind.scope()).filter(lacks).collect();
    if needed.is_empty() { Ok(asked) } else { Err(ReadChangesError::InsufficientScope { needed }) }
}
