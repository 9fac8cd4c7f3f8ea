//! Order of deliveries: which due event is sent next.

use super::DeliverEvents;
use crate::ports::storage::StorageError;
use domain::id::ClientId;
use domain::webhook::{EventKey, WebhookEndpoint};
use std::collections::{HashMap, VecDeque};

/// Number of events that are read at a time.
const BATCH: u32 = 500;
/// Maximum number of concurrent deliveries to one host, and of one client: silent endpoints of a client must
/// not take up all requests that the server sends concurrently.
const MAX_CONCURRENT: usize = 4;

/// A client and a host of its endpoints.
#[derive(Clone, PartialEq, Eq)]
struct Route {
    client_id: ClientId,
    host: String,
}

impl Route {
    fn from_endpoint(endpoint: &WebhookEndpoint) -> Self {
        Self { client_id: endpoint.client_id, host: endpoint.url.host().to_owned() }
    }
}

/// Due events, waiting or being delivered.
pub struct DeliveryQueue {
    capacity: usize,
    /// Waiting events of each route; none is empty. The route that was served longest ago comes first, so
    /// that the clients of a host take turns. Events of a route that is listed here are not read again.
    waiting: VecDeque<(Route, VecDeque<EventKey>)>,
    running: HashMap<EventKey, Route>,
}

impl DeliveryQueue {
    /// Creates an empty queue for at most `capacity` concurrent deliveries.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, waiting: VecDeque::new(), running: HashMap::new() }
    }

    /// Reads due events of routes for which none waits; returns whether there may be more.
    pub async fn read(&mut self, deliver: &DeliverEvents) -> Result<bool, StorageError> {
        let endpoints = deliver.list_endpoints().await?;
        let is_idle = |endpoint: &&WebhookEndpoint| !self.is_waiting(&Route::from_endpoint(endpoint));
        let idle: Vec<&WebhookEndpoint> = endpoints.iter().filter(is_idle).collect();
        let due = deliver.list_due(&idle, BATCH).await?;
        let is_full = due.len() >= usize::try_from(BATCH).unwrap_or(usize::MAX);
        for event in due {
            let endpoint = endpoints.iter().find(|endpoint| endpoint.id == event.endpoint_id);
            if let Some(endpoint) = endpoint
                && !self.running.contains_key(&event)
            {
                self.add(Route::from_endpoint(endpoint), event);
            }
        }
        Ok(is_full)
    }

    fn add(&mut self, route: Route, event: EventKey) {
        match self.waiting.iter_mut().find(|(other, _)| *other == route) {
            Some((_, events)) => events.push_back(event),
            None => self.waiting.push_back((route, VecDeque::from([event]))),
        }
    }

    /// Returns the event to deliver now, which occupies a slot until [`Self::finish`]; `None` if no event
    /// waits, or all slots of those that do are occupied.
    pub fn start_next(&mut self) -> Option<EventKey> {
        let at = self.waiting.iter().position(|(route, _)| self.has_slot(route))?;
        let (route, mut events) = self.waiting.remove(at)?;
        let event = events.pop_front()?;
        self.running.insert(event, route.clone());
        if !events.is_empty() {
            self.waiting.push_back((route, events));
        }
        Some(event)
    }

    /// Frees the slot of a delivery that has ended; returns whether no event waits for its route.
    pub fn finish(&mut self, event: EventKey) -> bool {
        self.running.remove(&event).is_none_or(|route| !self.is_waiting(&route))
    }

    fn is_waiting(&self, route: &Route) -> bool {
        self.waiting.iter().any(|(other, _)| other == route)
    }

    fn has_slot(&self, route: &Route) -> bool {
        let of_host = self.running.values().filter(|other| other.host == route.host);
        let of_client = self.running.values().filter(|other| other.client_id == route.client_id);
        self.running.len() < self.capacity
            && of_host.count() < MAX_CONCURRENT
            && of_client.count() < MAX_CONCURRENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::{UserId, WebhookEndpointId};
    use domain::webhook::EventKind;
    use uuid::Uuid;

    fn route(client: u128, host: &str) -> Route {
        Route { client_id: ClientId::from_uuid(Uuid::from_u128(client)), host: host.to_owned() }
    }

    /// An event of a person with this number.
    fn event(number: u128) -> EventKey {
        EventKey {
            user_id: UserId::from_uuid(Uuid::from_u128(number)),
            endpoint_id: WebhookEndpointId::from_uuid(Uuid::nil()),
            kind: EventKind::RecordsChanged,
        }
    }

    fn started(queue: &mut DeliveryQueue) -> Vec<EventKey> {
        std::iter::from_fn(|| queue.start_next()).collect()
    }

    #[test]
    fn a_host_and_a_client_have_four_deliveries_at_a_time() {
        for route_of in [
            |number| route(number, "hooks.example"),
            |number| route(1, if number % 2 == 0 { "a.example" } else { "b.example" }),
        ] {
            let mut queue = DeliveryQueue::new(100);
            for number in 1..=6 {
                queue.add(route_of(number), event(number));
            }
            assert_eq!(started(&mut queue).len(), MAX_CONCURRENT);
            queue.finish(event(1));
            assert_eq!(started(&mut queue).len(), 1);
        }
    }

    #[test]
    fn clients_of_a_host_take_turns() {
        let mut queue = DeliveryQueue::new(3);
        for number in 1..=3 {
            queue.add(route(1, "hooks.example"), event(number));
        }
        queue.add(route(2, "hooks.example"), event(4));
        assert_eq!(started(&mut queue), [event(1), event(4), event(2)]);
        assert!(queue.finish(event(4)));
        assert!(!queue.finish(event(2)), "event 3 waits for the same route");
        assert_eq!(started(&mut queue), [event(3)]);
    }

    #[test]
    fn no_more_deliveries_start_than_the_capacity_allows() {
        let mut queue = DeliveryQueue::new(2);
        for number in 1..=3 {
            queue.add(route(number, &format!("{number}.example")), event(number));
        }
        assert_eq!(started(&mut queue), [event(1), event(2)]);
        queue.finish(event(2));
        assert_eq!(started(&mut queue), [event(3)]);
    }
}
