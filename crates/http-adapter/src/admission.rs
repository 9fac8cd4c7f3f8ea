//! Bounds on concurrent work. A request beyond one is answered 503 with `Retry-After` before it costs
//! anything (ADR 28).
//!
//! There are five: requests, request bodies, bytes held by large answers, uploads, and the share of any
//! single app or person. Without them, load beyond a machine's capacity slows all requests until every one
//! times out.

mod share;

use crate::problem::{Fault, Problem};
use application::access::GrantedAccess;
use domain::id::UserId;
use domain::read_tally::Reader;
use share::{Owner, OwnerShares, Share};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits on concurrent work in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdmissionLimits {
    /// Requests in progress, from the head of the request to that of the answer, without uploads. At most
    /// half of them, rounded up, may have a body, because a slow body keeps its permit.
    pub requests: u32,
    /// Bytes held by all answers that do not fit into one piece. A single heavier answer is sent while no
    /// other is in progress.
    pub large_answer_bytes: u64,
}

impl Default for AdmissionLimits {
    fn default() -> Self {
        Self { requests: 512, large_answer_bytes: 512 * 1024 * 1024 }
    }
}

/// Uploads in progress; each may take an hour, so they need no permit of other requests.
const UPLOADS: usize = 32;

/// Unit of [`AdmissionLimits::large_answer_bytes`]: 64 KiB, so that terabytes fit into 32 bits.
const BLOCK: u64 = 64 * 1024;

/// Divisor of the bounds that gives the share of a single app or person.
const SHARE: u32 = 4;

/// Permits for concurrent work, shared by all workers.
#[derive(Debug, Clone)]
pub struct Admission(Arc<Bounds>);

#[derive(Debug)]
struct Bounds {
    limits: AdmissionLimits,
    requests: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    /// Bytes of large answers in units of [`BLOCK`].
    answer_blocks: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    page_shares: OwnerShares,
    answer_shares: OwnerShares,
    upload_shares: OwnerShares,
    drained_upload_shares: OwnerShares,
    is_refusing: AtomicBool,
}

/// Kind of a request, which determines its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    WithoutBody,
    WithBody,
    Upload,
}

/// Why a permit is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PermitRefusal {
    /// The process has reached a bound.
    All,
    /// One app or person has reached its share.
    Own,
}

impl From<PermitRefusal> for Problem {
    fn from(shortage: PermitRefusal) -> Self {
        Self::new(match shortage {
            PermitRefusal::All => Fault::Overloaded,
            PermitRefusal::Own => Fault::TooManyAtOnce,
        })
    }
}

/// Permits of one request, released on drop.
#[derive(Debug)]
pub(crate) struct RequestPermit {
    _permits: [Option<OwnedSemaphorePermit>; 2],
}

/// Permit of a page that the store may have to wait for, released on drop.
#[derive(Debug)]
pub struct PagePermit {
    _shares: [Share; 2],
}

/// Permit of an upload, released on drop.
#[derive(Debug)]
pub struct UploadPermit {
    _share: Share,
}

/// Permit of a large answer, released on drop.
#[derive(Debug)]
pub(crate) struct ResponsePermit {
    _blocks: OwnedSemaphorePermit,
    _shares: Vec<Share>,
}

/// The person whose data a response contains, and its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseOwner {
    user_id: UserId,
    /// `None` on the person's own pages.
    reader: Option<Reader>,
}

impl From<&GrantedAccess> for ResponseOwner {
    fn from(access: &GrantedAccess) -> Self {
        Self { user_id: access.user_id, reader: Some(access.reader) }
    }
}

impl From<UserId> for ResponseOwner {
    fn from(user_id: UserId) -> Self {
        Self { user_id, reader: None }
    }
}

impl Default for Admission {
    fn default() -> Self {
        Self::new(AdmissionLimits::default())
    }
}

impl Admission {
    /// Creates the permits; each bound is at least one.
    pub fn new(limits: AdmissionLimits) -> Self {
        let semaphore = |permits: u32| {
            let permits = usize::try_from(permits.max(1)).unwrap_or(Semaphore::MAX_PERMITS);
            Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)))
        };
        Self(Arc::new(Bounds {
            limits,
            requests: semaphore(limits.requests),
            bodies: semaphore(limits.requests.div_ceil(2)),
            answer_blocks: semaphore(blocks(limits.large_answer_bytes)),
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            page_shares: OwnerShares::default(),
            answer_shares: OwnerShares::default(),
            upload_shares: OwnerShares::default(),
            drained_upload_shares: OwnerShares::default(),
            is_refusing: AtomicBool::new(false),
        }))
    }

    /// Takes the permits of a request; never waits.
    pub(crate) fn begin_request(&self, kind: RequestKind) -> Result<RequestPermit, PermitRefusal> {
        let bounds = &*self.0;
        let permit = (|| {
            Ok(RequestPermit {
                _permits: match kind {
                    RequestKind::WithoutBody => [Some(one_of(&bounds.requests)?), None],
                    RequestKind::WithBody => [Some(one_of(&bounds.bodies)?), Some(one_of(&bounds.requests)?)],
                    RequestKind::Upload => [Some(one_of(&bounds.uploads)?), None],
                },
            })
        })();
        // Full uploads are not logged, because all other requests are served.
        if kind != RequestKind::Upload {
            self.log_change(permit.as_ref().err().copied());
        }
        permit
    }

    /// Takes the shares of a page of many records, before it is read; never waits.
    pub(crate) fn begin_page(&self, user_id: UserId, reader: Reader) -> Result<PagePermit, PermitRefusal> {
        let most = share_of(self.0.limits.requests);
        let take = |owner| self.0.page_shares.take(owner, 1, most).ok_or(PermitRefusal::Own);
        Ok(PagePermit { _shares: [take(Owner::Person(user_id))?, take(Owner::Reader(reader))?] })
    }

    /// Takes one of a person's permits to upload; never waits. An upload beyond them may be drained, so that
    /// the browser shows the answer, while the permit in the error is held; the error is `None` if the person
    /// has as many of those.
    pub fn begin_upload(&self, user_id: UserId, most: usize) -> Result<UploadPermit, Option<UploadPermit>> {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let take = |shares: &OwnerShares| {
            shares.take(Owner::Person(user_id), 1, most).map(|share| UploadPermit { _share: share })
        };
        take(&self.0.upload_shares).ok_or_else(|| take(&self.0.drained_upload_shares))
    }

    /// Takes the permit of a large answer that holds this many bytes; never waits.
    pub(crate) fn begin_large_answer(
        &self,
        bytes: u64,
        holder: Option<ResponseOwner>,
    ) -> Result<ResponsePermit, PermitRefusal> {
        let bounds = &*self.0;
        let all = blocks(bounds.limits.large_answer_bytes).max(1);
        let wanted = blocks(bytes).clamp(1, all);
        let permit = (|| {
            let person = holder.map(|holder| Owner::Person(holder.user_id));
            let reader = holder.and_then(|holder| holder.reader).map(Owner::Reader);
            let owners = person.into_iter().chain(reader);
            let shares = owners.map(|owner| {
                bounds.answer_shares.take(owner, wanted, share_of(all)).ok_or(PermitRefusal::Own)
            });
            let shares = shares.collect::<Result<_, _>>()?;
            let permit = Arc::clone(&bounds.answer_blocks).try_acquire_many_owned(wanted);
            Ok(ResponsePermit { _blocks: permit.map_err(|_| PermitRefusal::All)?, _shares: shares })
        })();
        if let Err(PermitRefusal::All) = permit {
            self.log_change(Some(PermitRefusal::All));
        }
        permit
    }

    /// Logs when requests start to be refused, and the end once half of each bound is free, rather than every
    /// refusal.
    fn log_change(&self, refused: Option<PermitRefusal>) {
        let bounds = &*self.0;
        match refused {
            Some(PermitRefusal::All) => {
                if !bounds.is_refusing.swap(true, Ordering::Relaxed) {
                    let AdmissionLimits { requests, large_answer_bytes } = bounds.limits;
                    tracing::warn!(
                        requests,
                        large_answer_bytes,
                        "overloaded: requests beyond these limits are rejected"
                    );
                }
            }
            Some(PermitRefusal::Own) => {}
            None => {
                if bounds.is_refusing.load(Ordering::Relaxed)
                    && self.is_half_free()
                    && bounds.is_refusing.swap(false, Ordering::Relaxed)
                {
                    tracing::info!("no longer overloaded");
                }
            }
        }
    }

    fn is_half_free(&self) -> bool {
        let Bounds { limits, requests, bodies, answer_blocks, .. } = &*self.0;
        let is_half_free = |semaphore: &Semaphore, bound: u32| {
            semaphore.available_permits() >= usize::try_from(bound / 2).unwrap_or(usize::MAX)
        };
        is_half_free(requests, limits.requests)
            && is_half_free(bodies, limits.requests.div_ceil(2))
            && is_half_free(answer_blocks, blocks(limits.large_answer_bytes))
    }
}

fn one_of(permits: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, PermitRefusal> {
    Arc::clone(permits).try_acquire_owned().map_err(|_| PermitRefusal::All)
}

/// Returns the share of a bound, rounded up and at least one.
fn share_of(bound: u32) -> u32 {
    bound.max(1).div_ceil(SHARE)
}

fn blocks(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(BLOCK)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
