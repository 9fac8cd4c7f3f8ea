//! `restwell import`: export files of devices and catalogues.

mod progress;
mod report;

use super::argument;
use crate::settings::Settings;
use crate::wiring::Session;
use anyhow::{Context, bail};
use application::import::{ImportRecords, ImportRecordsCommand, ImportRecordsError, ImportReport};
use application::operator::FindUser;
use application::ports::import_source::ImportFile;
use clap::Args;
use domain::id::UserId;
use domain::time::TimeZone;
use import_adapter::{FileContext, Format};
use progress::Progress;
use std::path::{Path, PathBuf};

/// What is to be imported.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  restwell import --user USER_ID Sleep/sleep-2026-01-01.json\n  \
    restwell import --format dsld labels.json\n  restwell export --user USER_ID | gzip > ada.ndjson.gz\n\n\
    A second import of the same file changes nothing. A file that is refused leaves nothing behind; the others \
    are read all the same, and the exit code is 1. So it is when the store fails: importing the file again goes on \
    from there.")]
pub(crate) struct ImportArguments {
    /// The person to whom the records belong; a catalogue (dsld) needs none
    #[arg(long, value_name = "USER_ID", value_parser = argument::user_id)]
    user: Option<UserId>,
    /// auto, fitbit, dsld or ndjson; auto looks at the content
    #[arg(long, default_value = "auto", value_parser = argument::format)]
    format: Format,
    /// The IANA time zone of times that carry none; without it, the person's own
    #[arg(long, value_name = "TZ", value_parser = argument::time_zone)]
    timezone: Option<TimeZone>,
    /// Only tell what would be done
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object a file
    #[arg(long)]
    json: bool,
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// Imports the files, one after the other.
pub(crate) async fn run(arguments: ImportArguments, settings: &Settings) -> anyhow::Result<()> {
    let session = Session::open(settings).await?;
    let zone = match arguments.timezone {
        Some(zone) => zone,
        None => home_zone(&session, arguments.user).await?,
    };
    let Session { store, clock, entropy } = session;
    let run = ImportRun {
        import: ImportRecords::new(store.units.clone(), entropy, clock),
        command: ImportRecordsCommand { user_id: arguments.user, dry_run: arguments.dry_run },
        context: FileContext { zone, start: None, user_id: arguments.user },
        format: arguments.format,
    };
    let mut failures = Failures::default();
    for path in &arguments.files {
        match run.file(path).await {
            Ok((format, done)) => report::print(path, format, &done, arguments.json, arguments.dry_run)?,
            Err(ImportRecordsError::Refused(refusal)) => {
                failures.refused += 1;
                report::print_refused(path, &refusal, arguments.json)?;
            }
            Err(error) => {
                failures.broken_off += 1;
                report::print_error(path, error, arguments.json)?;
            }
        }
    }
    match failures.told(arguments.files.len()) {
        Some(told) => bail!(told),
        None => Ok(()),
    }
}

/// How many files were not imported.
#[derive(Default)]
struct Failures {
    /// Nothing of them was stored.
    refused: usize,
    /// Something of them may have been stored.
    broken_off: usize,
}

impl Failures {
    /// Says how many of so many files failed; nothing when none did.
    fn told(&self, files: usize) -> Option<String> {
        let were = |count: usize| if count == 1 { "was" } else { "were" };
        let Self { refused, broken_off } = *self;
        match (refused, broken_off) {
            (0, 0) => None,
            (_, 0) => Some(format!("{refused} of {files} files {} refused", were(refused))),
            (0, _) => {
                Some(format!("{broken_off} of {files} files {} not imported to the end", were(broken_off)))
            }
            (..) => Some(format!(
                "of {files} files {refused} {} refused and {broken_off} {} not imported to the end",
                were(refused),
                were(broken_off)
            )),
        }
    }
}

async fn home_zone(session: &Session, user: Option<UserId>) -> anyhow::Result<TimeZone> {
    let Some(id) = user else { return Ok(TimeZone::UTC) };
    let user = FindUser::new(session.store.profiles.clone()).run(id).await?;
    let user = user.with_context(|| format!("there is no user {id}; `restwell user list` lists them"))?;
    Ok(user.home_timezone)
}

/// What is the same for every file.
struct ImportRun {
    import: ImportRecords,
    command: ImportRecordsCommand,
    context: FileContext,
    format: Format,
}

impl ImportRun {
    async fn file(&self, path: &Path) -> Result<(&'static str, ImportReport), ImportRecordsError> {
        let file = import_adapter::open(path, self.format, self.context)?;
        let format = file.format();
        self.require_user(file.as_ref())?;
        let progress = Progress::begin(path, file.size());
        let report = self.import.run(self.command, file.as_ref(), &|bytes| progress.at(bytes)).await;
        progress.end();
        Ok((format, report?))
    }

    /// Refuses a person's file without a person before its records are refused one by one.
    fn require_user(&self, file: &dyn ImportFile) -> Result<(), ImportRecordsError> {
        use application::ports::import_source::ImportRefusal;
        if self.command.user_id.is_some() || file.format() == Format::Dsld.name() {
            return Ok(());
        }
        let text = "the file holds a person's records; say whose with --user USER_ID".to_owned();
        Err(ImportRefusal::NotThisFormat(text).into())
    }
}

#[cfg(test)]
mod tests {
    use super::Failures;

    #[test]
    fn what_failed_is_told_by_what_became_of_it() {
        let told = |refused, broken_off| Failures { refused, broken_off }.told(5);
        assert_eq!(told(0, 0), None);
        assert_eq!(told(1, 0).unwrap(), "1 of 5 files was refused");
        assert_eq!(told(2, 0).unwrap(), "2 of 5 files were refused");
        assert_eq!(told(0, 2).unwrap(), "2 of 5 files were not imported to the end");
        assert_eq!(told(3, 1).unwrap(), "of 5 files 3 were refused and 1 was not imported to the end");
    }
}
