//! Encoding of metrics; the parent module describes the format.

use super::super::metric_value::Form;
use super::super::{MetricKind, MetricValue, SleepMetrics, TimeInBed};
use super::{InvalidPacked, VERSION, varint};

/// Scale that marks a binary64 number.
const RAW: u8 = 7;

/// Encodes the metrics of a session; never empty.
pub fn encode_metrics(metrics: &SleepMetrics) -> Vec<u8> {
    let mut out = Vec::with_capacity(96);
    out.push(VERSION * 16);
    for (kind, value) in metrics.iter() {
        let code = kind.code() * 8;
        match value.form() {
            Form::Decimal { mantissa, scale } => {
                out.push(code + scale);
                varint::write(varint::zigzag(mantissa), &mut out);
            }
            Form::Raw(number) => {
                out.push(code + RAW);
                out.extend_from_slice(&number.to_be_bytes());
            }
        }
    }
    out
}

/// Decodes the metrics of a session, whose `timeNightInBed` MUST be the length of its time in bed.
pub fn decode_metrics(time_in_bed: &TimeInBed, bytes: &[u8]) -> Result<SleepMetrics, InvalidPacked> {
    let values = MetricWalk::new(bytes)?.collect::<Result<Vec<_>, _>>()?;
    SleepMetrics::from_stored(time_in_bed, values).ok_or(InvalidPacked::MetricsOfAnotherNight)
}

/// Checks packed metrics and counts them, without allocation. Afterwards, a [`MetricWalk`] over the same
/// bytes returns no error.
pub fn check_metrics(bytes: &[u8]) -> Result<usize, InvalidPacked> {
    MetricWalk::new(bytes)?.try_fold(0_usize, |count, metric| metric.map(|_| count.saturating_add(1)))
}

/// Iterates over packed metrics without allocation, in the order of the API, and checks each value. Stops
/// after the first error.
#[derive(Debug, Clone)]
pub struct MetricWalk<'a> {
    last_code: u8,
    rest: &'a [u8],
}

impl<'a> MetricWalk<'a> {
    /// Starts an iteration; checks only the header.
    pub fn new(bytes: &'a [u8]) -> Result<Self, InvalidPacked> {
        let (&header, rest) = bytes.split_first().ok_or(InvalidPacked::Truncated)?;
        if header != VERSION * 16 {
            return Err(InvalidPacked::UnknownHeader);
        }
        if rest.is_empty() {
            return Err(InvalidPacked::Truncated);
        }
        Ok(Self { last_code: 0, rest })
    }

    #[inline]
    fn entry(&mut self) -> Result<(MetricKind, MetricValue), InvalidPacked> {
        let (&tag, rest) = self.rest.split_first().ok_or(InvalidPacked::Truncated)?;
        let kind = MetricKind::from_code(tag / 8).ok_or(InvalidPacked::UnknownTag)?;
        if kind.code() <= self.last_code {
            return Err(InvalidPacked::OutOfOrder);
        }
        self.last_code = kind.code();
        let (value, rest) = match tag % 8 {
            RAW => read_raw(rest)?,
            scale if scale <= MetricValue::MAX_SCALE => read_decimal(scale, rest)?,
            _ => return Err(InvalidPacked::UnknownTag),
        };
        self.rest = rest;
        if kind.accepts(value) { Ok((kind, value)) } else { Err(InvalidPacked::ImpossibleValue) }
    }
}

impl Iterator for MetricWalk<'_> {
    type Item = Result<(MetricKind, MetricValue), InvalidPacked>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = self.entry();
        if entry.is_err() {
            self.rest = &[];
        }
        Some(entry)
    }
}

impl std::iter::FusedIterator for MetricWalk<'_> {}

/// Reads a decimal, which must be in lowest terms.
#[inline]
fn read_decimal(scale: u8, bytes: &[u8]) -> Result<(MetricValue, &[u8]), InvalidPacked> {
    let (number, rest) = varint::read(bytes)?;
    let value = MetricValue::from_lowest_terms(varint::unzigzag(number), scale);
    value.map(|value| (value, rest)).ok_or(InvalidPacked::ImpossibleValue)
}

/// Reads a binary64 number, which must not be representable as a decimal.
#[cold]
fn read_raw(bytes: &[u8]) -> Result<(MetricValue, &[u8]), InvalidPacked> {
    let (number, rest) = bytes.split_first_chunk::<8>().ok_or(InvalidPacked::Truncated)?;
    let value = MetricValue::from_f64(f64::from_be_bytes(*number)).ok_or(InvalidPacked::ImpossibleValue)?;
    match value.form() {
        Form::Raw(_) => Ok((value, rest)),
        Form::Decimal { .. } => Err(InvalidPacked::ImpossibleValue),
    }
}
