//! Methods as Markdown: all of them for a page, and the part of the README.
//!
//! Both pages are compared with what is committed by a test, so a method that is added or measured
//! again cannot be forgotten in the README. Nothing here knows a method by its name.

use neardupe_jobs::kind::methods::{
    CatalogueMethod, LEFT_OUT, METHODS, MeasuredMethods, THRESHOLDS,
};
use std::collections::BTreeSet;

/// What stands in the README: what each finds and promises, and how it fared.
pub(super) fn readme(measured: &MeasuredMethods) -> String {
    let names: Vec<_> = LEFT_OUT.iter().map(|method| method.name).collect();
    let again = "`neardupe methods NAME` describes one method: how it works, what it costs, its paper.";
    format!(
        "{}\n\nCells are precision / recall; for passages, a pair counts if passages cover nearly all of both documents. {}\n\n{again} [All of it on one page](docs/map.md), also why \
         these were left out: {}.\n",
        figures_table(measured, true).join("\n"),
        measured.in_words(),
        names.join(", ")
    )
}

/// All that is known, as a page.
pub(super) fn all(measured: &MeasuredMethods) -> String {
    let mut lines = vec![
        "# Map of methods".to_owned(),
        String::new(),
        "What `neardupe methods --markdown` prints. The promise is in the measure of each method."
            .to_owned(),
        String::new(),
        "| method | typed after `neardupe find INPUT`, if no other command | finds | promise | cost | use it when |".to_owned(),
        "|---|---|---|---|---|---|".to_owned(),
    ];
    for method in &METHODS {
        lines.push(row(&[
            &format!("[{}](#{})", method.name, method.name),
            &typed(method),
            method.finds,
            method.promise.in_words(),
            method.cost,
            method.use_when,
        ]));
    }
    lines.extend([String::new(), "## Measured".to_owned(), String::new()]);
    lines.push(format!(
        "Cells are precision / recall; for passages, a pair counts if passages cover nearly all of both documents. {}",
        measured.in_words()
    ));
    lines.push(String::new());
    lines.extend(figures_table(measured, false));
    lines.extend([String::new(), "## One by one".to_owned()]);
    for method in &METHODS {
        lines.extend([String::new(), format!("### {}", method.name), String::new()]);
        lines.push(format!("{} {}", method.how, method.guarantee));
        lines.push(format!("[More](../{}).", method.guide));
        lines.push(String::new());
        lines.extend(method.papers.iter().map(|paper| format!("- {paper}")));
    }
    lines.extend([String::new(), "## Left out".to_owned(), String::new()]);
    lines.push("| method | what it is | why it is not here | instead |".to_owned());
    lines.push("|---|---|---|---|".to_owned());
    for method in &LEFT_OUT {
        let instead = method.instead.map(|name| format!("[{name}](#{name})"));
        lines.push(row(&[
            method.name,
            method.what,
            method.reason,
            &instead.unwrap_or_default(),
        ]));
    }
    lines.push(String::new());
    let papers: BTreeSet<_> = LEFT_OUT.iter().flat_map(|method| method.papers).collect();
    lines.extend(papers.into_iter().map(|paper| format!("- {paper}")));
    lines.join("\n") + "\n"
}

/// Precision, recall and time of each method; for the README also what it finds.
///
/// Methods that were not measured on a collection have empty cells, so that every row has the
/// same number.
fn figures_table(measured: &MeasuredMethods, with_map: bool) -> Vec<String> {
    let mut header = vec!["method".to_owned()];
    let mut rule = vec!["---"];
    if with_map {
        header.extend(["finds".to_owned(), "promise".to_owned()]);
        rule.extend(["---", "---"]);
    }
    for of in &measured.collections {
        for (place, threshold) in THRESHOLDS.into_iter().enumerate() {
            header.push(match place {
                0 => format!("{}, >= {threshold}", of.title),
                _ => format!(">= {threshold}"),
            });
        }
        header.push("CPU s".to_owned());
        rule.extend(["--:", "--:", "--:"]);
    }
    let header: Vec<_> = header.iter().map(String::as_str).collect();
    let mut lines = vec![row(&header), format!("|{}|", rule.join("|"))];
    for method in &METHODS {
        let name = if with_map {
            typed(method)
        } else {
            method.name.to_owned()
        };
        let mut cells = vec![name];
        if with_map {
            cells.extend([method.finds, method.promise.in_words()].map(str::to_owned));
        }
        cells.extend(figures(method, measured));
        let cells: Vec<_> = cells.iter().map(String::as_str).collect();
        lines.push(row(&cells));
    }
    lines
}

/// The cells of a method; time is that of the last threshold, the default.
fn figures(method: &CatalogueMethod, measured: &MeasuredMethods) -> Vec<String> {
    let mut cells = Vec::new();
    for of in &measured.collections {
        let mut cpu = String::new();
        for threshold in THRESHOLDS {
            let one = measured.figures(method, of, threshold);
            cells.push(one.as_ref().map_or_else(String::new, |one| {
                format!("{} / {}", one.precision, one.recall)
            }));
            cpu = one.map_or(cpu, |one| one.cpu);
        }
        cells.push(cpu);
    }
    cells
}

/// What is typed for a method, as Markdown code.
fn typed(method: &CatalogueMethod) -> String {
    match (method.command(), method.options) {
        ("find", "") => "the default".to_owned(),
        ("find", options) => format!("`{options}`"),
        (command, options) => {
            let typed = format!("neardupe {command} INPUT {options}");
            format!("`{}`", typed.trim_end())
        }
    }
}

/// A row of a Markdown table.
fn row(cells: &[&str]) -> String {
    format!("| {} |", cells.join(" | "))
}
