//! Page with the webhook endpoints of an app.

use crate::view::{FormErrors, Moment, Person, grouped};
use askama::Template;
use zeroize::Zeroizing;

/// Webhook endpoints of an app.
#[derive(Clone, Template)]
#[template(path = "developer/webhooks/webhooks.html")]
pub(crate) struct DeveloperWebhooks {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    /// New secret, which is shown only once.
    pub(crate) secret: Option<NewEndpointSecret>,
    /// Client id.
    pub(crate) client: String,
    /// Name of the app.
    pub(crate) name: String,
    /// Endpoints, oldest first.
    pub(crate) endpoints: Vec<EndpointLine>,
    /// Whether the app can have no further endpoint.
    pub(crate) is_full: bool,
    /// Form for a new endpoint.
    pub(crate) field: UrlField,
}

impl DeveloperWebhooks {
    /// Numbers of days whose messages can be sent again.
    pub(crate) const REPLAYED_DAYS: [i64; 4] = [1, 3, 7, 30];
}

/// Secret of an endpoint.
#[derive(Clone)]
pub(crate) struct NewEndpointSecret {
    /// Id of the endpoint.
    pub(crate) endpoint: String,
    pub(crate) secret: Zeroizing<String>,
}

/// Form for a new endpoint, as submitted.
#[derive(Clone, Default)]
pub(crate) struct UrlField {
    pub(crate) value: String,
    pub(crate) errors: FormErrors,
}

/// An endpoint.
#[derive(Clone)]
pub(crate) struct EndpointLine {
    pub(crate) id: String,
    pub(crate) url: String,
    pub(crate) state: EndpointState,
    /// Id of the current secret.
    pub(crate) newest: String,
    pub(crate) created: Moment,
    /// Whether it was just sent a test or a challenge.
    pub(crate) is_tested: bool,
    /// Until when the previous secret signs too.
    pub(crate) previous_until: Option<Moment>,
    /// Latest deliveries, latest first.
    pub(crate) deliveries: Vec<DeliveryLine>,
}

/// Whether an endpoint is sent events.
#[derive(Clone)]
pub(crate) enum EndpointState {
    Unconfirmed,
    Active,
    Disabled { since: Moment, reason: &'static str },
}

impl EndpointLine {
    const fn is_active(&self) -> bool {
        matches!(self.state, EndpointState::Active)
    }
}

/// An attempt to deliver an event.
#[derive(Clone)]
pub(crate) struct DeliveryLine {
    pub(crate) at: Moment,
    /// Type of the event.
    pub(crate) kind: &'static str,
    /// Id of the message; `None` if its person is gone.
    pub(crate) message: Option<String>,
    pub(crate) result: String,
    /// Duration; `None` if it is not shown.
    pub(crate) milliseconds: Option<u32>,
    /// Next attempt; `None` if there is none.
    pub(crate) next: Option<Moment>,
}

impl DeliveryLine {
    fn duration(&self) -> Option<String> {
        self.milliseconds.map(|milliseconds| grouped(u64::from(milliseconds)))
    }
}
