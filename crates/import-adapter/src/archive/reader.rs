//! Unpacked bytes of one entry, within limits.

use super::unpacking::{Bound, Unpacking};
use application::ports::import_source::ImportRefusal;
use flate2::Crc;
use flate2::bufread::{DeflateDecoder, GzDecoder};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Take};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How an entry is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    /// Not packed.
    Stored,
    /// Deflate, in zip archives.
    Deflated,
    /// Gzip.
    Gzip,
}

/// Properties of an entry according to the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) size: u64,
    pub(super) crc: u32,
}

/// Counts the bytes read from disk.
#[derive(Debug)]
struct CountingReader {
    file: Take<File>,
    count: u64,
}

impl Read for CountingReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(out)?;
        self.count = self.count.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }
}

#[derive(Debug)]
enum Decoder {
    Stored(BufReader<CountingReader>),
    Deflated(DeflateDecoder<BufReader<CountingReader>>),
    Gzip(GzDecoder<BufReader<CountingReader>>),
}

impl Decoder {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stored(reader) => reader.read(out),
            Self::Deflated(decoder) => decoder.read(out),
            Self::Gzip(decoder) => decoder.read(out),
        }
    }

    fn packed(&mut self) -> &mut BufReader<CountingReader> {
        match self {
            Self::Stored(reader) => reader,
            Self::Deflated(decoder) => decoder.get_mut(),
            Self::Gzip(decoder) => decoder.get_mut(),
        }
    }

    fn consumed(&self) -> u64 {
        let reader = match self {
            Self::Stored(reader) => reader,
            Self::Deflated(decoder) => decoder.get_ref(),
            Self::Gzip(decoder) => decoder.get_ref(),
        };
        reader.get_ref().count
    }
}

/// Reads one entry and verifies it; the first fault is final.
#[derive(Debug)]
pub(super) struct EntryReader {
    name: String,
    decoder: Decoder,
    expected: Option<Expected>,
    crc: Crc,
    given: u64,
    has_ended: bool,
    bound: Bound,
    fault: Option<ImportRefusal>,
}

impl EntryReader {
    pub(super) fn new(name: String, file: Take<File>, packing: Packing, expected: Option<Expected>) -> Self {
        let packed = BufReader::with_capacity(32 * 1024, CountingReader { file, count: 0 });
        let decoder = match packing {
            Packing::Stored => Decoder::Stored(packed),
            Packing::Deflated => Decoder::Deflated(DeflateDecoder::new(packed)),
            Packing::Gzip => Decoder::Gzip(GzDecoder::new(packed)),
        };
        Self {
            name,
            decoder,
            expected,
            crc: Crc::new(),
            given: 0,
            has_ended: false,
            bound: Bound::NONE,
            fault: None,
        }
    }

    /// Limits the unpacked size.
    pub(super) fn within(self, bound: Bound) -> Self {
        Self { bound, ..self }
    }

    /// Returns the numbers of bytes read and unpacked.
    pub(super) fn unpacking(&self) -> Unpacking {
        Unpacking { packed: self.decoder.consumed(), unpacked: self.given }
    }

    /// Returns the fault, if any.
    pub(super) fn fault(&self) -> Result<(), ImportRefusal> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// Reads the rest, because only the whole entry can be verified.
    pub(super) fn read_to_the_end(&mut self) -> Result<(), ImportRefusal> {
        let mut passed = vec![0; 64 * 1024];
        while !self.has_ended && self.fault.is_none() {
            // An error is kept as the fault.
            let _ = self.read(&mut passed);
        }
        self.fault()
    }

    fn place(&self) -> String {
        if self.name.is_empty() { "the compressed data".to_owned() } else { self.name.clone() }
    }

    fn damaged(&self, reason: &str) -> ImportRefusal {
        ImportRefusal::Damaged { place: self.place(), reason: reason.to_owned() }
    }

    /// Verifies the last bytes read; an empty slice is the end.
    fn check_chunk(&mut self, new: &[u8]) -> Result<(), ImportRefusal> {
        self.crc.update(new);
        self.given = self.given.saturating_add(u64::try_from(new.len()).unwrap_or(u64::MAX));
        if self.unpacking().is_a_bomb() {
            let name = self.place();
            return Err(ImportRefusal::Unreadable(format!(
                "{name} unpacks to far more than any export does"
            )));
        }
        if self.bound.is_passed_by(self.given) {
            return Err(ImportRefusal::Unreadable(format!("{}: it {}", self.place(), self.bound)));
        }
        if self.expected.is_some_and(|expected| self.given > expected.size) {
            return Err(self.damaged("it is longer than the archive says"));
        }
        if !new.is_empty() {
            return Ok(());
        }
        self.has_ended = true;
        self.check_end()
    }

    fn check_end(&mut self) -> Result<(), ImportRefusal> {
        match self.expected {
            Some(Expected { size, .. }) if size != self.given => Err(self.damaged("it is truncated")),
            Some(Expected { crc, .. }) if crc != self.crc.sum() => {
                Err(self.damaged("its checksum does not match the one in the archive"))
            }
            _ if !matches!(self.decoder, Decoder::Gzip(_)) => Ok(()),
            _ => match self.decoder.packed().fill_buf() {
                Ok([]) => Ok(()),
                Ok(_) => Err(self.damaged("there is more data after the compressed file: unpack it first")),
                Err(error) => Err(self.failure(&error)),
            },
        }
    }

    fn failure(&self, error: &io::Error) -> ImportRefusal {
        match error.kind() {
            ErrorKind::UnexpectedEof => self.damaged("it is truncated"),
            ErrorKind::InvalidInput | ErrorKind::InvalidData => self.damaged("it cannot be decompressed"),
            kind => ImportRefusal::Unreadable(format!("{}: {kind}", self.place())),
        }
    }
}

impl Read for EntryReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.has_ended || out.is_empty() {
            return Ok(0);
        }
        let outcome =
            if self.fault.is_some() { Err(ErrorKind::InvalidData.into()) } else { self.decoder.read(out) };
        let checked = match &outcome {
            Ok(count) => self.check_chunk(out.get(..*count).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted || self.fault.is_some() => return outcome,
            Err(error) => Err(self.failure(error)),
        };
        match checked {
            Ok(()) => outcome,
            Err(fault) => {
                self.fault = Some(fault);
                Err(ErrorKind::InvalidData.into())
            }
        }
    }
}

/// An entry read by a format and watched by its container.
#[derive(Debug, Clone)]
pub(super) struct SharedEntryReader(Arc<Mutex<EntryReader>>);

impl SharedEntryReader {
    pub(super) fn new(reader: EntryReader) -> Self {
        Self(Arc::new(Mutex::new(reader)))
    }

    pub(super) fn get(&self) -> MutexGuard<'_, EntryReader> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for SharedEntryReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.get().read(out)
    }
}
