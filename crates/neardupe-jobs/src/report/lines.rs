//! Charts of lines as SVG: within a page, or as files of their own.
//!
//! Drawn here and not by the script of the page, so that a chart can be a file of its own, be
//! printed, and be the same bytes on every machine: coordinates are rounded to a tenth of a unit,
//! which no eye can see, and so differences in the last bits of floats do not reach the file.

use super::shell::Text;
use maud::{Markup, PreEscaped, html};

/// Lines over a common axis.
#[derive(Debug, Clone, Default)]
pub struct LineChart {
    /// Name of its file, without an ending.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What is below.
    pub x_label: String,
    /// What is at the side.
    pub y_label: String,
    /// One for each point, in order.
    pub x: Vec<f64>,
    /// The lines; a point that is not there is left out.
    pub lines: Vec<Line>,
    /// Both axes by powers of ten.
    pub is_logarithmic: bool,
    /// The axis at the side goes from 0 to 1.
    pub is_share: bool,
}

/// One line.
#[derive(Debug, Clone)]
pub struct Line {
    /// What it is.
    pub name: String,
    /// A value for each point.
    pub y: Vec<Option<f64>>,
}

/// All sizes are in units of the drawing; a page scales it.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 320.0;
/// Room for the numbers of the axis.
const LEFT: f64 = 58.0;
/// Room for the names of the lines.
const RIGHT: f64 = 128.0;
const TOP: f64 = 12.0;
/// Room for the numbers and the name of the axis below.
const BOTTOM: f64 = 44.0;
/// Colors that people with color blindness can distinguish (Okabe and Ito), then greys.
const COLORS: [&str; 11] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f6000",
    "#5e3c99", "#888888", "#555555", "#bbbbbb",
];

impl LineChart {
    /// The chart as an element of a page.
    pub fn svg(&self) -> Markup {
        let x_axis = Axis::of(self.x.iter().copied(), self.is_logarithmic, false);
        let values = self
            .lines
            .iter()
            .flat_map(|line| line.y.iter().copied().flatten());
        let y_axis = Axis::of(values, self.is_logarithmic, self.is_share);
        let x = |value: f64| LEFT + x_axis.fraction(value) * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| {
            HEIGHT - BOTTOM - y_axis.fraction(value) * (HEIGHT - TOP - BOTTOM)
        };
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        html! {
            svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label=(self.title)
                viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) font-family="sans-serif" font-size="11" fill="currentColor" {
                title { (Text(&self.title)) }
                @for tick in y_axis.ticks() {
                    line x1=(LEFT) x2=(right) y1=(round(y(tick))) y2=(round(y(tick)))
                        stroke="#8884" {}
                    text x=(LEFT - 6.0) y=(round(y(tick) + 4.0)) text-anchor="end" {
                        (label(tick))
                    }
                }
                @for tick in x_axis.ticks() {
                    line x1=(round(x(tick))) x2=(round(x(tick))) y1=(bottom) y2=(bottom + 4.0)
                        stroke="#8888" {}
                    text x=(round(x(tick))) y=(bottom + 16.0) text-anchor="middle" {
                        (label(tick))
                    }
                }
                line x1=(LEFT) x2=(right) y1=(bottom) y2=(bottom) stroke="#8888" {}
                text x=(f64::midpoint(LEFT, right)) y=(HEIGHT - 8.0) text-anchor="middle" {
                    (Text(&self.x_label))
                }
                text transform=(format!("translate(13 {}) rotate(-90)", f64::midpoint(TOP, bottom)))
                    text-anchor="middle" { (Text(&self.y_label)) }
                @for (at, line) in self.lines.iter().enumerate() {
                    @let color = COLORS[at % COLORS.len()];
                    // A missing value ends a run: no line is drawn across it.
                    @for run in line.runs(&self.x) {
                        @let points: Vec<String> = run.iter()
                            .map(|&(one, two)| format!("{},{}", round(x(one)), round(y(two))))
                            .collect();
                        polyline points=(points.join(" ")) fill="none" stroke=(color)
                            stroke-width="1.8" stroke-linejoin="round" {}
                        // Dots show where values are; on long lines they would touch.
                        @if run.len() <= 40 {
                            @for &(one, two) in &run {
                                circle cx=(round(x(one))) cy=(round(y(two))) r="2.2" fill=(color) {}
                            }
                        }
                    }
                    @if self.lines.len() > 1 {
                        @let y = TOP + 12.0 + at as f64 * 16.0;
                        line x1=(right + 10.0) x2=(right + 26.0) y1=(y - 4.0) y2=(y - 4.0)
                            stroke=(color) stroke-width="2.5" {}
                        text x=(right + 31.0) y=(y) { (Text(&line.name)) }
                    }
                }
            }
        }
    }

    /// The chart as a file, readable on any background.
    pub fn file(&self) -> String {
        // A page sets color and background around the drawing; a file has nothing around it.
        let svg = self.svg().into_string();
        let own = format!(
            "fill=\"#333\" style=\"background:#fff\" width=\"{WIDTH}\" height=\"{HEIGHT}\""
        );
        svg.replacen("fill=\"currentColor\"", &own, 1)
    }

    /// The chart and its numbers.
    pub(super) fn block(&self) -> Markup {
        html! {
            figure class="chart" {
                figcaption { (Text(&self.title)) }
                (PreEscaped(self.svg().into_string()))
                details class="table print" {
                    summary { "the numbers" }
                    table {
                        tr {
                            th { (Text(&self.x_label)) }
                            @for line in &self.lines { th class="n" { (Text(&line.name)) } }
                        }
                        @for (at, value) in self.x.iter().enumerate() {
                            tr {
                                td { (label(*value)) }
                                @for line in &self.lines {
                                    td class="n" {
                                        (line.y[at].map(label).unwrap_or_default())
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Line {
    /// Stretches without a gap.
    fn runs(&self, x: &[f64]) -> Vec<Vec<(f64, f64)>> {
        let mut runs = vec![Vec::new()];
        for (&x, y) in x.iter().zip(&self.y) {
            match (y, runs.last_mut()) {
                (Some(y), Some(run)) => run.push((x, *y)),
                _ => runs.push(Vec::new()),
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }
}

/// From values to fractions from 0 to 1.
struct Axis {
    /// Value, or power of ten, at its beginning.
    low: f64,
    /// The same at its end, always larger.
    high: f64,
    is_logarithmic: bool,
}

impl Axis {
    /// An axis for these values, or from 0 to 1 for shares. Without two different values it
    /// goes from 0 to 1, so nothing is divided by 0.
    fn of(
        values: impl Iterator<Item = f64> + Clone,
        is_logarithmic: bool,
        is_share: bool,
    ) -> Self {
        let (low, high) = if is_share {
            (0.0, 1.0)
        } else {
            (
                values.clone().fold(f64::INFINITY, f64::min),
                values.fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let (low, high) = if low < high { (low, high) } else { (0.0, 1.0) };
        if is_logarithmic {
            Axis {
                // Whole powers of ten, and at least one step between them.
                low: low.max(1.0).log10().floor(),
                high: high.max(10.0).log10().ceil(),
                is_logarithmic,
            }
        } else {
            Axis {
                low,
                high,
                is_logarithmic,
            }
        }
    }

    /// Values outside the axis are drawn at its end; on a logarithmic axis everything below 1 is
    /// at 1.
    fn fraction(&self, value: f64) -> f64 {
        let value = if self.is_logarithmic {
            value.max(1.0).log10()
        } else {
            value
        };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Round values, about five.
    fn ticks(&self) -> Vec<f64> {
        if self.is_logarithmic {
            let mut ticks = Vec::new();
            let mut power = self.low;
            while power <= self.high {
                ticks.push(10f64.powf(power));
                power += 1.0;
            }
            return ticks;
        }
        let rough = (self.high - self.low) / 5.0;
        let unit = 10f64.powf(rough.log10().floor());
        // The smallest round step that gives no more than five intervals; the slack of a
        // thousandth takes up errors of division.
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|times| times * unit);
        let step = steps.into_iter().find(|&step| step >= rough * 0.999);
        let step = step.unwrap_or(rough);
        let mut ticks = Vec::new();
        let mut tick = (self.low / step - 1e-9).ceil() * step;
        while tick <= self.high + step * 1e-6 {
            ticks.push(tick);
            tick += step;
        }
        ticks
    }
}

/// Tenths of a unit are below what is visible.
fn round(at: f64) -> f64 {
    (at * 10.0).round() / 10.0
}

/// A number in few digits.
fn label(value: f64) -> String {
    if value.abs() >= 1000.0 && value.fract() == 0.0 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "large"
        )]
        return crate::numbers::grouped(value as u64);
    }
    let text = crate::numbers::decimals(value, 4);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_gaps_where_values_are_missing_and_names_are_escaped() {
        let chart = LineChart {
            name: "p".into(),
            title: "<b>".into(),
            x: vec![0.5, 0.6, 0.7, 0.8],
            lines: vec![
                Line {
                    name: "a&b".into(),
                    y: vec![Some(1.0), None, Some(0.5), Some(0.25)],
                },
                Line {
                    name: "c".into(),
                    y: vec![None; 4],
                },
            ],
            is_share: true,
            ..LineChart::default()
        };
        let svg = chart.file();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("a&amp;b") && !svg.contains("<b>"), "{svg}");
    }

    #[test]
    fn ticks_are_round() {
        let axis = Axis::of([0.5, 0.95].into_iter(), false, false);
        let ticks: Vec<String> = axis.ticks().into_iter().map(label).collect();
        assert_eq!(ticks, ["0.5", "0.6", "0.7", "0.8", "0.9"]);
        let axis = Axis::of([3.0, 2500.0].into_iter(), true, false);
        let ticks: Vec<String> = axis.ticks().into_iter().map(label).collect();
        assert_eq!(ticks, ["1", "10", "100", "1,000", "10,000"]);
    }
}
