//! Made-up data as NDJSON, imported with the program's own command.

use super::program::Program;
use chrono::DateTime;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// Stages per night.
const STAGES: usize = 40;
/// 1990-01-01T22:00:00Z in Unix seconds, so that 10,000 nights end before today.
const FIRST_NIGHT: u64 = 631_231_200;
const DAY: u64 = 86_400;
const STAGE_SECONDS: u64 = 720;
const INGREDIENTS: usize = 12;

/// Imports nights, one a day from the first one.
pub(crate) fn import_nights(
    program: &Program,
    folder: &Path,
    user_id: &str,
    nights: usize,
) -> anyhow::Result<()> {
    let mut lines = String::new();
    for night in 0..nights {
        write_night(&mut lines, night);
    }
    import(program, folder, user_id, &lines)
}

/// Imports supplements and intake logs of them in turns.
pub(crate) fn import_intakes(
    program: &Program,
    folder: &Path,
    user_id: &str,
    (supplements, logs): (usize, usize),
) -> anyhow::Result<()> {
    let mut lines = String::new();
    for number in 0..supplements {
        write_supplement(&mut lines, number);
    }
    for number in 0..logs {
        let at = instant(FIRST_NIGHT + number as u64 * 6 * 3_600);
        let id = supplement_id(number % supplements.max(1));
        let _ = writeln!(
            lines,
            r#"{{"type":"supplement_log","external_id":"log-{number}","created_at":"{at}","supplement_id":"{id}","servings":1}}"#
        );
    }
    import(program, folder, user_id, &lines)
}

fn import(program: &Program, folder: &Path, user_id: &str, lines: &str) -> anyhow::Result<()> {
    let file = folder.join("lines.ndjson");
    std::fs::write(&file, lines)?;
    let path = file.display().to_string();
    let once = || program.run(&["import", "--user", user_id, "--json", &path], None);
    // A busy machine may time out once; a repeated import resumes.
    once().or_else(|_| once())?;
    Ok(std::fs::remove_file(file)?)
}

// Writing to a string does not fail.
fn write_night(lines: &mut String, night: usize) {
    let names = ["AWAKE", "LIGHT", "DEEP", "REM"];
    let start = FIRST_NIGHT + night as u64 * DAY;
    let at = |stage: usize| instant(start + stage as u64 * STAGE_SECONDS);
    let _ = write!(
        lines,
        r#"{{"type":"sleep_session","external_id":"night-{night}","source":"ring","is_nap":false,"time_in_bed_start":"{}","time_in_bed_end":"{}","raw_sleep":["#,
        at(0),
        at(STAGES)
    );
    for stage in 0..STAGES {
        let name = names.get((stage + night) % names.len()).copied().unwrap_or("LIGHT");
        let comma = if stage == 0 { "" } else { "," };
        let _ =
            write!(lines, r#"{comma}{{"stage":"{name}","start":"{}","end":"{}"}}"#, at(stage), at(stage + 1));
    }
    lines.push_str("]}\n");
}

fn write_supplement(lines: &mut String, number: usize) {
    let id = supplement_id(number);
    let _ = write!(
        lines,
        r#"{{"type":"supplement","id":"{id}","brand":"Harbour Works","name":"Evening Capsule {number}","servings":"30","upc":"0 12345 {number:05} 9","supplement_ingredient":["#
    );
    for place in 1..=INGREDIENTS {
        let comma = if place == 1 { "" } else { "," };
        let _ = write!(
            lines,
            r#"{comma}{{"ingredient_name":"Ingredient {place}","quantity":12.5,"unit":"mg","order":{place}}}"#
        );
    }
    lines.push_str("]}\n");
}

fn supplement_id(number: usize) -> String {
    format!("1a2b3c4d-0000-4000-8000-{number:012}")
}

/// Formats Unix seconds as ISO 8601 with an offset of one hour.
fn instant(unix: u64) -> String {
    let local = DateTime::UNIX_EPOCH + Duration::from_secs(unix + 3_600);
    local.format("%Y-%m-%dT%H:%M:%S+01:00").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_with_their_offset() {
        assert_eq!(instant(FIRST_NIGHT), "1990-01-01T23:00:00+01:00");
        assert_eq!(instant(951_782_400), "2000-02-29T01:00:00+01:00");
    }
}
