//! `filters.tsv`: what each filter of the join is worth, for a table or a chart of one's own.

use super::table::Table;
use crate::tables::{FilterSettingRow, FilterSettings};
use neardupe_core::error::Result;
use neardupe_core::pipeline::FilterComparison;
use std::path::Path;

/// Name of the file.
pub const FILTERS: &str = "filters.tsv";

/// Writes a comparison of filters into a folder: a line for each setting.
pub fn write_filters(folder: &Path, comparison: &FilterComparison) -> Result<()> {
    let mut table = Table::<FilterSettings>::create_fixed(folder)?;
    for sample in &comparison.samples {
        for row in &sample.rows {
            let ledger = &row.ledger;
            table.row(&FilterSettingRow {
                setting: row.setting.to_string().into(),
                one_in: sample.one_in,
                sets: sample.sets,
                features: sample.features,
                without_partner: ledger.without_partner,
                lookups: ledger.lookups,
                postings: ledger.postings,
                after_length: ledger.after_length,
                after_position: ledger.after_position,
                candidates: ledger.candidates,
                verified: ledger.verified,
                found: ledger.found,
                lost: row.lost,
                same: row.same,
                prepare_seconds: row.prepare_seconds,
                join_seconds: row.join_seconds,
            })?;
        }
    }
    table.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::candidate::ledger::Ledger;
    use neardupe_core::pipeline::compare_filters::{ComparedSample, FilterRow, Setting};

    #[test]
    fn every_line_has_a_value_for_every_name() {
        let row = FilterRow {
            setting: Setting::Signature,
            ledger: Ledger::default(),
            lost: 3,
            same: false,
            prepare_seconds: 0.5,
            join_seconds: 0.25,
        };
        let sample = ComparedSample {
            rows: vec![row, row],
            ..ComparedSample::default()
        };
        let comparison = FilterComparison {
            samples: vec![sample],
        };
        let folder = tempfile::tempdir().unwrap();
        write_filters(folder.path(), &comparison).unwrap();
        let text = std::fs::read_to_string(folder.path().join(FILTERS)).unwrap();
        let columns: Vec<usize> =
            text.lines().map(|line| line.split('\t').count()).collect();
        assert_eq!(columns, [16, 16, 16]);
        assert!(text.ends_with("\t3\tno\t0.500000\t0.250000\n"), "{text}");
    }
}
