//! Options for the biological part of a profile.

use clap::Args;
use domain::user::{BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, SkinType};

/// Body data of a user; omitted values stay unchanged.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct BiologyArguments {
    /// Date of birth, YYYY-MM-DD
    #[arg(long, value_name = "DATE", value_parser = BirthDate::parse)]
    birth_date: Option<BirthDate>,
    /// female, male or other
    #[arg(long, value_name = "SEX", value_parser = BiologicalSex::parse)]
    biological_sex: Option<BiologicalSex>,
    /// A+, A-, B+, B-, AB+, AB-, O+ or O-
    #[arg(long, value_name = "TYPE", value_parser = BloodType::parse, allow_hyphen_values = true)]
    blood_type: Option<BloodType>,
    /// Height in centimetres
    #[arg(long, value_name = "CM", value_parser = height)]
    height_cm: Option<BodyHeight>,
    /// Weight in kilograms
    #[arg(long, value_name = "KG", value_parser = weight)]
    weight_kg: Option<BodyWeight>,
    /// Fitzpatrick skin type, 1 to 6
    #[arg(long, value_name = "TYPE", value_parser = skin_type)]
    skin_type: Option<SkinType>,
    /// Whether the user uses a wheelchair, true or false
    #[arg(long, value_name = "BOOL")]
    wheelchair_use: Option<bool>,
}

impl BiologyArguments {
    /// Returns the given values.
    pub(crate) const fn biology(self) -> Biology {
        let Self { birth_date, biological_sex, blood_type, height_cm, weight_kg, skin_type, wheelchair_use } =
            self;
        Biology {
            birth_date,
            biological_sex,
            blood_type,
            height: height_cm,
            weight: weight_kg,
            skin_type,
            wheelchair_use,
        }
    }

    /// Returns whether no value was given.
    pub(crate) fn is_empty(self) -> bool {
        self.biology() == Biology::default()
    }
}

fn height(text: &str) -> Result<BodyHeight, String> {
    let number = text.parse().map_err(|_| "enter centimetres, such as 172.5".to_owned())?;
    BodyHeight::from_centimetres(number).map_err(|error| error.to_string())
}

fn weight(text: &str) -> Result<BodyWeight, String> {
    let number = text.parse().map_err(|_| "enter kilograms, such as 68.5".to_owned())?;
    BodyWeight::from_kilograms(number).map_err(|error| error.to_string())
}

fn skin_type(text: &str) -> Result<SkinType, String> {
    let number = text.parse().map_err(|_| "enter a number from 1 to 6".to_owned())?;
    SkinType::new(number).map_err(|error| error.to_string())
}
