//! Checks of what a developer asks for; the operator may do everything.

use super::{WebhookActor, WebhookError, Webhooks};
use crate::attempt_limit::{AttemptLimit, count_attempt, failure_key};
use crate::client::AppDeveloper;
use domain::id::WebhookEndpointId;
use domain::outbound::OutboundUrl;

const TEN_MINUTES: u32 = 600;
/// Limits on what developers ask to be sent: challenges, tests and replays. Strangers' servers may receive
/// it.
const PER_ENDPOINT: AttemptLimit = AttemptLimit { attempts: 10, window_seconds: TEN_MINUTES };
const PER_DEVELOPER: AttemptLimit = AttemptLimit { attempts: 30, window_seconds: TEN_MINUTES };
/// Of all developers together; above the limit of one, who could otherwise block a host that others use.
const PER_HOST: AttemptLimit = AttemptLimit { attempts: 60, window_seconds: TEN_MINUTES };

impl Webhooks {
    /// Checks that a developer who signed in recently may create an endpoint at this URL, and counts its
    /// challenge.
    pub(super) async fn admit_creation(
        &self,
        developer: AppDeveloper<'_>,
        url: &OutboundUrl,
    ) -> Result<(), WebhookError> {
        self.check_fresh(developer)?;
        self.check_app(developer).await?;
        if !self.policy.for_unreviewed().allows_url(url) {
            return Err(WebhookError::Forbidden);
        }
        self.count_sending(developer, None, url).await
    }

    /// Checks that the endpoint belongs to the developer's app, and that the sign-in is fresh.
    pub(super) async fn admit_change(
        &self,
        actor: WebhookActor<'_>,
        id: WebhookEndpointId,
    ) -> Result<(), WebhookError> {
        match actor {
            WebhookActor::Operator => Ok(()),
            WebhookActor::Developer(developer) => {
                self.check_fresh(developer)?;
                self.check_endpoint(developer, id).await.map(drop)
            }
        }
    }

    /// Checks that the endpoint belongs to the developer's app, and counts what will be sent.
    pub(super) async fn admit_sending(
        &self,
        actor: WebhookActor<'_>,
        id: WebhookEndpointId,
    ) -> Result<(), WebhookError> {
        match actor {
            WebhookActor::Operator => Ok(()),
            WebhookActor::Developer(developer) => {
                let url = self.check_endpoint(developer, id).await?;
                self.count_sending(developer, Some(id), &url).await
            }
        }
    }

    fn check_fresh(&self, developer: AppDeveloper<'_>) -> Result<(), WebhookError> {
        let is_fresh = developer.person.session.is_fresh(self.store.now());
        is_fresh.then_some(()).ok_or(WebhookError::NotFresh)
    }

    async fn check_app(&self, AppDeveloper { person, app }: AppDeveloper<'_>) -> Result<(), WebhookError> {
        let found = self.clients.find_own(person.user_id, app).await?;
        found.map(drop).ok_or(WebhookError::NotFound)
    }

    /// Returns the URL of an endpoint of the app.
    async fn check_endpoint(
        &self,
        developer: AppDeveloper<'_>,
        id: WebhookEndpointId,
    ) -> Result<OutboundUrl, WebhookError> {
        self.check_app(developer).await?;
        let endpoints = self.reader.list_endpoints(Some(developer.app)).await?;
        let found = endpoints.into_iter().find(|one| one.id == id);
        found.map(|endpoint| endpoint.url).ok_or(WebhookError::NotFound)
    }

    /// Counts a message, or a replay, that the developer asks for; a new endpoint has no id yet.
    async fn count_sending(
        &self,
        developer: AppDeveloper<'_>,
        endpoint: Option<WebhookEndpointId>,
        url: &OutboundUrl,
    ) -> Result<(), WebhookError> {
        let (endpoint, user_id) =
            (endpoint.map(|id| id.to_string()).unwrap_or_default(), developer.person.user_id.to_string());
        let now = self.store.now();
        for (kind, subject, limit) in [
            ("webhook/endpoint", endpoint.as_str(), PER_ENDPOINT),
            ("webhook/developer", &user_id, PER_DEVELOPER),
            ("webhook/host", url.host(), PER_HOST),
        ] {
            if !subject.is_empty() {
                count_attempt(&*self.failures, failure_key(&[kind, subject]), limit, now).await?;
            }
        }
        Ok(())
    }
}
