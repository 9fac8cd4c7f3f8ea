//! Requests by route, method and status: how many, how long, how many bytes.

use super::body::Counted;
use crate::route::Endpoint;
use actix_web::body::{BodySize, BoxBody, MessageBody as _};
use actix_web::http::{Method, StatusCode};
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

/// The methods that have a label of their own; an invented one is text of the caller's and is not repeated.
const METHODS: [&str; 10] =
    ["GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "other"];

/// What no route serves.
const UNMATCHED: &str = "unmatched";

/// The statuses that have a label of their own; the server sends no others on purpose.
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

/// The handles of every route.
pub(super) struct RequestMeter {
    /// The place of each route's pattern.
    places: HashMap<&'static str, usize>,
    /// A row a route, one for what no route serves at the end; in it a place a method.
    routes: Vec<(&'static str, [OnceLock<Box<RouteMeter>>; METHODS.len()])>,
    in_flight: Gauge,
}

/// The handles of a route and a method.
struct RouteMeter {
    route: &'static str,
    method: &'static str,
    seconds: Histogram,
    bytes: Counter,
    by_status: [OnceLock<Counter>; STATUSES.len()],
}

impl RequestMeter {
    pub(super) fn new() -> Self {
        let patterns = || Endpoint::ALL.iter().map(|endpoint| endpoint.path());
        let empty = || std::array::from_fn(|_| OnceLock::new());
        Self {
            places: patterns().enumerate().map(|(place, pattern)| (pattern, place)).collect(),
            routes: patterns().chain([UNMATCHED]).map(|pattern| (pattern, empty())).collect(),
            in_flight: gauge!("restwell_http_requests_in_flight"),
        }
    }

    pub(super) fn arrived(&'static self, method: &'static str) -> Arrival {
        self.in_flight.increment(1.0);
        Arrival { method, meter: self, in_flight: InFlight(self.in_flight.clone()) }
    }

    /// Finds the handles; a pattern that is not in the table of routes counts as none.
    fn of(&self, route: Option<&str>, method: &'static str) -> Option<&RouteMeter> {
        let unmatched = self.routes.len().saturating_sub(1);
        let place = route.and_then(|pattern| self.places.get(pattern).copied()).unwrap_or(unmatched);
        let (route, methods) = self.routes.get(place)?;
        let slot = methods.get(METHODS.iter().position(|name| *name == method)?)?;
        Some(slot.get_or_init(|| Box::new(RouteMeter::new(route, method))))
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

/// A request that is being worked on; in flight until its answer was handed over, or dropped.
pub(crate) struct Arrival {
    method: &'static str,
    meter: &'static RequestMeter,
    in_flight: InFlight,
}

/// Counts down when dropped.
pub(super) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

impl Arrival {
    /// Notes an answer whose head is ready.
    pub(crate) fn answered(&self, route: Option<&str>, status: StatusCode, took: Duration) {
        if let Some(meter) = self.meter.of(route, self.method) {
            meter.count(status);
            meter.seconds.record(took.as_secs_f64());
        }
    }

    /// Counts the bytes of a body: at once where its length is known, else as they go out.
    pub(crate) fn sends(self, route: Option<&str>, body: BoxBody) -> BoxBody {
        let Some(meter) = self.meter.of(route, self.method) else { return body };
        match body.size() {
            BodySize::None => body,
            BodySize::Sized(length) => {
                meter.bytes.increment(length);
                body
            }
            BodySize::Stream => BoxBody::new(Counted::new(body, meter.bytes.clone(), self.in_flight)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::web::Bytes;
    use metrics_exporter_prometheus::PrometheusBuilder;

    /// Returns what a meter wrote.
    fn written(work: impl FnOnce(&'static RequestMeter)) -> String {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || work(Box::leak(Box::new(RequestMeter::new()))));
        handle.render()
    }

    fn samples(text: &str) -> Vec<&str> {
        text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect()
    }

    fn send(meter: &'static RequestMeter, (method, route, status): (&str, Option<&str>, u16), body: BoxBody) {
        let method = method_name(&Method::from_bytes(method.as_bytes()).unwrap());
        let arrival = meter.arrived(method);
        let status = StatusCode::from_u16(status).unwrap();
        arrival.answered(route, status, Duration::from_millis(3));
        drop(arrival.sends(route, body));
    }

    #[test]
    fn a_request_counts_by_route_method_and_status() {
        let text = written(|meter| {
            for _ in 0..3 {
                let body = BoxBody::new(Bytes::from_static(b"12345"));
                send(meter, ("GET", Some("/api/v1/sleep/{user_id}"), 200), body);
            }
        });
        let route = r#"{route="/api/v1/sleep/{user_id}",method="GET""#;
        assert!(text.contains(&format!("restwell_http_requests_total{route},status=\"200\"}} 3")), "{text}");
        assert!(text.contains(&format!("restwell_http_response_bytes_total{route}}} 15")), "{text}");
        assert!(text.contains(&format!("restwell_http_request_seconds_count{route}}} 3")), "{text}");
        assert!(text.contains("restwell_http_requests_in_flight 0"), "{text}");
    }

    #[test]
    fn a_request_is_in_flight_until_its_answer_is_over() {
        let text = written(|meter| {
            let _still_there = meter.arrived("GET");
            let _kept: &'static Arrival = Box::leak(Box::new(meter.arrived("POST")));
        });
        assert!(text.contains("restwell_http_requests_in_flight 1"), "{text}");
    }

    #[test]
    fn whatever_is_asked_for_the_number_of_series_stays() {
        let hostile = |meter: &'static RequestMeter| {
            for number in 0..2_000_u16 {
                let (method, path) = (format!("INVENTED{number}"), format!("/nowhere/{number}"));
                let status = 100 + number % 900;
                send(meter, (&method, Some(&path), status), BoxBody::new(()));
                send(meter, (&method, None, status), BoxBody::new(()));
            }
        };
        let text = written(hostile);
        assert!(!text.contains("INVENTED") && !text.contains("nowhere"), "{text}");
        let counters =
            samples(&text).iter().filter(|line| line.starts_with("restwell_http_requests_total")).count();
        assert_eq!(counters, STATUSES.len(), "{text}");
    }
}
