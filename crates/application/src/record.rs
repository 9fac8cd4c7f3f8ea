//! What reads and changes the records of each kind of data, so that each kind is wired in one place.

use crate::intake::Intakes;
use crate::night::Nights;
use crate::ports::storage::{ImportReader, ProfileReader, SleepReader, SupplementReader};
use crate::store::Store;
use std::sync::Arc;

/// Readers of every kind of data.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct RecordReaders {
    pub profiles: Arc<dyn ProfileReader>,
    pub sleep: Arc<dyn SleepReader>,
    pub supplements: Arc<dyn SupplementReader>,
}

#[cfg(feature = "test-support")]
impl RecordReaders {
    /// Returns readers that must not be used.
    pub fn unused() -> Self {
        use crate::ports::storage::{MockProfileReader, MockSleepReader, MockSupplementReader};
        Self {
            profiles: Arc::new(MockProfileReader::new()),
            sleep: Arc::new(MockSleepReader::new()),
            supplements: Arc::new(MockSupplementReader::new()),
        }
    }
}

/// Services with which people read and change their records, and backends delete them.
#[expect(missing_docs, reason = "each field is named after its service")]
pub struct RecordServices {
    pub nights: Nights,
    pub intakes: Intakes,
}

impl RecordServices {
    /// Creates the services.
    pub fn new(store: &Store, readers: RecordReaders, imports: Arc<dyn ImportReader>) -> Self {
        Self {
            nights: Nights { store: store.clone(), reader: readers.sleep, imports },
            intakes: Intakes { store: store.clone(), reader: readers.supplements },
        }
    }
}
