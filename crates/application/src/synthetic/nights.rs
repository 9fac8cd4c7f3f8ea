//! The sleep of each story.

use super::random::SplitMix64;
use super::stages::{StageEpochs, stages, with_gap};
use super::{Stream, SyntheticPerson, number_of};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use domain::id::SleepSessionId;
use domain::sandbox::Story;
use domain::sleep::{
    SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SleepSession, SleepSource, SourceTotals,
    TimeInBed,
};
use domain::time::Fold;
use std::time::Duration;

/// Number of days between afternoon naps.
const DAYS_BETWEEN_NAPS: i64 = 9;
/// Number of days between nights that only the phone records.
const DAYS_BETWEEN_TOTALS: i64 = 90;

/// Device that records sleep.
#[derive(Debug, Clone, Copy)]
enum Device {
    Ring,
    Watch,
    Phone,
}

impl Device {
    const fn source(self) -> &'static str {
        match self {
            Self::Ring => "demo-ring",
            Self::Watch => "demo-watch",
            Self::Phone => "demo-phone",
        }
    }
}

/// A sleep to record.
struct Sleep<'a> {
    day: NaiveDate,
    name: &'a str,
    device: Device,
    is_nap: bool,
}

impl SyntheticPerson {
    /// Returns the sessions that end on these days, by day.
    pub fn sessions(&self, days: &[NaiveDate]) -> Vec<SleepSession> {
        days.iter().flat_map(|day| self.sessions_of(*day)).collect()
    }

    fn sessions_of(&self, day: NaiveDate) -> Vec<SleepSession> {
        match self.story {
            Story::NapsOnly => self.naps(day),
            Story::TwoDevices => self.both_devices(day),
            Story::Gaps => self.night_with_gaps(day).into_iter().collect(),
            Story::NoStages => self.totals(day, self.night_time(day)).into_iter().collect(),
            Story::ShiftWorker | Story::ClockChanges => {
                self.staged(day, Device::Ring, self.night_time(day)).into_iter().collect()
            }
            Story::RegularSleeper | Story::ThreeYears | Story::ManySupplements => {
                self.nights_and_naps(day).into_iter().flatten().collect()
            }
        }
    }

    /// Returns the time in bed of the main sleep that ends on this day.
    fn night_time(&self, day: NaiveDate) -> Option<TimeInBed> {
        let mut random = self.sequence(Stream::Night, number_of(day));
        let before = day.pred_opt()?;
        let later = TimeDelta::seconds(30 * random.between(0, 160));
        let minutes = random.between(430, 535);
        match self.story {
            Story::ShiftWorker if is_night_shift(day) => {
                self.elapsed(at(day, 8, 0)? + later, random.between(300, 400))
            }
            // The alarm rings at a local time.
            Story::ClockChanges => {
                let end = at(day, 6, 30)? + TimeDelta::minutes(random.between(0, 30));
                self.between(at(before, 22, 20)? + later, end)
            }
            // Goes to bed an hour and a half later in summer.
            Story::ThreeYears => {
                let season = 90 - (number_of(day).rem_euclid(365) - 182).abs() / 2;
                self.elapsed(at(before, 21, 50)? + later + TimeDelta::minutes(season), minutes)
            }
            _ => self.elapsed(at(before, 22, 20)? + later, minutes),
        }
    }

    fn between(&self, start: NaiveDateTime, end: NaiveDateTime) -> Option<TimeInBed> {
        self.time_in_bed(self.zone.resolve(start, Fold::First), self.zone.resolve(end, Fold::Second))
    }

    fn elapsed(&self, start: NaiveDateTime, minutes: i64) -> Option<TimeInBed> {
        let start = self.zone.resolve(start, Fold::First);
        self.time_in_bed(start, start + TimeDelta::minutes(minutes))
    }

    fn time_in_bed(&self, start: DateTime<Utc>, end: DateTime<Utc>) -> Option<TimeInBed> {
        let offset = |instant| Some(self.zone.offset_at(instant));
        TimeInBed::new(start, end, offset(start), offset(end)).ok()
    }

    /// Returns an afternoon nap every ninth day, and the night, one of which in 90 has no stages.
    fn nights_and_naps(&self, day: NaiveDate) -> [Option<SleepSession>; 2] {
        let number = number_of(day);
        let night = self.night_time(day);
        let night = if number.rem_euclid(DAYS_BETWEEN_TOTALS) == 40 {
            self.totals(day, night)
        } else {
            self.staged(day, Device::Ring, night)
        };
        let nap = || {
            let mut random = self.sequence(Stream::Nap, number);
            let start = at(day, 13, 0)? + TimeDelta::minutes(random.between(0, 120));
            let time = self.elapsed(start, random.between(20, 75))?;
            self.stage(&mut random, time, &Sleep { day, name: "nap", device: Device::Ring, is_nap: true })
        };
        [night, (number.rem_euclid(DAYS_BETWEEN_NAPS) == 4).then(nap).flatten()]
    }

    fn staged(&self, day: NaiveDate, device: Device, time: Option<TimeInBed>) -> Option<SleepSession> {
        let mut random = self.stage_sequence(day, device);
        self.stage(&mut random, time?, &Sleep { day, name: "night", device, is_nap: false })
    }

    fn stage_sequence(&self, day: NaiveDate, device: Device) -> SplitMix64 {
        self.sequence(Stream::Stages, 3 * number_of(day) + device as i64)
    }

    fn stage(&self, random: &mut SplitMix64, time: TimeInBed, sleep: &Sleep<'_>) -> Option<SleepSession> {
        let stages = stages(random, &time)?;
        let record = SleepRecord::from_stages(head(sleep, time)?, stages).ok()?;
        Some(self.session(sleep, record))
    }

    /// Returns a night of which the phone reports totals: on every other day those of the stages too.
    fn totals(&self, day: NaiveDate, time: Option<TimeInBed>) -> Option<SleepSession> {
        let time = time?;
        let sleep = Sleep { day, name: "night", device: Device::Phone, is_nap: false };
        let shares = StageEpochs::draw(&mut self.stage_sequence(day, sleep.device), &time);
        let part = |epochs: i64| Some(Duration::from_secs(u64::try_from(30 * epochs).unwrap_or(0)));
        let mut totals = SourceTotals {
            asleep: part(shares.light + shares.deep + shares.rem),
            awake: part(shares.awake),
            latency: part(shares.awake / 2),
            ..SourceTotals::default()
        };
        if number_of(day) % 2 == 0 {
            totals.light = part(shares.light);
            totals.deep = part(shares.deep);
            totals.rem = part(shares.rem);
        }
        let (metrics, _) = SleepMetrics::from_totals(&time, &totals);
        Some(self.session(&sleep, SleepRecord::from_metrics(head(&sleep, time)?, metrics).ok()?))
    }

    /// Returns the night as the ring and the watch recorded it; one of the devices misses one night in seven.
    fn both_devices(&self, day: NaiveDate) -> Vec<SleepSession> {
        let number = number_of(day);
        let mut random = self.sequence(Stream::SecondDevice, number);
        let ring = self.night_time(day);
        // The watch notices later that its person lies down, and earlier that they get up.
        let (later, earlier) = (random.between(2, 12), random.between(0, 6));
        let watch = ring.and_then(|time| {
            let start = time.start() + TimeDelta::minutes(later);
            self.time_in_bed(start, time.end() - TimeDelta::minutes(earlier))
        });
        let of_ring = (number.rem_euclid(7) != 2).then(|| self.staged(day, Device::Ring, ring));
        let of_watch = (number.rem_euclid(7) != 5).then(|| self.staged(day, Device::Watch, watch));
        [of_ring, of_watch].into_iter().flatten().flatten().collect()
    }

    /// Returns a night, unless the person travels (eight days of 45) or forgets the ring (one night in six).
    /// One night in three has a hole.
    fn night_with_gaps(&self, day: NaiveDate) -> Option<SleepSession> {
        let number = number_of(day);
        let mut random = self.sequence(Stream::Hole, number);
        if number.rem_euclid(45) < 8 || random.one_in(6) {
            return None;
        }
        let night = self.staged(day, Device::Ring, self.night_time(day))?;
        if !random.one_in(3) {
            return Some(night);
        }
        let holed = with_gap(&mut random, night.record.hypnogram(), night.record.time_in_bed())?;
        let record = SleepRecord::from_stages(night.record.head().clone(), holed).ok()?;
        Some(SleepSession { record, ..night })
    }

    /// Returns three or four naps at fixed times of the day, give or take an hour.
    fn naps(&self, day: NaiveDate) -> Vec<SleepSession> {
        let mut random = self.sequence(Stream::Nap, number_of(day));
        let skipped = random.between(0, 5);
        let slots = [("early", 1), ("morning", 7), ("afternoon", 13), ("evening", 19)];
        let naps = slots.into_iter().zip(0..).filter_map(|((name, hour), slot)| {
            let start = at(day, hour, 0)? + TimeDelta::minutes(random.between(0, 60));
            let time = self.elapsed(start, random.between(25, 115))?;
            let nap = Sleep { day, name, device: Device::Ring, is_nap: true };
            // The sequence is the same whether a nap is skipped or not.
            let nap = self.stage(&mut random, time, &nap);
            nap.filter(|_| slot != skipped)
        });
        naps.collect()
    }

    /// Creates a session that was last changed 15 minutes after its end, when its device uploaded it.
    fn session(&self, sleep: &Sleep<'_>, record: SleepRecord) -> SleepSession {
        let updated_at = record.time_in_bed().end() + TimeDelta::minutes(15);
        let name = format!("session/{}/{}", sleep.device.source(), record.key().as_str());
        SleepSession { id: SleepSessionId::from_uuid(self.id_of(&name)), record, updated_at }
    }
}

/// Returns whether the person works at night in the week of this day.
fn is_night_shift(day: NaiveDate) -> bool {
    number_of(day).div_euclid(7) % 2 != 0
}

fn at(day: NaiveDate, hour: u32, minute: u32) -> Option<NaiveDateTime> {
    Some(day.and_time(NaiveTime::from_hms_opt(hour, minute, 0)?))
}

fn head(sleep: &Sleep<'_>, time_in_bed: TimeInBed) -> Option<SleepRecordHead> {
    let key = SessionKey::from_source(&format!("{}-{}", sleep.name, sleep.day)).ok()?;
    let source = Some(SleepSource::parse(sleep.device.source()).ok()?);
    Some(SleepRecordHead { key, source, time_in_bed, is_nap: Some(sleep.is_nap) })
}
