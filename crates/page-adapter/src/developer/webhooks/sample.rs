//! Samples of the page with webhook endpoints.

use super::view::{
    DeliveryLine, DeveloperWebhooks, EndpointLine, EndpointState, NewEndpointSecret, UrlField,
};
use crate::view::FormErrors;
use crate::view::sample::{Sample, TextSource, moment, person, sample, variant};
use zeroize::Zeroizing;

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let none = DeveloperWebhooks {
        person: person(source),
        notice: None,
        secret: None,
        client: "8e4d1a20-5f0a-4d65-9c4e-2d6b7a0c1f33".to_owned(),
        name: source("Night Owl"),
        endpoints: Vec::new(),
        is_full: false,
        field: UrlField::default(),
    };
    let secret = NewEndpointSecret {
        endpoint: "0b6e1d2c-5f52-4d0e-8a34-27c9a1f3f1aa".to_owned(),
        secret: Zeroizing::new("whsec_ICEi".to_owned()),
    };
    let some = DeveloperWebhooks {
        notice: Some(source("A test event is being sent.")),
        secret: Some(secret),
        endpoints: endpoints(source),
        ..none.clone()
    };
    let errors = FormErrors::field("url", source("The URL must be https."));
    let refused =
        DeveloperWebhooks { field: UrlField { value: source("https://10.0.0.1/"), errors }, ..none.clone() };
    let full = DeveloperWebhooks { is_full: true, ..some.clone() };
    vec![
        sample("own_webhooks", &some),
        sample("own_webhooks_none", &none),
        variant("own_webhooks_refused", &refused),
        variant("own_webhooks_full", &full),
    ]
}

fn endpoints(source: TextSource) -> Vec<EndpointLine> {
    let unconfirmed = EndpointLine {
        id: "0b6e1d2c-5f52-4d0e-8a34-27c9a1f3f1aa".to_owned(),
        url: source("https://owl.example/hooks"),
        state: EndpointState::Unconfirmed,
        newest: "4bf5122f-3445-54c5-3bde-2ebb8cd2b7e3".to_owned(),
        created: moment(source, "21 November 2026", "2026-11-21"),
        is_tested: false,
        previous_until: None,
        deliveries: Vec::new(),
    };
    let next = moment(source, "21 November 2026, 09:00:00", "2026-11-21T08:00:00Z");
    let active = EndpointLine {
        state: EndpointState::Active,
        is_tested: true,
        previous_until: Some(moment(source, "22 November 2026, 08:55", "2026-11-22T07:55:00Z")),
        deliveries: vec![
            delivery(source, "records.changed", ("Status 503", Some(next))),
            DeliveryLine { message: None, ..delivery(source, "person.erased", ("Status 204", None)) },
            DeliveryLine { milliseconds: None, ..delivery(source, "endpoint.test", ("Failed", None)) },
        ],
        ..unconfirmed.clone()
    };
    let since = moment(source, "20 November 2026, 08:55", "2026-11-20T07:55:00Z");
    let state = EndpointState::Disabled { since, reason: "It responded with status 410." };
    vec![active, unconfirmed.clone(), EndpointLine { state, ..unconfirmed }]
}

fn delivery(
    source: TextSource,
    kind: &'static str,
    (result, next): (&str, Option<crate::view::Moment>),
) -> DeliveryLine {
    DeliveryLine {
        at: moment(source, "21 November 2026, 08:55:09", "2026-11-21T07:55:09Z"),
        kind,
        message: Some("msg_0f1e2d3c4b5a69788796a5b4c3d2e1f0".to_owned()),
        result: source(result),
        milliseconds: Some(1_204),
        next,
    }
}
