//! Webhooks: endpoints, and sending events.

use super::{MailParts, Store};
use crate::settings::{PublicUrl, Settings};
use application::ports::system::{Fetcher, WebhookSigner};
use application::webhook::{DeliverEvents, DisabledNotice, Webhooks};
use domain::outbound::OutboundPolicy;
use outbound_adapter::{GuardedFetcher, SystemResolver};
use std::sync::Arc;
use system_adapter::{EncryptedWebhookSigner, EncryptionKey};

/// Returns which hosts this server may call: its own machine only if it is on loopback itself.
pub(crate) const fn outbound_policy(settings: &Settings, public_url: &PublicUrl) -> OutboundPolicy {
    OutboundPolicy {
        allow_loopback: public_url.is_loopback(),
        allow_private_networks: settings.outbound.allow_private_networks,
    }
}

/// Wires endpoints.
pub(crate) fn webhooks(
    store: &Store,
    audited: application::store::Store,
    signer: Arc<dyn WebhookSigner>,
    policy: OutboundPolicy,
) -> Webhooks {
    Webhooks {
        store: audited,
        reader: store.webhooks.clone(),
        clients: store.clients.clone(),
        failures: store.failures.clone(),
        signer,
        policy,
    }
}

/// Wires requests to hosts that others chose.
pub(super) fn guarded_fetcher(policy: OutboundPolicy) -> Arc<dyn Fetcher> {
    Arc::new(GuardedFetcher::new(policy, Arc::new(SystemResolver)))
}

/// Wires sending.
pub(super) fn deliver_events(
    store: &Store,
    audited: application::store::Store,
    fetcher: Arc<dyn Fetcher>,
    encryption_key: &EncryptionKey,
    notice: Option<DisabledNotice>,
) -> DeliverEvents {
    DeliverEvents {
        store: audited,
        webhooks: store.webhooks.clone(),
        // From the primary, unlike the endpoints' reads: a standby may not have the change yet.
        changes: store.primary_changes.clone(),
        signer: Arc::new(EncryptedWebhookSigner::new(encryption_key.clone())),
        fetcher,
        notice,
    }
}

/// Wires the email about disabled endpoints; `None` if no email is sent.
pub(super) fn disabled_notice(
    store: &Store,
    settings: &Settings,
    mail: Option<&MailParts>,
) -> Option<DisabledNotice> {
    mail.map(|mail| DisabledNotice {
        mail: mail.queue.clone(),
        clients: store.clients.clone(),
        profiles: store.profiles.clone(),
        self_service: settings.developers.self_service,
    })
}
