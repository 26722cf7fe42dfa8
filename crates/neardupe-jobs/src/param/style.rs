//! How each front writes a parameter in a message.
//!
//! One message serves a terminal, Python and HTTP: libraries never write `--`. A quoted text that
//! is not the name of a parameter is left as it is, since messages also quote ids and commands.

/// The form in which a front names parameters. Messages of the libraries name them neutrally, between
/// backquotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParamStyle {
    /// As in a configuration file: `text-key`.
    #[default]
    Name,
    /// As on the command line: `--text-key`.
    Flag,
    /// As in Python: `text_key=`.
    Keyword,
    /// As a place in a JSON body: `/text-key`.
    Pointer,
}

impl ParamStyle {
    /// A parameter, with its value where a message has one.
    pub fn param(self, name: &str, value: Option<&str>) -> String {
        match (self, value) {
            (ParamStyle::Name, None) => name.to_owned(),
            (ParamStyle::Name, Some(value)) => format!("{name} {value}"),
            (ParamStyle::Flag, None) => format!("--{name}"),
            (ParamStyle::Flag, Some(value)) => format!("--{name} {value}"),
            (ParamStyle::Keyword, value) => {
                let name = name.replace('-', "_");
                match value {
                    None => format!("{name}="),
                    Some(value) => format!("{name}={value:?}"),
                }
            }
            (ParamStyle::Pointer, None) => format!("/{name}"),
            (ParamStyle::Pointer, Some(value)) => format!("/{name}: {value}"),
        }
    }
}

/// Writes a message in the form of a front: a text between backquotes that begins with the name of a
/// parameter (`` `text-key` ``, `` `features terms` ``) is written as the front writes parameters.
/// Everything else is kept, also backquotes around commands and backquotes in ids or values of
/// documents, which a message may quote.
pub fn render(
    message: &str,
    style: ParamStyle,
    is_param: impl Fn(&str) -> bool,
) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find('`') {
        let inside = &rest[at + 1..];
        let Some(end) = inside.find('`') else {
            break;
        };
        let quoted = &inside[..end];
        let (name, value) = match quoted.split_once(' ') {
            Some((name, value)) => (name, Some(value)),
            None => (quoted, None),
        };
        if is_param(name) {
            out += &rest[..at];
            out += &style.param(name, value);
            rest = &inside[end + 1..];
        } else {
            // Not a parameter. The second backquote may open the next pair: `y` and `no-text`.
            out += &rest[..at + 1 + end];
            rest = &inside[end..];
            if let Some(stripped) = rest.strip_prefix('`') {
                out.push('`');
                rest = stripped;
            }
        }
    }
    out += rest;
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_written_as_each_front_does() {
        let message = "take `features terms`, leave out `no-text` or run `neardupe find`";
        let is_param = |name: &str| ["features", "no-text"].contains(&name);
        let of = |style| render(message, style, is_param);
        assert_eq!(
            of(ParamStyle::Flag),
            "take --features terms, leave out --no-text or run `neardupe find`"
        );
        assert_eq!(
            of(ParamStyle::Keyword),
            "take features=\"terms\", leave out no_text= or run `neardupe find`"
        );
        assert_eq!(
            of(ParamStyle::Pointer),
            "take /features: terms, leave out /no-text or run `neardupe find`"
        );
        assert_eq!(
            of(ParamStyle::Name),
            "take features terms, leave out no-text or run `neardupe find`"
        );
    }

    #[test]
    fn what_is_not_closed_stays() {
        let is_param = |name: &str| name == "x";
        for text in ["", "`", "a ` b", "`y` and `", "no marks"] {
            assert_eq!(render(text, ParamStyle::Flag, is_param), text);
        }
        assert_eq!(render("`y` `x` `", ParamStyle::Flag, is_param), "`y` --x `");
    }
}
