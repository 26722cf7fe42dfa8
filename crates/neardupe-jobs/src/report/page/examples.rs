//! What is looked at closely: clusters, and pairs at the threshold.
//!
//! Examples decide whether people trust a threshold, so the pairs closest to it are shown, not
//! the most similar ones. Similarities have three decimals and are rounded down: a pair of 0.9996
//! is not equal.

use super::{ReportedJob, ResultPage, Text};
use crate::numbers::grouped;
use crate::report::examples::{
    ClusterExample, MemberExample, PairExample, Shown, ShownDifference,
};
use maud::{Markup, PreEscaped, html};
use neardupe_core::ratio::Ratio;

/// The largest clusters. For a job of pairs these are neighbors of a document, of which none
/// is removed, so the words differ.
pub(super) fn clusters(page: &ResultPage<'_>) -> Markup {
    let clusters = &page.report.examples.clusters;
    let num_clusters = page.summary.counts.clusters;
    html! {
        @if !clusters.is_empty() {
            h2 id="clusters" {
                @if (clusters.len() as u64) < num_clusters { "The " (clusters.len()) " largest clusters" }
                @else if num_clusters == 1 { "The cluster" }
                @else { "All clusters" }
            }
            p {
                @match page.job {
                    ReportedJob::Pairs => { "Each document with those that are similar to it." }
                    _ => { "The document in the heading is kept instead of all others of its cluster." }
                }
            }
            @for cluster in clusters { (render_cluster(page, cluster)) }
        }
    }
}

/// A cluster: its lead with the beginning of the text, then some members. How many members
/// are shown was decided when the report was made.
fn render_cluster(page: &ResultPage<'_>, cluster: &ClusterExample) -> Markup {
    let others = cluster.size - 1;
    let left = others.saturating_sub(cluster.members.len() as u64);
    html! {
        section class="cluster" {
            h3 { (name(&cluster.lead)) }
            (preview(&cluster.lead))
            p class="quiet" {
                (grouped(cluster.size)) " documents"
                @if page.job != ReportedJob::Pairs { ", this one is kept" }
                ", " (grouped(cluster.lead.chars)) " characters"
            }
            @for member in &cluster.members { (render_member(page, &cluster.lead, member)) }
            @if left > 0 { p class="quiet member" { "and " (grouped(left)) " more" } }
        }
    }
}

/// A member and how it differs from the lead. A beginning that is that of the lead is not
/// repeated: it would fill the page with the same line.
fn render_member(page: &ResultPage<'_>, lead: &Shown, member: &MemberExample) -> Markup {
    html! {
        div class="member" {
            div class="line" {
                (share(member.similarity))
                span class="id" { (name(&member.document)) }
                span class="quiet" { (grouped(member.document.chars)) " characters" }
            }
            @if member.document.preview != lead.preview { (preview(&member.document)) }
            (difference(page, lead, &member.document, &member.difference))
        }
    }
}

/// The pairs just above the threshold, one per cluster, since the pairs of one template would
/// fill the list.
pub(super) fn pairs(page: &ResultPage<'_>) -> Markup {
    let pairs = &page.report.examples.pairs;
    html! {
        @if !pairs.is_empty() {
            h2 id="closest" { "Closest calls" }
            p {
                "The pairs that reach the threshold by the least, one of each "
                @if page.job == ReportedJob::Pairs { "document. " } @else { "cluster. " }
                "If these are no duplicates to you, take a higher threshold; if all of them are, a lower one may find more."
            }
            @for pair in pairs { (render_pair(page, pair)) }
        }
    }
}

/// Both documents of a pair, one below the other, then the difference.
fn render_pair(page: &ResultPage<'_>, pair: &PairExample) -> Markup {
    html! {
        section class="pair" {
            div { (share(pair.similarity)) }
            @for document in [&pair.left, &pair.right] {
                div class="id" { (name(document)) }
                (preview(document))
            }
            (difference(page, &pair.left, &pair.right, &pair.difference))
        }
    }
}

/// The id, marked if the document is from the old ones (`against`).
fn name(document: &Shown) -> Markup {
    html! { (Text(&document.id)) @if document.is_old { " (old)" } }
}

/// The beginning of the text, cut as the report has it. `dir` lets the browser choose the
/// direction, since a page can hold English and Arabic.
fn preview(document: &Shown) -> Markup {
    html! {
        @if !document.preview.is_empty() {
            p class="preview" dir="auto" {
                (Text(&document.preview))
                @if (document.preview.chars().count() as u64) < document.chars { "…" }
            }
        }
    }
}

/// A similarity with three decimals, never rounded up to 1.
fn share(ratio: Ratio) -> Markup {
    // In 128 bits: the parts are 64 bits wide, and a weighted job can have large ones.
    let thousandths = u128::from(ratio.part) * 1000 / u128::from(ratio.whole.max(1));
    let decimals = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    html! { span class="share" { (decimals) } }
}

/// Difference of two documents, folded. Its HTML was made and escaped by `diff::html`, so it
/// is the one place on this page that is put in as it is.
fn difference(
    page: &ResultPage<'_>,
    left: &Shown,
    right: &Shown,
    difference: &ShownDifference,
) -> Markup {
    html! {
        @match difference {
            ShownDifference::EqualText => div class="quiet" { "the same text" },
            ShownDifference::Rows { html, is_all } => details class="diff" {
                summary { "show the difference" }
                div class="rows" {
                    div class="names" { div { (name(left)) } div { (name(right)) } }
                    (PreEscaped(html))
                }
                @if !is_all { p class="quiet" { "The rest is left out here. " code { "neardupe compare" } " shows all of it." } }
            },
            ShownDifference::Left => @if page.report.with_text {
                div class="quiet" {
                    "The difference is not shown here; " code { "neardupe explain" } " shows it."
                }
            },
        }
    }
}
