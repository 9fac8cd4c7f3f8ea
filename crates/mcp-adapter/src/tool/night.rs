//! `get_night`: the sessions of one date of waking up, with their stages.

use super::answer::{Room, cut, put};
use super::argument::InvalidArgument;
use super::days::DayRange;
use super::session::{self, Sessions};
use super::{ToolCall, ToolError};
use application::StorageError;
use application::read::{PackedPart, PackedSleepRow};
use domain::data_kind::DataKind;
use domain::id::SleepSessionId;
use domain::sleep::packed::StageWalk;
use domain::time::TimeZone;
use serde_json::{Value, json};

/// Maximum number of sessions that are shown.
const MAX_SESSIONS: usize = 8;

pub(super) async fn run(call: &ToolCall<'_>) -> Result<Value, ToolError> {
    let access = call.admit(DataKind::Sleep).await?;
    let (zone, today) = (access.home_timezone, call.today(&access));
    let arguments = call.arguments(&["date", "session_id", "stages_after"])?;
    let date = arguments.date("date")?.unwrap_or(today);
    let invalid_id = |_| InvalidArgument("session_id must be an id that this tool returned.".to_owned());
    let wanted = arguments.text("session_id")?.map(SleepSessionId::parse).transpose().map_err(invalid_id)?;
    let after = arguments.instant("stages_after")?.map_or(i64::MIN, |after| after.timestamp_millis());
    let range = DayRange { first: date, last: date };
    let Sessions { mut rows, range: _ } = session::read(call, &access, range, true).await?;
    if let Some(id) = wanted {
        if rows.iter().all(|row| row.id != id) {
            return Err(InvalidArgument(
                "session_id must be an id that this tool returned for this date.".to_owned(),
            )
            .into());
        }
        rows.retain(|row| row.id == id);
    }
    let mut answer = json!({
        "time_zone": zone.name(),
        "today": today.to_string(),
        "date": date.to_string(),
        "sessions": [],
        "missing": rows.is_empty().then(|| format!("No sleep on record ends on {date}.")),
        "cut": null,
    });
    session::add_latest_date(call, &access, &rows, &mut answer).await?;
    let (sessions, next) = fill(&rows, zone, after, Room::beside(&answer))?;
    put(&mut answer, "sessions", Value::Array(sessions));
    if !next.is_empty() {
        let next = next.into_iter().map(|rest| rest.arguments(&date.to_string()));
        put(&mut answer, "cut", cut("Stages are left out.", &next.take(3).collect::<Vec<_>>()));
    }
    Ok(answer)
}

/// The part of a session that did not fit.
struct Rest {
    session_id: String,
    /// Start of the last stage that is shown.
    after: Option<String>,
}

impl Rest {
    fn arguments(self, date: &str) -> Value {
        let mut arguments = json!({ "date": date, "session_id": self.session_id });
        if let Some(after) = self.after {
            put(&mut arguments, "stages_after", after.into());
        }
        arguments
    }
}

/// Returns the sessions with as many stages after a time as fit, and what is left out.
fn fill(
    rows: &[PackedSleepRow],
    zone: TimeZone,
    after: i64,
    mut room: Room,
) -> Result<(Vec<Value>, Vec<Rest>), StorageError> {
    let (mut sessions, mut rests) = (Vec::new(), Vec::new());
    for row in rows {
        let mut line = session::line(row, zone)?;
        put(&mut line, "stages", json!([]));
        if sessions.len() < MAX_SESSIONS && room.take(&line) {
            sessions.push((row, line));
        } else {
            rests.push(Rest { session_id: row.id.to_string(), after: None });
        }
    }
    let mut shown = Vec::new();
    for (row, mut line) in sessions {
        let (stages, rest) = stages(row, zone, after, &mut room)?;
        put(&mut line, "stages", Value::Array(stages));
        shown.push(line);
        rests.extend(rest);
    }
    Ok((shown, rests))
}

fn stages(
    row: &PackedSleepRow,
    zone: TimeZone,
    after: i64,
    room: &mut Room,
) -> Result<(Vec<Value>, Option<Rest>), StorageError> {
    let corrupt = |_| row.corrupt(PackedPart::Stages);
    let mut stages = Vec::new();
    let mut last = None;
    for stage in StageWalk::new(row.started_at_millis, &row.stages).map_err(corrupt)? {
        let (stage, start, end) = stage.map_err(corrupt)?;
        if start <= after {
            continue;
        }
        let start_text = session::time(start, row.offset_at_start, zone);
        let item = json!({
            "stage": stage.as_str(),
            "start": start_text,
            "minutes": session::minutes(end.saturating_sub(start)),
        });
        if !room.take(&item) {
            return Ok((stages, Some(Rest { session_id: row.id.to_string(), after: last })));
        }
        last = Some(start_text);
        stages.push(item);
    }
    Ok((stages, None))
}
