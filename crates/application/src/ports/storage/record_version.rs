//! Version hash of an imported record.

use domain::sleep::{SleepRecord, SleepSource};
use domain::supplement::{IntakeLogRecord, SupplementLabel};
use domain::time::UtcOffset;
use sha2::{Digest as _, Sha256};

/// Hash of a record's content. It is stored, so the hashed bytes MUST NOT change: otherwise earlier imported
/// records would appear changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordVersion([u8; 16]);

impl RecordVersion {
    /// Wraps a stored hash.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Hashes a session without its id and its change time.
    pub fn of_session(record: &SleepRecord) -> Self {
        let minutes = |offset: Option<UtcOffset>| offset.map_or(i16::MAX, UtcOffset::minutes);
        let time = record.time_in_bed();
        Content::default()
            .text(&record.key().to_stored())
            .optional_text(record.source().map(SleepSource::as_str))
            .bytes(&time.start_millis().to_be_bytes())
            .bytes(&time.end_millis().to_be_bytes())
            .bytes(&minutes(time.offset_at_start()).to_be_bytes())
            .bytes(&minutes(time.offset_at_end()).to_be_bytes())
            .bytes(&[record.is_nap().map_or(2, u8::from)])
            .long(&record.packed_stages())
            .long(&record.packed_metrics())
            .version()
    }

    /// Hashes an intake log without its id.
    pub fn of_log(record: &IntakeLogRecord) -> Self {
        Content::default()
            .bytes(record.supplement_id().as_uuid().as_bytes())
            .bytes(&record.created_at().timestamp_micros().to_be_bytes())
            .bytes(&record.servings().get().to_bits().to_be_bytes())
            .optional_text(record.external_key())
            .version()
    }

    /// Hashes the text of a label.
    pub fn of_label(label: &SupplementLabel) -> Self {
        let mut content = Content::default()
            .text(label.brand())
            .text(label.name())
            .text(label.servings())
            .text(label.upc())
            .optional_text(label.entry_date().map(|date| date.to_string()).as_deref());
        for ingredient in label.ingredients() {
            content = content.text(ingredient.name()).bytes(&[u8::from(ingredient.is_active())]);
            content = match ingredient.amount() {
                Some(amount) => content.bytes(&amount.quantity().to_bits().to_be_bytes()).text(amount.unit()),
                None => content.bytes(&[0]),
            };
        }
        content.version()
    }
}

/// Hashes a sequence of values unambiguously: different sequences never have the same bytes.
#[derive(Default)]
struct Content(Sha256);

impl Content {
    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update(bytes);
        self
    }

    fn long(self, bytes: &[u8]) -> Self {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.bytes(&length.to_be_bytes()).bytes(bytes)
    }

    fn text(self, text: &str) -> Self {
        self.long(text.as_bytes())
    }

    fn optional_text(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.bytes(&[1]).text(text),
            None => self.bytes(&[0]),
        }
    }

    fn version(self) -> RecordVersion {
        let hash: [u8; 32] = self.0.finalize().into();
        let mut version = [0; 16];
        version.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
        RecordVersion(version)
    }
}
