//! Lists the reads of a user's data.

use crate::ports::storage::{ClientReader, PersonalTokenReader, ReadTallyStore, StorageError};
use derive_more::Constructor;
use domain::client::ClientName;
use domain::id::UserId;
use domain::personal_token::{PersonalToken, PersonalTokenName};
use domain::read_tally::{ReadTally, Reader, TallyKey};
use std::collections::HashMap;
use std::sync::Arc;

/// Name of a reader, as the user knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReaderName {
    /// Name of an app.
    Client(ClientName),
    /// Name that the user gave to a token.
    PersonalToken(PersonalTokenName),
}

/// Reads of one minute, reader and kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRead {
    /// The tally.
    pub tally: ReadTally,
    /// Current name of the reader; `None` if it no longer exists.
    pub reader_name: Option<ReaderName>,
}

/// A page of reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadsPage {
    /// Reads, latest minute first, at most one page.
    pub reads: Vec<ListedRead>,
    /// Position of the next page; `None` on the last page.
    pub next: Option<TallyKey>,
}

/// Lists a user's reads.
#[derive(Constructor)]
pub struct ListReads {
    tallies: Arc<dyn ReadTallyStore>,
    clients: Arc<dyn ClientReader>,
    tokens: Arc<dyn PersonalTokenReader>,
}

impl ListReads {
    /// Returns at most `size` of the user's reads after this position, latest first. Reads of the last second
    /// may be missing.
    ///
    /// The position is not checked against the user: only this user's reads are returned in any case.
    pub async fn run(
        &self,
        user_id: UserId,
        after: Option<TallyKey>,
        size: u32,
    ) -> Result<ReadsPage, StorageError> {
        let after = after.map(|key| TallyKey { user_id, ..key });
        let mut found = self.tallies.list(user_id, after, size.saturating_add(1)).await?;
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let has_more = found.len() > size;
        found.truncate(size);
        let next = found.last().filter(|_| has_more).map(|tally| tally.key);
        let names = self.names(user_id, found.iter().map(|tally| tally.key.reader)).await?;
        let listed =
            |tally: ReadTally| ListedRead { tally, reader_name: names.get(&tally.key.reader).cloned() };
        Ok(ReadsPage { reads: found.into_iter().map(listed).collect(), next })
    }

    /// Looks up each reader of a page once; the user's tokens all at once, and only if needed.
    pub(super) async fn names(
        &self,
        user_id: UserId,
        readers: impl Iterator<Item = Reader> + Send,
    ) -> Result<HashMap<Reader, ReaderName>, StorageError> {
        let mut names = HashMap::new();
        let mut tokens = None;
        for reader in readers {
            if names.contains_key(&reader) {
                continue;
            }
            let name = match reader {
                Reader::Client(id) => {
                    let found = self.clients.find_with_secrets(id).await?;
                    found.map(|found| ReaderName::Client(found.client.name))
                }
                Reader::PersonalToken(id) => {
                    if tokens.is_none() {
                        tokens = Some(self.tokens.list_personal_tokens(user_id).await?);
                    }
                    let found = tokens.iter().flatten().find(|token: &&PersonalToken| token.id == id);
                    found.map(|token| ReaderName::PersonalToken(token.name.clone()))
                }
            };
            names.extend(name.map(|name| (reader, name)));
        }
        Ok(names)
    }
}
