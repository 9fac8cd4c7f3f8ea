//! Writes made-up exports of many nights, for measurements. Each format has a folder of its name:
//! `cargo run -p import-adapter --features test-support --example exports -- FOLDER NIGHTS`

use import_adapter::Format;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(nights)) = (arguments.next(), arguments.next()) else {
        return Err("usage: exports FOLDER NIGHTS".into());
    };
    for format in Format::ALL {
        let folder = Path::new(&folder).join(format.as_str());
        std::fs::create_dir_all(&folder)?;
        for (name, content) in format.fixtures().export(nights.parse()?) {
            std::fs::write(folder.join(name), content)?;
        }
    }
    Ok(())
}
