//! `neardupe methods`: a map of all methods, with what was measured of each.
//!
//! The catalogue and the figures belong to the job library and are compiled in: the command reads
//! no file and measures nothing.

mod markdown;
mod show;

use super::job_args::JobArgs;
use crate::terminal::stdout;
use crate::typed::Typed;
use anyhow::Result;
use clap::{Args, ValueEnum};
use neardupe_jobs::kind::methods::{MethodsAsked, MethodsSpec};
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `methods`.
#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print it as JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,

    /// Print it as Markdown: all of it, or the part that stands in the README
    #[arg(
        long,
        value_name = "PART",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        conflicts_with = "name"
    )]
    markdown: Option<CatalogPart>,

    #[command(flatten)]
    spec: Typed<MethodsSpec>,
}

/// What is printed as Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CatalogPart {
    All,
    Readme,
}

/// Runs the command.
pub(crate) fn run(args: &MethodsArgs) -> Result<ExitCode> {
    // What is printed as Markdown is a part of README and docs/map.md; a test compares them.
    let Some(outcome) = args.job.run(&args.spec, true)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let measured = &outcome.measured;
    let mut out = stdout();
    match (outcome.asked, args.markdown) {
        (_, Some(CatalogPart::All)) => {
            out.write_all(markdown::all(measured).as_bytes())?
        }
        (_, Some(CatalogPart::Readme)) => {
            out.write_all(markdown::readme(measured).as_bytes())?;
        }
        (_, None) if args.json => {
            writeln!(
                out.raw(),
                "{}",
                serde_json::to_string_pretty(&outcome.summary)?
            )?;
        }
        (MethodsAsked::All, None) => show::all(&mut out, measured)?,
        (MethodsAsked::Method(method), None) => {
            show::method(&mut out, method, measured)?;
        }
        (MethodsAsked::LeftOut(method), None) => show::left_out(&mut out, method)?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Arguments, Command};
    use clap::Parser;
    use neardupe_jobs::kind::methods::{LEFT_OUT, METHODS, MethodGroup};
    use std::collections::BTreeSet;

    fn is_known(name: &str) -> bool {
        let name = Some(name.to_owned());
        MethodsSpec { name }.validate().is_ok()
    }

    #[test]
    fn every_line_of_options_is_accepted_by_its_command() {
        for method in &METHODS {
            let threshold: &[&str] = if method.takes_threshold {
                &["--threshold", "0.5"]
            } else {
                &[]
            };
            let typed = ["neardupe", method.command(), "INPUT"].into_iter();
            let typed = typed.chain(method.options.split_whitespace());
            let typed = typed.chain(threshold.iter().copied());
            let arguments = Arguments::try_parse_from(typed)
                .unwrap_or_else(|error| panic!("{}: {error}", method.name));
            match arguments.command {
                Command::Find(args) => {
                    if let Err(error) = args.spec.0.validate() {
                        panic!("{}: {}: {error}", method.name, method.options);
                    }
                }
                Command::Passages(_) => assert_eq!(method.command(), "passages"),
                _ => panic!("{}: another command", method.name),
            }
        }
    }

    #[test]
    fn a_method_that_takes_no_threshold_has_one_or_refuses_it() {
        for method in METHODS.iter().filter(|method| !method.takes_threshold) {
            let command = method.command();
            let typed = ["neardupe", command, "INPUT", "--threshold", "0.5"].into_iter();
            let typed = typed.chain(method.options.split_whitespace());
            let refused = match Arguments::try_parse_from(typed) {
                Err(_) => true,
                Ok(Arguments {
                    command: Command::Find(args),
                    ..
                }) => args.spec.0.validate().is_err(),
                Ok(_) => false,
            };
            assert!(refused, "{}", method.name);
        }
    }

    #[test]
    fn names_stand_once_and_fit_their_columns() {
        let mut names = BTreeSet::new();
        let here = METHODS.iter().map(|method| method.name);
        for name in here.chain(LEFT_OUT.iter().map(|method| method.name)) {
            assert!(names.insert(name), "{name} twice");
            assert_eq!(name, name.to_lowercase());
            assert!(is_known(name));
        }
        for method in &METHODS {
            let name = method.name;
            assert!(name.chars().count() <= show::NAME, "{name}");
            assert!(method.finds.chars().count() <= show::FINDS, "{name}");
            assert!(!method.papers.is_empty(), "{name}: which paper?");
        }
        for method in &LEFT_OUT {
            if let Some(instead) = method.instead {
                let is_here = METHODS.iter().any(|method| method.name == instead);
                assert!(is_here, "{}: {instead}", method.name);
            }
            assert!(!method.papers.is_empty(), "{}: which paper?", method.name);
        }
        assert!(!is_known("astrology"));
    }

    #[test]
    fn groups_stand_together() {
        let mut groups: Vec<_> = METHODS.iter().map(|method| method.group).collect();
        groups.dedup();
        assert_eq!(groups, MethodGroup::ALL);
    }

    #[test]
    fn the_guides_are_there() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for method in &METHODS {
            let (page, place) =
                method.guide.split_once('#').unwrap_or((method.guide, ""));
            let text = std::fs::read_to_string(root.join(page))
                .unwrap_or_else(|error| panic!("{page}: {error}"));
            let is_place = |line: &str| {
                line.starts_with('#')
                    && line.trim_start_matches('#').trim().to_lowercase() == place
            };
            assert!(
                place.is_empty() || text.lines().any(is_place),
                "{}",
                method.guide
            );
        }
    }
}
