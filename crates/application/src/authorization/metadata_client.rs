//! Loads the client that a metadata document describes.

use super::{Authorizations, BeginAuthorizationError};
use crate::attempt_limit::{AttemptLimit, count_attempt, failure_key};
use crate::ports::storage::{StorageError, UniqueKey};
use crate::ports::system::FetchedMetadata;
use crate::store::transact;
use chrono::TimeDelta;
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, MetadataContent, MetadataDocument, MetadataError, MetadataUrl, ServerNames};
use std::net::IpAddr;

/// Limits on fetches per network address and per host. Any visitor can cause them.
const FETCHES: AttemptLimit = AttemptLimit { attempts: 30, window_seconds: 600 };
const FETCHES_OF_HOST: AttemptLimit = AttemptLimit { attempts: 300, ..FETCHES };

/// Bounds of the time until a document is fetched again.
const MIN_AGE: TimeDelta = TimeDelta::minutes(5);
const MAX_AGE: TimeDelta = TimeDelta::hours(24);
/// Lifetime if the response headers specify none.
const DEFAULT_AGE: TimeDelta = TimeDelta::hours(1);

impl Authorizations {
    /// Returns the client of a document, which is fetched unless the stored client is fresh or disabled.
    ///
    /// An expired client is not used if its document cannot be fetched. Faults are not stored.
    pub(super) async fn metadata_client(
        &self,
        url: &MetadataUrl,
        address: IpAddr,
    ) -> Result<Client, BeginAuthorizationError> {
        self.metadata_policy.check(url)?;
        let now = self.store.now();
        if let Some(found) = self.clients.find_with_secrets(url.client_id()).await? {
            let client = found.client;
            let is_fresh = client.document.as_ref().is_none_or(|document| now < document.fresh_until);
            if is_fresh || !client.status.is_active() {
                return Ok(client);
            }
        }
        let block = AddressBlock::containing(address).to_string();
        for (kind, subject, limit) in [
            ("client-metadata/address", block.as_str(), FETCHES),
            ("client-metadata/host", url.target().host(), FETCHES_OF_HOST),
        ] {
            count_attempt(&*self.failures, failure_key(&[kind, subject]), limit, now).await?;
        }
        let FetchedMetadata { fields, max_age } = self.metadata.read(url).await?;
        let content = MetadataContent::check(&fields, url)?;
        let age = max_age.unwrap_or(DEFAULT_AGE).clamp(MIN_AGE, MAX_AGE);
        let document = MetadataDocument { url: url.clone(), fresh_until: now + age };
        let client = content.into_client(document, now);
        if client.name.imitates_server(ServerNames::default()) && !self.metadata_policy.is_reviewed(&client) {
            return Err(MetadataError::ReservedName.into());
        }
        Ok(self.save_client(client).await?)
    }

    /// Stores a client as read, except that a disabled one stays disabled. If the document has changed,
    /// remembered consents are deleted.
    async fn save_client(&self, client: Client) -> Result<Client, StorageError> {
        let read = &client;
        let event = |kind| self.store.event(AuditActor::Server, kind).client(read.id);
        let saved = transact!(self.store, |tx| {
            let Some(before) = tx.clients().find(read.id).await? else {
                tx.clients().insert(read).await?;
                tx.record(event(AuditKind::ClientCreated)).await?;
                return Ok(read.clone());
            };
            let after = Client { status: before.status, created_at: before.created_at, ..read.clone() };
            tx.clients().update(&after).await?;
            if (Client { document: after.document.clone(), ..before }) != after {
                tx.consents().forget(None, Some(after.id)).await?;
                tx.record(event(AuditKind::ClientChanged)).await?;
            }
            Ok(after)
        });
        match saved.await {
            // Another request has read the document at the same time.
            Err(StorageError::Conflict(UniqueKey::ClientId)) => Ok(client),
            outcome => outcome,
        }
    }
}
