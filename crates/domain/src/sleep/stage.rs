//! Stage of sleep.

crate::named_enum! {
    /// Stage of sleep (decisions 6).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Stage {
        /// Awake in bed.
        Awake = "AWAKE",
        /// Light sleep: N1 and N2.
        Light = "LIGHT",
        /// Deep sleep: N3, slow waves.
        Deep = "DEEP",
        /// Sleep with rapid eye movements.
        Rem = "REM",
        /// Asleep, stage unknown.
        Asleep = "ASLEEP",
        /// Unknown, not even whether asleep.
        Unknown = "UNKNOWN",
    }
}

impl Stage {
    /// Returns the stored number of the stage, 1 to 6. Numbers never change and are never reused.
    #[inline]
    pub const fn code(self) -> u8 {
        match self {
            Self::Awake => 1,
            Self::Light => 2,
            Self::Deep => 3,
            Self::Rem => 4,
            Self::Asleep => 5,
            Self::Unknown => 6,
        }
    }

    /// Returns the stage with a stored number.
    #[inline]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Awake),
            2 => Some(Self::Light),
            3 => Some(Self::Deep),
            4 => Some(Self::Rem),
            5 => Some(Self::Asleep),
            6 => Some(Self::Unknown),
            _ => None,
        }
    }

    /// Returns whether this is a stage of sleep.
    pub const fn is_asleep(self) -> bool {
        matches!(self, Self::Light | Self::Deep | Self::Rem | Self::Asleep)
    }

    /// Returns the priority for overlaps within one source; the highest wins: AWAKE, DEEP, REM, LIGHT,
    /// ASLEEP, UNKNOWN (rules of import).
    pub const fn priority(self) -> u8 {
        match self {
            Self::Awake => 6,
            Self::Deep => 5,
            Self::Rem => 4,
            Self::Light => 3,
            Self::Asleep => 2,
            Self::Unknown => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stage;

    #[test]
    fn every_spelling_and_every_code_leads_back_to_its_stage() {
        for stage in Stage::ALL {
            assert_eq!(Stage::parse(stage.as_str()), Some(stage));
            assert_eq!(Stage::from_code(stage.code()), Some(stage));
        }
        assert_eq!(Stage::parse("awake"), None);
        assert_eq!(Stage::from_code(0), None);
        assert_eq!(Stage::from_code(7), None);
    }

    #[test]
    fn overlaps_rank_awake_deep_rem_light_asleep_unknown() {
        let mut stages = Stage::ALL;
        stages.sort_by_key(|stage| std::cmp::Reverse(stage.priority()));
        let names = stages.map(Stage::as_str);
        assert_eq!(names, ["AWAKE", "DEEP", "REM", "LIGHT", "ASLEEP", "UNKNOWN"]);
    }
}
