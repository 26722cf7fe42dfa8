//! `filters.tsv`: what each filter of the join is worth, for a table or a chart of one's own.

use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::FilterComparison;
use std::fmt::Write;
use std::path::Path;

/// Name of the file.
pub const FILTERS: &str = "filters.tsv";

/// Writes a comparison of filters into a folder: a line for each setting.
pub fn write_filters(folder: &Path, comparison: &FilterComparison) -> Result<()> {
    let path = folder.join(FILTERS);
    std::fs::write(&path, lines(comparison)).map_err(|error| Error::io(&path, error))
}

fn lines(comparison: &FilterComparison) -> String {
    let mut text = "setting\tone_in\tsets\tfeatures\twithout_partner\tlookups\tpostings\t\
                    after_length\tafter_position\tcandidates\tverified\tfound\tlost\tsame\t\
                    prepare_seconds\tjoin_seconds\n"
        .to_owned();
    for sample in &comparison.samples {
        for row in &sample.rows {
            let ledger = &row.ledger;
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.6}\t{:.6}",
                row.setting,
                sample.one_in,
                sample.sets,
                sample.features,
                ledger.without_partner,
                ledger.lookups,
                ledger.postings,
                ledger.after_length,
                ledger.after_position,
                ledger.candidates,
                ledger.verified,
                ledger.found,
                row.lost,
                if row.same { "yes" } else { "no" },
                row.prepare_seconds,
                row.join_seconds,
            );
        }
    }
    text
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
        let text = lines(&FilterComparison {
            samples: vec![sample],
        });
        let columns: Vec<usize> =
            text.lines().map(|line| line.split('\t').count()).collect();
        assert_eq!(columns, [16, 16, 16]);
        assert!(text.ends_with("\t3\tno\t0.500000\t0.250000\n"), "{text}");
    }
}
