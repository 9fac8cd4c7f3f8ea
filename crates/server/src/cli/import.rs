//! `restwell import`: export files of devices and catalogues.

mod history;
mod profile;
mod progress;
mod report;

use super::argument;
use super::user_ref::UserRef;
use crate::wiring::Services;
use anyhow::{Context, bail};
use application::import::{FileInfo, ImportRecords, ImportRecordsCommand, ImportRecordsError, Imported};
use application::ports::import_source::{ImportFile, ImportRefusal};
use chrono::{DateTime, FixedOffset};
use clap::{Args, Subcommand};
use domain::id::UserId;
use domain::import::FileName;
use domain::time::TimeZone;
use import_adapter::{FileContext, Format, UnknownFormat};
use progress::Progress;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system_adapter::TimerPause;

/// Files to import, or a command about imports.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(
    after_help = "Examples:\n  restwell import --user ada@example.org apple_health_export.zip Takeout/\n  \
    restwell import --format dsld labels.json\n  restwell import list --user ada@example.org\n  \
    restwell import undo 7c1f0a5e-6d4a-4c57-9b1f-3f2b8c1e9b48\n\n\
    docs/import describes the formats. The files in folders and zip archives are imported. Importing a file \
     twice changes nothing. An import fills empty profile fields and lists those that differ; --profile \
     overwrites them. Restwell's own export always applies its profile. Nothing from a rejected file is \
     stored; the other files are still imported, and the exit code is 1. If the store fails, import the \
     file again to resume. To import a file named list, undo or cancel, write ./list, ./undo or ./cancel."
)]
pub(crate) struct ImportArguments {
    #[command(subcommand)]
    command: Option<ImportCommand>,
    /// User who owns the records (id or email address); not needed for a catalogue (dsld)
    #[arg(long, value_name = "USER", value_parser = UserRef::parse, allow_hyphen_values = true)]
    user: Option<UserRef>,
    /// Format of the files; auto detects it from their content
    #[arg(long, default_value = "auto", value_parser = FormatChoice::parse)]
    format: FormatChoice,
    /// IANA time zone for times without one; defaults to the user's time zone
    #[arg(long, value_name = "TZ", value_parser = TimeZone::parse)]
    timezone: Option<TimeZone>,
    /// Start of a recording that does not contain it (a hypnogram), with its UTC offset; for a single FILE
    #[arg(long, value_name = "TIME", value_parser = argument::recording_start)]
    start: Option<DateTime<FixedOffset>>,
    /// Overwrite profile fields that differ from the file; by default only empty fields are filled
    #[arg(long)]
    profile: bool,
    /// Report what would be done without storing anything
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object per file
    #[arg(long)]
    json: bool,
    /// Files, folders or ZIP archives
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// A format, or `auto`.
#[derive(Debug, Clone, Copy)]
struct FormatChoice(Option<Format>);

impl FormatChoice {
    fn parse(name: &str) -> Result<Self, UnknownFormat> {
        Format::parse(name).map(Self)
    }
}

impl ImportArguments {
    /// Returns the arguments of an import of labels, which belong to no user.
    pub(super) const fn of_catalogue(files: Vec<PathBuf>, dry_run: bool, json: bool) -> Self {
        let (command, user, timezone, start, profile) = (None, None, None, None, false);
        Self {
            command,
            user,
            format: FormatChoice(Some(Format::Dsld)),
            timezone,
            start,
            profile,
            dry_run,
            json,
            files,
        }
    }
}

/// Commands about imports.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// List imports, latest first
    #[command(
        after_help = "Counts are records that the import added or changed, even if it was undone later. An \
            interrupted import that was resumed is listed once, with the counts of all attempts.\n\nStates: \
            receiving (an upload is arriving), waiting (it is complete but not read), checking (an upload is \
            validated), running (records are being stored; after a crash, until the same file is imported \
            again), done, refused, cancelled (stopped early and undone), undoing (partly undone; continues \
            automatically), undone.\n\nFiles that `restwell import` is still checking or has rejected are \
            not listed, because nothing from them is stored."
    )]
    List(history::ListArguments),
    /// Undo an import: remove what it added and restore what it replaced; cancel a waiting upload
    #[command(
        after_help = "A record that has not changed since the import is removed if the import added it, and \
            restored if the import changed or removed it. Any other record is kept and listed with the later \
            import that changed it. Undoing the latest import first is always exact; once a later import has \
            been undone, running the command again undoes what was kept before.\n\nAn import can be undone \
            for 30 days. An upload that is still arriving or waiting is cancelled, and its parts are \
            deleted. An interrupted undo is resumed by a running server, or by the same \
            command.\n\ntaken_back is the sum of removed and restored. A night that replaced two others \
            counts as three records, and each profile field as one. At most 100 kept records are listed."
    )]
    Undo(history::UndoArguments),
    /// Cancel an unfinished import and undo what it has stored
    #[command(after_help = "Finished imports are not changed; undo them with `restwell import undo`.")]
    Cancel(history::UndoArguments),
}

/// Imports the files one after the other, or runs the subcommand.
pub(crate) async fn run(arguments: ImportArguments, services: &Services) -> anyhow::Result<()> {
    match &arguments.command {
        Some(ImportCommand::List(list)) => history::list(services, list).await,
        Some(ImportCommand::Undo(undo)) => history::undo(services, undo).await,
        Some(ImportCommand::Cancel(cancel)) => history::cancel(services, cancel).await,
        None => import(arguments, services).await,
    }
}

async fn import(arguments: ImportArguments, services: &Services) -> anyhow::Result<()> {
    if arguments.start.is_some() && arguments.files.len() > 1 {
        bail!("--start applies to a single recording: use it with one FILE");
    }
    let user_id = UserRef::id_of(arguments.user.as_ref(), services).await?;
    let zone = match arguments.timezone {
        Some(zone) => zone,
        None => home_zone(services, user_id).await?,
    };
    let run = ImportRun {
        import: ImportRecords { pause: Some(Arc::new(TimerPause)), ..services.import_records() },
        user_id,
        dry_run: arguments.dry_run,
        overwrite_profile: arguments.profile,
        context: FileContext {
            zone,
            start: arguments.start,
            user_id,
            most_unpacked: u64::MAX,
            scratch: None,
        },
        format: arguments.format.0,
    };
    let mut failures = Failures::default();
    for path in &arguments.files {
        match run.file(path).await {
            Ok((formats, done)) => report::print(path, &formats.join(", "), &done, arguments.json)?,
            Err(ImportRecordsError::Rejected(refusal)) => {
                let count = if refusal == ImportRefusal::Missing {
                    &mut failures.missing
                } else {
                    &mut failures.refused
                };
                *count += 1;
                report::print_refused(path, &refusal, arguments.format.0, arguments.json)?;
            }
            Err(error) => {
                failures.incomplete += 1;
                report::print_error(path, error, arguments.json)?;
            }
        }
    }
    match failures.summary(arguments.files.len()) {
        Some(summary) => bail!(summary),
        None => Ok(()),
    }
}

/// Numbers of files that were not imported.
#[derive(Default)]
struct Failures {
    /// Files that do not exist.
    missing: usize,
    /// Files of which nothing was stored.
    refused: usize,
    /// Files of which a part may have been stored.
    incomplete: usize,
}

impl Failures {
    /// Returns a summary of the failures; `None` if there are none.
    fn summary(&self, files: usize) -> Option<String> {
        let were = |count: usize| if count == 1 { "was" } else { "were" };
        let Self { missing, refused, incomplete } = *self;
        let all = [(missing, "not found"), (refused, "refused"), (incomplete, "not completed")];
        let failed: Vec<_> = all.into_iter().filter(|(count, _)| *count > 0).collect();
        match failed.as_slice() {
            [] => None,
            [(_, what)] if files == 1 => Some(format!("the file was {what}")),
            [(count, what)] => Some(format!("{count} of {files} files {} {what}", were(*count))),
            several => {
                let parts = several.iter().map(|(count, what)| format!("{count} {} {what}", were(*count)));
                Some(format!("of {files} files, {}", parts.collect::<Vec<_>>().join(" and ")))
            }
        }
    }
}

async fn home_zone(services: &Services, user: Option<UserId>) -> anyhow::Result<TimeZone> {
    let Some(id) = user else { return Ok(TimeZone::UTC) };
    let user = services.store.profiles.find_profile(id).await?;
    let user = user.with_context(|| format!("there is no user {id}; see `restwell user list`"))?;
    Ok(user.home_timezone)
}

/// Parameters shared by all files.
struct ImportRun {
    import: ImportRecords,
    user_id: Option<UserId>,
    dry_run: bool,
    overwrite_profile: bool,
    context: FileContext,
    format: Option<Format>,
}

impl ImportRun {
    async fn file(&self, path: &Path) -> Result<(Vec<&'static str>, Imported), ImportRecordsError> {
        let file = import_adapter::open(path, self.format, self.context.clone())?;
        let formats = file.formats();
        self.require_user(file.as_ref())?;
        self.forbid_start(&formats)?;
        let name = FileName::clean(&path.to_string_lossy());
        let about = FileInfo::File { name, zone: self.context.zone };
        let Self { user_id, dry_run, overwrite_profile, .. } = *self;
        let command = ImportRecordsCommand { user_id, dry_run, overwrite_profile, about };
        let progress = Progress::begin(path, file.size());
        let report = |reading, bytes| {
            progress.at(reading, bytes);
            ControlFlow::Continue(())
        };
        let imported = self.import.run(&command, file.as_ref(), &report).await;
        progress.end();
        Ok((formats, imported?))
    }

    /// Rejects `--start` for a file that contains the start of its recordings.
    fn forbid_start(&self, formats: &[&str]) -> Result<(), ImportRecordsError> {
        if self.context.start.is_none() || formats == [Format::Hypnogram.as_str()] {
            return Ok(());
        }
        let text = "its records contain their start; omit --start, or import the hypnogram that it is for as a \
             separate FILE";
        let text = text.to_owned();
        Err(ImportRefusal::NotInThisWay(text).into())
    }

    /// Rejects a personal file without `--user`, instead of rejecting each of its records.
    fn require_user(&self, file: &dyn ImportFile) -> Result<(), ImportRecordsError> {
        if self.user_id.is_some() || file.formats() == [Format::Dsld.as_str()] {
            return Ok(());
        }
        let text = "the file contains the records of a person; name the user with --user".to_owned();
        Err(ImportRefusal::NotInThisWay(text).into())
    }
}

#[cfg(test)]
mod tests {
    use super::Failures;

    #[test]
    fn a_failure_is_described_by_its_consequence() {
        let summary = |refused, incomplete| Failures { missing: 0, refused, incomplete }.summary(5);
        assert_eq!(summary(0, 0), None);
        assert_eq!(summary(1, 0).unwrap(), "1 of 5 files was refused");
        assert_eq!(summary(2, 0).unwrap(), "2 of 5 files were refused");
        assert_eq!(summary(0, 2).unwrap(), "2 of 5 files were not completed");
        assert_eq!(summary(3, 1).unwrap(), "of 5 files, 3 were refused and 1 was not completed");
        let missing = |refused| Failures { missing: 1, refused, incomplete: 0 }.summary(5).unwrap();
        assert_eq!(missing(0), "1 of 5 files was not found");
        assert_eq!(missing(2), "of 5 files, 1 was not found and 2 were refused");
        let only = Failures { missing: 0, refused: 1, incomplete: 0 };
        assert_eq!(only.summary(1).unwrap(), "the file was refused");
    }
}
