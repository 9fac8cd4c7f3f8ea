//! The places of uploads, apart from those of all other requests: an upload may take an hour, and nobody who asks for
//! a token may wait for that.

use super::share::{Share, Shares};
use domain::id::UserId;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many uploads arrive at a time in this process.
const UPLOADS: usize = 32;
/// How many more requests for one are listened to, while it is found out whose they are, or until they are refused.
/// Each takes seconds.
const BEFORE: usize = 64;

/// The places of uploads.
#[derive(Debug)]
pub(super) struct UploadPlaces {
    requests: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    arriving: Shares<UserId>,
    refused: Shares<UserId>,
}

/// The place of an upload, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _place: OwnedSemaphorePermit,
    _person: Share<UserId>,
}

/// Why there is no place for an upload.
#[derive(Debug)]
pub(crate) enum NoPlace {
    /// The process takes no more at a time.
    Full,
    /// The person has as many as they may have. While this is held, what they send may be let pass for a moment;
    /// nothing is held when that is done for as many already.
    Person(Option<Share<UserId>>),
}

impl Default for UploadPlaces {
    fn default() -> Self {
        Self {
            requests: Arc::new(Semaphore::new(UPLOADS + BEFORE)),
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            arriving: Shares::default(),
            refused: Shares::default(),
        }
    }
}

impl UploadPlaces {
    /// Takes a place for a request of which nothing is known yet.
    pub(super) fn enter(&self) -> Option<OwnedSemaphorePermit> {
        self.requests.clone().try_acquire_owned().ok()
    }

    /// Tells whether half of the places are taken. From then on nobody gets a second one, so that those who have three
    /// already do not leave the rest to a few others, and what is slow loses its place sooner.
    pub(super) fn is_crowded(&self) -> bool {
        self.uploads.available_permits() <= UPLOADS / 2
    }

    /// Takes a place for what a person uploads, who may have so many at a time, and one when they grow scarce.
    pub(super) fn begin(&self, user_id: UserId, most: usize) -> Result<Turn, NoPlace> {
        let most = if self.is_crowded() { most.min(1) } else { most };
        let Some(person) = self.arriving.enter(user_id, most) else {
            return Err(NoPlace::Person(self.refused.enter(user_id, most)));
        };
        let place = self.uploads.clone().try_acquire_owned().map_err(|_| NoPlace::Full)?;
        Ok(Turn { _place: place, _person: person })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn person(number: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn few_persons_cannot_take_all_places() {
        let places = UploadPlaces::default();
        // Each takes what they can get, the first ones three.
        let turns = |of: u128| std::iter::from_fn(|| places.begin(person(of), 3).ok()).collect::<Vec<_>>();
        let taken: Vec<_> = (1..=16).map(turns).collect();
        assert!(taken.iter().all(|turns| (1..=3).contains(&turns.len())));
        // Five persons have three, and the sixth takes the place with which they grow scarce.
        assert_eq!(taken.iter().map(Vec::len).sum::<usize>(), 5 * 3 + 11);
        assert!(matches!(places.begin(person(1), 3), Err(NoPlace::Person(_))));
        let others: Vec<_> = (31..=36).map(|of| places.begin(person(of), 3).unwrap()).collect();
        assert!(matches!(places.begin(person(37), 3), Err(NoPlace::Full)));
        drop(taken);
        // Whoever has one still has it, and may have more again.
        assert!(places.begin(person(31), 3).is_ok());
        drop(others);
    }
}
