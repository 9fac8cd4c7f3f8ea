//! The person's characteristics in the element `Me`.

use super::attributes::pick;
use super::markup::Tag;
use crate::source::Notes;
use application::ports::import_source::ImportRefusal;
use domain::user::{BiologicalSex, Biology, BirthDate, BloodType, SkinType};

/// Reads the characteristics; unset ones are absent, unknown ones are noted.
pub(super) fn read(tag: &Tag, notes: &mut Notes) -> Result<Biology, ImportRefusal> {
    let [birth_date, sex, blood_type, skin_type, wheelchair_use] = pick(
        tag,
        [
            "HKCharacteristicTypeIdentifierDateOfBirth",
            "HKCharacteristicTypeIdentifierBiologicalSex",
            "HKCharacteristicTypeIdentifierBloodType",
            "HKCharacteristicTypeIdentifierFitzpatrickSkinType",
            "HKCharacteristicTypeIdentifierWheelchairUse",
        ],
    )?;
    let birth_date = birth_date.filter(|text| !text.is_empty());
    Ok(Biology {
        birth_date: birth_date.and_then(|text| {
            let date = BirthDate::parse(&text);
            date.map_err(|error| notes.add(format!("Me: {error}; it was left out"))).ok()
        }),
        biological_sex: parse_known(sex.as_deref(), "BiologicalSex", biological_sex, notes),
        blood_type: parse_known(blood_type.as_deref(), "BloodType", blood, notes),
        skin_type: parse_known(skin_type.as_deref(), "FitzpatrickSkinType", skin, notes),
        wheelchair_use: parse_known(wheelchair_use.as_deref(), "WheelchairUse", wheelchair, notes),
        ..Biology::default()
    })
}

/// Parses a value such as `HKBloodTypeAPositive`, without `HK` and the name.
fn parse_known<T>(
    text: Option<&str>,
    name: &str,
    parse: fn(&str) -> Option<T>,
    notes: &mut Notes,
) -> Option<T> {
    let text = text.filter(|text| !text.is_empty())?;
    let value = text.strip_prefix("HK").and_then(|text| text.strip_prefix(name));
    if value == Some("NotSet") {
        return None;
    }
    let parsed = value.and_then(parse);
    if parsed.is_none() {
        notes.add(format!("Me: {name} has an unknown value and was left out"));
    }
    parsed
}

fn biological_sex(value: &str) -> Option<BiologicalSex> {
    match value {
        "Female" => Some(BiologicalSex::Female),
        "Male" => Some(BiologicalSex::Male),
        "Other" => Some(BiologicalSex::Other),
        _ => None,
    }
}

fn blood(value: &str) -> Option<BloodType> {
    match value {
        "APositive" => Some(BloodType::APositive),
        "ANegative" => Some(BloodType::ANegative),
        "BPositive" => Some(BloodType::BPositive),
        "BNegative" => Some(BloodType::BNegative),
        "ABPositive" => Some(BloodType::AbPositive),
        "ABNegative" => Some(BloodType::AbNegative),
        "OPositive" => Some(BloodType::OPositive),
        "ONegative" => Some(BloodType::ONegative),
        _ => None,
    }
}

fn skin(value: &str) -> Option<SkinType> {
    let types = ["I", "II", "III", "IV", "V", "VI"];
    let number = types.iter().zip(1..).find_map(|(name, number)| (*name == value).then_some(number))?;
    SkinType::new(number).ok()
}

fn wheelchair(value: &str) -> Option<bool> {
    match value {
        "Yes" => Some(true),
        "No" => Some(false),
        _ => None,
    }
}
