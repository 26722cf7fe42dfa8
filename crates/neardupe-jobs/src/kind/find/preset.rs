//! Published systems: a preset is a part of a description, and every parameter that is given wins over
//! it. Its text is a file of `presets/`, in the form of a configuration file, compiled into the
//! program.

use super::spec::FindSpec;
use crate::param::{ParamValue, Params};
use neardupe_core::error::{Error, Result};
use serde_json::{Map, Value, json};

/// A published system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Khoshdel Nikkhoo 2010.
    Waterloo,
    /// Ye et al. 2008.
    Ye,
    /// Wang et al. 2010.
    MapDupReducer,
    /// Seshasai 2009.
    Mit,
    /// Broder et al. 1997.
    Broder97,
    /// Fetterly et al. 2003.
    Fetterly03,
    /// Shivakumar and Garcia-Molina 1998.
    Shivakumar98,
    /// Heintze 1996.
    Heintze96,
}

neardupe_core::named!(Preset as "preset" {
    Waterloo = "waterloo",
    Ye = "ye",
    MapDupReducer = "mapdupreducer",
    Mit = "mit",
    Broder97 = "broder97",
    Fetterly03 = "fetterly03",
    Shivakumar98 = "shivakumar98",
    Heintze96 = "heintze96",
});

impl ParamValue for Preset {
    const VALUES: &'static [&'static str] = Preset::NAMES;

    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.name())
    }
}

impl Preset {
    /// The file of the preset.
    fn text(self) -> &'static str {
        match self {
            Preset::Waterloo => include_str!("presets/waterloo.toml"),
            Preset::Ye => include_str!("presets/ye.toml"),
            Preset::MapDupReducer => include_str!("presets/mapdupreducer.toml"),
            Preset::Mit => include_str!("presets/mit.toml"),
            Preset::Broder97 => include_str!("presets/broder97.toml"),
            Preset::Fetterly03 => include_str!("presets/fetterly03.toml"),
            Preset::Shivakumar98 => include_str!("presets/shivakumar98.toml"),
            Preset::Heintze96 => include_str!("presets/heintze96.toml"),
        }
    }

    /// The parameters that it sets. Errors are bugs: a test reads all of them.
    pub fn spec(self) -> Result<FindSpec> {
        let wrong =
            |message: String| Error::Internal(format!("preset {self}: {message}"));
        // The form of a configuration file, so that a user can copy one and change it.
        let map: Map<String, Value> =
            toml::from_str(self.text()).map_err(|error| wrong(error.to_string()))?;
        FindSpec::from_map(&map, "a preset").map_err(|error| wrong(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::param::Within;
    use crate::spec::MethodChoice;
    use neardupe_core::pipeline::PairsMode;

    fn all() -> impl Iterator<Item = Preset> {
        Preset::NAMES.iter().map(|name| name.parse().unwrap())
    }

    #[test]
    fn every_preset_can_be_read_and_what_is_given_wins() {
        for preset in all() {
            let mut given = FindSpec {
                preset: Some(preset),
                ..FindSpec::default()
            };
            given.reading.seed.seed = Some(Within(9));
            let spec = given.with_preset().unwrap();
            assert_eq!(spec.reading.seed.seed, Some(Within(9)));
            assert_eq!(spec.cluster.pairs, Some(PairsMode::All));
        }
        assert!("winnow".parse::<Preset>().is_err());
    }

    #[test]
    fn a_preset_asks_for_no_filter_that_the_method_does_not_have() {
        for (method, has) in [(MethodChoice::Exact, true), (MethodChoice::MinHash, false)]
        {
            let mut given = FindSpec {
                preset: Some(Preset::MapDupReducer),
                ..FindSpec::default()
            };
            given.method.method = Some(method);
            let spec = given.with_preset().unwrap();
            assert_eq!(spec.method.signature_filter.is_some(), has);
        }
    }

    #[test]
    fn a_switch_of_a_preset_can_be_set_back() {
        let mut given = FindSpec {
            preset: Some(Preset::Mit),
            ..FindSpec::default()
        };
        assert_eq!(
            given.clone().with_preset().unwrap().method.no_verify,
            Some(true)
        );
        given.method.no_verify = Some(false);
        assert_eq!(given.with_preset().unwrap().method.no_verify, Some(false));
    }
}
