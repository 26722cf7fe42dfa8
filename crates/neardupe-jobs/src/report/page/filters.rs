//! What each filter of the join is worth: a table with bars, for each sample.
//!
//! With `compare-filters` the same features were joined with each filter off. All of these runs
//! must find the same pairs; when they do not, the page says that there is a bug, since the
//! promise of exactness rests on it.

use super::ResultPage;
use crate::numbers::{grouped, percent};
use maud::{Markup, html};
use neardupe_core::pipeline::compare_filters::{ComparedSample, FilterRow, Setting};

/// Whether filters were compared.
pub(super) fn has_any(page: &ResultPage<'_>) -> bool {
    page.summary.filters.is_some()
}

/// A table for each sample; nothing if filters were not compared.
pub(super) fn render(page: &ResultPage<'_>) -> Markup {
    let Some(comparison) = &page.summary.filters else {
        return html! {};
    };
    html! {
        h2 id="filters" { "What the filters are worth" }
        p {
            "The same features were joined again with each filter off, without any, by counting "
            "common features over inverted lists, and each set with each. "
            @if comparison.agrees() { "All of these found the same pairs." }
            @else { strong { "They found different pairs, which is a bug in neardupe: please report it." } }
        }
        @for sample in &comparison.samples { (table(sample)) }
    }
}

/// One row per setting, all filters on first, to which the times of the others are compared.
fn table(sample: &ComparedSample) -> Markup {
    let times = sample.rows.iter().map(FilterRow::seconds);
    let scale = Scale::new(times);
    // The first row is the join as it is.
    let whole = sample.rows.first().map_or(0.0, FilterRow::seconds);
    html! {
        h3 {
            (grouped(sample.sets)) " sets of " (grouped(sample.features)) " features"
            @if sample.one_in > 1 { ", a sample: one set in " (grouped(sample.one_in)) }
            @else { ", all of the collection" }
        }
        div class="wide" { table {
            tr {
                th { "setting" }
                th class="n" { "postings" }
                th class="n" { "candidates" }
                th class="n" { "verified" }
                th class="n" { "found" }
                th class="n" { "lost" }
                th class="n" { "time" }
                th class="n" { "of all on" }
                th { "time, each step ten times as long" }
            }
            @for row in &sample.rows {
                tr {
                    td { (row.setting) }
                    td class="n" { (grouped(row.ledger.postings)) }
                    td class="n" { (grouped(row.ledger.candidates)) }
                    td class="n" { (grouped(row.ledger.verified)) }
                    td class="n" { (grouped(row.ledger.found)) }
                    td class="n" { (lost(row)) }
                    td class="n" { (format!("{:.3} s", row.seconds())) }
                    td class="n" { (format!("{:.1} ×", row.seconds() / whole.max(1e-9))) }
                    td { (bar(row, &scale)) }
                }
            }
        } }
    }
}

/// Pairs that a setting lost. Only the signature filter may lose some, hence the percentage
/// with it; any other number is a bug, and so is a result of the same size that is not the
/// same.
fn lost(row: &FilterRow) -> String {
    match (row.setting, row.lost) {
        (Setting::Signature, lost) if lost > 0 => {
            format!(
                "{} ({})",
                grouped(lost),
                percent(lost, row.ledger.found + lost)
            )
        }
        (_, 0) if row.same => "0".to_owned(),
        (_, 0) => "not the same".to_owned(),
        (_, lost) => grouped(lost),
    }
}

/// A bar as long as the time, on the logarithmic scale.
fn bar(row: &FilterRow, scale: &Scale) -> Markup {
    let color = match row.setting {
        Setting::AllOn => "var(--kept)",
        Setting::Signature => "var(--linked)",
        _ => "var(--removed)",
    };
    let style = format!(
        "width:{:.1}%;background:{color}",
        scale.percent(row.seconds())
    );
    html! { span class="bar" style=(scale.grid()) { i style=(style) {} } }
}

/// A scale on which ten times as much is one step more: times differ by factors of thousands.
struct Scale {
    /// The power of ten where it begins.
    low: f64,
    /// Powers of ten from `low` to the end, 1 at least.
    steps: f64,
}

impl Scale {
    /// A scale that all values fit on. Times below a microsecond count as one.
    fn new(values: impl Iterator<Item = f64>) -> Self {
        let (mut least, mut most) = (f64::MAX, f64::MIN);
        for value in values {
            let power = value.max(1e-6).log10();
            (least, most) = (least.min(power), most.max(power));
        }
        // Half a step below the least, so that every bar can be seen.
        let low = (least - 0.5).floor();
        Scale {
            low,
            steps: (most.ceil() - low).max(1.0),
        }
    }

    /// Where a value is on the scale, 0..=100.
    fn percent(&self, value: f64) -> f64 {
        let power = value.max(1e-6).log10();
        ((power - self.low) / self.steps * 100.0).clamp(0.0, 100.0)
    }

    /// The steps behind the bar.
    fn grid(&self) -> String {
        let step = 100.0 / self.steps;
        format!(
            "min-width:220px;background-image:repeating-linear-gradient(90deg,transparent 0 \
             calc({step:.2}% - 1px),var(--line) calc({step:.2}% - 1px) {step:.2}%)"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn ten_times_as_much_is_one_step_more() {
        let scale = Scale::new([0.02, 2.0, 90.0].into_iter());
        assert!((scale.low - -3.0).abs() < 1e-9, "{}", scale.low);
        assert!((scale.steps - 5.0).abs() < 1e-9, "{}", scale.steps);
        let step = scale.percent(2.0) - scale.percent(0.2);
        assert!((step - 20.0).abs() < 1e-6, "{step}");
        assert!(scale.percent(90.0) <= 100.0);
    }

    #[test]
    fn nothing_and_no_time_have_a_scale_too() {
        for values in [vec![], vec![0.0], vec![0.0, 0.0]] {
            let scale = Scale::new(values.into_iter());
            let share = scale.percent(0.0);
            assert!((0.0..=100.0).contains(&share), "{share}");
        }
    }
}
