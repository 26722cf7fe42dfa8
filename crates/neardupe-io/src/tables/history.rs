//! The tables of `history`: every comparison, and every id with what follows for it.

use super::column::{
    Days, Distance, Number, OptionalDistance, OptionalText, Ratio, StatusName,
    SuggestionName, Text, YesNo,
};
use super::declaration::table;

table! {
    /// Versions of documents, each with how it differs from the one before. Dates are
    /// `YYYY-MM-DDTHH:MM:SSZ`, with a fraction where there is one, and absent with
    /// `date-key none`.
    Comparisons = "history" of "comparison" {
        rows: ComparisonRow, StoredComparison;
        of: [History];
        formats: Chosen;
        order: "by `id` and `date`";
        columns {
            /// Id of the document.
            id: Text,
            /// Date of the version.
            date: OptionalText,
            /// Date of the version before it.
            before: OptionalText,
            /// How the version differs from the one before.
            status: StatusName,
            /// Number of bits in which their simhashes differ.
            distance: Distance,
        }
    }
}

table! {
    /// Documents, each with what follows from its versions.
    Revisits = "revisit" of "document" {
        rows: RevisitRow, StoredRevisit;
        of: [History];
        formats: Chosen;
        order: "by falling `priority` and then by `id`";
        columns {
            /// Id of the document.
            id: Text,
            /// Number of its versions.
            versions: Number<u64>,
            /// Date of the newest version.
            date: OptionalText,
            /// How the newest version differs from the one before.
            status: StatusName,
            /// Number of bits in which their simhashes differ; absent for `new`.
            distance: OptionalDistance,
            /// How soon it should be visited again: 1 first.
            priority: Ratio,
            /// Proposed number of days to the next visit; absent where none is known.
            interval_days: Days,
            /// Whether the time to the next visit should change.
            suggestion: SuggestionName,
            /// Whether this job read a version of it.
            visited: YesNo,
        }
    }
}
