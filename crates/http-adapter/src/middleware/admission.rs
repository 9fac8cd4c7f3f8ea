//! How much is done at a time: what comes beyond that is answered at once, with 503 and `Retry-After`, before it
//! costs anything (ADR 28).
//!
//! Without a bound every request beyond what the machine can do makes all of them slower, until none is answered in
//! time and the retries of the callers keep it so.

mod page;
mod share;
mod upload;

pub(crate) use page::PagePlace;
pub(crate) use upload::NoPlace;

use super::context::{Outcome, RequestContext};
use crate::caller;
use crate::problem::{Fault, Problem};
use crate::route::Endpoint;
use actix_web::HttpResponse;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use application::access::GrantedAccess;
use domain::address::AddressBlock;
use domain::id::UserId;
use domain::read_tally::Reader;
use page::PagePlaces;
use share::{Share, Shares};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use upload::{Turn, UploadPlaces};

/// How much is done at a time in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdmissionLimits {
    /// How many requests are worked on: from their head to that of their answer. Half of them, rounded up, may be
    /// requests that bring a body: one whose body trickles in keeps its place meanwhile, and must not keep those out
    /// that bring none. A quarter, rounded up, may be writes of backends, whose bodies take minutes: they have a bound
    /// of their own beside that of other bodies. Of each kind of body one address brings half at most. Pages of many
    /// records, which wait for the store, are half of them at most, an eighth of one person's and a quarter for one
    /// app or token. Uploads are not among them at all.
    pub requests: u32,
    /// How many answers too large for one piece are on their way, of them a quarter of one person's data and half for
    /// one app at most. Each holds the packed rows of its page, up to a few
    /// megabytes, until the caller has read it.
    pub large_answers: u32,
    /// How much all of these may hold together, in bytes. An answer that is heavier than that is sent while no other
    /// holds anything.
    pub large_answer_bytes: u64,
}

impl Default for AdmissionLimits {
    fn default() -> Self {
        Self { requests: 512, large_answers: 128, large_answer_bytes: 512 * 1024 * 1024 }
    }
}

/// The places for what is done at a time; shared by all workers.
#[derive(Debug, Clone)]
pub struct Admission(Arc<Places>);

#[derive(Debug)]
struct Places {
    limits: AdmissionLimits,
    requests: Arc<Semaphore>,
    with_body: Arc<Semaphore>,
    long_bodies: Arc<Semaphore>,
    bodies_from: Shares<AddressBlock>,
    long_bodies_from: Shares<AddressBlock>,
    pages: PagePlaces,
    uploads: UploadPlaces,
    large_answers: Arc<Semaphore>,
    /// What large answers hold, in pieces of [`HELD`].
    held: Arc<Semaphore>,
    large_answers_of: Shares<UserId>,
    large_answers_for: Shares<Reader>,
    is_refusing: AtomicBool,
}

/// What a request brings, which says whom it may keep out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brings {
    Nothing,
    /// A body of seconds, from there.
    Body(AddressBlock),
    /// A body of minutes, of a backend that is there.
    LongBody(AddressBlock),
    /// A file of a person, which may take an hour.
    Upload,
}

/// Whose fault it is that there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shortage {
    /// The process does as much as it may.
    All,
    /// One address, person, app or token has as many as it may have at a time, whatever is free beside.
    Own,
}

impl From<Shortage> for Problem {
    fn from(shortage: Shortage) -> Self {
        Self::new(match shortage {
            Shortage::All => Fault::Overloaded,
            Shortage::Own => Fault::TooManyAtOnce,
        })
    }
}

/// Takes one of so many places, if one is free.
fn one_of(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Shortage> {
    Arc::clone(places).try_acquire_owned().map_err(|_| Shortage::All)
}

/// The place of one request, until it is dropped.
struct Place {
    _request: Option<OwnedSemaphorePermit>,
    _body: Option<OwnedSemaphorePermit>,
    _share: Option<Share<AddressBlock>>,
}

/// Whose data a large answer holds, and who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holder {
    user_id: UserId,
    /// Nothing on the person's own pages.
    reader: Option<Reader>,
}

impl From<&GrantedAccess> for Holder {
    fn from(access: &GrantedAccess) -> Self {
        Self { user_id: access.user_id, reader: Some(access.reader) }
    }
}

impl From<UserId> for Holder {
    fn from(user_id: UserId) -> Self {
        Self { user_id, reader: None }
    }
}

/// The place of a large answer, until it is dropped.
#[derive(Debug)]
pub(super) struct LargeAnswer {
    _place: OwnedSemaphorePermit,
    _held: OwnedSemaphorePermit,
    _shares: Option<(Share<UserId>, Option<Share<Reader>>)>,
}

/// In what large answers are weighed: 64 KiB, so that even a bound of terabytes can be counted.
const HELD: u64 = 64 * 1024;

/// Returns a part of so many places, rounded up, and at least one.
fn part_of(places: u32, part: u32) -> usize {
    usize::try_from(places.max(1).div_ceil(part)).unwrap_or(usize::MAX)
}

fn pieces(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(HELD)).unwrap_or(u32::MAX)
}

impl Default for Admission {
    fn default() -> Self {
        Self::new(AdmissionLimits::default())
    }
}

impl Admission {
    /// Makes the places; there is at least one of each kind.
    pub fn new(limits: AdmissionLimits) -> Self {
        let semaphore = |places: u32| {
            let places = usize::try_from(places.max(1)).unwrap_or(Semaphore::MAX_PERMITS);
            Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS)))
        };
        Self(Arc::new(Places {
            limits,
            requests: semaphore(limits.requests),
            with_body: semaphore(limits.requests.div_ceil(2)),
            long_bodies: semaphore(limits.requests.div_ceil(4)),
            bodies_from: Shares::default(),
            long_bodies_from: Shares::default(),
            pages: PagePlaces::new(limits.requests),
            uploads: UploadPlaces::default(),
            large_answers: semaphore(limits.large_answers),
            held: semaphore(pieces(limits.large_answer_bytes)),
            large_answers_of: Shares::default(),
            large_answers_for: Shares::default(),
            is_refusing: AtomicBool::new(false),
        }))
    }

    /// Takes a place for a request, if one is free; never waits.
    fn enter(&self, brings: Brings) -> Result<Place, Shortage> {
        let places = &*self.0;
        let bodies = match brings {
            Brings::Nothing => None,
            Brings::Body(from) => Some((&places.with_body, &places.bodies_from, from, 4)),
            Brings::LongBody(from) => Some((&places.long_bodies, &places.long_bodies_from, from, 8)),
            // Not told in the log: others are served as before.
            Brings::Upload => {
                let upload = places.uploads.enter().ok_or(Shortage::All)?;
                return Ok(Place { _request: None, _body: Some(upload), _share: None });
            }
        };
        let taken = || {
            let (body, share) = match bodies {
                None => (None, None),
                // Half of the kind's places at most are of one address.
                Some((bodies, shares, from, part)) => {
                    let share = shares.enter(from, part_of(places.limits.requests, part));
                    let share = share.ok_or(Shortage::Own)?;
                    (Some(one_of(bodies)?), Some(share))
                }
            };
            Ok(Place { _request: Some(one_of(&places.requests)?), _body: body, _share: share })
        };
        let place = taken();
        self.tell(place.as_ref().err().copied());
        place
    }

    /// Takes a place for a page of many records, before the store is asked for it; never waits. Such pages may wait
    /// for the store, and whoever asks for hundreds of them must not keep out those who ask for something small.
    pub(crate) fn begin_page(&self, user_id: UserId, reader: Reader) -> Result<PagePlace, Shortage> {
        let place = self.0.pages.begin(user_id, reader);
        if let Err(Shortage::All) = place {
            self.tell(Some(Shortage::All));
        }
        place
    }

    /// Takes a place for the upload of a person who may have so many at a time; never waits.
    pub(crate) fn begin_upload(&self, user_id: UserId, most: usize) -> Result<Turn, NoPlace> {
        self.0.uploads.begin(user_id, most)
    }

    /// Takes a place for a large answer that holds so many bytes, if there is room; never waits. Of one person there
    /// are at most a quarter, and one app has at most half of them, whatever is free.
    pub(super) fn begin_large_answer(
        &self,
        bytes: u64,
        holder: Option<Holder>,
    ) -> Result<LargeAnswer, Shortage> {
        let places = &*self.0;
        // One that is heavier than everything together takes everything.
        let wanted = pieces(bytes).clamp(1, pieces(places.limits.large_answer_bytes).max(1));
        let shares = |Holder { user_id, reader }| {
            let (quarter, half) =
                (part_of(places.limits.large_answers, 4), part_of(places.limits.large_answers, 2));
            let of = places.large_answers_of.enter(user_id, quarter).ok_or(Shortage::Own)?;
            let reader =
                reader.map(|reader| places.large_answers_for.enter(reader, half).ok_or(Shortage::Own));
            Ok((of, reader.transpose()?))
        };
        let taken = || {
            let shares = holder.map(shares).transpose()?;
            let place = one_of(&places.large_answers)?;
            let held = Arc::clone(&places.held).try_acquire_many_owned(wanted);
            let held = held.map_err(|_| Shortage::All)?;
            Ok(LargeAnswer { _place: place, _held: held, _shares: shares })
        };
        let taken = taken();
        if let Err(Shortage::All) = taken {
            self.tell(Some(Shortage::All));
        }
        taken
    }

    /// Returns whether so many uploads arrive that whoever has one may not have another, and must be quick.
    pub(crate) fn is_crowded_by_uploads(&self) -> bool {
        self.0.uploads.is_crowded()
    }

    /// Says in the log when refusing begins, and when at least half of the places are free again: not once a request.
    /// That one caller has its share says nothing of how much there is to do.
    fn tell(&self, refused: Option<Shortage>) {
        let places = &*self.0;
        match refused {
            Some(Shortage::All) => {
                if !places.is_refusing.swap(true, Ordering::Relaxed) {
                    let AdmissionLimits { requests, large_answers, large_answer_bytes } = places.limits;
                    tracing::warn!(
                        requests,
                        large_answers,
                        large_answer_bytes,
                        "overloaded: what comes beyond these limits is refused"
                    );
                }
            }
            Some(Shortage::Own) => {}
            None => {
                if places.is_refusing.load(Ordering::Relaxed)
                    && self.is_at_ease()
                    && places.is_refusing.swap(false, Ordering::Relaxed)
                {
                    tracing::info!("no longer overloaded");
                }
            }
        }
    }

    fn is_at_ease(&self) -> bool {
        let is_free = |semaphore: &Semaphore, limit: u32| {
            semaphore.available_permits() >= usize::try_from(limit / 2).unwrap_or(usize::MAX)
        };
        is_free(&self.0.requests, self.0.limits.requests)
            && is_free(&self.0.with_body, self.0.limits.requests.div_ceil(2))
            && is_free(&self.0.long_bodies, self.0.limits.requests.div_ceil(4))
            && self.0.pages.is_at_ease()
            && is_free(&self.0.large_answers, self.0.limits.large_answers)
            && is_free(&self.0.held, pieces(self.0.limits.large_answer_bytes))
    }
}

/// Lets a request in while there is a place. Health is answered always: a load balancer that takes a busy server for a
/// dead one gives its work to the others, until they are dead too.
pub(super) async fn admit(
    context: &RequestContext,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let place = match &context.state {
        Some(state) if !context.endpoint.is_some_and(Endpoint::is_health) => {
            match state.admission.enter(brings(context.endpoint, &request)) {
                Ok(place) => Some(place),
                Err(shortage) => return Ok(refused(request, shortage)),
            }
        }
        _ => None,
    };
    let answered = next(request).await;
    drop(place);
    answered
}

fn refused(request: ServiceRequest, shortage: Shortage) -> ServiceResponse {
    let (request, _) = request.into_parts();
    ServiceResponse::new(request, HttpResponse::from_error(Problem::from(shortage)))
}

/// Tells what follows the head.
fn brings(endpoint: Option<Endpoint>, request: &ServiceRequest) -> Brings {
    let (headers, method) = (request.headers(), request.method());
    let has_length = headers.get(CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0");
    if !has_length && !headers.contains_key(TRANSFER_ENCODING) {
        Brings::Nothing
    } else if endpoint.is_some_and(|endpoint| endpoint.is_upload(method)) {
        Brings::Upload
    } else if endpoint.is_some_and(|endpoint| endpoint.takes_long(method)) {
        Brings::LongBody(AddressBlock::of(caller::address(request.request())))
    } else {
        Brings::Body(AddressBlock::of(caller::address(request.request())))
    }
}

#[cfg(test)]
mod tests;
