//! `methods`: a map of all methods, with what was measured of each.

mod catalogue;
mod left_out;
mod measured;
mod method;
mod summary;

pub use catalogue::METHODS;
pub use left_out::{LEFT_OUT, LeftOutMethod};
pub use measured::{MeasuredCollection, MeasuredMethods, MethodFigures, THRESHOLDS};
pub use method::{CatalogueMethod, MethodCertainty, MethodGroup, MethodPromise};
pub use summary::{
    MethodsCertain, MethodsEntry, MethodsFigure, MethodsLeftOut, MethodsMap,
    MethodsMeasured, MethodsSummary,
};

use super::find::all_options;
use crate::exec::Exec;
use neardupe_core::document::check_cancelled;
use neardupe_core::error::{Error, Result};
use serde_json::{Map, Value};

crate::params! {
    /// What is known of methods.
    pub struct MethodsSpec {
        /// Show all of one method, also of one that was left out
        name: String => value("NAME").positional();
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct MethodsJob {
    asked: MethodsAsked,
}

/// Which methods are asked for.
#[derive(Debug, Clone, Copy)]
pub enum MethodsAsked {
    /// All of them.
    All,
    /// One that is here.
    Method(&'static CatalogueMethod),
    /// One that is not.
    LeftOut(&'static LeftOutMethod),
}

/// What is known.
#[derive(Debug, Clone)]
pub struct MethodsOutcome {
    /// The methods that were asked for.
    pub summary: MethodsSummary,
    /// Which they are.
    pub asked: MethodsAsked,
    /// All figures.
    pub measured: MeasuredMethods,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl MethodsSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<MethodsJob> {
        let asked = match &self.name {
            None => MethodsAsked::All,
            Some(name) => MethodsAsked::of_name(name)?,
        };
        Ok(MethodsJob { asked })
    }
}

impl MethodsAsked {
    /// The method of this name.
    fn of_name(given: &str) -> Result<Self> {
        let name = given.to_lowercase();
        let method = METHODS.iter().find(|method| method.name == name);
        let left_out = || LEFT_OUT.iter().find(|method| method.name == name);
        let found = method.map(MethodsAsked::Method);
        let found = found.or_else(|| left_out().map(MethodsAsked::LeftOut));
        found.ok_or_else(|| {
            let here: Vec<_> = METHODS.iter().map(|method| method.name).collect();
            let not_here: Vec<_> = LEFT_OUT.iter().map(|method| method.name).collect();
            let message = format!(
                "{given:?} is not one of {}; nor of those left out: {}",
                here.join(", "),
                not_here.join(", ")
            );
            Error::config("name", message)
        })
    }

    /// The name of the method, if it is one.
    fn name(self) -> Option<&'static str> {
        match self {
            MethodsAsked::All => None,
            MethodsAsked::Method(method) => Some(method.name),
            MethodsAsked::LeftOut(method) => Some(method.name),
        }
    }
}

impl MethodsJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&MethodsSpec {
            name: self.asked.name().map(str::to_owned),
        })
    }

    /// Looks the methods up.
    pub fn run(self, exec: &Exec<'_>) -> Result<MethodsOutcome> {
        check_cancelled(exec.progress)?;
        let measured = MeasuredMethods::read()?;
        let summary = match self.asked {
            MethodsAsked::All => {
                MethodsSummary::All(Box::new(MethodsMap::new(&measured)))
            }
            MethodsAsked::Method(method) => {
                MethodsSummary::Method(Box::new(MethodsEntry::new(method, &measured)))
            }
            MethodsAsked::LeftOut(method) => {
                MethodsSummary::LeftOut(Box::new(MethodsLeftOut::new(method)))
            }
        };
        Ok(MethodsOutcome {
            summary,
            asked: self.asked,
            measured,
            warnings: Vec::new(),
        })
    }
}
