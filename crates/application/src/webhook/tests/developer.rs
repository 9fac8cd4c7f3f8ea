//! What a store of a developer's app does not show: a race and a failure.

use super::*;
use crate::client::AppDeveloper;
use crate::ports::storage::{FailureCount, StorageError};
use crate::session::SignedInPerson;
use crate::testing::{counters, signed_in, units};
use crate::webhook::{WebhookActor, WebhookError, Webhooks};
use domain::outbound::{OutboundPolicy, OutboundUrl};

/// Webhooks of [`app`], of user 1, with its endpoint, where the next message is counted with this outcome.
fn webhooks(units: &Arc<PreparedUnitsOfWork>, counted: Result<u32, StorageError>) -> Webhooks {
    let failures = counters(.., move |_, at, window| {
        counted.as_ref().map_or(Err(StorageError::Unavailable), |count| {
            Ok(vec![FailureCount { count: *count, window_ends_at: at + window }])
        })
    });
    let mut reader = MockWebhookReader::new();
    reader.expect_list_endpoints().returning(|_| Ok(vec![endpoint()]));
    let mut signer = MockWebhookSigner::new();
    signer.expect_seal().returning(|_, _| Ok(SealedWebhookSecret::new(vec![2])));
    Webhooks {
        store: store(units),
        reader: Arc::new(reader),
        clients: Arc::new(clients()),
        failures: Arc::new(failures),
        signer: Arc::new(signer),
        policy: OutboundPolicy::default(),
    }
}

fn of(person: &SignedInPerson) -> AppDeveloper<'_> {
    AppDeveloper { person, app: app().id }
}

#[tokio::test]
async fn an_app_that_was_deleted_in_the_meantime_is_not_found() {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().returning(|_| Ok(None));
    let units = units([unit]);
    let url = OutboundUrl::parse("https://hooks.example/y").unwrap();
    let created = webhooks(&units, Ok(1)).create(of(&signed_in(0)), url).await;
    assert!(matches!(created, Err(WebhookError::NotFound)), "{created:?}");
    assert_eq!((units.endings().committed(), units.endings().rolled_back()), (0, 1));
    assert_eq!(units.events().all(), []);
}

#[tokio::test]
async fn a_failed_count_sends_nothing() {
    let (webhooks, person) = (webhooks(&units([]), Err(StorageError::Unavailable)), signed_in(0));
    let tested = webhooks.test(WebhookActor::Developer(of(&person)), endpoint().id).await;
    assert!(matches!(tested, Err(WebhookError::Storage(StorageError::Unavailable))), "{tested:?}");
}
