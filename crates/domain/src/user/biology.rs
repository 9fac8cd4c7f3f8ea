//! Biological part of a profile (decisions 6), as in health exports.

use chrono::{DateTime, Datelike, NaiveDate, Utc};

/// Why a biological value is invalid; shown to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidBiology {
    /// Not a date, or not between the years 1880 and 2200.
    #[error("birth date must be a date such as 1990-05-17, 1880 or later")]
    BirthDate,
    /// Not one of the three values.
    #[error("biological sex must be female, male or other")]
    BiologicalSex,
    /// Not one of the eight blood types.
    #[error("blood type must be one of A+, A-, B+, B-, AB+, AB-, O+, O-")]
    BloodType,
    /// Not a plausible height.
    #[error("height must be between 20 and 300 centimetres")]
    Height,
    /// Not a plausible weight.
    #[error("weight must be between 0.2 and 700 kilograms")]
    Weight,
    /// Not a Fitzpatrick type.
    #[error("skin type must be a Fitzpatrick type, 1 to 6")]
    SkinType,
}

/// Date of birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BirthDate(NaiveDate);

impl BirthDate {
    /// Checks that a date is between the years 1880 and 2200. Whether it is in the future depends on the
    /// present: see [`Self::is_in_the_future`].
    pub fn new(date: NaiveDate) -> Result<Self, InvalidBiology> {
        if (1880..=2200).contains(&date.year()) { Ok(Self(date)) } else { Err(InvalidBiology::BirthDate) }
    }

    /// Parses `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Result<Self, InvalidBiology> {
        let has_form = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| InvalidBiology::BirthDate)?;
        if has_form { Self::new(date) } else { Err(InvalidBiology::BirthDate) }
    }

    /// Returns whether the date is after today in every time zone.
    pub fn is_in_the_future(self, now: DateTime<Utc>) -> bool {
        self.0.signed_duration_since(now.date_naive()).num_days() > 1
    }

    /// Returns the date.
    pub const fn date(self) -> NaiveDate {
        self.0
    }
}

crate::named_enum! {
    /// Biological sex, as in health exports.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum BiologicalSex {
        /// `female`.
        Female = "female",
        /// `male`.
        Male = "male",
        /// `other`.
        Other = "other",
    } else InvalidBiology = InvalidBiology::BiologicalSex
}

crate::named_enum! {
    /// Blood type in the ABO and Rhesus systems.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the names are those of the blood types")]
    pub enum BloodType {
        APositive = "A+",
        ANegative = "A-",
        BPositive = "B+",
        BNegative = "B-",
        AbPositive = "AB+",
        AbNegative = "AB-",
        OPositive = "O+",
        ONegative = "O-",
    } else InvalidBiology = InvalidBiology::BloodType
}

/// Body height in centimetres, 20 to 300.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyHeight(f64);

/// Never NaN.
impl Eq for BodyHeight {}

impl BodyHeight {
    /// Checks a height in centimetres.
    pub fn from_centimetres(value: f64) -> Result<Self, InvalidBiology> {
        if (20.0..=300.0).contains(&value) { Ok(Self(value)) } else { Err(InvalidBiology::Height) }
    }

    /// Returns centimetres.
    pub const fn centimetres(self) -> f64 {
        self.0
    }
}

/// Body weight in kilograms, 0.2 to 700.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyWeight(f64);

/// Never NaN.
impl Eq for BodyWeight {}

impl BodyWeight {
    /// Checks a weight in kilograms.
    pub fn from_kilograms(value: f64) -> Result<Self, InvalidBiology> {
        if (0.2..=700.0).contains(&value) { Ok(Self(value)) } else { Err(InvalidBiology::Weight) }
    }

    /// Returns kilograms.
    pub const fn kilograms(self) -> f64 {
        self.0
    }
}

/// Fitzpatrick skin type, 1 to 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkinType(u8);

impl SkinType {
    /// Checks a type.
    pub const fn new(value: u8) -> Result<Self, InvalidBiology> {
        if value >= 1 && value <= 6 { Ok(Self(value)) } else { Err(InvalidBiology::SkinType) }
    }

    /// Returns the number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

/// Body data of a person; every value is optional.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Biology {
    /// Date of birth.
    pub birth_date: Option<BirthDate>,
    /// Biological sex.
    pub biological_sex: Option<BiologicalSex>,
    /// Blood type.
    pub blood_type: Option<BloodType>,
    /// Height.
    pub height: Option<BodyHeight>,
    /// Weight.
    pub weight: Option<BodyWeight>,
    /// Skin type.
    pub skin_type: Option<SkinType>,
    /// Whether the person uses a wheelchair.
    pub wheelchair_use: Option<bool>,
}

/// A birth date is in the future.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("birth date is in the future")]
pub struct BornInTheFuture;

impl Biology {
    /// Checks that the birth date is not in the future.
    pub fn check_birth(self, now: DateTime<Utc>) -> Result<(), BornInTheFuture> {
        let is_ahead = self.birth_date.is_some_and(|date| date.is_in_the_future(now));
        if is_ahead { Err(BornInTheFuture) } else { Ok(()) }
    }

    /// Fills missing values from another set.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        let Self { birth_date, biological_sex, blood_type, height, weight, skin_type, wheelchair_use } = self;
        Self {
            birth_date: birth_date.or(other.birth_date),
            biological_sex: biological_sex.or(other.biological_sex),
            blood_type: blood_type.or(other.blood_type),
            height: height.or(other.height),
            weight: weight.or(other.weight),
            skin_type: skin_type.or(other.skin_type),
            wheelchair_use: wheelchair_use.or(other.wheelchair_use),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_no_body_has_are_rejected() {
        assert!(BodyHeight::from_centimetres(f64::NAN).is_err());
        assert!(BodyHeight::from_centimetres(301.0).is_err());
        assert!(BodyWeight::from_kilograms(0.0).is_err());
        assert!(SkinType::new(0).is_err() && SkinType::new(7).is_err());
        assert!(BloodType::parse("C+").is_err());
        assert!(BiologicalSex::parse("Female").is_err());
    }

    #[test]
    fn a_birth_date_after_tomorrow_is_in_the_future_in_every_zone() {
        let now = "2026-03-08T23:10:00Z".parse().unwrap();
        for (text, is_ahead) in [("2026-03-08", false), ("2026-03-09", false), ("2026-03-10", true)] {
            let biology = Biology { birth_date: BirthDate::parse(text).ok(), ..Biology::default() };
            assert_eq!(biology.check_birth(now).is_err(), is_ahead, "{text}");
        }
    }

    #[test]
    fn a_birth_date_is_a_calendar_date_in_one_spelling() {
        assert!(BirthDate::parse("1990-02-28").is_ok());
        for text in ["1990-02-30", "1990-2-3", "90-02-03", "1879-12-31", "+1990-02-0", "1990-02-28T00:00"] {
            assert!(BirthDate::parse(text).is_err(), "{text}");
        }
    }
}
