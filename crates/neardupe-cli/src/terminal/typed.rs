//! Commands as a user would type them, for messages that say what to do.
//!
//! Advice is worth more when it can be copied. Arguments are quoted for a POSIX shell, and only
//! those that need it, so that a command looks like the one that was typed.

/// A command of this program, with its arguments quoted where a shell needs it.
pub(crate) fn typed_command<S: AsRef<str>>(arguments: &[S]) -> String {
    let mut command = "neardupe".to_owned();
    for argument in arguments {
        let argument = argument.as_ref();
        command.push(' ');
        if is_plain(argument) {
            command += argument;
        } else {
            // Within single quotes a shell changes nothing; a quote itself is put between two
            // of them.
            command += &format!("'{}'", argument.replace('\'', "'\\''"));
        }
    }
    command
}

/// What was typed, with `--resume`.
///
/// Added only once, and before a bare `--`, after which everything is an input.
pub(crate) fn resuming_command() -> String {
    // Names that are not UTF-8 cannot be shown as they are; the command is advice and is never run by us.
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    let mut arguments: Vec<String> = arguments.collect();
    // What follows a bare -- is no flag.
    let flags = arguments.iter().position(|argument| argument == "--");
    let flags = flags.unwrap_or(arguments.len());
    if !arguments[..flags]
        .iter()
        .any(|argument| argument == "--resume")
    {
        arguments.insert(flags, "--resume".to_owned());
    }
    typed_command(&arguments)
}

/// Whether a shell takes an argument as it is.
fn is_plain(argument: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    !argument.is_empty() && argument.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_where_a_shell_needs_it() {
        let command = typed_command(&["find", "a b", "it's", "", "x/y.txt"]);
        assert_eq!(command, r"neardupe find 'a b' 'it'\''s' '' x/y.txt");
    }
}
