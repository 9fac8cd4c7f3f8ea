//! The places of pages of many records, which wait for the store: beside whoever asks for hundreds of them at once,
//! everybody else's small reads have places left.

use super::share::{Share, Shares};
use super::{Shortage, one_of, part_of};
use domain::id::UserId;
use domain::read_tally::Reader;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places of pages, which are some of those for requests.
#[derive(Debug)]
pub(super) struct PagePlaces {
    /// How many requests there are places for.
    requests: u32,
    pages: Arc<Semaphore>,
    of: Shares<UserId>,
    read_by: Shares<Reader>,
}

/// The place of a page, until it is dropped.
#[derive(Debug)]
pub(crate) struct PagePlace {
    _page: OwnedSemaphorePermit,
    _of: Share<UserId>,
    _read_by: Share<Reader>,
}

impl PagePlaces {
    /// Takes half of the places for requests, rounded up.
    pub(super) fn new(requests: u32) -> Self {
        Self {
            requests,
            pages: Arc::new(Semaphore::new(part_of(requests, 2).min(Semaphore::MAX_PERMITS))),
            of: Shares::default(),
            read_by: Shares::default(),
        }
    }

    /// Takes a place for a page of a person's records, which somebody reads: of one person's there are at most an
    /// eighth as many as requests, for one app or token a quarter.
    pub(super) fn begin(&self, user_id: UserId, reader: Reader) -> Result<PagePlace, Shortage> {
        let of = self.of.enter(user_id, part_of(self.requests, 8)).ok_or(Shortage::Own)?;
        let read_by = self.read_by.enter(reader, part_of(self.requests, 4)).ok_or(Shortage::Own)?;
        Ok(PagePlace { _page: one_of(&self.pages)?, _of: of, _read_by: read_by })
    }

    /// Returns whether at least half of them are free.
    pub(super) fn is_at_ease(&self) -> bool {
        self.pages.available_permits() >= part_of(self.requests, 2) / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::{ClientId, PersonalTokenId};
    use uuid::Uuid;

    fn person(number: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(number))
    }

    fn app(number: u128) -> Reader {
        Reader::Client(ClientId::from_uuid(Uuid::from_u128(number)))
    }

    /// Takes all that are to be had; returns them, and why there are no more.
    fn all(places: &PagePlaces, user_id: UserId, reader: Reader) -> (Vec<PagePlace>, Shortage) {
        let mut taken = Vec::new();
        loop {
            match places.begin(user_id, reader) {
                Ok(place) => taken.push(place),
                Err(shortage) => return (taken, shortage),
            }
        }
    }

    #[test]
    fn pages_of_one_person_leave_places_for_those_of_others_whoever_reads_them() {
        let places = PagePlaces::new(16);
        let (of_one, why) = all(&places, person(1), app(1));
        assert_eq!((of_one.len(), why), (2, Shortage::Own));
        let own = Reader::PersonalToken(PersonalTokenId::from_uuid(Uuid::nil()));
        assert_eq!(all(&places, person(1), own).0.len(), 0);
        assert_eq!(all(&places, person(2), app(1)).0.len(), 2);
        drop(of_one);
        assert_eq!(all(&places, person(1), own).0.len(), 2);
    }

    #[test]
    fn one_app_reads_a_quarter_and_all_apps_together_half() {
        let places = PagePlaces::new(16);
        let by_one: Vec<_> = (1..=2).flat_map(|of| all(&places, person(of), app(1)).0).collect();
        assert_eq!(by_one.len(), 4);
        assert_eq!(all(&places, person(3), app(1)).1, Shortage::Own);
        assert!(places.is_at_ease());
        let by_others: Vec<_> = (3..=9).flat_map(|of| all(&places, person(of), app(of)).0).collect();
        assert_eq!(by_others.len(), 4);
        assert_eq!(all(&places, person(10), app(10)).1, Shortage::All);
        assert!(!places.is_at_ease());
        drop(by_one);
        assert!(places.is_at_ease());
    }

    #[test]
    fn there_is_always_at_least_one() {
        let places = PagePlaces::new(0);
        assert!(places.begin(person(1), app(1)).is_ok());
    }
}
