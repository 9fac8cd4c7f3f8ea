//! Keys of counters.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::rate_limit::{RateKey, RateWindow};
use domain::read_tally::Reader;
use sha2::{Digest, Sha256};

/// Prefix of every key, for access lists and for stores shared with other programs.
const PREFIX: &str = "restwell:rate:";

/// Key of the probe.
pub(crate) const PROBE: &str = "restwell:rate:probe";

/// Bytes of the hash in a key. Two of 2^40 counters a day collide with a probability of 2^-49.
const HASH_BYTES: usize = 16;

/// Returns the key of a counter: the day and a hash of person, reader and endpoint.
///
/// The ids themselves are not in the key. Reading the store reveals the number of counters and their values,
/// but their owners only to someone who knows person, reader and endpoint.
pub(crate) fn counter_key(key: &RateKey, window: RateWindow) -> String {
    let RateKey { reader, user, endpoint } = key;
    let (kind, reader) = match reader {
        Reader::Client(id) => (b'c', id.as_uuid()),
        Reader::PersonalToken(id) => (b'p', id.as_uuid()),
    };
    let mut hash = Sha256::new();
    // Every part but the last has a fixed length, so no two keys hash the same bytes.
    hash.update([kind]);
    hash.update(reader.as_bytes());
    hash.update([u8::from(user.is_some())]);
    hash.update(user.map_or([0; 16], |user| *user.as_uuid().as_bytes()));
    hash.update(endpoint.as_str());
    let hash = hash.finalize();
    let kept = hash.get(..HASH_BYTES).unwrap_or_default();
    format!("{PREFIX}{}:{}", window.day(), URL_SAFE_NO_PAD.encode(kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{TimeZone, Utc};
    use domain::data_endpoint::PersonEndpoint;
    use domain::data_kind::DataKind;
    use domain::id::{ClientId, PersonalTokenId, UserId};
    use std::collections::HashSet;
    use uuid::Uuid;

    fn rate_key() -> RateKey {
        RateKey {
            reader: Reader::Client(ClientId::from_uuid(Uuid::from_u128(1))),
            user: Some(UserId::from_uuid(Uuid::from_u128(2))),
            endpoint: DataKind::Sleep.into(),
        }
    }

    #[test]
    fn every_part_of_a_key_and_the_day_make_another_counter() {
        let noon = Utc.with_ymd_and_hms(2026, 3, 8, 12, 0, 0).unwrap();
        let today = RateWindow::at(noon);
        let token = PersonalTokenId::from_uuid(Uuid::from_u128(1));
        let other = ClientId::from_uuid(Uuid::from_u128(2));
        let mut keys = vec![
            counter_key(&rate_key(), RateWindow::at(noon + chrono::TimeDelta::days(1))),
            counter_key(&RateKey { reader: Reader::PersonalToken(token), ..rate_key() }, today),
            counter_key(&RateKey { reader: Reader::Client(other), ..rate_key() }, today),
            counter_key(&RateKey { user: None, ..rate_key() }, today),
            counter_key(&RateKey { user: Some(UserId::from_uuid(Uuid::nil())), ..rate_key() }, today),
        ];
        keys.extend(
            PersonEndpoint::all().map(|endpoint| counter_key(&RateKey { endpoint, ..rate_key() }, today)),
        );
        let different: HashSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len(), "{keys:?}");
    }

    #[test]
    fn a_key_is_the_same_on_every_replica_and_of_every_version() {
        let day = RateWindow::at(Utc.with_ymd_and_hms(2026, 3, 8, 12, 0, 0).unwrap());
        // Any other key format would reset all counters during a rolling update.
        assert_eq!(counter_key(&rate_key(), day), "restwell:rate:20520:CI33Vr_RD0rsnWplkqIOsg");
    }

    #[test]
    fn a_key_holds_no_id() {
        let id = Uuid::from_u128(0xfeed_beef_feed_beef_feed_beef_feed_beef);
        let key = RateKey { user: Some(UserId::from_uuid(id)), ..rate_key() };
        let text = counter_key(&key, RateWindow::at(Utc.with_ymd_and_hms(2026, 3, 8, 0, 0, 0).unwrap()));
        assert!(!text.contains("feed") && text.len() <= 48, "{text}");
    }
}
