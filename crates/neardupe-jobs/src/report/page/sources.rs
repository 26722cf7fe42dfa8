//! Where duplicates come from: rates by source, hosts that mirror each other.

use super::{Job, Page, Text};
use crate::numbers::{grouped, percent};
use crate::report::hosts::Mirror;
use crate::report::sources::Group;
use maud::{Markup, html};

/// Whether there is anything to tell.
pub(super) fn has_any(page: &Page<'_>) -> bool {
    !groups(page).is_empty() || !page.report.sources.mirrors.is_empty()
}

fn groups<'a>(page: &Page<'a>) -> &'a [Group] {
    match page.job {
        // Nothing is removed, so there are no rates.
        Job::Pairs => &[],
        _ => &page.report.sources.groups,
    }
}

pub(super) fn render(page: &Page<'_>) -> Markup {
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

fn rates(group: &Group) -> Markup {
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

fn bar(part: u64, whole: u64) -> Markup {
    let width = part.saturating_mul(1000) / whole.max(1);
    html! { span class="bar" { i style=(format!("width:{}.{}%", width / 10, width % 10)) {} } }
}

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
