use super::{export, record};
use crate::testing::{items, rejections, sessions};
use chrono::{DateTime, FixedOffset, TimeDelta};
use domain::sleep::Stage;
use proptest::prelude::{prop, prop_assert_eq, proptest};

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Awake => "Awake",
        Stage::Light => "AsleepCore",
        Stage::Deep => "AsleepDeep",
        Stage::Rem => "AsleepREM",
        Stage::Asleep | Stage::Unknown => "AsleepUnspecified",
    }
}

proptest! {
    #[test]
    fn any_night_reads_back_as_it_was_written(
        start in 1_000_000_000_i64..2_000_000_000,
        offset_minutes in -720..840_i32,
        // Per interval: stage, length and following gap, in seconds.
        stretches in prop::collection::vec((0..5_usize, 1..7200_i64, 0..=3600_i64), 1..20),
        rotation in 0..20_usize,
    ) {
        let offset = FixedOffset::east_opt(offset_minutes * 60).unwrap();
        let all = [Stage::Awake, Stage::Light, Stage::Deep, Stage::Rem, Stage::Asleep];
        let mut clock = DateTime::from_timestamp(start, 0).unwrap().with_timezone(&offset);
        let (mut written, mut expected) = (Vec::new(), Vec::new());
        for (stage, length, gap) in stretches {
            let end = clock + TimeDelta::seconds(length);
            let print = |time: DateTime<FixedOffset>| time.format("%Y-%m-%d %H:%M:%S %z").to_string();
            written.push(record("watch", &print(clock), &print(end), name(all[stage])));
            expected.push((all[stage], clock.to_utc(), end.to_utc()));
            clock = end + TimeDelta::seconds(gap);
        }
        let count = written.len();
        written.rotate_left(rotation % count);
        let items = items(&export(&written.concat()), None, "UTC");
        prop_assert_eq!(rejections(&items), Vec::<String>::new());
        let [record] = <[_; 1]>::try_from(sessions(&items)).unwrap();
        let entries = record.hypnogram().entries();
        let found: Vec<_> = entries.iter().map(|one| (one.stage(), one.start(), one.end())).collect();
        prop_assert_eq!(record.time_in_bed().start(), expected[0].1);
        prop_assert_eq!(record.time_in_bed().end(), expected[count - 1].2);
        let minutes = record.time_in_bed().offset_at_start().map(domain::time::UtcOffset::minutes);
        prop_assert_eq!(minutes.map(i32::from), Some(offset_minutes));
        prop_assert_eq!(found, expected);
    }
}
