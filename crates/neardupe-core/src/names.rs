//! Values of a closed set and their names, declared once: what can be typed, what is printed, what is listed.

/// Gives the values of an enum their names.
///
/// ```
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// enum Color { Red, Green }
/// neardupe_core::named!(Color as "color" { Red = "red", Green = "green" });
/// assert_eq!(Color::NAMES, ["red", "green"]);
/// assert_eq!("red".parse::<Color>().unwrap(), Color::Red);
/// assert_eq!(
///     "blue".parse::<Color>().unwrap_err().to_string(),
///     "color: \"blue\" is not one of red, green"
/// );
/// ```
#[macro_export]
macro_rules! named {
    ($type:ident as $param:literal { $($value:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// The names of all values.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$value => $name),+
                }
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::error::Error;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                match text {
                    $($name => Ok($type::$value),)+
                    _ => {
                        let names = $type::NAMES.join(", ");
                        let message = format!("{text:?} is not one of {names}");
                        Err($crate::error::Error::config($param, message))
                    }
                }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, out: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}
