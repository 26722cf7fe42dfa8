//! The methods: which pairs are compared, and what a job must know and keep for that.
//!
//! A method is one file that implements `Definition` and one line of `methods!`. It is asked once for a job, a
//! document or a set, never for a feature or a pair: loops stay free of it. What a front has to know of it (its
//! parameters, what a summary says, the catalogue) is one file of the library of jobs.

mod definition;
mod exact;
mod imatch;
mod minhash;
mod simhash;
mod weighted;

pub use definition::MethodPromise;
pub(super) use definition::{Keys, MethodInput, Signer};
pub(super) use imatch::MadeKeys;
pub use simhash::Hamming;
pub use weighted::{STEPS, Weigher, weight};

use crate::candidate::filter::Filters;
use crate::candidate::side::{SideKind, SideLayout};
use crate::error::{Error, Result};
use crate::signature::{Bands, CodeSpec, IMatchSettings};
use definition::Definition;
use std::fmt;
use std::str::FromStr;

/// One line for each method: its variant, its settings, and the type that defines it.
macro_rules! methods {
    ($(
        $(#[$attribute:meta])*
        $variant:ident $(($($field:ident: $type:ty),+))? in $module:ident::$definition:ident
            $(typed $given:ident: $typed:ty)?;
    )+) => {
        /// Which pairs are compared.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum Method {
            $( $(#[$attribute])* $variant $(($($type),+))?, )+
        }

        impl Method {
            /// Asks the definition of the method.
            fn ask<T>(self, ask: impl FnOnce(&dyn Definition) -> T) -> T {
                match self {
                    $( Method::$variant $(($($field),+))? => {
                        ask(&$module::$definition { $($($field),+)? })
                    } )+
                }
            }

            /// The names of all methods, in the order of help.
            pub const NAMES: &'static [&'static str] = &[$( $module::NAME ),+];
        }

        /// A method as it is typed: with settings only where these belong to its name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum MethodChoice {
            $( $(#[$attribute])* $variant $(($typed))?, )+
        }

        impl MethodChoice {
            /// The name without its settings.
            pub fn name(self) -> &'static str {
                match self {
                    $( MethodChoice::$variant { .. } => $module::NAME, )+
                }
            }

            /// All methods but the exact one, as help lists them.
            pub fn help() -> String {
                let all = [$( $module::HELP ),+];
                let others: Vec<&str> = all.into_iter().filter(|help| !help.is_empty()).collect();
                others.join(", ")
            }
        }

        impl fmt::Display for MethodChoice {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $( MethodChoice::$variant $(($given))? => {
                        let settings: Option<&dyn fmt::Display> = None;
                        $( let settings = settings.or(Some($given)); )?
                        match settings {
                            Some(settings) => settings.fmt(out),
                            None => out.write_str($module::NAME),
                        }
                    } )+
                }
            }
        }

        impl FromStr for MethodChoice {
            type Err = Error;

            fn from_str(typed: &str) -> Result<Self> {
                let (name, settings) = match typed.split_once(':') {
                    Some((name, _)) => (name, true),
                    None => (typed, false),
                };
                $(
                    // There are settings if there is a type of them.
                    let takes_settings = false $(|| size_of::<$typed>() > 0)?;
                    if name == $module::NAME && (takes_settings || !settings) {
                        return Ok(MethodChoice::$variant $((typed.parse::<$typed>()?))?);
                    }
                )+
                let message = format!("{typed:?} is not one of {}", Method::NAMES.join(", "));
                Err(Error::config("method", message))
            }
        }
    };
}

// All methods, in the order in which help lists them.
methods! {
    /// All that can be similar.
    #[default]
    Exact in exact::Exact;
    /// Those whose MinHash signatures agree in a band.
    MinHash(bands: Bands) in minhash::BandedMinHash;
    /// Those whose simhashes differ in a few bits.
    Simhash(hamming: Hamming) in simhash::NearCodes;
    /// Those that share a key of I-Match.
    IMatch in imatch::SharedKeys typed settings: IMatchSettings;
    /// Those whose MinHash signatures of weighted features agree in a band.
    WeightedMinHash(bands: Bands) in weighted::WeightedMinHash;
}

impl Method {
    /// The name without settings.
    pub fn name(self) -> &'static str {
        self.ask(|method| method.name())
    }

    /// What can be said of the pairs before they are looked at.
    pub fn promise(self) -> MethodPromise {
        self.ask(|method| method.promise())
    }

    /// Values of a signature; none where there is none, or where the settings of I-Match say it.
    pub fn signature_values(self) -> Option<usize> {
        self.ask(|method| method.signature_values())
    }

    /// The filters that hold for the method, of those that are on.
    pub(super) fn filters(self, job: &MethodInput<'_>, filters: Filters) -> Filters {
        self.ask(|method| method.filters(job, filters))
    }

    /// Number of keys of a set, where sets are looked up by keys.
    pub(super) fn num_keys(self, job: &MethodInput<'_>) -> usize {
        self.ask(|method| method.num_keys(job))
    }

    /// What makes the keys of so many sets, where they are looked up by keys.
    pub(super) fn keys(
        self,
        job: &MethodInput<'_>,
        num_sets: u64,
    ) -> Option<Box<dyn Keys>> {
        self.ask(|method| method.keys(job, num_sets))
    }

    /// What is made of each document while it is read.
    pub(super) fn signer(self, job: &MethodInput<'_>) -> Result<Option<Box<dyn Signer>>> {
        self.ask(|method| method.signer(job))
    }

    /// What is kept of each set beside its features.
    pub(super) fn side(self, job: &MethodInput<'_>) -> SideLayout {
        let mut layout = self.ask(|method| method.side(job));
        if let Some(plan) = &job.sampling.adaptive {
            layout = layout.with(SideKind::Levels, 1 + plan.levels().len());
        }
        if job.count_words {
            layout = layout.with(SideKind::NumWords, 1);
        }
        layout
    }

    /// How the simhashes of documents are made, if the method has any.
    pub(super) fn codes<'a>(self, job: &MethodInput<'a>) -> Option<&'a CodeSpec> {
        let has_codes = self.ask(|method| method.has_codes());
        job.codes.map(|codes| &**codes).filter(|_| has_codes)
    }

    /// Whether the share of pairs that are missed can be measured by the exact join of the same sets.
    pub(super) fn can_be_measured(self) -> bool {
        self.ask(|method| method.can_be_measured())
    }
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ask(|method| method.fmt(out))
    }
}
