//! Health Connect: the database of Android's backup, and the JSON of apps that export it.
//!
//! The rules are in `README.md` next to this file.

mod apps;
mod chain;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod member;
mod recognition;
mod record;
mod stage;
mod tables;

use crate::formats::FormatInfo;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "health-connect",
    file: "a Health Connect export",
    maker: "Health Connect (Android)",
    steps: &[
        "In Android’s settings, search for Health Connect and open it.",
        "Open Manage data, then Backup and restore, and set up a scheduled export to a folder that you can find again.",
        "Wait for the first export. It follows the schedule and may take a day or more.",
        "Upload the ZIP file from that folder.",
    ],
    files: "the exported database, or the zip; JSON of HC Webhook, Life Dashboard and HCGateway",
    result: "nights with stages, each from the app that wrote it",
    recognise: recognition::recognise,
    tables: &[],
    others: &[],
};

/// Source of sessions whose app is not stated.
const SOURCE: &str = "health connect";

#[cfg(test)]
mod tests;
