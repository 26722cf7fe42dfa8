//! The stories of Reuters-21578 that have a body, held in memory.

use neardupe_core::document::{BadRecord, Position, Record, Silent, Sink, Source};
use neardupe_core::error::Result;
use neardupe_core::feature::{Extractor, FeatureKind};
use neardupe_core::hash;
use neardupe_core::text::WordOptions;
use neardupe_io::source::{FieldKeys, FileSource, ReadOptions, discover};

/// Metadata that become features. DATE is left out: it has the second of the story, which no
/// other story has.
pub(crate) const FIELDS: [&str; 7] = [
    "title",
    "topics",
    "places",
    "people",
    "orgs",
    "exchanges",
    "author",
];
const TITLE: usize = 0;
const TOPICS: usize = 1;

/// A story.
pub(crate) struct Story {
    /// Its number among all that the files have, those without a body included.
    pub(crate) number: u32,
    /// NEWID.
    pub(crate) id: String,
    pub(crate) body: String,
    /// Values of [`FIELDS`].
    pub(crate) metadata: Vec<Option<String>>,
    /// Shingles of five words of the body, in ascending order.
    pub(crate) shingles: Vec<u64>,
    /// Words of the body.
    pub(crate) num_words: usize,
    /// Stands for the body as it is written.
    pub(crate) body_hash: u128,
}

impl Story {
    /// The headline.
    pub(crate) fn title(&self) -> &str {
        self.metadata[TITLE].as_deref().unwrap_or_default()
    }

    /// Whether it tells what a company has earned or pays out.
    pub(crate) fn is_on_earnings(&self) -> bool {
        let topics = self.metadata.get(TOPICS).and_then(Option::as_deref);
        topics.is_some_and(|topics| topics.split(';').any(|topic| topic == "earn"))
    }
}

/// Common shingles of two stories, and shingles that one of them has.
pub(crate) fn overlap_and_union(left: &Story, right: &Story) -> (usize, usize) {
    let (mut left, mut right) = (&left.shingles[..], &right.shingles[..]);
    let both = left.len() + right.len();
    let mut overlap = 0;
    while let ([one, others @ ..], [other, more @ ..]) = (left, right) {
        overlap += usize::from(one == other);
        if one <= other {
            left = others;
        }
        if other <= one {
            right = more;
        }
    }
    (overlap, both - overlap)
}

/// The bodies, as a source.
pub(crate) fn source(input: &str) -> FileSource {
    let read = ReadOptions {
        keys: FieldKeys {
            text: vec!["body".to_owned()],
            metadata: FIELDS.map(str::to_owned).to_vec(),
            ..FieldKeys::default()
        },
        ..ReadOptions::default()
    };
    let input = format!("{input}/*.sgm*");
    let files = discover(&[input], None).unwrap().files;
    FileSource::new(files.clone(), read.for_files(&files))
}

/// The stories with a body, in the order of the files.
pub(crate) fn read(source: &FileSource) -> Vec<Story> {
    let mut gather = Gather {
        extractor: Extractor::new(FeatureKind::Words(5), &WordOptions::default(), 0),
        stories: Vec::new(),
    };
    for part in 0..source.num_parts().unwrap() {
        let sinks: Vec<&mut dyn Sink> = vec![&mut gather];
        source.read_part(part, sinks, &Silent).unwrap();
    }
    gather.stories.sort_by_key(|(position, _)| *position);
    let stories = gather.stories.into_iter().map(|(_, story)| story);
    let stories = (0u32..)
        .zip(stories)
        .map(|(number, story)| Story { number, ..story });
    stories.filter(|story| story.num_words > 0).collect()
}

struct Gather {
    extractor: Extractor,
    stories: Vec<(Position, Story)>,
}

impl Sink for Gather {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let mut shingles = Vec::new();
        let num_words = self.extractor.extract(record.text, &mut shingles);
        shingles.sort_unstable();
        let story = Story {
            number: 0,
            num_words,
            id: record.id.unwrap_or_default().to_owned(),
            body: record.text.to_owned(),
            metadata: record.metadata.to_vec(),
            shingles,
            body_hash: hash::text(record.text),
        };
        self.stories.push((record.position, story));
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        panic!("{bad:?}");
    }
}
