use super::{FIRST_LINE, apple, record};
use crate::testing::{notes, sessions};
use application::ports::import_source::ImportItem;
use domain::user::{BiologicalSex, Biology, BirthDate, BloodType, SkinType};

fn me(attributes: &[(&str, &str)]) -> Vec<ImportItem> {
    let written: Vec<_> = attributes
        .iter()
        .map(|(name, value)| format!(" HKCharacteristicTypeIdentifier{name}=\"{value}\""))
        .collect();
    apple(&format!("<Me{}/>", written.concat()))
}

fn biology(items: &[ImportItem]) -> Biology {
    match items {
        [ImportItem::Profile(profile), ..] => profile.biology,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_characteristics_make_a_profile() {
    let items = me(&[
        ("DateOfBirth", "1985-07-14"),
        ("BiologicalSex", "HKBiologicalSexFemale"),
        ("BloodType", "HKBloodTypeABNegative"),
        ("FitzpatrickSkinType", "HKFitzpatrickSkinTypeIV"),
        ("WheelchairUse", "HKWheelchairUseNo"),
        ("CardioFitnessMedicationsUse", "None"),
    ]);
    let expected = Biology {
        birth_date: BirthDate::parse("1985-07-14").ok(),
        biological_sex: Some(BiologicalSex::Female),
        blood_type: Some(BloodType::AbNegative),
        height: None,
        weight: None,
        skin_type: SkinType::new(4).ok(),
        wheelchair_use: Some(false),
    };
    assert_eq!(biology(&items), expected);
    assert_eq!((items.len(), items[0].place()), (1, format!("line {FIRST_LINE}").as_str()));
}

#[test]
fn every_blood_type_sex_and_skin_type_is_known() {
    let blood = [
        "APositive",
        "ANegative",
        "BPositive",
        "BNegative",
        "ABPositive",
        "ABNegative",
        "OPositive",
        "ONegative",
    ];
    for (name, expected) in blood.iter().zip(BloodType::ALL) {
        let found = biology(&me(&[("BloodType", &format!("HKBloodType{name}"))]));
        assert_eq!(found.blood_type, Some(expected));
    }
    for (name, expected) in ["Female", "Male", "Other"].iter().zip(BiologicalSex::ALL) {
        let found = biology(&me(&[("BiologicalSex", &format!("HKBiologicalSex{name}"))]));
        assert_eq!(found.biological_sex, Some(expected));
    }
    for (name, number) in ["I", "II", "III", "IV", "V", "VI"].iter().zip(1..) {
        let found = biology(&me(&[("FitzpatrickSkinType", &format!("HKFitzpatrickSkinType{name}"))]));
        assert_eq!(found.skin_type, SkinType::new(number).ok());
    }
    assert_eq!(biology(&me(&[("WheelchairUse", "HKWheelchairUseYes")])).wheelchair_use, Some(true));
}

#[test]
fn unset_characteristics_are_absent() {
    let items = me(&[
        ("DateOfBirth", ""),
        ("BiologicalSex", "HKBiologicalSexNotSet"),
        ("BloodType", "HKBloodTypeNotSet"),
        ("FitzpatrickSkinType", "HKFitzpatrickSkinTypeNotSet"),
        ("WheelchairUse", "HKWheelchairUseNotSet"),
    ]);
    assert_eq!(items, Vec::new());
}

#[test]
fn unknown_characteristics_are_noted_without_their_value() {
    let items = me(&[("BloodType", "HKBloodTypeZ"), ("BiologicalSex", "HKBiologicalSexMale")]);
    assert_eq!(biology(&items).biological_sex, Some(BiologicalSex::Male));
    let place = format!("line {FIRST_LINE}");
    assert_eq!(notes(&items), [format!("{place}: Me: BloodType has an unknown value and was left out")]);
    let items = me(&[("DateOfBirth", "14.07.1985")]);
    let reason = "Me: birth date must be a date such as 1990-05-17, 1880 or later; it was left out";
    assert_eq!(notes(&items), [format!("{place}: {reason}")]);
    assert_eq!(items.len(), 1);
}

#[test]
fn only_the_element_directly_in_the_export_is_the_person() {
    let inner = "<Me HKCharacteristicTypeIdentifierBiologicalSex=\"HKBiologicalSexMale\"></Me>";
    assert_eq!(apple(&format!("<Correlation>{inner}</Correlation>")), Vec::new());
    let items = apple(&(inner.to_owned() + &record("watch", "01:00", "02:00", "Asleep")));
    assert_eq!(biology(&items).biological_sex, Some(BiologicalSex::Male));
    assert_eq!(sessions(&items).len(), 1);
}
