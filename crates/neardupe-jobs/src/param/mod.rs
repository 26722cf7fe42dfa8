//! Parameters: each is declared once, and everything else is derived from the declaration.
//!
//! [`params!`](crate::params) declares a group of them as a struct of typed values, all of them
//! optional: a parameter that nobody set gets the value that follows from the others when the job is
//! validated. From the same lines come the flags of the command line with their help, the keys of a
//! configuration file, the fields of an HTTP body, the keyword arguments of Python and the options in
//! `summary.json`. A group may contain other groups.
//!
//! A message names a parameter between backquotes (`` `text-key` ``, or with a value
//! `` `features terms` ``), and each front writes it in its own form: see [`ParamStyle`].
//!
//! What each layer of parameters means: all fields optional, so that "not given" is different
//! from "given as the default"; the same struct for what was typed, a file, a preset and a
//! summary; `or` to put one over the other; and validation, which fills in the rest. A front
//! needs only the list of declarations.

mod flags;
mod style;
mod value;

pub use flags::{from_flags, split};
pub use style::{ParamStyle, render};
pub use value::{
    CommaList, Fraction, OrAll, OrAuto, OrNone, ParamShape, ParamValue, Seconds, Size,
    Text, Within, text_of,
};

use neardupe_core::error::{Error, Result};
use serde_json::{Map, Value};

/// What is known of a parameter besides its value.
#[derive(Debug, Clone, Copy)]
pub struct ParamInfo {
    /// The name, as in a configuration file: `text-key`.
    pub name: &'static str,
    /// What it does, as it was declared: the doc comment of the field, its lines one after the other.
    help: &'static str,
    /// How values are typed, where a registry of the core lists them (features, methods): replaces
    /// `{values}` in the help.
    listed: Option<fn() -> String>,
    /// How its value is called in help: `KEY`.
    pub value_name: &'static str,
    /// A flag of one letter.
    pub short: Option<char>,
    /// The heading under which help lists it.
    pub heading: &'static str,
    /// Whether it is a switch, one value, or several.
    pub shape: ParamShape,
    /// All values there are, where they can be listed.
    pub values: &'static [&'static str],
    /// How many values must follow it at a time: 1, and 2 for a pair.
    pub num_values: usize,
    /// Several values may follow it at a time: `--input a b`.
    pub is_list: bool,
    /// It is given by its place, not by a flag.
    pub is_positional: bool,
    /// A job cannot do without it.
    pub is_required: bool,
    /// It changes no result, or only how it is written: a job can be resumed with another value.
    pub is_free: bool,
    /// A switch that some preset sets: help shows its opposite too.
    pub is_reversible: bool,
    /// Its value may begin with a hyphen, as a line of flags does.
    pub takes_hyphens: bool,
}

impl ParamInfo {
    /// A parameter with values of a type.
    pub const fn of<T: ParamValue>(name: &'static str, help: &'static str) -> Self {
        ParamInfo {
            name,
            help,
            listed: T::LISTED,
            value_name: "",
            short: None,
            heading: "",
            shape: T::SHAPE,
            values: T::VALUES,
            num_values: 1,
            is_list: false,
            is_positional: false,
            is_required: false,
            is_free: false,
            is_reversible: false,
            takes_hyphens: false,
        }
    }

    /// Calls its value.
    pub const fn value(mut self, name: &'static str) -> Self {
        self.value_name = name;
        self
    }

    /// A switch: it has no value. That follows from the type `bool`; a declaration without any other
    /// setting needs one to be well formed.
    pub const fn switch(self) -> Self {
        self
    }

    /// Gives it a flag of one letter.
    pub const fn short(mut self, letter: char) -> Self {
        self.short = Some(letter);
        self
    }

    /// Lists it under a heading.
    pub const fn heading(mut self, heading: &'static str) -> Self {
        self.heading = heading;
        self
    }

    /// Takes several values at a time.
    pub const fn many(mut self, num_values: usize) -> Self {
        self.num_values = num_values;
        self
    }

    /// Takes one or more values at a time.
    pub const fn list(mut self) -> Self {
        self.is_list = true;
        self
    }

    /// Given by its place.
    pub const fn positional(mut self) -> Self {
        self.is_positional = true;
        self
    }

    /// Must be given.
    pub const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Changes no result.
    pub const fn free(mut self) -> Self {
        self.is_free = true;
        self
    }

    /// Some preset sets it.
    pub const fn reversible(mut self) -> Self {
        self.is_reversible = true;
        self
    }

    /// Its value may begin with a hyphen.
    pub const fn hyphens(mut self) -> Self {
        self.takes_hyphens = true;
        self
    }

    /// What it does, for help. `{values}` in a declaration is replaced by the values that its type knows.
    pub fn help(&self) -> String {
        let listed = match self.listed {
            None => self.values.join(", "),
            Some(listed) => listed(),
        };
        self.help.trim().replace("{values}", &listed)
    }

    /// The switch with the opposite meaning: `--verify` of `--no-verify`, `--no-strict` of `--strict`.
    /// Without it a switch that a preset or a configuration file sets could not be switched off.
    pub fn opposite(&self) -> Option<String> {
        if self.shape != ParamShape::Switch {
            return None;
        }
        Some(match self.name.strip_prefix("no-") {
            Some(positive) => positive.to_owned(),
            None => format!("no-{}", self.name),
        })
    }
}

/// A group of parameters, as [`params!`](crate::params) declares them.
pub trait Params: Clone + Default + std::fmt::Debug {
    /// All parameters, in the order in which help lists them.
    fn visit(visit: &mut dyn FnMut(&'static ParamInfo));

    /// The value of a parameter, if it is set. Names may be written with hyphens or underscores, here and in
    /// [`set`](Params::set). No name occurs twice in a group and its parts (`tests/it/params.rs`).
    fn get(&self, name: &str) -> Option<Value>;

    /// Sets a parameter; null unsets it. False if there is no such parameter.
    fn set(&mut self, name: &str, value: &Value) -> Result<bool>;

    /// The parameters that are set here, and those of `under` where nothing is set here. A
    /// configuration file goes under the command line in this way, and a preset under both. Lists are
    /// replaced, not joined.
    fn or(self, under: Self) -> Self;

    /// All parameters.
    fn infos() -> Vec<&'static ParamInfo> {
        let mut infos = Vec::new();
        Self::visit(&mut |info| infos.push(info));
        infos
    }

    /// The parameters that are set, by name.
    fn to_map(&self) -> Map<String, Value> {
        let infos = Self::infos().into_iter();
        infos
            .filter_map(|info| Some((info.name.to_owned(), self.get(info.name)?)))
            .collect()
    }

    /// Parameters by name, as they come from a file or a program. A name that is not a parameter is
    /// refused; `whose` says in the message what has no such parameter.
    fn from_map(map: &Map<String, Value>, whose: &str) -> Result<Self> {
        let mut params = Self::default();
        for (name, value) in map {
            if !params.set(name, value)? {
                let message =
                    format!("{whose} has no such parameter{}", nearest::<Self>(name));
                return Err(Error::config(name, message));
            }
        }
        Ok(params)
    }

    /// Whether a parameter is set.
    fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// The value of a parameter that a job cannot do without.
pub fn required<T>(name: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Error::config(name, "it must be given"))
}

/// The parameter that was probably meant, for a message: one that begins like the name, or the other
/// way round.
fn nearest<P: Params>(name: &str) -> String {
    let wanted = name.replace('_', "-");
    let shares = |info: &&&ParamInfo| {
        info.name.starts_with(&wanted) || wanted.starts_with(info.name)
    };
    let infos = P::infos();
    match infos.iter().find(shares) {
        Some(info) => format!("; there is {}", info.name),
        None => String::new(),
    }
}

/// Whether a name is that of a field: `text-key` and `text_key` both are. Nothing is allocated, since
/// `get` and `set` try the fields one after the other.
#[doc(hidden)]
pub fn is_field(name: &str, field: &str) -> bool {
    name.len() == field.len()
        && name
            .bytes()
            .zip(field.bytes())
            .all(|(one, other)| one == other || (one == b'-' && other == b'_'))
}

/// An error about a value, with the name of the parameter that it was given for: types read values
/// without knowing whose they are.
#[doc(hidden)]
pub fn of_param(name: &str, error: Error) -> Error {
    match error {
        Error::Config { message, .. } => Error::config(name, message),
        other => other,
    }
}

/// A field as the name of a parameter: `text-key` of `text_key`. Done while the program is compiled, so
/// that names are constants, as flags of the command line must be.
#[doc(hidden)]
pub const fn name_of<const N: usize>(field: &str) -> [u8; N] {
    let bytes = field.as_bytes();
    let mut name = [0; N];
    let mut at = 0;
    while at < N {
        name[at] = if bytes[at] == b'_' { b'-' } else { bytes[at] };
        at += 1;
    }
    name
}

/// Declares a group of parameters.
///
/// ```
/// neardupe_jobs::params! {
///     /// How things are written.
///     pub struct Writing {
///         /// Folder of the result [default: out]
///         output: std::path::PathBuf => value("DIR").short('o');
///         /// Replace what is there
///         overwrite: bool => switch();
///     }
/// }
/// # use neardupe_jobs::param::Params;
/// # let map = serde_json::from_str(r#"{"output": "x", "overwrite": true}"#).unwrap();
/// let writing = Writing::from_map(&map, "this").unwrap();
/// assert_eq!(writing.overwrite, Some(true));
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident {
            $( [ $( $part:ident : $part_type:ty ),* $(,)? ] )?
            $(
                $(#[doc = $help:literal])*
                $field:ident : $type:ty => $($setting:ident ( $($value:expr)? )).+ ;
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Default)]
        pub struct $name {
            $( $(
                #[doc = concat!("Parameters of [`", stringify!($part_type), "`].")]
                pub $part: $part_type,
            )* )?
            $(
                $(#[doc = $help])*
                pub $field: Option<$type>,
            )*
        }

        impl $crate::param::Params for $name {
            fn visit(visit: &mut dyn FnMut(&'static $crate::param::ParamInfo)) {
                // Else unused in a group that has only other groups.
                let _ = &visit;
                $( {
                    // Two steps, since a string cannot be changed in a constant, and its bytes can.
                    const BYTES: [u8; stringify!($field).len()] =
                        $crate::param::name_of(stringify!($field));
                    const NAME: &str = match ::std::str::from_utf8(&BYTES) {
                        Ok(name) => name,
                        Err(_) => panic!("the name of a field is text"),
                    };
                    const INFO: $crate::param::ParamInfo =
                        $crate::param::ParamInfo::of::<$type>(NAME, concat!($($help),*))
                            $(.$setting($($value)?))+;
                    visit(&INFO);
                } )*
                $( $( <$part_type as $crate::param::Params>::visit(visit); )* )?
            }

            fn get(&self, name: &str) -> Option<::serde_json::Value> {
                $(
                    if $crate::param::is_field(name, stringify!($field)) {
                        return self.$field.as_ref().map($crate::param::ParamValue::to_json);
                    }
                )*
                $( $(
                    if let Some(value) = $crate::param::Params::get(&self.$part, name) {
                        return Some(value);
                    }
                )* )?
                let _ = name;
                None
            }

            fn set(
                &mut self,
                name: &str,
                value: &::serde_json::Value,
            ) -> ::neardupe_core::error::Result<bool> {
                $(
                    if $crate::param::is_field(name, stringify!($field)) {
                        self.$field = match value {
                            // As in a summary, where a parameter that does not apply is null.
                            ::serde_json::Value::Null => None,
                            value => Some(
                                <$type as $crate::param::ParamValue>::from_json(value)
                                    .map_err(|error| $crate::param::of_param(name, error))?,
                            ),
                        };
                        return Ok(true);
                    }
                )*
                $( $(
                    if $crate::param::Params::set(&mut self.$part, name, value)? {
                        return Ok(true);
                    }
                )* )?
                let _ = (name, value);
                Ok(false)
            }

            fn or(self, under: Self) -> Self {
                $name {
                    $( $( $part: $crate::param::Params::or(self.$part, under.$part), )* )?
                    $( $field: self.$field.or(under.$field), )*
                }
            }
        }
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "groups are public everywhere else")]
mod tests {
    use super::*;
    use serde_json::json;

    crate::params! {
        /// What is written.
        pub struct Inner {
            /// Where it
            /// goes
            output_file: std::path::PathBuf => value("FILE").short('o').heading("Output");
            /// Be quick
            quick: bool => switch();
        }
    }

    crate::params! {
        /// All.
        pub struct Outer {
            [ inner: Inner ]
            /// Several
            keys: Vec<String> => value("KEY");
            /// How many
            number: Within<1, 9> => value("N").free();
        }
    }

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_declaration_gives_names_help_and_shape() {
        let infos = Outer::infos();
        let names: Vec<&str> = infos.iter().map(|info| info.name).collect();
        assert_eq!(names, ["keys", "number", "output-file", "quick"]);
        assert_eq!(infos[2].help(), "Where it goes");
        assert_eq!(infos[2].short, Some('o'));
        assert_eq!(infos[3].opposite().as_deref(), Some("no-quick"));
        assert!(infos[1].is_free && infos[0].shape == ParamShape::Many);
    }

    #[test]
    fn what_is_set_is_given_back_and_wins() {
        let given =
            map(json!({"output_file": "x", "quick": false, "keys": "a", "number": "3"}));
        let outer = Outer::from_map(&given, "this").unwrap();
        assert_eq!(
            Value::Object(outer.to_map()),
            json!({"keys": ["a"], "number": 3, "output-file": "x", "quick": false})
        );
        let under = map(json!({"quick": true, "number": 4}));
        let both = outer.or(Outer::from_map(&under, "this").unwrap());
        assert_eq!(both.inner.quick, Some(false));
        let both = Outer::default().or(both);
        assert_eq!(both.get("number"), Some(json!(3)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |value: Value| {
            Outer::from_map(&map(value), "this")
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            wrong(json!({"number": 10})),
            "number: \"10\" is not a whole number from 1 to 9"
        );
        assert_eq!(
            wrong(json!({"output": 10})),
            "output: this has no such parameter; there is output-file"
        );
        assert_eq!(wrong(json!({"quick": 1})), "quick: 1 is not true or false");
    }
}
