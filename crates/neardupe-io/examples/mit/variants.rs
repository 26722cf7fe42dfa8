//! The rows of the tables: how codes are made, and what the paper measured.

use super::stories::{FIELDS, Story};
use neardupe_core::document::{Record, Region, RegionKind, Silent, Span};
use neardupe_core::feature::{Extractor, FeatureKind};
use neardupe_core::pipeline::codes::{CodePlan, DfSource, Reading};
use neardupe_core::signature::{CodeSpec, Coder, Idf};
use neardupe_core::store::{Budget, WorkDir};
use neardupe_core::text::{StopWords, WordOptions};
use neardupe_io::source::FileSource;
use std::sync::Arc;
use std::thread;

/// Distances that are looked at: 0, at most 1, 2, 3.
pub(crate) const NUM_DISTANCES: usize = 4;
const THREADS: usize = 2;

/// What the paper has for each distance, in hundredths.
pub(crate) struct Paper {
    /// Table 6.1.
    pub(crate) precision: [u32; NUM_DISTANCES],
    /// Table 6.2.
    pub(crate) neighbors: [u32; NUM_DISTANCES],
}

/// What is coded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coded {
    Body,
    /// The headline, tagged as a title, and the body.
    TitleAndBody,
    /// Shingles of three and five words of the body, all with the same weight.
    Shingles,
}

/// A way to make codes.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) coded: Coded,
    /// What terms weigh beside their occurrences.
    pub(crate) idf: Idf,
    pub(crate) paper: Option<Paper>,
}

/// A row of the paper's tables.
const fn table(
    name: &'static str,
    variant: &'static str,
    coded: Coded,
    precision: [u32; NUM_DISTANCES],
    neighbors: [u32; NUM_DISTANCES],
) -> Row {
    let paper = Some(Paper {
        precision,
        neighbors,
    });
    Row {
        name,
        variant,
        coded,
        idf: Idf::Log,
        paper,
    }
}

/// A row that the paper does not have.
const fn extra(name: &'static str, variant: &'static str) -> Row {
    Row {
        name,
        variant,
        coded: Coded::Body,
        idf: Idf::Log,
        paper: None,
    }
}

/// All rows: those of the paper first, in its order.
pub(crate) const ROWS: [Row; 23] = [
    table(
        "original",
        "original",
        Coded::Body,
        [82, 71, 50, 37],
        [349, 606, 715, 773],
    ),
    table(
        "metadata",
        "metadata:1",
        Coded::Body,
        [89, 75, 66, 59],
        [407, 409, 416, 434],
    ),
    table(
        "no-numbers",
        "no-numbers",
        Coded::Body,
        [61, 39, 29, 18],
        [1125, 1470, 1619, 1824],
    ),
    table(
        "low-threshold",
        "low-threshold",
        Coded::Body,
        [84, 69, 50, 38],
        [349, 606, 715, 773],
    ),
    table(
        "high-threshold",
        "high-threshold",
        Coded::Body,
        [59, 50, 36, 27],
        [434, 703, 825, 930],
    ),
    table(
        "position",
        "position",
        Coded::Body,
        [36, 24, 22, 10],
        [4418, 5199, 5574, 5870],
    ),
    table(
        "function",
        "function:cos",
        Coded::Body,
        [46, 34, 26, 9],
        [3998, 4813, 5658, 6132],
    ),
    table(
        "tagged, with headline",
        "tagged",
        Coded::TitleAndBody,
        [83, 37, 52, 35],
        [349, 606, 715, 773],
    ),
    Row {
        coded: Coded::TitleAndBody,
        ..extra("original, with headline", "original")
    },
    extra("metadata:1/2", "metadata:1/2"),
    extra("metadata:2", "metadata:2"),
    extra("metadata:flip", "metadata:flip"),
    extra("function:inverse", "function:inverse"),
    extra("function:inverse-log", "function:inverse-log"),
    extra("middle", "middle"),
    extra("top:20", "top:20"),
    extra("top:10%", "top:10%"),
    extra("damped", "damped"),
    extra("no-numbers,damped", "no-numbers,damped"),
    Row {
        idf: Idf::Inverse,
        ..extra("original, 1/df", "original")
    },
    Row {
        idf: Idf::Inverse,
        ..extra("position, 1/df", "position")
    },
    Row {
        idf: Idf::Inverse,
        ..extra("function, 1/df", "function:cos")
    },
    Row {
        coded: Coded::Shingles,
        idf: Idf::None,
        ..extra("words:3+5, no weights", "original")
    },
];

/// How codes of terms and of shingles are made, before a variant is chosen.
pub(crate) struct Specs {
    terms: CodeSpec,
    shingles: CodeSpec,
}

impl Specs {
    /// Counts how many stories have each term.
    pub(crate) fn new(source: &FileSource) -> Self {
        let stop_words = StopWords::named("en").unwrap();
        let words = WordOptions {
            stop_words,
            ..WordOptions::default()
        };
        Specs {
            terms: specify(source, FeatureKind::Terms, words, Idf::Log),
            shingles: specify(
                source,
                FeatureKind::Mixed(3, 5),
                WordOptions::default(),
                Idf::None,
            ),
        }
    }

    /// Extracts the terms that are weighed.
    pub(crate) fn extractor(&self) -> Extractor {
        let CodeSpec {
            features,
            words,
            seed,
            ..
        } = &self.terms;
        Extractor::new(*features, words, *seed)
    }
}

fn specify(
    source: &FileSource,
    features: FeatureKind,
    words: WordOptions,
    idf: Idf,
) -> CodeSpec {
    let folder = tempfile::tempdir().unwrap();
    let plan = CodePlan {
        features,
        words,
        seed: 0,
        variant: "original".parse().unwrap(),
        idf,
        df: DfSource::Collection,
        reserve: None,
        fields: FIELDS.map(str::to_owned).to_vec(),
        num_features: FIELDS.len(),
    };
    let reading = Reading {
        source,
        threads: THREADS,
        budget: &Budget::new(1 << 30, THREADS),
        work: &WorkDir::new(folder.path().join("work")),
        progress: &Silent,
    };
    plan.specify(reading).unwrap()
}

/// The codes of all stories; a story without a word has none.
pub(crate) fn codes(row: &Row, specs: &Specs, stories: &[Story]) -> Vec<Option<u64>> {
    let mut spec = match row.coded {
        Coded::Shingles => specs.shingles.clone(),
        Coded::Body | Coded::TitleAndBody => specs.terms.clone(),
    };
    spec.variant = row.variant.parse().unwrap();
    spec.idf = row.idf;
    let spec = Arc::new(spec);
    let part_len = stories.len().div_ceil(THREADS).max(1);
    thread::scope(|scope| {
        let parts = stories.chunks(part_len).map(|part| {
            let mut coder = Coder::new(Arc::clone(&spec)).unwrap();
            scope.spawn(move || {
                let codes = part.iter().map(|story| code(&mut coder, row.coded, story));
                codes.collect::<Vec<_>>()
            })
        });
        let parts: Vec<_> = parts.collect();
        let codes = parts.into_iter().flat_map(|part| part.join().unwrap());
        codes.collect()
    })
}

fn code(coder: &mut Coder, coded: Coded, story: &Story) -> Option<u64> {
    let record = Record {
        text: &story.body,
        metadata: &story.metadata,
        ..Record::default()
    };
    if coded != Coded::TitleAndBody {
        return coder.code(&record);
    }
    let title = story.title();
    let span = Span {
        start: 0,
        end: title.len(),
    };
    let kind = RegionKind::Title;
    coder.code(&Record {
        text: &format!("{title}\n{}", story.body),
        regions: &[Region { kind, span }],
        ..record
    })
}
