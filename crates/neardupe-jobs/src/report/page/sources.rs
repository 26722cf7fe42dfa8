//! Where duplicates come from: rates by source, hosts that mirror each other.
//!
//! Rates are shown only where documents are removed; with pairs alone there is nothing that a
//! source loses.

use super::{ReportedJob, ResultPage, Text};
use crate::numbers::{grouped, percent};
use crate::report::hosts::Mirror;
use crate::report::sources::SourceGroup;
use maud::{Markup, html};

/// Whether there is anything to show.
pub(super) fn has_any(page: &ResultPage<'_>) -> bool {
    !groups(page).is_empty() || !page.report.sources.mirrors.is_empty()
}

/// The groups with rates: none for a job of pairs.
fn groups<'a>(page: &ResultPage<'a>) -> &'a [SourceGroup] {
    match page.job {
        // No document is removed, so there are no rates.
        ReportedJob::Pairs => &[],
        _ => &page.report.sources.groups,
    }
}

/// Rates by kind of source, then mirrors. Both lists were cut when the report was made.
pub(super) fn render(page: &ResultPage<'_>) -> Markup {
    let (sources, groups) = (&page.report.sources, groups(page));
    html! {
        @if has_any(page) {
            h2 id="sources" { "Where duplicates come from" }
            @if !groups.is_empty() {
                p { "Of which source how much is a duplicate of something kept elsewhere, or in the same source. Those with most duplicates come first." }
            }
            @for group in groups { (rates(group)) }
            @if sources.further > 0 {
                p class="quiet" { (grouped(sources.further)) " documents are on further hosts, which were not counted." }
            }
        }
        @if !sources.mirrors.is_empty() { (mirrors(&sources.mirrors)) }
    }
}

/// The table of one kind of source, such as hosts. `num_sources` counts all of them, also
/// those that are not in the rows.
fn rates(group: &SourceGroup) -> Markup {
    let left = group.num_sources - group.rows.len() as u64;
    html! {
        h3 { "By " (Text(&group.kind)) }
        div class="wide" { table {
            tr { th { (Text(&group.kind)) } th class="n" { "documents" } th class="n" { "duplicates" } th class="n" { "share" } th {} }
            @for row in &group.rows {
                tr {
                    td class="id" { (Text(&row.name)) }
                    td class="n" { (grouped(row.documents)) }
                    td class="n" { (grouped(row.removed)) }
                    td class="n" { (percent(row.removed, row.documents)) }
                    td { (bar(row.removed, row.documents)) }
                }
            }
        } }
        @if left > 0 { p class="quiet" { "and " (grouped(left)) " more" } }
    }
}

/// A bar as wide as the share. In whole thousandths, so that the page is the same on every
/// machine.
fn bar(part: u64, whole: u64) -> Markup {
    let width = part.saturating_mul(1000) / whole.max(1);
    html! { span class="bar" { i style=(format!("width:{}.{}%", width / 10, width % 10)) {} } }
}

/// Pairs of hosts. The share is of the smaller host: a mirror holds nearly all of its
/// documents elsewhere, whatever else the larger one has.
fn mirrors(mirrors: &[Mirror]) -> Markup {
    html! {
        h3 id="mirrors" { "Hosts that mirror each other" }
        p { "Pairs of hosts with documents in common: kept on one of them, with a copy on the other." }
        div class="wide" { table {
            tr { th { "host" } th class="n" { "documents" } th { "host" } th class="n" { "documents" } th class="n" { "in common" } th class="n" { "of the smaller" } }
            @for mirror in mirrors {
                @let smaller = mirror.left.documents.min(mirror.right.documents);
                tr {
                    td class="id" { (Text(&mirror.left.name)) }
                    td class="n" { (grouped(mirror.left.documents)) }
                    td class="id" { (Text(&mirror.right.name)) }
                    td class="n" { (grouped(mirror.right.documents)) }
                    td class="n" { (grouped(mirror.common)) }
                    td class="n" { @if smaller > 0 { (percent(mirror.common.min(smaller), smaller)) } }
                }
            }
        } }
    }
}
