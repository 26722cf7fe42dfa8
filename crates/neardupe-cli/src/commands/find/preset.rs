//! Published systems as options: a preset is a file of options, under everything typed.

use super::options::FindOptions;
use crate::options::from_file;
use anyhow::Result;
use neardupe_core::error::Error;
use std::path::Path;

/// All presets, by name.
const PRESETS: [(&str, &str); 8] = [
    ("waterloo", include_str!("presets/waterloo.toml")),
    ("ye", include_str!("presets/ye.toml")),
    ("mapdupreducer", include_str!("presets/mapdupreducer.toml")),
    ("mit", include_str!("presets/mit.toml")),
    ("broder97", include_str!("presets/broder97.toml")),
    ("fetterly03", include_str!("presets/fetterly03.toml")),
    ("shivakumar98", include_str!("presets/shivakumar98.toml")),
    ("heintze96", include_str!("presets/heintze96.toml")),
];

impl FindOptions {
    /// What was typed; where nothing was, what the file says; then what the preset says.
    pub(crate) fn complete(self, config: Option<&Path>) -> Result<FindOptions> {
        let options = match config {
            Some(path) => self.or(from_file(path)?),
            None => self,
        };
        match options.preset.clone() {
            None => Ok(options),
            Some(name) => {
                let mut preset = preset(&name)?;
                if options
                    .method
                    .as_deref()
                    .is_some_and(|method| method != "exact")
                {
                    // A filter of the exact join, which was not typed.
                    preset.signature_filter = None;
                }
                Ok(options.or(preset))
            }
        }
    }
}

fn preset(name: &str) -> Result<FindOptions> {
    let Some((_, text)) = PRESETS.iter().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
        let message = format!("{name:?} is not one of {}", names.join(", "));
        return Err(Error::config("--preset", message).into());
    };
    toml::from_str(text)
        .map_err(|error| Error::Internal(format!("preset {name}: {error}")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_read_and_what_is_typed_wins() {
        for (name, _) in PRESETS {
            let typed = FindOptions {
                preset: Some(name.to_owned()),
                seed: Some("9".to_owned()),
                ..FindOptions::default()
            };
            let options = typed.complete(None).unwrap();
            assert_eq!(options.seed.as_deref(), Some("9"));
            assert_eq!(options.pairs.as_deref(), Some("all"));
        }
        assert!(preset("winnow").is_err());
    }

    #[test]
    fn a_preset_asks_for_no_filter_that_the_typed_method_does_not_have() {
        for (method, filter) in [("exact", Some("imatch")), ("minhash", None)] {
            let typed = FindOptions {
                preset: Some("mapdupreducer".to_owned()),
                method: Some(method.to_owned()),
                ..FindOptions::default()
            };
            let options = typed.complete(None).unwrap();
            assert_eq!(options.signature_filter.as_deref(), filter);
        }
    }
}
