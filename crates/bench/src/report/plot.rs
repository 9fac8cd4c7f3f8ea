//! SVG line plots, drawn here because five plots do not justify a library.

use super::text::figure;
use crate::outcome::{Line, Series};
use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 56.0;
/// Colours distinguishable by colour-blind readers and in print.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/// Ratio of its ends from which an axis is logarithmic.
const WIDE: f64 = 40.0;
const TICKS: f64 = 5.0;

/// Draws a plot.
pub(super) fn render(series: &Series) -> String {
    let points = || series.lines.iter().flat_map(|line| line.points.iter());
    let across = Axis::new(points().map(|(x, _)| *x), true);
    let up = Axis::new(points().map(|(_, y)| *y), false);
    let mut text = head(series);
    draw_axes(&mut text, series, (&across, &up));
    for (number, line) in series.lines.iter().enumerate() {
        let colour = COLOURS.get(number % COLOURS.len()).copied().unwrap_or("black");
        draw_line(&mut text, line, colour, (&across, &up));
        let x = LEFT + 8.0 + 150.0 * f64::from(u8::try_from(number).unwrap_or(u8::MAX));
        let _ = writeln!(
            text,
            r#"<rect x="{x:.1}" y="40" width="12" height="12" fill="{colour}"/><text x="{:.1}" y="50">{}</text>"#,
            x + 18.0,
            escaped(&line.name)
        );
    }
    text.push_str("</svg>\n");
    text
}

fn head(series: &Series) -> String {
    let title = escaped(&series.title);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" font-family="sans-serif" font-size="12" fill="#222">
<title>{title}</title>
<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>
<text x="{LEFT}" y="26" font-size="16">{title}</text>
"##
    )
}

// Writing to a string does not fail.
fn draw_axes(text: &mut String, series: &Series, (across, up): (&Axis, &Axis)) {
    let (floor, end) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for tick in &up.ticks {
        let y = place_up(up, *tick);
        let _ = writeln!(
            text,
            r##"<path d="M{LEFT} {y:.1}H{end}" stroke="#ddd"/><text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"##,
            LEFT - 8.0,
            y + 4.0,
            figure(*tick)
        );
    }
    for tick in &across.ticks {
        let x = place_across(across, *tick);
        let _ = writeln!(
            text,
            r##"<path d="M{x:.1} {floor}v5" stroke="#222"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"##,
            floor + 18.0,
            whole(*tick)
        );
    }
    let _ = writeln!(
        text,
        r##"<path d="M{LEFT} {TOP}V{floor}H{end}" stroke="#222" fill="none"/>
<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>
<text transform="translate(16 {:.1}) rotate(-90)" text-anchor="middle">{}</text>"##,
        f64::midpoint(LEFT, end),
        HEIGHT - 14.0,
        escaped(&series.x),
        f64::midpoint(TOP, floor),
        escaped(&series.y)
    );
}

fn draw_line(text: &mut String, line: &Line, colour: &str, (across, up): (&Axis, &Axis)) {
    let places: Vec<_> =
        line.points.iter().map(|(x, y)| (place_across(across, *x), place_up(up, *y))).collect();
    let path: Vec<_> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        text,
        r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
        path.join(" ")
    );
    for (x, y) in places {
        let _ = writeln!(text, r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="{colour}"/>"#);
    }
}

fn place_across(axis: &Axis, value: f64) -> f64 {
    LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT)
}

fn place_up(axis: &Axis, value: f64) -> f64 {
    HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - TOP - BOTTOM)
}

/// An axis.
#[derive(Debug)]
struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
    ticks: Vec<f64>,
}

impl Axis {
    /// Creates an axis for these values, with ticks at the values or at round numbers.
    fn new(values: impl Iterator<Item = f64>, at_values: bool) -> Self {
        let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let least = values.first().copied().unwrap_or_default();
        let most = values.last().copied().unwrap_or(1.0);
        if least > 0.0 && most / least >= WIDE {
            let ticks = if at_values { values } else { decades(least, most) };
            let low = ticks.first().copied().unwrap_or(least).min(least);
            let high = ticks.last().copied().unwrap_or(most).max(most);
            return Self { low, high, is_logarithmic: true, ticks };
        }
        let step = round_step(most / TICKS);
        let high = (most / step).ceil() * step;
        let steps = std::iter::successors(Some(0.0), |tick| Some(tick + step));
        let ticks =
            if at_values { values } else { steps.take_while(|tick| *tick <= high + step / 2.0).collect() };
        Self { low: 0.0, high: high.max(step), is_logarithmic: false, ticks }
    }

    /// Returns the position of a value, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        if self.is_logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}

/// Returns the powers of ten around these values.
fn decades(least: f64, most: f64) -> Vec<f64> {
    let first = 10_f64.powf(least.log10().floor());
    let mut ticks = vec![first];
    while let Some(last) = ticks.last().copied().filter(|last| *last < most) {
        ticks.push(last * 10.0);
    }
    ticks
}

/// Returns the next larger 1, 2 or 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    if step <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|round| *round >= step)
        .unwrap_or(step)
}

/// Formats a large round number in words.
fn whole(value: f64) -> String {
    match value {
        millions if millions >= 1e6 => format!("{}M", millions / 1e6),
        thousands if thousands >= 1e4 => format!("{}k", thousands / 1e3),
        _ => format!("{value}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: Vec<(f64, f64)>) -> Series {
        let lines = vec![Line { name: "p50 & p99".to_owned(), points }];
        let word = |text: &str| text.to_owned();
        Series { name: word("a"), title: word("A < B"), x: word("sessions"), y: word("ms"), lines }
    }

    #[test]
    fn the_first_point_stands_at_the_left_and_the_largest_value_not_above_the_top() {
        let drawn = render(&series(vec![(100_000.0, 0.5), (50_000_000.0, 1.0)]));
        assert!(drawn.contains(r#"points="76.0,204.0 696.0,64.0""#), "{drawn}");
        assert!(drawn.contains(">100k</text>") && drawn.contains(">50M</text>"), "{drawn}");
    }

    #[test]
    fn what_a_name_says_is_no_markup() {
        let drawn = render(&series(vec![(1.0, 1.0)]));
        assert!(drawn.contains("A &lt; B") && drawn.contains("p50 &amp; p99"));
    }

    #[test]
    fn an_axis_over_many_sizes_is_logarithmic() {
        let axis = Axis::new([1.0, 8.0, 512.0].into_iter(), false);
        assert_eq!(axis.ticks, [1.0, 10.0, 100.0, 1_000.0]);
        assert!((axis.share(10.0) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(Axis::new([3.0, 9.0].into_iter(), false).ticks, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    }

    #[test]
    fn the_same_figures_give_the_same_plot() {
        let one = series(vec![(1.0, 2.0), (2.0, 3.0)]);
        assert_eq!(render(&one), render(&one.clone()));
    }
}
