//! `neardupe methods`: a map of all methods, with what was measured of each.

mod left_out;
mod markdown;
mod measured;
mod method;
mod registry;
mod show;

use anyhow::Result;
use clap::{Args, ValueEnum};
use left_out::{LEFT_OUT, LeftOut};
use measured::Measured;
use method::Method;
use neardupe_core::error::Error;
use registry::METHODS;
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `methods`.
#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    /// Tell all of one method, also of one that was left out
    #[arg(value_name = "NAME")]
    name: Option<String>,

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
    markdown: Option<Part>,
}

/// What is printed as Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    All,
    Readme,
}

/// Something that has a name here.
enum Named {
    Method(&'static Method),
    LeftOut(&'static LeftOut),
}

/// Runs the command.
pub(crate) fn run(args: &MethodsArgs) -> Result<ExitCode> {
    let measured = Measured::read()?;
    let named = args.name.as_deref().map(find).transpose()?;
    let mut out = std::io::stdout().lock();
    match (named, args.markdown) {
        (_, Some(Part::All)) => out.write_all(markdown::all(&measured).as_bytes())?,
        (_, Some(Part::Readme)) => {
            out.write_all(markdown::readme(&measured).as_bytes())?;
        }
        (named, None) if args.json => {
            let value = match named {
                None => all_as_json(&measured),
                Some(Named::Method(method)) => method_as_json(method, &measured),
                Some(Named::LeftOut(method)) => left_out_as_json(method),
            };
            writeln!(out, "{}", serde_json::to_string_pretty(&value)?)?;
        }
        (None, None) => show::all(&mut out, &measured)?,
        (Some(Named::Method(method)), None) => {
            show::method(&mut out, method, &measured)?;
        }
        (Some(Named::LeftOut(method)), None) => show::left_out(&mut out, method)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The method of this name.
fn find(typed: &str) -> Result<Named> {
    let name = typed.to_lowercase();
    let method = METHODS.iter().find(|method| method.name == name);
    let left_out = || LEFT_OUT.iter().find(|method| method.name == name);
    let found = method.map(Named::Method);
    let found = found.or_else(|| left_out().map(Named::LeftOut));
    found.ok_or_else(|| {
        let here: Vec<_> = METHODS.iter().map(|method| method.name).collect();
        let not_here: Vec<_> = LEFT_OUT.iter().map(|method| method.name).collect();
        let message = format!(
            "{typed:?} is not one of {}; nor of those left out: {}",
            here.join(", "),
            not_here.join(", ")
        );
        Error::config("NAME", message).into()
    })
}

fn all_as_json(measured: &Measured) -> Value {
    let methods = METHODS.iter();
    json!({
        "measured": measured.described(),
        "methods": methods.map(|method| method_as_json(method, measured)).collect::<Vec<_>>(),
        "left_out": LEFT_OUT.iter().map(left_out_as_json).collect::<Vec<_>>(),
    })
}

fn method_as_json(method: &Method, measured: &Measured) -> Value {
    json!({
        "name": method.name,
        "group": method.group.name(),
        "command": method.command(),
        "options": method.options,
        "takes_threshold": method.takes_threshold,
        "finds": method.finds,
        "how": method.how,
        "promise": method.promise.name(),
        "guarantee": method.guarantee,
        "certain": {
            "precision": method.certain.of_precision(),
            "recall": method.certain.of_recall(),
        },
        "cost": method.cost,
        "use_when": method.use_when,
        "papers": method.papers,
        "guide": method.guide,
        "figures": measured.as_json(method),
    })
}

fn left_out_as_json(method: &LeftOut) -> Value {
    json!({
        "name": method.name,
        "what": method.what,
        "reason": method.reason,
        "instead": method.instead,
        "papers": method.papers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Arguments, Command};
    use clap::Parser;
    use std::collections::BTreeSet;

    #[test]
    fn every_line_of_options_is_accepted_by_its_command() {
        for method in &METHODS {
            let threshold: &[&str] = match method.takes_threshold {
                true => &["--threshold", "0.5"],
                false => &[],
            };
            let typed = ["neardupe", method.command(), "INPUT"].into_iter();
            let typed = typed.chain(method.options.split_whitespace());
            let typed = typed.chain(threshold.iter().copied());
            let arguments = Arguments::try_parse_from(typed)
                .unwrap_or_else(|error| panic!("{}: {error}", method.name));
            match arguments.command {
                Command::Find(args) => {
                    if let Err(error) = args.job() {
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
                }) => args.job().is_err(),
                Ok(_) => false,
            };
            assert!(refused, "{}", method.name);
        }
    }

    #[test]
    fn names_are_told_once_and_fit_their_columns() {
        let mut names = BTreeSet::new();
        let here = METHODS.iter().map(|method| method.name);
        for name in here.chain(LEFT_OUT.iter().map(|method| method.name)) {
            assert!(names.insert(name), "{name} twice");
            assert_eq!(name, name.to_lowercase());
            assert!(find(name).is_ok());
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
        assert!(find("astrology").is_err());
    }

    #[test]
    fn groups_stand_together() {
        let mut groups: Vec<_> = METHODS.iter().map(|method| method.group).collect();
        groups.dedup();
        assert_eq!(groups, method::Group::ALL);
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
