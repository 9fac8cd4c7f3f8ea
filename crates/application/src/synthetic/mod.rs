//! Synthetic people: nights, intakes and profiles for the demo, the sandbox, the harness and tests.
//!
//! Pure and deterministic: the same person, story and time zone have the same records on every machine, and
//! those of a day do not depend on which other days are requested. A record belongs to the local day on which
//! its sleep ends or its intake happens.

mod intake;
mod nights;
mod random;
mod stages;

use chrono::{Days, NaiveDate, TimeDelta};
use derive_more::Constructor;
use domain::id::UserId;
use domain::sandbox::Story;
use domain::supplement::CatalogueKey;
use domain::time::TimeZone;
use domain::user::{BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, SkinType};
use random::SplitMix64;
use uuid::Uuid;

/// Returns what all made-up people have in common.
pub(crate) fn common_biology() -> Biology {
    Biology {
        blood_type: Some(BloodType::OPositive),
        skin_type: SkinType::new(3).ok(),
        wheelchair_use: Some(false),
        ..Biology::default()
    }
}

/// A person whose records are generated.
#[derive(Debug, Clone, Copy, Constructor)]
pub struct SyntheticPerson {
    /// Also the seed.
    user_id: UserId,
    story: Story,
    zone: TimeZone,
}

/// Purpose of a random sequence, so that a change of one does not change the others.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Night = 1,
    Nap = 2,
    Stages = 3,
    SecondDevice = 4,
    Hole = 5,
    Intake = 6,
    Profile = 7,
}

impl SyntheticPerson {
    /// Returns the biological part of the profile.
    pub fn biology(&self) -> Biology {
        let mut random = self.sequence(Stream::Profile, 0);
        let sex = if random.one_in(2) { BiologicalSex::Female } else { BiologicalSex::Male };
        let born = NaiveDate::from_ymd_opt(1960, 1, 1)
            .and_then(|first| first.checked_add_signed(TimeDelta::days(random.between(0, 15_000))));
        let mut tenths = |low, high| f64::from(i32::try_from(random.between(low, high)).unwrap_or(0)) / 10.0;
        Biology {
            birth_date: born.and_then(|date| BirthDate::new(date).ok()),
            biological_sex: Some(sex),
            height: BodyHeight::from_centimetres(tenths(1550, 1950)).ok(),
            weight: BodyWeight::from_kilograms(tenths(500, 950)).ok(),
            ..common_biology()
        }
    }

    /// Returns the key of a product that only this person sees.
    pub fn own_key(&self, product: &str) -> CatalogueKey {
        CatalogueKey::own(self.user_id, self.id_of(&format!("product/{product}")))
    }

    /// Derives the id of a record from the person's id and a name.
    fn id_of(&self, name: &str) -> Uuid {
        Uuid::new_v5(&self.user_id.as_uuid(), name.as_bytes())
    }

    fn sequence(&self, stream: Stream, number: i64) -> SplitMix64 {
        let (high, low) = self.user_id.as_uuid().as_u64_pair();
        SplitMix64::new([high, low, stream as u64, number.cast_unsigned()])
    }
}

/// Lists the days with records of a person who is created on `today`, oldest first: the last is yesterday.
pub fn days_before(today: NaiveDate, story: Story) -> Vec<NaiveDate> {
    (1..=story.days()).rev().filter_map(|days| today.checked_sub_days(Days::new(days))).collect()
}

/// Lists the days after one and up to another.
pub fn days_between(after: NaiveDate, until: NaiveDate) -> Vec<NaiveDate> {
    after.iter_days().skip(1).take_while(|day| *day <= until).collect()
}

/// Returns the number of a day, from which its values are generated; 0 is 2026-01-01.
fn number_of(day: NaiveDate) -> i64 {
    NaiveDate::from_ymd_opt(2026, 1, 1).map_or(0, |first| (day - first).num_days())
}

#[cfg(test)]
mod tests;
