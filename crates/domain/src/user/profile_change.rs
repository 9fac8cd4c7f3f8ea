//! Changes of an import to a profile, by field.

use super::{BiologicalSex, BirthDate, BloodType, BodyHeight, BodyWeight, SkinType, User};
use crate::time::TimeZone;
use chrono::{DateTime, SecondsFormat, Utc};
use std::fmt;

crate::named_enum! {
    /// A profile field that an import can change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    #[expect(missing_docs, reason = "each variant is named after its field")]
    pub enum ProfileField {
        CreatedAt = "created_at",
        HomeTimezone = "home_timezone",
        BirthDate = "birth_date",
        BiologicalSex = "biological_sex",
        BloodType = "blood_type",
        Height = "height_cm",
        Weight = "weight_kg",
        SkinType = "skin_type",
        WheelchairUse = "wheelchair_use",
    }
}

impl ProfileField {
    /// Reads the field of a profile.
    pub const fn read(self, user: &User) -> ProfileValue {
        let biology = &user.biology;
        match self {
            Self::CreatedAt => ProfileValue::CreatedAt(user.created_at),
            Self::HomeTimezone => ProfileValue::HomeTimezone(user.home_timezone),
            Self::BirthDate => ProfileValue::BirthDate(biology.birth_date),
            Self::BiologicalSex => ProfileValue::BiologicalSex(biology.biological_sex),
            Self::BloodType => ProfileValue::BloodType(biology.blood_type),
            Self::Height => ProfileValue::Height(biology.height),
            Self::Weight => ProfileValue::Weight(biology.weight),
            Self::SkinType => ProfileValue::SkinType(biology.skin_type),
            Self::WheelchairUse => ProfileValue::WheelchairUse(biology.wheelchair_use),
        }
    }
}

/// Value of a profile field; `None` if the field is empty.
///
/// `Debug` prints only the field, so that no value is logged.
#[derive(Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is named after its field")]
pub enum ProfileValue {
    CreatedAt(DateTime<Utc>),
    HomeTimezone(TimeZone),
    BirthDate(Option<BirthDate>),
    BiologicalSex(Option<BiologicalSex>),
    BloodType(Option<BloodType>),
    Height(Option<BodyHeight>),
    Weight(Option<BodyWeight>),
    SkinType(Option<SkinType>),
    WheelchairUse(Option<bool>),
}

impl ProfileValue {
    /// Returns the field.
    pub const fn field(self) -> ProfileField {
        match self {
            Self::CreatedAt(_) => ProfileField::CreatedAt,
            Self::HomeTimezone(_) => ProfileField::HomeTimezone,
            Self::BirthDate(_) => ProfileField::BirthDate,
            Self::BiologicalSex(_) => ProfileField::BiologicalSex,
            Self::BloodType(_) => ProfileField::BloodType,
            Self::Height(_) => ProfileField::Height,
            Self::Weight(_) => ProfileField::Weight,
            Self::SkinType(_) => ProfileField::SkinType,
            Self::WheelchairUse(_) => ProfileField::WheelchairUse,
        }
    }

    /// Returns the value as in the API; `None` if the field is empty.
    pub fn text(self) -> Option<String> {
        match self {
            Self::CreatedAt(at) => Some(at.to_rfc3339_opts(SecondsFormat::AutoSi, true)),
            Self::HomeTimezone(zone) => Some(zone.name().to_owned()),
            Self::BirthDate(date) => date.map(|date| date.date().to_string()),
            Self::BiologicalSex(sex) => sex.map(|sex| sex.as_str().to_owned()),
            Self::BloodType(kind) => kind.map(|kind| kind.as_str().to_owned()),
            Self::Height(height) => height.map(|height| height.centimetres().to_string()),
            Self::Weight(weight) => weight.map(|weight| weight.kilograms().to_string()),
            Self::SkinType(skin) => skin.map(|skin| skin.get().to_string()),
            Self::WheelchairUse(uses) => uses.map(|uses| uses.to_string()),
        }
    }

    /// Parses the result of [`Self::text`]; `None` if it is not a valid value of this field.
    pub fn parse(field: ProfileField, text: Option<&str>) -> Option<Self> {
        match field {
            ProfileField::CreatedAt => {
                let at = DateTime::parse_from_rfc3339(text?).ok()?;
                Some(Self::CreatedAt(at.to_utc()))
            }
            ProfileField::HomeTimezone => TimeZone::parse(text?).ok().map(Self::HomeTimezone),
            ProfileField::BirthDate => {
                optional(text, |text| BirthDate::parse(text).ok()).map(Self::BirthDate)
            }
            ProfileField::BiologicalSex => {
                optional(text, |text| BiologicalSex::parse(text).ok()).map(Self::BiologicalSex)
            }
            ProfileField::BloodType => {
                optional(text, |text| BloodType::parse(text).ok()).map(Self::BloodType)
            }
            ProfileField::Height => {
                optional(text, |text| BodyHeight::from_centimetres(text.parse().ok()?).ok()).map(Self::Height)
            }
            ProfileField::Weight => {
                optional(text, |text| BodyWeight::from_kilograms(text.parse().ok()?).ok()).map(Self::Weight)
            }
            ProfileField::SkinType => {
                optional(text, |text| SkinType::new(text.parse().ok()?).ok()).map(Self::SkinType)
            }
            ProfileField::WheelchairUse => optional(text, |text| text.parse().ok()).map(Self::WheelchairUse),
        }
    }

    /// Writes the value to a profile.
    pub const fn write(self, user: &mut User) {
        let biology = &mut user.biology;
        match self {
            Self::CreatedAt(at) => user.created_at = at,
            Self::HomeTimezone(zone) => user.home_timezone = zone,
            Self::BirthDate(date) => biology.birth_date = date,
            Self::BiologicalSex(sex) => biology.biological_sex = sex,
            Self::BloodType(kind) => biology.blood_type = kind,
            Self::Height(height) => biology.height = height,
            Self::Weight(weight) => biology.weight = weight,
            Self::SkinType(skin) => biology.skin_type = skin,
            Self::WheelchairUse(uses_one) => biology.wheelchair_use = uses_one,
        }
    }

    /// Returns whether the value is a birth date in the future.
    pub fn is_in_the_future(self, now: DateTime<Utc>) -> bool {
        matches!(self, Self::BirthDate(Some(date)) if date.is_in_the_future(now))
    }

    /// Returns whether the field is empty.
    pub fn is_empty(self) -> bool {
        self.text().is_none()
    }
}

impl fmt::Debug for ProfileValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProfileValue({})", self.field().as_str())
    }
}

/// Parses a present value; an absent one is an empty field.
#[expect(
    clippy::option_option,
    reason = "the outer option is `None` for an invalid value, the inner one for an absent one"
)]
fn optional<T>(text: Option<&str>, parse: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    text.map_or(Some(None), |text| parse(text).map(Some))
}

/// A field in which an imported file differs from the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileChange {
    /// Value in the profile.
    pub old: ProfileValue,
    /// Value of the same field in the file.
    pub new: ProfileValue,
    /// Whether it was written to the profile; otherwise it is only proposed.
    pub is_applied: bool,
}

impl ProfileChange {
    /// Returns the field.
    pub const fn field(&self) -> ProfileField {
        self.new.field()
    }
}

/// Changes and proposals of an import: at most one entry per field, in the API's order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfileChanges(Vec<ProfileChange>);

impl ProfileChanges {
    /// Returns the changes.
    pub fn iter(&self) -> impl Iterator<Item = &ProfileChange> {
        self.0.iter()
    }

    /// Returns whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records a value from the file: fills an empty field, overwrites another one only if requested, and
    /// proposes the value otherwise. A later value of the same field replaces the earlier one.
    pub fn state(&mut self, user: &mut User, new: ProfileValue, overwrite: bool) {
        let field = new.field();
        let known = field.read(user);
        let earlier = self.0.iter().position(|change| change.field() == field);
        let earlier = earlier.map(|place| self.0.remove(place));
        if known == new {
            // The file withdraws its earlier proposal; what this import wrote stays on record.
            self.insert(earlier.filter(|change| change.is_applied));
            return;
        }
        let own = earlier.filter(|change| change.is_applied && change.new == known);
        let is_applied = overwrite || known.is_empty() || own.is_some();
        if is_applied {
            new.write(user);
        }
        let old = own.map_or(known, |change| change.old);
        self.insert((old != new).then_some(ProfileChange { old, new, is_applied }));
    }

    /// Returns the proposals that differ from the current profile.
    pub fn proposals(&self, user: &User) -> Vec<ProfileChange> {
        let proposed = self.0.iter().filter(|change| !change.is_applied);
        let current = proposed.map(|change| ProfileChange { old: change.field().read(user), ..*change });
        current.filter(|change| change.old != change.new).collect()
    }

    /// Applies the proposals for these fields and returns how many changed the profile.
    pub fn apply(&mut self, user: &mut User, fields: &[ProfileField]) -> usize {
        let chosen: Vec<_> =
            self.proposals(user).into_iter().filter(|change| fields.contains(&change.field())).collect();
        for change in &chosen {
            change.new.write(user);
            self.0.retain(|other| other.field() != change.field());
            self.insert(Some(ProfileChange { is_applied: true, ..*change }));
        }
        chosen.len()
    }

    /// Writes the applied values again: a dry run stores nothing between batches.
    pub fn write_applied(&self, user: &mut User) {
        self.0.iter().filter(|change| change.is_applied).for_each(|change| change.new.write(user));
    }

    /// Restores each field that is still as the import left it. Returns the changes of the other fields.
    #[must_use]
    pub fn revert(&self, user: &mut User) -> Self {
        let mut kept = Vec::new();
        for change in self.0.iter().filter(|change| change.is_applied) {
            if change.field().read(user) == change.new {
                change.old.write(user);
            } else {
                kept.push(*change);
            }
        }
        Self(kept)
    }

    /// Counts the fields that the import changed.
    pub fn applied(&self) -> usize {
        self.0.iter().filter(|change| change.is_applied).count()
    }

    fn insert(&mut self, change: Option<ProfileChange>) {
        self.0.extend(change);
        self.0.sort_by_key(ProfileChange::field);
    }
}

impl FromIterator<ProfileChange> for ProfileChanges {
    fn from_iter<I: IntoIterator<Item = ProfileChange>>(changes: I) -> Self {
        let mut all = Self(changes.into_iter().collect());
        all.insert(None);
        all
    }
}

#[cfg(test)]
mod tests;
