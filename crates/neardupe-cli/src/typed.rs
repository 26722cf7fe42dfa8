//! Flags made of declared parameters: what clap knows of a job comes from the job library.
//!
//! clap splits the command line and prints help; it checks no value beyond the words that a parameter
//! declares. Every value passes through `Params::set`, as those of configuration files and of
//! JSON do, so all fronts accept the same values and refuse others with the same reason.
//!
//! The declaration of a parameter gives its flag, its short form, its heading, its help and the
//! words that it accepts. A new parameter of a job is a new flag without a line of code here.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use neardupe_core::error::Error;
use neardupe_jobs::param::{ParamInfo, ParamShape, ParamStyle, Params, render};
use neardupe_jobs::registry::is_param;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

/// Headings of help in their order; others come before them.
const HEADINGS: [&str; 5] = ["New against old", "Text", "Input", "Output", "Work"];

/// Parameters as flags.
#[derive(Debug, Clone, Default)]
pub(crate) struct Typed<P>(pub(crate) P);

impl<P: Params> Args for Typed<P> {
    fn augment_args(command: Command) -> Command {
        let mut command = command;
        let mut infos = P::infos();
        // The sort is stable, so within a heading parameters keep the order of their declaration.
        infos.sort_by_key(|info| HEADINGS.iter().position(|name| *name == info.heading));
        for info in infos {
            command = command.arg(arg(info));
            if let Some(opposite) = opposite(info) {
                command = command.arg(opposite);
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The flag of a parameter. Shape, words and heading come from its declaration.
fn arg(info: &'static ParamInfo) -> Arg {
    let help = render(&info.help(), ParamStyle::Flag, is_named);
    let mut arg = Arg::new(info.name).help(help);
    if !info.heading.is_empty() {
        arg = arg.help_heading(info.heading);
    }
    if info.is_positional {
        arg = arg.required(info.is_required);
    } else {
        arg = arg.long(info.name);
    }
    if let Some(letter) = info.short {
        arg = arg.short(letter);
    }
    match info.shape {
        ParamShape::Switch => {
            arg = arg.action(ArgAction::SetTrue);
            // Of a switch and its opposite the one that comes later counts.
            match info.opposite() {
                Some(name) => arg.overrides_with(id_of_opposite(&name)),
                None => arg,
            }
        }
        shape => {
            arg = arg
                .value_name(info.value_name)
                .allow_negative_numbers(true)
                .allow_hyphen_values(info.takes_hyphens)
                .action(match shape {
                    ParamShape::Many => ArgAction::Append,
                    _ => ArgAction::Set,
                });
            if info.num_values > 1 {
                arg = arg.num_args(info.num_values);
            }
            // A list takes values until the next flag; so do inputs.
            if info.is_list || (info.is_positional && shape == ParamShape::Many) {
                arg = arg.num_args(1..);
            }
            if !info.values.is_empty() {
                // They are explained in the help.
                arg = arg
                    .value_parser(info.values.to_vec())
                    .hide_possible_values(true);
            }
            arg
        }
    }
}

/// The switch that takes back what a configuration file or a preset says. Help lists it only where it is what
/// a user would look for.
fn opposite(info: &'static ParamInfo) -> Option<Arg> {
    let name = info.opposite()?;
    let is_usual = info.is_reversible;
    let help = format!("The opposite of --{}", info.name);
    let arg = Arg::new(id_of_opposite(&name))
        .long(name)
        .help(help)
        .action(ArgAction::SetTrue)
        .hide(!is_usual)
        .overrides_with(info.name);
    Some(match info.heading {
        "" => arg,
        heading => arg.help_heading(heading),
    })
}

/// The id of an opposite within clap. The space keeps it apart from every parameter, whose
/// names have none.
fn id_of_opposite(name: &str) -> String {
    format!("opposite {name}")
}

/// Whether help may mention a parameter of this name.
fn is_named(name: &str) -> bool {
    is_param(name) || ["signature", "tau"].contains(&name)
}

impl<P: Params> FromArgMatches for Typed<P> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut typed = Typed(P::default());
        typed.update_from_arg_matches(matches)?;
        Ok(typed)
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> Result<(), clap::Error> {
        for info in P::infos() {
            // Only what was typed is set: defaults and configuration files fill in the rest
            // later.
            let Some(value) = value(info, matches) else {
                continue;
            };
            let set = self.0.set(info.name, &value);
            set.map_err(|error| wrong(info, &error))?;
        }
        Ok(())
    }
}

/// What was typed for a parameter.
///
/// None where nothing was typed, so that the configuration file or the default can decide.
fn value(info: &ParamInfo, matches: &ArgMatches) -> Option<Value> {
    if info.shape == ParamShape::Switch {
        let opposite = info.opposite().map(|name| id_of_opposite(&name));
        let is_on = |id: &str| matches.get_flag(id);
        return match opposite {
            _ if is_on(info.name) => Some(Value::Bool(true)),
            Some(opposite) if is_on(&opposite) => Some(Value::Bool(false)),
            _ => None,
        };
    }
    let texts: Vec<Value> = matches
        .get_many::<String>(info.name)?
        .map(|text| Value::String(text.clone()))
        .collect();
    match info.shape {
        ParamShape::Many => Some(Value::Array(texts)),
        // The last one counts, so a flag can be appended to a command line to override an earlier one.
        _ => texts.into_iter().next_back(),
    }
}

/// A value that a parameter cannot have, in the words of the program.
///
/// clap ends the program with its own kind of message; the mark [`OURS`] lets `exit` print it
/// as any other error.
fn wrong(info: &ParamInfo, error: &Error) -> clap::Error {
    let name = if info.is_positional {
        info.value_name.to_owned()
    } else {
        format!("--{}", info.name)
    };
    let text = match error {
        Error::Config { message, .. } => format!("{name}: {}", rendered(message)),
        other => other.to_string(),
    };
    clap::Error::raw(ErrorKind::ValueValidation, OURS.to_owned() + &text + "\n")
}

/// Marks an error that is printed as ours, not as clap's.
pub(crate) const OURS: &str = "neardupe: ";

/// A message in the words of the command line.
///
/// The library puts names of parameters in backquotes; those that are flags of this program
/// become flags, all others stay as they are.
pub(crate) fn rendered(message: &str) -> String {
    render(message, ParamStyle::Flag, |name| FLAGS.contains(name))
}

/// Whether some command has this flag.
pub(crate) fn is_flag(name: &str) -> bool {
    FLAGS.contains(name)
}

/// All flags of all commands.
static FLAGS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut flags = BTreeSet::new();
    add_flags(
        &<crate::cli::Arguments as clap::CommandFactory>::command(),
        &mut flags,
    );
    flags
});

/// Adds the long flags of a command and of all below it.
fn add_flags(command: &Command, flags: &mut BTreeSet<String>) {
    let longs = command.get_arguments().filter_map(Arg::get_long);
    flags.extend(longs.map(str::to_owned));
    for inner in command.get_subcommands() {
        add_flags(inner, flags);
    }
}

/// Parameters from a configuration file; unknown ones are refused by name.
///
/// Values of the wrong type and unknown names are errors that name the file, because a mistyped
/// key would otherwise be ignored silently.
pub(crate) fn from_file<P: Params>(path: &Path, whose: &str) -> Result<P, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let wrong = |message: String| {
        Error::config("config", format!("{}: {message}", path.display()))
    };
    let map: Map<String, Value> = toml::from_str(&text)
        .map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
    P::from_map(&map, whose).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use neardupe_jobs::kind::find::FindSpec;

    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Find {
        #[command(flatten)]
        spec: Typed<FindSpec>,
    }

    fn spec(words: &str) -> FindSpec {
        Find::try_parse_from(words.split(' ')).unwrap().spec.0
    }

    #[test]
    fn a_switch_can_be_set_both_ways_and_the_last_wins() {
        assert_eq!(spec("x").method.no_verify, None);
        assert_eq!(spec("x --no-verify").method.no_verify, Some(true));
        assert_eq!(spec("x --verify").method.no_verify, Some(false));
        assert_eq!(spec("x --no-verify --verify").method.no_verify, Some(false));
        assert_eq!(spec("x --no-strict --strict").tolerance.strict, Some(true));
    }

    #[test]
    fn values_are_read_before_anything_is_run() {
        for words in [
            "x --cluster stars",
            "x --threads 0",
            "x -t 2",
            "x --no-filter y",
        ] {
            assert!(Find::try_parse_from(words.split(' ')).is_err(), "{words}");
        }
        let spec = spec("x y --text-key a --text-key b -t 0.5");
        assert_eq!(spec.input.inputs.unwrap(), ["x", "y"]);
        assert_eq!(spec.reading.record.text_key.unwrap(), ["a", "b"]);
        assert_eq!(spec.similarity.threshold.unwrap().to_string(), "0.5");
    }
}
