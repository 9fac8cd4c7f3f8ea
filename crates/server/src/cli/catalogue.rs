//! `restwell catalogue`: supplement labels, shared by all people.

use super::import;
use super::output::{self, Record};
use crate::wiring::Services;
use anyhow::bail;
use application::ports::storage::CatalogueVersion;
use clap::{Args, Subcommand};
use domain::supplement::{Supplement, Upc};
use domain::time::format;
use std::path::PathBuf;

/// Commands about the catalogue.
#[derive(Debug, Subcommand)]
pub(crate) enum CatalogueCommand {
    /// Import labels of the NIH Dietary Supplement Label Database, one file or the whole dump
    #[command(after_help = "Examples:\n  restwell catalogue import labels.json\n  \
        restwell catalogue import dsld-dump.zip\n\n\
        A file contains one label, a list of labels, one label per line, or a search result; the files in \
        folders and zip archives are imported. Memory use does not depend on the size. Importing a file \
        twice changes nothing; to complete an interrupted import, import the file again. A corrected label \
        that has been logged becomes a new version; existing logs keep the old one. `restwell import list` \
        shows the import; `restwell import undo` undoes it.")]
    Import(CatalogueImportArguments),
    /// Find labels by UPC
    #[command(after_help = "Examples:\n  restwell catalogue find 033674491119\n  \
        restwell catalogue find '0 33674 49111 9'\n\n\
        Spaces, hyphens and leading zeros are ignored (UPC-A, EAN-8, EAN-13, GTIN-14). All versions of labels with \
        this code are listed, the current version of each label first. The exit code is 1 if there is none.")]
    Find(FindArguments),
}

/// Labels to import.
#[derive(Debug, Args)]
pub(crate) struct CatalogueImportArguments {
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

/// UPC to find.
#[derive(Debug, Args)]
pub(crate) struct FindArguments {
    /// UPC, with or without spaces and dashes
    #[arg(value_name = "UPC", value_parser = Upc::parse)]
    upc: Upc,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Runs a command about the catalogue.
pub(crate) async fn run(command: CatalogueCommand, services: &Services) -> anyhow::Result<()> {
    match command {
        CatalogueCommand::Import(CatalogueImportArguments { dry_run, json, files }) => {
            let arguments = import::ImportArguments::of_catalogue(files, dry_run, json);
            import::run(arguments, services).await
        }
        CatalogueCommand::Find(arguments) => find(services, &arguments).await,
    }
}

async fn find(services: &Services, arguments: &FindArguments) -> anyhow::Result<()> {
    let found = services.store.supplements.list_by_upc(&arguments.upc).await?;
    if found.is_empty() {
        bail!("no label in the catalogue has the UPC {}", arguments.upc.as_str());
    }
    let records: Vec<Record> = found.iter().map(record).collect();
    Ok(output::print_list(&records, "labels", arguments.json)?)
}

fn record(version: &CatalogueVersion) -> Record {
    let CatalogueVersion { key, supplement: Supplement { id, label, entry_date }, is_current } = version;
    Record::new()
        .with_text("supplement_id", id)
        .with("label", format!("{} {}", key.source(), key.key()))
        .with("version", if *is_current { "current" } else { "replaced" })
        .with("entry_date", format::utc(*entry_date))
        .with("upc", label.upc())
        .with("brand", label.brand())
        .with("name", label.name())
}
