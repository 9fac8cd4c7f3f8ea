//! Reads changes to a user's records.

use crate::access::GrantedAccess;
use crate::audit::ReadRecorder;
use crate::ports::storage::{Change, ChangePage, ChangePageQuery, ChangeReader, StorageError};
use crate::ports::system::Clock;
use derive_more::Constructor;
use domain::change::{ChangeCursor, ChangePosition, UserFingerprint};
use domain::data_kind::DataKind;
use domain::read_tally::RequestedRange;
use domain::scope::{Scope, ScopeSet};
use std::sync::Arc;

/// Input of [`ReadChanges`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadChangesQuery {
    /// Cursor to continue from; from the beginning if `None`.
    pub cursor: Option<ChangeCursor>,
    /// Kinds to include; `None` for all that the token allows.
    pub kinds: Option<Vec<DataKind>>,
    /// Maximum number of items.
    pub limit: u32,
}

/// A page of changes and the next cursor.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangesAnswer {
    /// Ascending by position; only the latest change of each record.
    pub changes: Vec<(ChangePosition, Change)>,
    /// Cursor after the last change.
    pub cursor: ChangeCursor,
    /// Whether more changes are available now.
    pub has_more: bool,
}

/// Errors of [`ReadChanges`].
#[derive(Debug, thiserror::Error)]
pub enum ReadChangesError {
    /// A requested kind needs a scope that the token lacks.
    #[error("the token lacks a scope")]
    InsufficientScope {
        /// The missing scopes.
        needed: ScopeSet,
    },
    /// The cursor belongs to another user.
    #[error("the cursor belongs to another person")]
    OtherPersonsCursor,
    /// The cursor is expired or lies in the future, or the store was restored to an earlier state. The client
    /// must read everything again without a cursor.
    #[error("the cursor is older than 90 days or newer than the store, which may have been restored")]
    CursorExpired,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Reads changes.
#[derive(Constructor)]
pub struct ReadChanges {
    reader: Arc<dyn ChangeReader>,
    recorder: ReadRecorder,
    clock: Arc<dyn Clock>,
}

impl ReadChanges {
    /// Returns the next page for the authorized user.
    pub async fn run(
        &self,
        access: &GrantedAccess,
        query: ReadChangesQuery,
    ) -> Result<ChangesAnswer, ReadChangesError> {
        let kinds = allowed(access.usable, query.kinds)?;
        let user = UserFingerprint::new(access.user_id);
        if query.cursor.is_some_and(|cursor| cursor.user != user) {
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
        // While there are more pages, the cursor keeps the time of the first one: deletions since then are
        // still to be read.
        let issued_at = query.cursor.filter(|_| has_more).map_or(now, |cursor| cursor.issued_at);
        let after = changes.last().map(|(position, _)| *position).or(after);
        let cursor = ChangeCursor { after, issued_at, user };
        Ok(ChangesAnswer { changes, cursor, has_more })
    }

    /// Records each change as a read of the endpoint of its kind.
    fn record(&self, access: &GrantedAccess, changes: &[(ChangePosition, Change)]) {
        for kind in DataKind::ALL {
            let items = changes.iter().filter(|(position, _)| position.kind == kind).count();
            if items > 0 {
                self.recorder.record_data(access, kind, items, RequestedRange::default());
            }
        }
    }
}

fn allowed(usable: ScopeSet, asked: Option<Vec<DataKind>>) -> Result<Vec<DataKind>, ReadChangesError> {
    let Some(asked) = asked else {
        return Ok(DataKind::ALL.into_iter().filter(|kind| usable.contains(kind.scope())).collect());
    };
    let lacks = |scope: &Scope| !usable.contains(*scope);
    let needed: ScopeSet = asked.iter().map(|kind| kind.scope()).filter(lacks).collect();
    if needed.is_empty() { Ok(asked) } else { Err(ReadChangesError::InsufficientScope { needed }) }
}
