//! The figures as SVG, on a background of their own so that they read on any page.

use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 78.0;
const BOTTOM: f64 = 52.0;
const FONT: &str = "-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
const INK: &str = "#1d2733";
const FAINT: &str = "#66717f";
const GRID: &str = "#e0e5eb";
const BAR: &str = "#9fb1c6";
const LINE: &str = "#c0392b";
/// One for each distance, from the smallest on.
const COLORS: [&str; 4] = ["#6c3fa0", "#1f77b4", "#0a7d5c", "#c0392b"];

/// Heading, line below it, and what is said along the axes.
pub(crate) struct Words<'a> {
    pub(crate) title: &'a str,
    pub(crate) subtitle: &'a str,
    pub(crate) across: &'a str,
    pub(crate) up: &'a str,
}

/// How many values fall into each of 256 stretches of the same length.
pub(crate) fn bins(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut bins = vec![0; 256];
    for value in values {
        bins[usize::from(value.to_be_bytes()[0])] += 1;
    }
    bins
}

/// How uneven bins are: about as much as there are bins when values are spread by chance.
pub(crate) fn chi_square(bins: &[u64]) -> f64 {
    let mean = bins.iter().sum::<u64>() as f64 / bins.len() as f64;
    let squares = bins.iter().map(|&bin| (bin as f64 - mean).powi(2));
    squares.sum::<f64>() / mean.max(f64::MIN_POSITIVE)
}

/// Bars, with a line where all would end if they were even.
pub(crate) fn histogram(words: &Words<'_>, bins: &[u64]) -> String {
    let most = bins.iter().copied().max().unwrap_or(0).max(1) as f64 * 1.08;
    let plot = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let at = |value: f64| TOP + plot.1 * (1.0 - value / most);
    let mut svg = frame(words);
    for tick in ticks(most) {
        grid_line(&mut svg, at(tick), &format!("{tick}"));
    }
    let step = plot.0 / bins.len() as f64;
    for (place, &bin) in (0u32..).zip(bins) {
        let (x, y) = (LEFT + f64::from(place) * step, at(bin as f64));
        let (width, height) = (step * 0.82, at(0.0) - y);
        let _ = writeln!(
            svg,
            r#"<rect x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}" fill="{BAR}"/>"#
        );
    }
    let mean = bins.iter().sum::<u64>() as f64 / bins.len().max(1) as f64;
    let (y, right) = (at(mean), WIDTH - RIGHT);
    let _ = writeln!(
        svg,
        r#"<path d="M{LEFT} {y:.2}H{right}" stroke="{LINE}" stroke-width="1.5"/>"#
    );
    for place in [0u32, 64, 128, 192, 255] {
        let x = LEFT + (f64::from(place) + 0.5) * step;
        let y = HEIGHT - BOTTOM + 17.0;
        text(&mut svg, (x, y), &place.to_string(), "middle", FAINT, 11.5);
    }
    svg + "</svg>\n"
}

/// How many clusters there are of each size, both on a logarithmic scale.
pub(crate) fn sizes(
    words: &Words<'_>,
    series: &[(String, BTreeMap<u64, u64>)],
) -> String {
    let points = || series.iter().flat_map(|(_, sizes)| sizes.iter());
    let decades = |most: u64| (most.max(10) as f64).log10().ceil();
    let across = decades(points().map(|(&size, _)| size).max().unwrap_or(1));
    let up = decades(points().map(|(_, &number)| number).max().unwrap_or(1));
    let plot = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let x_of = |size: f64| LEFT + plot.0 * size.log10() / across;
    // A cluster that is the only one of its size is a little above the ground.
    let y_of = |number: f64| TOP + plot.1 * (1.0 - (number.log10() + 0.15) / (up + 0.15));
    let mut svg = frame(words);
    let mut decade = 1.0;
    while decade <= 10f64.powf(up) {
        grid_line(&mut svg, y_of(decade), &format!("{decade}"));
        decade *= 10.0;
    }
    let mut decade = 1.0;
    while decade <= 10f64.powf(across) {
        let at = (x_of(decade), HEIGHT - BOTTOM + 17.0);
        text(&mut svg, at, &format!("{decade}"), "middle", FAINT, 11.5);
        decade *= 10.0;
    }
    // The largest distance first: what is the same at a smaller one covers it.
    for ((name, sizes), (place, color)) in
        series.iter().zip(COLORS.iter().enumerate()).rev()
    {
        for (&size, &number) in sizes {
            let (x, y) = (x_of(size as f64), y_of(number as f64));
            let _ = writeln!(
                svg,
                r#"<circle cx="{x:.2}" cy="{y:.2}" r="3" fill="{color}" fill-opacity="0.75"/>"#
            );
        }
        let y = TOP + 14.0 + place as f64 * 19.0;
        let x = WIDTH - RIGHT - 120.0;
        let dot = y - 4.0;
        let _ = writeln!(svg, r#"<circle cx="{x}" cy="{dot}" r="4" fill="{color}"/>"#);
        text(&mut svg, (x + 11.0, y), name, "start", INK, 12.5);
    }
    svg + "</svg>\n"
}

/// Round numbers up to the largest.
fn ticks(most: f64) -> Vec<f64> {
    let decade = 10f64.powf(most.log10().floor());
    let step = match most / decade {
        few if few < 2.0 => decade / 4.0,
        few if few < 5.0 => decade / 2.0,
        _ => decade,
    };
    let step = step.max(1.0);
    let all = (0..20u32).map(|number| f64::from(number) * step);
    all.take_while(|&tick| tick < most).collect()
}

fn frame(words: &Words<'_>) -> String {
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="{FONT}">"#
    );
    svg.push('\n');
    let _ = writeln!(svg, "<title>{}</title>", escaped(words.title));
    let (width, height) = (WIDTH - 1.0, HEIGHT - 1.0);
    let _ = writeln!(
        svg,
        r##"<rect x="0.5" y="0.5" width="{width}" height="{height}" rx="8" fill="#ffffff" stroke="#d5dae1"/>"##
    );
    text(&mut svg, (28.0, 36.0), words.title, "start", INK, 17.0);
    text(&mut svg, (28.0, 57.0), words.subtitle, "start", FAINT, 12.5);
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    let below = (middle, HEIGHT - 14.0);
    text(&mut svg, below, words.across, "middle", FAINT, 12.0);
    let at = (20.0, (TOP + HEIGHT - BOTTOM) / 2.0);
    let _ = writeln!(
        svg,
        r#"<text transform="translate({} {}) rotate(-90)" font-size="12" fill="{FAINT}" text-anchor="middle">{}</text>"#,
        at.0,
        at.1,
        escaped(words.up)
    );
    svg
}

fn grid_line(svg: &mut String, y: f64, label: &str) {
    let right = WIDTH - RIGHT;
    let _ = writeln!(svg, r#"<path d="M{LEFT} {y:.2}H{right}" stroke="{GRID}"/>"#);
    text(svg, (LEFT - 8.0, y + 4.0), label, "end", FAINT, 11.5);
}

fn text(
    svg: &mut String,
    (x, y): (f64, f64),
    content: &str,
    anchor: &str,
    fill: &str,
    size: f64,
) {
    let content = escaped(content);
    let _ = writeln!(
        svg,
        r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{content}</text>"#
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_stretches_of_the_space() {
        let all = bins([0, 1 << 56, (2 << 56) - 1, u64::MAX].into_iter());
        assert_eq!((all[0], all[1], all[255]), (1, 2, 1));
        assert_eq!(all.iter().sum::<u64>(), 4);
        assert!(chi_square(&[5; 256]) < 1e-9);
        assert!((chi_square(&[0, 8]) - 8.0).abs() < 1e-9);
    }

    #[test]
    fn charts_are_well_formed_and_have_all_points() {
        let words = Words {
            title: "sizes < of & clusters",
            subtitle: "",
            across: "size",
            up: "number",
        };
        let bars = histogram(&words, &[3, 1, 0, 120]);
        let points = BTreeMap::from([(1, 100), (2, 7), (900, 1)]);
        let dots = sizes(&words, &[("0".to_owned(), points)]);
        assert_eq!(bars.matches("<rect").count(), 5);
        // A dot for each size, and one beside the name.
        assert_eq!(dots.matches("<circle").count(), 4);
        for svg in [bars, dots] {
            let mut reader = quick_xml::Reader::from_str(&svg);
            while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
