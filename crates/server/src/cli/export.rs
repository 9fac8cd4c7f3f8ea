//! `restwell export`: all data of a user, as JSON lines or as a ZIP archive.

use super::output;
use super::user_ref::UserRef;
use crate::wiring::{Services, Writers};
use anyhow::{Context, anyhow, bail};
use application::export::{Export, ExportQuery, ExportRecordsError, ExportSection, Exporter};
use application::ports::export_writer::{ExportFormat, ExportWriters as _};
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use domain::scope::ScopeSet;
use domain::{counted, listed};
use indicatif::ProgressBar;
use std::fs::OpenOptions;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// User and format.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  restwell export --user ada@example.org > ada.ndjson\n  \
    restwell export --user ada@example.org --format zip --output ada.zip\n\n\
    crates/import-adapter/src/formats/ndjson/README.md describes the lines.")]
pub(crate) struct ExportArguments {
    /// User id or email address
    #[arg(long, value_name = "USER", value_parser = UserRef::parse, allow_hyphen_values = true)]
    user: UserRef,
    /// ndjson: JSON lines that can be imported again; zip: CSV tables for spreadsheets
    #[arg(long, default_value = "ndjson", value_parser = format())]
    format: ExportFormat,
    /// Write to this new file instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn format() -> impl clap::builder::TypedValueParser<Value = ExportFormat> {
    let names = PossibleValuesParser::new(ExportFormat::ALL.map(ExportFormat::as_str));
    names.try_map(|name| ExportFormat::parse(&name).ok_or("no such format"))
}

pub(crate) async fn run(arguments: &ExportArguments, services: &Services) -> anyhow::Result<()> {
    let ExportArguments { user, format, output } = arguments;
    let user_id = user.id(services).await?;
    let query = ExportQuery { user_id, scopes: ScopeSet::CONSENTABLE, by: Exporter::Operator };
    let export = services.export_records().open(query, Writers.open(*format, user_id)).await;
    let export = match export {
        Err(ExportRecordsError::UnknownUser) => {
            bail!("there is no user {user_id}; see `restwell user list`")
        }
        export => export.context("the export is incomplete")?,
    };
    let out: Box<dyn Write> = match output {
        Some(path) => Box::new(create(path)?),
        None => Box::new(output::Out::new()),
    };
    write(export, BufWriter::new(out)).await.context("the export is incomplete")
}

/// Creates a file that only its owner may read; fails if the file exists.
fn create(path: &Path) -> anyhow::Result<std::fs::File> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.map_err(|error| {
        let place = path.display();
        match error.kind() {
            io::ErrorKind::AlreadyExists => {
                anyhow!("the file {place} already exists and is not overwritten; choose another name or move the file")
            }
            _ => anyhow::Error::new(error).context(format!("{place} cannot be created")),
        }
    })
}

async fn write(mut export: Export, mut out: impl Write) -> anyhow::Result<()> {
    let progress = progress();
    while let Some(bytes) = export.next().await? {
        out.write_all(&bytes)?;
        progress.set_message(counts(&export).join(", "));
        progress.tick();
    }
    progress.finish_and_clear();
    if progress_is_shown() {
        output::note(format!("exported {}", listed(&counts(&export), "and")));
    }
    Ok(out.flush()?)
}

/// Returns the number of exported records of each part, such as `2 sessions`.
fn counts(export: &Export) -> [String; 3] {
    let records = [
        (ExportSection::Sessions, "session"),
        (ExportSection::Supplements, "supplement"),
        (ExportSection::Logs, "log"),
    ];
    records.map(|(section, record)| counted(export.count(section), record))
}

/// Returns a progress bar; hidden unless standard error is a terminal and the export is not printed to one.
fn progress() -> ProgressBar {
    if progress_is_shown() { ProgressBar::new_spinner() } else { ProgressBar::hidden() }
}

fn progress_is_shown() -> bool {
    io::stderr().is_terminal() && !io::stdout().is_terminal()
}
