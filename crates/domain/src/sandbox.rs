//! Sandbox people: synthetic users with known records, for app developers.

use crate::id::UserId;
use crate::user::Email;
use chrono::NaiveDate;

/// Host of the email addresses of sandbox people. Nobody else can have an address there ([`Email::parse`]),
/// and no mail can be delivered to it (RFC 2606).
pub const SANDBOX_HOST: &str = "sandbox.invalid";

/// Maximum number of sandbox people of a developer.
pub const MAX_PER_OWNER: usize = 30;

crate::named_enum! {
    /// Pattern of a synthetic person's records.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Story {
        /// A night of seven to nine hours every day.
        RegularSleeper = "regular-sleeper",
        /// Sleep at night in one week, by day in the next.
        ShiftWorker = "shift-worker",
        /// Nights on which the clocks change.
        ClockChanges = "clock-changes",
        /// Two devices that record the same nights.
        TwoDevices = "two-devices",
        /// Missing nights, and nights with holes.
        Gaps = "gaps",
        /// Totals of nights without stages.
        NoStages = "no-stages",
        /// Short sleep at any time of the day, and no long one.
        NapsOnly = "naps-only",
        /// More than a thousand nights.
        ThreeYears = "three-years",
        /// Dozens of supplements, several times a day.
        ManySupplements = "many-supplements",
    }
}

impl Story {
    /// Returns what is special about the records, in one sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::RegularSleeper => {
                "Sleeps seven to nine hours every night, naps every ninth day and takes five supplements."
            }
            Self::ShiftWorker => "Sleeps at night for a week and by day for the next.",
            Self::ClockChanges => "Has slept through every clock change of the last 13 months.",
            Self::TwoDevices => "Wears a ring and a watch, which record the same nights differently.",
            Self::Gaps => "Misses single nights and whole weeks, and parts of other nights.",
            Self::NoStages => "Has a phone that reports totals without stages.",
            Self::NapsOnly => "Sleeps three or four times a day, never for more than two hours.",
            Self::ThreeYears => "Has three years of nights.",
            Self::ManySupplements => "Takes 36 supplements, most of them several times a day.",
        }
    }

    /// Returns the number of days before today that have records when the person is created.
    pub const fn days(self) -> u64 {
        match self {
            Self::ThreeYears => 1_096,
            // Both clock changes of a year, even if one was yesterday.
            Self::ClockChanges => 400,
            _ => 90,
        }
    }

    /// Returns the name of the person's time zone.
    pub const fn time_zone(self) -> &'static str {
        match self {
            Self::ClockChanges | Self::RegularSleeper => "America/New_York",
            _ => "Europe/Berlin",
        }
    }
}

/// A sandbox person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SandboxPerson {
    /// The user.
    pub user_id: UserId,
    /// What the records look like.
    pub story: Story,
    /// The developer who created the person; `None` for the operator.
    pub owner: Option<UserId>,
    /// Last day that has records, in the person's time zone.
    pub records_until: NaiveDate,
}

impl SandboxPerson {
    /// Returns the email address, which consists of the story and the end of the id.
    pub fn email(&self) -> Email {
        let id = self.user_id.to_string();
        let end = id.rsplit('-').next().unwrap_or_default();
        Email::reserved(&format!("{}-{end}@{SANDBOX_HOST}", self.story.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::TimeZone;

    #[test]
    fn every_story_has_a_sentence_and_a_known_time_zone() {
        for story in Story::ALL {
            let sentence = story.description();
            assert!(sentence.ends_with('.') && sentence.matches(". ").count() == 0, "{sentence}");
            assert!(TimeZone::parse(story.time_zone()).is_ok(), "{story:?}");
            assert_eq!(Story::parse(story.as_str()), Some(story));
        }
    }

    #[test]
    fn the_address_names_the_story_and_is_reserved() {
        let person = SandboxPerson {
            user_id: UserId::parse("3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48").unwrap(),
            story: Story::ShiftWorker,
            owner: None,
            records_until: NaiveDate::MIN,
        };
        let email = person.email();
        assert_eq!(email.as_str(), "shift-worker-0a5e7d2c9b48@sandbox.invalid");
        assert!(email.is_sandbox());
        assert!(Email::parse(email.as_str()).is_err());
        assert_eq!(Email::parse_stored(email.as_str()), Ok(email));
    }
}
