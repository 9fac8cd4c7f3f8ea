use super::{SyntheticPerson, days_before, days_between};
use chrono::{NaiveDate, TimeDelta, Timelike};
use domain::id::UserId;
use domain::sandbox::Story;
use domain::sleep::{MetricKind, SleepSession, Stage};
use domain::supplement::IntakeLog;
use domain::time::TimeZone;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, proptest};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// A person with a story, on a day.
#[derive(Debug, Clone, Copy)]
struct Case {
    person: SyntheticPerson,
    zone: TimeZone,
    today: NaiveDate,
    story: Story,
}

impl Case {
    fn new(seed: u128, story: Story, day: i64) -> Self {
        let zone = TimeZone::parse(story.time_zone()).unwrap();
        let user_id = UserId::from_uuid(Uuid::from_u128(seed));
        let today = NaiveDate::from_ymd_opt(2024, 1, 1).unwrap() + TimeDelta::days(day);
        Self { person: SyntheticPerson::new(user_id, story, zone), zone, today, story }
    }

    fn days(&self) -> Vec<NaiveDate> {
        days_before(self.today, self.story)
    }

    fn sessions(&self) -> Vec<SleepSession> {
        self.person.sessions(&self.days())
    }

    fn logs(&self) -> Vec<IntakeLog> {
        self.person.logs(&self.days())
    }

    /// Returns the local day on which a session ends.
    fn end_day(&self, session: &SleepSession) -> NaiveDate {
        let end = session.record.time_in_bed().end();
        let offset = TimeDelta::seconds(i64::from(self.zone.offset_at(end).seconds()));
        (end.naive_utc() + offset).date()
    }

    /// Returns the local hour at which a session starts.
    fn start_hour(&self, session: &SleepSession) -> u32 {
        let start = session.record.time_in_bed().start();
        let offset = TimeDelta::seconds(i64::from(self.zone.offset_at(start).seconds()));
        (start.naive_utc() + offset).hour()
    }
}

fn any_case(story: Story) -> impl Strategy<Value = Case> {
    (any::<u128>(), 0..1_500i64).prop_map(move |(seed, day)| Case::new(seed, story, day))
}

fn minutes(session: &SleepSession) -> i64 {
    session.record.time_in_bed().millis() / 60_000
}

fn source(session: &SleepSession) -> &str {
    session.record.source().unwrap().as_str()
}

fn metric(session: &SleepSession, kind: MetricKind) -> f64 {
    session.record.metrics().get(kind).unwrap().as_f64()
}

fn is_nap(session: &SleepSession) -> bool {
    session.record.is_nap() == Some(true)
}

/// Returns the number of sleep cycles: stretches of REM sleep with other sleep in between.
fn cycles(session: &SleepSession) -> usize {
    session.record.hypnogram().entries().iter().filter(|entry| entry.stage() == Stage::Rem).count()
}

proptest! {
    // A case is hundreds of sessions.
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn records_are_valid_in_every_story(seed in any::<u128>(), number in 0..Story::ALL.len(), day in 0..1_500i64) {
        let case = Case::new(seed, Story::ALL[number], day);
        let (sessions, logs, days) = (case.sessions(), case.logs(), case.days());
        prop_assert_eq!(days.len() as u64, case.story.days());
        prop_assert_eq!(days.last().copied(), case.today.pred_opt());
        let ids: BTreeSet<_> = sessions.iter().map(|session| session.id).collect();
        prop_assert_eq!(ids.len(), sessions.len());
        let keys: BTreeSet<_> = sessions.iter().map(|session| (source(session), session.record.key().as_str())).collect();
        prop_assert_eq!(keys.len(), sessions.len());
        for session in &sessions {
            prop_assert!(days.contains(&case.end_day(session)));
            prop_assert!(session.updated_at > session.record.time_in_bed().end());
        }
        // No two sessions of one device overlap.
        for device in ["demo-ring", "demo-watch", "demo-phone"] {
            let mut of_device: Vec<_> = sessions.iter().filter(|session| source(session) == device).collect();
            of_device.sort_by_key(|session| session.record.time_in_bed().start());
            for pair in of_device.windows(2) {
                prop_assert!(!pair[0].record.time_in_bed().overlaps(pair[1].record.time_in_bed()));
            }
        }
        let supplements: BTreeSet<_> = case.person.supplements().iter().map(|(_, supplement)| supplement.id).collect();
        let times: BTreeSet<_> = logs.iter().map(|log| (log.record.supplement_id(), log.record.created_at())).collect();
        prop_assert_eq!(times.len(), logs.len());
        prop_assert!(logs.iter().all(|log| supplements.contains(&log.record.supplement_id())));
        let biology = case.person.biology();
        prop_assert!(biology.height.is_some() && biology.weight.is_some() && biology.birth_date.is_some());
    }

    #[test]
    fn the_records_of_a_day_do_not_depend_on_the_other_days(seed in any::<u128>(), number in 0..Story::ALL.len(), day in 0..1_500i64) {
        let case = Case::new(seed, Story::ALL[number], day);
        let tomorrow = case.today.succ_opt().unwrap();
        let next = days_before(tomorrow, case.story);
        let all = case.person.sessions(&next);
        let known = case.sessions();
        let added = case.person.sessions(&days_between(case.days()[case.days().len() - 1], case.today));
        let again: Vec<_> = all.iter().filter(|session| known.contains(session)).cloned().collect();
        prop_assert_eq!(all, [again, added].concat());
    }

    #[test]
    fn different_people_have_different_nights(case in any_case(Story::RegularSleeper), other in any::<u128>()) {
        let other = Case { person: SyntheticPerson::new(UserId::from_uuid(Uuid::from_u128(other)), case.story, case.zone), ..case };
        let starts = |case: &Case| case.sessions().iter().map(|session| session.record.time_in_bed().start()).collect::<Vec<_>>();
        prop_assert!(starts(&case) != starts(&other));
    }

    /// Shares of the stages of healthy adults.
    #[test]
    fn a_regular_sleeper_has_plausible_nights(case in any_case(Story::RegularSleeper)) {
        let sessions = case.sessions();
        let nights: Vec<_> = sessions.iter().filter(|session| !is_nap(session)).collect();
        prop_assert_eq!((nights.len(), sessions.len()), (90, 100));
        let staged: Vec<_> = nights.into_iter().filter(|session| !session.record.hypnogram().is_empty()).collect();
        prop_assert_eq!(staged.len(), 89);
        for night in staged {
            let asleep = metric(night, MetricKind::TimeNightAsleep);
            let percent = |kind| metric(night, kind) * 100.0 / asleep;
            prop_assert!((420..=540).contains(&minutes(night)));
            prop_assert!((13.0..=23.0).contains(&percent(MetricKind::TimeNightDeep)), "{}", percent(MetricKind::TimeNightDeep));
            prop_assert!((20.0..=25.0).contains(&percent(MetricKind::TimeNightRem)), "{}", percent(MetricKind::TimeNightRem));
            prop_assert!((5.0..=10.0).contains(&metric(night, MetricKind::PercentageNightAwake)));
            prop_assert!((4..=6).contains(&cycles(night)), "{}", cycles(night));
        }
        prop_assert_eq!(case.person.supplements().len(), 5);
    }

    #[test]
    fn a_shift_worker_sleeps_by_night_for_a_week_and_by_day_for_the_next(case in any_case(Story::ShiftWorker)) {
        let sessions = case.sessions();
        prop_assert_eq!(sessions.len(), 90);
        let by_day: Vec<bool> = sessions.iter().map(|session| (6..12).contains(&case.start_hour(session))).collect();
        let nights = sessions.iter().filter(|session| case.start_hour(session) >= 21);
        prop_assert_eq!(nights.count() + by_day.iter().filter(|by_day| **by_day).count(), 90);
        let blocks: Vec<_> = by_day.chunk_by(|one, next| one == next).map(<[bool]>::len).collect();
        prop_assert!(blocks.len() >= 13);
        prop_assert!(blocks[1..blocks.len() - 1].iter().all(|length| *length == 7), "{blocks:?}");
    }

    #[test]
    fn both_clock_changes_are_slept_through(case in any_case(Story::ClockChanges)) {
        let sessions = case.sessions();
        let change = |session: &SleepSession| {
            let time = session.record.time_in_bed();
            time.offset_at_end().unwrap().seconds() - time.offset_at_start().unwrap().seconds()
        };
        let changes: BTreeSet<_> = sessions.iter().map(change).collect();
        prop_assert_eq!(changes, BTreeSet::from([-3_600, 0, 3_600]));
        // The alarm makes the night of spring an hour shorter.
        let mean = |wanted: i32| {
            let lengths: Vec<_> = sessions.iter().filter(|session| change(session) == wanted).map(minutes).collect();
            lengths.iter().sum::<i64>() / i64::try_from(lengths.len()).unwrap()
        };
        prop_assert!(mean(3_600) < mean(-3_600));
    }

    #[test]
    fn two_devices_record_overlapping_nights(case in any_case(Story::TwoDevices)) {
        let mut nights: BTreeMap<NaiveDate, Vec<SleepSession>> = BTreeMap::new();
        for session in case.sessions() {
            nights.entry(case.end_day(&session)).or_default().push(session);
        }
        let (both, one): (Vec<_>, Vec<_>) = nights.values().partition(|night| night.len() == 2);
        prop_assert!(both.len() > 60 && !one.is_empty());
        for night in both {
            prop_assert!(source(&night[0]) != source(&night[1]));
            prop_assert!(night[0].record.time_in_bed().overlaps(night[1].record.time_in_bed()));
            prop_assert!(night[0].record.hypnogram() != night[1].record.hypnogram());
        }
        let sources: BTreeSet<_> = one.iter().map(|night| source(&night[0])).collect();
        prop_assert_eq!(sources.len(), 2);
    }

    #[test]
    fn gaps_are_missing_nights_and_holes_in_nights(case in any_case(Story::Gaps)) {
        let sessions = case.sessions();
        let ends: BTreeSet<_> = sessions.iter().map(|session| case.end_day(session)).collect();
        let missing: Vec<_> = case.days().iter().map(|day| !ends.contains(day)).collect();
        let longest = missing.chunk_by(|one, next| one == next).filter(|run| run[0]).map(<[bool]>::len).max();
        prop_assert!(longest >= Some(7), "{longest:?}");
        let has_hole = |session: &&SleepSession| {
            let entries = session.record.hypnogram().entries();
            entries.windows(2).any(|pair| pair[1].start() - pair[0].end() >= TimeDelta::minutes(20))
        };
        prop_assert!(sessions.iter().filter(has_hole).count() >= 3);
        prop_assert!(sessions.len() > 30 && sessions.len() < 85);
    }

    #[test]
    fn no_stages_means_totals_only(case in any_case(Story::NoStages)) {
        let sessions = case.sessions();
        prop_assert_eq!(sessions.len(), 90);
        prop_assert!(sessions.iter().all(|session| session.record.hypnogram().is_empty()));
        prop_assert!(sessions.iter().all(|session| metric(session, MetricKind::TimeNightAsleep) > 0.0));
        let with_deep = sessions.iter().filter(|session| session.record.metrics().get(MetricKind::TimeNightDeep).is_some());
        prop_assert_eq!(with_deep.count(), 45);
    }

    #[test]
    fn naps_only_has_no_main_sleep(case in any_case(Story::NapsOnly)) {
        let sessions = case.sessions();
        prop_assert!(sessions.iter().all(|session| is_nap(session) && minutes(session) < 120));
        prop_assert!((270..=360).contains(&sessions.len()));
    }

    #[test]
    fn many_supplements_are_dozens_with_several_doses_a_day(case in any_case(Story::ManySupplements)) {
        prop_assert_eq!(case.person.supplements().len(), 36);
        let logs = case.logs();
        prop_assert!(logs.len() > 5_000);
        let mut taken: BTreeMap<_, usize> = BTreeMap::new();
        for log in &logs {
            *taken.entry(log.record.supplement_id()).or_default() += 1;
        }
        prop_assert_eq!(taken.len(), 36);
        prop_assert!(taken.values().filter(|logs| **logs >= 2 * 90).count() >= 24);
    }
}

#[test]
fn three_years_are_at_least_a_thousand_nights() {
    let case = Case::new(7, Story::ThreeYears, 800);
    let nights = case.sessions().into_iter().filter(|session| !is_nap(session)).count();
    assert_eq!(nights, 1_096);
}

#[test]
fn own_products_belong_to_their_person() {
    let case = Case::new(7, Story::ManySupplements, 0);
    let keys: BTreeSet<_> =
        case.person.supplements().iter().map(|(key, _)| case.person.own_key(key.key())).collect();
    assert_eq!(keys.len(), 36);
    assert!(keys.iter().all(|key| key.owner() == Some(UserId::from_uuid(Uuid::from_u128(7)))));
}

#[test]
fn no_days_lie_between_a_day_and_an_earlier_one() {
    let day = NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
    assert_eq!(days_between(day, day), []);
    assert_eq!(days_between(day, day.pred_opt().unwrap()), []);
    assert_eq!(days_between(day.pred_opt().unwrap(), day), [day]);
}
