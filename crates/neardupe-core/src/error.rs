//! The error type of the library crates, sorted by who must act.
//!
//! A record that cannot be read is not an error: see [`crate::document::BadRecord`].

use std::path::{Path, PathBuf};

/// What every fallible function of the library crates returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a job stopped. Messages name the thing, the cause and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is wrong; the user corrects it.
    #[error("{key}: {message}")]
    Config {
        /// The name of the parameter; each front writes it in its own form.
        key: String,
        /// What is wrong with it and what is allowed.
        message: String,
    },
    /// A source cannot be read at all.
    #[error("{what}: {message}")]
    Input {
        /// The argument, file or record.
        what: String,
        /// The cause and the remedy.
        message: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder concerned.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A stored file has another version.
    #[error("{}: expected {expected}, found {found}; {remedy}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The version this program reads.
        expected: String,
        /// The version found.
        found: String,
        /// What to do about it.
        remedy: String,
    },
    /// A stored file is damaged.
    #[error("{}: damaged: {message}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Which check failed.
        message: String,
    },
    /// A limit on memory, disk or size was reached.
    #[error("{what}: needs {asked}, allowed {allowed}; {remedy}")]
    Limit {
        /// What ran into the limit.
        what: String,
        /// How much was asked for.
        asked: u64,
        /// How much is allowed.
        allowed: u64,
        /// Which flag raises it.
        remedy: String,
    },
    /// Stopped on request.
    #[error("stopped on request")]
    Cancelled,
    /// Stopped on request, and what can be done now.
    #[error("stopped on request; {advice}")]
    Stopped {
        /// How to go on.
        advice: String,
    },
    /// There is no room left on a disk.
    #[error("{}: the disk is full; {remedy}", path.display())]
    DiskFull {
        /// The file that was written.
        path: PathBuf,
        /// What to do about it.
        remedy: String,
    },
    /// A bug: no input may reach it.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

impl Error {
    /// A wrong parameter, by its name as in a configuration file. A message may name others, each between
    /// backquotes (`` `text-key` ``).
    pub fn config(key: impl Into<String>, message: impl Into<String>) -> Self {
        Error::Config {
            key: key.into(),
            message: message.into(),
        }
    }

    /// A source that cannot be read at all.
    pub fn input(what: impl Into<String>, message: impl Into<String>) -> Self {
        Error::Input {
            what: what.into(),
            message: message.into(),
        }
    }

    /// A refusal of the system at `path`.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        Error::Io {
            path: path.to_path_buf(),
            source,
        }
    }
}

impl From<std::num::TryFromIntError> for Error {
    fn from(error: std::num::TryFromIntError) -> Self {
        Error::Internal(format!("a number that is too large: {error}"))
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Error::Internal(format!("JSON: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_thing_and_the_cause() {
        let error = Error::config("threshold", "2 is not in 0..=1");
        assert_eq!(error.to_string(), "threshold: 2 is not in 0..=1");
        let error = Error::io(Path::new("a/b"), std::io::Error::other("gone"));
        assert_eq!(error.to_string(), "a/b: gone");
    }
}
