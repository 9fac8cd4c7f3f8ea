//! Kinds of watches, whose tables and codes differ.

use domain::sleep::Stage;

/// A kind of watch, as Gadgetbridge distinguishes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Xiaomi,
    Huami,
    Garmin,
    Huawei,
    Colmi,
    Cmf,
}

/// What the time of a row of a table of stages is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StageTimes {
    /// The start of a stage, which ends with the next row or the session.
    Starts,
    /// The end of a stage, which starts with the row before or the session.
    Ends,
    /// The start and a length in this many milliseconds.
    Lengths(i64),
    /// A minute of a stage.
    Minutes,
}

impl Family {
    /// Every kind, in the order of reading.
    pub(super) const ALL: [Self; 6] =
        [Self::Xiaomi, Self::Huami, Self::Garmin, Self::Huawei, Self::Colmi, Self::Cmf];

    /// Returns the table of sessions, or of stages if that is what the kind is known by.
    pub(super) const fn table(self) -> &'static str {
        match self {
            Self::Xiaomi => "XIAOMI_SLEEP_TIME_SAMPLE",
            Self::Huami => "HUAMI_SLEEP_SESSION_SAMPLE",
            Self::Garmin => "GARMIN_EVENT_SAMPLE",
            Self::Huawei => "HUAWEI_SLEEP_STATS_SAMPLE",
            Self::Colmi => "COLMI_SLEEP_SESSION_SAMPLE",
            Self::Cmf => "CMF_SLEEP_SESSION_SAMPLE",
        }
    }

    /// Returns the table of stages; `None` if the sessions contain them.
    pub(super) const fn stages(self) -> Option<&'static str> {
        match self {
            Self::Xiaomi => Some("XIAOMI_SLEEP_STAGE_SAMPLE"),
            Self::Huami => None,
            Self::Garmin => Some("GARMIN_SLEEP_STAGE_SAMPLE"),
            Self::Huawei => Some("HUAWEI_SLEEP_STAGE_SAMPLE"),
            Self::Colmi => Some("COLMI_SLEEP_STAGE_SAMPLE"),
            Self::Cmf => Some("CMF_SLEEP_STAGE_SAMPLE"),
        }
    }

    pub(super) const fn stage_times(self) -> StageTimes {
        match self {
            Self::Xiaomi | Self::Huami => StageTimes::Starts,
            Self::Garmin => StageTimes::Ends,
            Self::Huawei => StageTimes::Minutes,
            Self::Colmi => StageTimes::Lengths(60_000),
            Self::Cmf => StageTimes::Lengths(1000),
        }
    }

    /// Returns the stage with this code; `None` for an unknown code.
    pub(super) const fn stage(self, code: i64) -> Option<Stage> {
        let stage = match (self, code) {
            (Self::Xiaomi, 2)
            | (Self::Huami, 5)
            | (Self::Garmin | Self::Huawei | Self::Colmi, 3)
            | (Self::Cmf, 1) => Stage::Deep,
            (Self::Xiaomi, 3)
            | (Self::Huami, 4)
            | (Self::Garmin | Self::Colmi | Self::Cmf, 2)
            | (Self::Huawei, 1) => Stage::Light,
            (Self::Xiaomi | Self::Garmin | Self::Colmi, 4)
            | (Self::Huami, 8)
            | (Self::Huawei, 2)
            | (Self::Cmf, 3) => Stage::Rem,
            (Self::Xiaomi | Self::Colmi, 5) | (Self::Huami, 7) | (Self::Garmin, 1) | (Self::Huawei, 4) => {
                Stage::Awake
            }
            // A nap without stages.
            (Self::Huawei, 5) => Stage::Asleep,
            (Self::Xiaomi, 0 | 1) | (Self::Garmin, 0) => Stage::Unknown,
            _ => return None,
        };
        Some(stage)
    }
}
