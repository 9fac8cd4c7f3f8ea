//! `/developer/webhooks/{client_id}`: the webhook endpoints of an app of the signed-in person.

#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use super::app::requested;
use super::request::{Developer, DeveloperForm, Rejection};
use crate::answer::{page, see_other};
use crate::view::FormErrors;
use crate::{moment, person, query};
use actix_web::{HttpRequest, HttpResponse};
use application::webhook::{CreatedWebhook, DeveloperWebhooks, WebhookActor, WebhookError};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{ClientId, WebhookEndpointId, WebhookSecretId};
use domain::outbound::{OutboundError, OutboundUrl};
use domain::time::TimeZone;
use domain::webhook::{
    Delivery, DeliveryResult, DisableReason, EndpointStatus, EventKind, MAX_ENDPOINTS, WebhookEndpoint,
};
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use view::{DeliveryLine, EndpointLine, EndpointState, NewEndpointSecret, UrlField};

/// Shows the endpoints and the form for a new one.
pub(super) async fn show(developer: &Developer<'_>, request: &HttpRequest) -> Result<HttpResponse, Problem> {
    let query = query::read(request, &["done", "endpoint"])?;
    let notice = match query.get("done") {
        Some("tested") => Some("A test event is being sent."),
        Some("challenged") => Some("A challenge is being sent."),
        Some("replayed") => Some("The messages are being sent again."),
        Some("sent-before") => Some(
            "The secret had already been replaced, so no other one was created. If you did not copy the new \
             secret, create another one and use it at once: messages are signed with the latest two only.",
        ),
        Some("deleted") => Some("The endpoint has been deleted. No more messages are sent to it."),
        _ => None,
    };
    let tested = query.get("endpoint").and_then(|id| WebhookEndpointId::parse(id).ok());
    WebhooksPage { notice, tested, ..WebhooksPage::default() }.answer(developer, requested(request)?).await
}

/// Creates an endpoint and shows its secret once.
pub(super) async fn create(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let (developer, text) = (sent.app_developer()?, sent.form.line("url")?.trim());
    let created = match OutboundUrl::parse(text) {
        Ok(url) => sent.developer.use_cases.webhooks.create(developer, url).await.map_err(correctable),
        Err(error) => Err(Ok(FormErrors::field("url", format!("The URL {error}.")))),
    };
    let contents = match created {
        Ok(CreatedWebhook { endpoint, secret }) => {
            let secret = NewEndpointSecret { endpoint: endpoint.id.to_string(), secret: secret.expose() };
            WebhooksPage { secret: Some(secret), ..WebhooksPage::default() }
        }
        Err(errors) => {
            let field = UrlField { value: text.to_owned(), errors: errors? };
            WebhooksPage { field, ..WebhooksPage::default() }
        }
    };
    Ok(contents.answer(&sent.developer, developer.app).await?)
}

/// Sends a test event or a challenge.
pub(super) async fn test(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let (developer, endpoint) = (sent.app_developer()?, endpoint_id(sent)?);
    let actor = WebhookActor::Developer(developer);
    let kind = sent.developer.use_cases.webhooks.test(actor, endpoint).await?;
    let what = if kind == EventKind::EndpointTest { "tested" } else { "challenged" };
    Ok(redirect_with_notice(developer.app, &format!("{what}&endpoint={endpoint}")))
}

/// Creates a secret and shows it once. If the response is reloaded, the form creates nothing.
pub(super) async fn rotate_secret(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let (developer, endpoint) = (sent.app_developer()?, endpoint_id(sent)?);
    let newest = sent.form.parse("newest", |id| WebhookSecretId::parse(id).ok())?;
    match sent.developer.use_cases.webhooks.rotate(developer, endpoint, newest).await {
        Ok(secret) => {
            let secret = NewEndpointSecret { endpoint: endpoint.to_string(), secret: secret.expose() };
            let contents = WebhooksPage { secret: Some(secret), ..WebhooksPage::default() };
            Ok(contents.answer(&sent.developer, developer.app).await?)
        }
        // Sent again by a reload, or replaced in another window.
        Err(WebhookError::SecretChanged) => Ok(redirect_with_notice(developer.app, "sent-before")),
        Err(error) => Err(error.into()),
    }
}

/// Sends the messages of the last days again.
pub(super) async fn replay(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let developer = sent.app_developer()?;
    let is_offered = |days: &i64| view::DeveloperWebhooks::REPLAYED_DAYS.contains(days);
    let days = sent.form.parse("days", |days| days.parse().ok().filter(is_offered))?;
    let (actor, last) = (WebhookActor::Developer(developer), TimeDelta::days(days));
    sent.developer.use_cases.webhooks.replay(actor, endpoint_id(sent)?, last).await?;
    Ok(redirect_with_notice(developer.app, "replayed"))
}

/// Deletes an endpoint.
pub(super) async fn delete(sent: &DeveloperForm<'_>) -> Result<HttpResponse, Rejection> {
    let developer = sent.app_developer()?;
    let actor = WebhookActor::Developer(developer);
    sent.developer.use_cases.webhooks.delete(actor, endpoint_id(sent)?).await?;
    Ok(redirect_with_notice(developer.app, "deleted"))
}

/// Returns the errors of the form for a new endpoint that the person can correct, or the rejection.
fn correctable(error: WebhookError) -> Result<FormErrors, Rejection> {
    match error {
        WebhookError::Forbidden => Ok(FormErrors::field(
            "url",
            "This server does not send requests to private or loopback addresses. Enter a public address.",
        )),
        WebhookError::UrlTaken => Ok(FormErrors::field("url", "There is already an endpoint with this URL.")),
        WebhookError::TooMany => Ok(FormErrors::form(format!(
            "This app has reached the limit of {MAX_ENDPOINTS} webhook endpoints. Delete one first."
        ))),
        WebhookError::NotFresh
        | WebhookError::NotFound
        | WebhookError::SecretChanged
        | WebhookError::TooManyMessages { .. }
        | WebhookError::Signer(_)
        | WebhookError::Storage(_) => Err(error.into()),
    }
}

fn endpoint_id(sent: &DeveloperForm<'_>) -> Result<WebhookEndpointId, Problem> {
    sent.form.parse("endpoint", |id| WebhookEndpointId::parse(id).ok())
}

fn redirect_with_notice(id: ClientId, what: &str) -> HttpResponse {
    let path = Endpoint::DeveloperWebhooks.path().replace("{client_id}", &id.to_string());
    see_other(&format!("{path}?done={what}"))
}

/// Contents of the page in addition to the endpoints.
#[derive(Default)]
struct WebhooksPage {
    notice: Option<&'static str>,
    /// The endpoint that is being tested.
    tested: Option<WebhookEndpointId>,
    /// A new secret, which is shown only once.
    secret: Option<NewEndpointSecret>,
    field: UrlField,
}

impl WebhooksPage {
    async fn answer(self, developer: &Developer<'_>, id: ClientId) -> Result<HttpResponse, Problem> {
        let Self { notice, tested, secret, field } = self;
        let (person, now) = (&developer.person, developer.state.store.now());
        let found = developer.use_cases.webhooks.list(person.user_id, id).await?;
        let DeveloperWebhooks { client, endpoints } = found.ok_or_else(|| Problem::new(Fault::NotFound))?;
        let is_full = endpoints.len() >= MAX_ENDPOINTS;
        let line = |(endpoint, deliveries): (WebhookEndpoint, Vec<Delivery>)| EndpointLine {
            is_tested: tested == Some(endpoint.id),
            ..endpoint_line(&endpoint, deliveries, (person.home_timezone, now))
        };
        let view = view::DeveloperWebhooks {
            person: person::to_view(person),
            notice: notice.map(str::to_owned),
            secret,
            client: id.to_string(),
            name: client.name.as_str().to_owned(),
            endpoints: endpoints.into_iter().map(line).collect(),
            is_full,
            field,
        };
        page(view.field.errors.status(), &view)
    }
}

fn endpoint_line(
    endpoint: &WebhookEndpoint,
    deliveries: Vec<Delivery>,
    (zone, now): (TimeZone, DateTime<Utc>),
) -> EndpointLine {
    let previous = endpoint.previous_secret.as_ref().filter(|previous| now < previous.expires_at);
    EndpointLine {
        id: endpoint.id.to_string(),
        url: endpoint.url.as_str().to_owned(),
        state: match endpoint.status {
            EndpointStatus::Unconfirmed => EndpointState::Unconfirmed,
            EndpointStatus::Active => EndpointState::Active,
            EndpointStatus::Disabled { at, reason } => EndpointState::Disabled {
                since: moment::to_the_minute(at, zone),
                reason: match reason {
                    DisableReason::Gone => "It responded with status 410.",
                    DisableReason::Failing => "Every attempt to deliver an event failed for three days.",
                },
            },
        },
        newest: endpoint.secret.id().to_string(),
        created: moment::day(endpoint.created_at, zone),
        is_tested: false,
        previous_until: previous.map(|previous| moment::to_the_minute(previous.expires_at, zone)),
        deliveries: deliveries
            .into_iter()
            .map(|delivery| delivery_line(&delivery, endpoint.is_reviewed, zone))
            .collect(),
    }
}

/// Returns the line of a logged attempt, without the person of the event. Words and times of failed
/// connections are all alike unless the operator has reviewed the endpoint: developers could probe the
/// server's network.
fn delivery_line(delivery: &Delivery, is_reviewed: bool, zone: TimeZone) -> DeliveryLine {
    let is_told = is_reviewed || !matches!(delivery.result, DeliveryResult::Failed(_));
    DeliveryLine {
        at: moment::to_the_second(delivery.at, zone),
        kind: delivery.event.kind.as_str(),
        message: delivery.message_id().map(|id| id.to_string()),
        result: if is_told { words(delivery.result) } else { "Failed".to_owned() },
        milliseconds: is_told.then_some(delivery.milliseconds),
        next: delivery.next_attempt_at.map(|at| moment::to_the_second(at, zone)),
    }
}

fn words(result: DeliveryResult) -> String {
    match result {
        DeliveryResult::Status(status) => format!("Status {status}"),
        DeliveryResult::WrongChallenge => "Responded without the challenge".to_owned(),
        DeliveryResult::NotSigned => "Could not be signed; create a new secret".to_owned(),
        DeliveryResult::InternalError => "Internal error of this server".to_owned(),
        DeliveryResult::Failed(error) => match error {
            OutboundError::Forbidden => "The host has an address that this server may not call",
            OutboundError::NotFound => "The host has no address",
            OutboundError::Unreachable => "No connection",
            OutboundError::Tls => "No TLS connection; check the certificate",
            OutboundError::Broken => "No valid response",
            OutboundError::TimedOut => "No response in time",
        }
        .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::UserId;
    use domain::webhook::EventKey;
    use std::collections::BTreeSet;
    use uuid::Uuid;

    fn delivery(result: DeliveryResult, milliseconds: u32) -> Delivery {
        Delivery {
            id: Uuid::nil(),
            event: EventKey {
                user_id: UserId::from_uuid(Uuid::nil()),
                endpoint_id: WebhookEndpointId::from_uuid(Uuid::nil()),
                kind: EventKind::EndpointChallenge,
            },
            number: 1,
            announced_before: 0,
            occurred_at: DateTime::UNIX_EPOCH,
            at: DateTime::UNIX_EPOCH,
            milliseconds,
            result,
            next_attempt_at: None,
        }
    }

    fn shown(result: DeliveryResult, milliseconds: u32, is_reviewed: bool) -> (String, Option<u32>) {
        let line = delivery_line(&delivery(result, milliseconds), is_reviewed, TimeZone::UTC);
        (line.result, line.milliseconds)
    }

    #[test]
    fn every_failed_connection_looks_the_same_unless_the_operator_reviewed_it() {
        let errors = [
            OutboundError::Forbidden,
            OutboundError::NotFound,
            OutboundError::Unreachable,
            OutboundError::Tls,
            OutboundError::Broken,
            OutboundError::TimedOut,
        ];
        let mut told = BTreeSet::new();
        for (number, error) in (0..).zip(errors) {
            let result = DeliveryResult::Failed(error);
            assert_eq!(shown(result, number, false), ("Failed".to_owned(), None), "{error:?}");
            let (words, milliseconds) = shown(result, number, true);
            assert_eq!(milliseconds, Some(number));
            told.insert(words);
        }
        assert_eq!(told.len(), errors.len());
        assert_eq!(shown(DeliveryResult::Status(503), 9, false), ("Status 503".to_owned(), Some(9)));
    }
}
