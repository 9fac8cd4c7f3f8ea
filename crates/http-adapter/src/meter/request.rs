//! Requests by route, method and status: how many, how long, how many bytes.

use super::body::{InFlight, MeteredBody};
use crate::route::Endpoint;
use actix_web::body::{BodySize, BoxBody, MessageBody as _};
use actix_web::http::{Method, StatusCode};
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use std::sync::OnceLock;
use std::time::Duration;

/// Methods with a separate label, on the routes that serve them. Any other is labelled `other`.
const METHODS: [&str; 10] =
    ["GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "other"];

/// Label of requests that match no endpoint.
const UNMATCHED: &str = "unmatched";

/// Statuses with a separate label; the server sends no others on purpose.
const STATUSES: [(u16, &str); 31] = [
    (200, "200"),
    (201, "201"),
    (202, "202"),
    (204, "204"),
    (206, "206"),
    (301, "301"),
    (302, "302"),
    (303, "303"),
    (304, "304"),
    (307, "307"),
    (308, "308"),
    (400, "400"),
    (401, "401"),
    (403, "403"),
    (404, "404"),
    (405, "405"),
    (408, "408"),
    (409, "409"),
    (410, "410"),
    (413, "413"),
    (414, "414"),
    (415, "415"),
    (417, "417"),
    (422, "422"),
    (429, "429"),
    (431, "431"),
    (500, "500"),
    (501, "501"),
    (503, "503"),
    (504, "504"),
    (0, "other"),
];

/// Returns a method's label.
pub(crate) fn method_name(method: &Method) -> &'static str {
    METHODS.into_iter().find(|name| *name == method.as_str()).unwrap_or("other")
}

/// Metric handles of every endpoint.
pub(super) struct RequestMeter {
    /// One slot per endpoint and method, in the order of [`Endpoint::ALL`]; unmatched requests come last.
    routes: Vec<[OnceLock<Box<RouteMeter>>; METHODS.len()]>,
    in_flight: Gauge,
}

/// Metric handles of one endpoint and method.
struct RouteMeter {
    route: &'static str,
    method: &'static str,
    seconds: Histogram,
    bytes: Counter,
    by_status: [OnceLock<Counter>; STATUSES.len()],
}

impl RequestMeter {
    pub(super) fn new() -> Self {
        Self {
            routes: (0..=Endpoint::ALL.len()).map(|_| std::array::from_fn(|_| OnceLock::new())).collect(),
            in_flight: gauge!("restwell_http_requests_in_flight"),
        }
    }

    pub(super) fn arrived(&'static self, method: &'static str) -> InFlightRequest {
        self.in_flight.increment(1.0);
        InFlightRequest { method, meter: self, in_flight: InFlight::new(self.in_flight.clone()) }
    }

    /// Returns the handles of an endpoint, or of unmatched requests; creates them for the first request. The
    /// methods that an endpoint does not serve share one label: callers choose them.
    fn handles(&self, endpoint: Option<Endpoint>, method: &'static str) -> Option<&RouteMeter> {
        let methods = self.routes.get(endpoint.map_or(Endpoint::ALL.len(), |endpoint| endpoint as usize))?;
        let slot = methods.get(METHODS.iter().position(|name| *name == method)?)?;
        Some(slot.get_or_init(|| {
            let is_served = |endpoint: Endpoint| {
                Method::from_bytes(method.as_bytes()).is_ok_and(|method| endpoint.serves(&method))
            };
            let label = if endpoint.is_none_or(is_served) { method } else { "other" };
            Box::new(RouteMeter::new(endpoint.map_or(UNMATCHED, Endpoint::path), label))
        }))
    }
}

impl RouteMeter {
    fn new(route: &'static str, method: &'static str) -> Self {
        Self {
            route,
            method,
            seconds: histogram!("restwell_http_request_seconds", "route" => route, "method" => method),
            bytes: counter!("restwell_http_response_bytes_total", "route" => route, "method" => method),
            by_status: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    fn count(&self, status: StatusCode) {
        let known = STATUSES.iter().position(|(number, _)| *number == status.as_u16());
        let place = known.unwrap_or(STATUSES.len() - 1);
        let Some((slot, (_, label))) = self.by_status.get(place).zip(STATUSES.get(place)) else { return };
        let (route, method, status) = (self.route, self.method, *label);
        let new = || counter!("restwell_http_requests_total", "route" => route, "method" => method, "status" => status);
        slot.get_or_init(new).increment(1);
    }
}

/// A request in progress; in flight until its answer is sent or dropped.
pub(crate) struct InFlightRequest {
    method: &'static str,
    meter: &'static RequestMeter,
    in_flight: InFlight,
}

impl InFlightRequest {
    /// Counts an answer whose head is ready.
    pub(crate) fn record_response(&self, endpoint: Option<Endpoint>, status: StatusCode, took: Duration) {
        if let Some(meter) = self.meter.handles(endpoint, self.method) {
            meter.count(status);
            meter.seconds.record(took.as_secs_f64());
        }
    }

    /// Counts the bytes of a body: immediately if its length is known, otherwise as they are sent.
    pub(crate) fn meter_body(self, endpoint: Option<Endpoint>, body: BoxBody) -> BoxBody {
        let Some(meter) = self.meter.handles(endpoint, self.method) else { return body };
        match body.size() {
            BodySize::None => body,
            BodySize::Sized(length) => {
                meter.bytes.increment(length);
                body
            }
            BodySize::Stream => BoxBody::new(MeteredBody::new(body, meter.bytes.clone(), self.in_flight)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::web::Bytes;
    use metrics_exporter_prometheus::PrometheusBuilder;

    /// Returns what a meter recorded.
    fn rendered_metrics(work: impl FnOnce(&'static RequestMeter)) -> String {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || work(Box::leak(Box::new(RequestMeter::new()))));
        handle.render()
    }

    fn samples(text: &str) -> Vec<&str> {
        text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect()
    }

    fn send(
        meter: &'static RequestMeter,
        (method, endpoint, status): (&str, Option<Endpoint>, u16),
        body: BoxBody,
    ) {
        let method = method_name(&Method::from_bytes(method.as_bytes()).unwrap());
        let arrival = meter.arrived(method);
        let status = StatusCode::from_u16(status).unwrap();
        arrival.record_response(endpoint, status, Duration::from_millis(3));
        drop(arrival.meter_body(endpoint, body));
    }

    #[test]
    fn a_request_counts_by_route_method_and_status() {
        let text = rendered_metrics(|meter| {
            for _ in 0..3 {
                let body = BoxBody::new(Bytes::from_static(b"12345"));
                send(meter, ("GET", Some(Endpoint::Sleep), 200), body);
            }
        });
        let route = r#"{route="/api/v1/sleep/{user_id}",method="GET""#;
        assert!(text.contains(&format!("restwell_http_requests_total{route},status=\"200\"}} 3")), "{text}");
        assert!(text.contains(&format!("restwell_http_response_bytes_total{route}}} 15")), "{text}");
        assert!(text.contains(&format!("restwell_http_request_seconds_count{route}}} 3")), "{text}");
        assert!(text.contains("restwell_http_requests_in_flight 0"), "{text}");
    }

    #[test]
    fn a_request_is_in_flight_until_its_response_ends() {
        let text = rendered_metrics(|meter| {
            let _still_there = meter.arrived("GET");
            let _kept: &'static InFlightRequest = Box::leak(Box::new(meter.arrived("POST")));
        });
        assert!(text.contains("restwell_http_requests_in_flight 1"), "{text}");
    }

    #[test]
    fn a_method_that_an_endpoint_does_not_serve_is_labelled_other() {
        let hostile = |meter: &'static RequestMeter| {
            for endpoint in Endpoint::ALL {
                for method in METHODS {
                    send(meter, (method, Some(*endpoint), 405), BoxBody::new(Bytes::from_static(b"1")));
                }
            }
        };
        let text = rendered_metrics(hostile);
        for endpoint in Endpoint::ALL {
            let route = format!("route=\"{}\",method=", endpoint.path());
            let counted = |name: &str| {
                let start = format!("{name}{{{route}");
                let lines = samples(&text).into_iter().filter(|line| line.starts_with(&start));
                lines.map(str::to_owned).collect::<Vec<_>>()
            };
            let served = METHODS
                .iter()
                .filter(|method| endpoint.serves(&Method::from_bytes(method.as_bytes()).unwrap()));
            let served = served.count();
            for name in ["restwell_http_requests_total", "restwell_http_response_bytes_total"] {
                let lines = counted(name);
                assert_eq!(lines.len(), served + 1, "{lines:?}");
                let other = lines.iter().find(|line| line.contains("method=\"other\"")).unwrap();
                assert!(other.ends_with(&format!(" {}", METHODS.len() - served)), "{other}");
            }
        }
    }

    #[test]
    fn the_number_of_series_is_bounded() {
        let hostile = |meter: &'static RequestMeter| {
            for number in 0..2_000_u16 {
                let method = format!("INVENTED{number}");
                let status = 100 + number % 900;
                send(meter, (&method, None, status), BoxBody::new(()));
            }
        };
        let text = rendered_metrics(hostile);
        assert!(!text.contains("INVENTED"), "{text}");
        let counters =
            samples(&text).iter().filter(|line| line.starts_with("restwell_http_requests_total")).count();
        assert_eq!(counters, STATUSES.len(), "{text}");
    }
}
