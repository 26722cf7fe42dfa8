//! Passages planted by `synth`: how much of them is found, by the share of words changed.

use neardupe_core::document::{MemoryDocument, MemorySource, Silent};
use neardupe_core::eval::passages::{LocatedPassage, LocatedSide, TruePassage, measure};
use neardupe_core::pipeline::{PassagesConfig, passages};
use neardupe_core::store::WorkDir;
use neardupe_core::synth::{Buffer, Collection, Shape, SynthConfig};

const DOCUMENTS: u64 = 600;

/// The documents of a synthetic collection.
struct Synthetic {
    documents: Vec<(String, String)>,
    truth: Vec<TruePassage>,
}

impl Synthetic {
    fn new(percent: u32) -> Self {
        let collection = Collection::new(SynthConfig {
            documents: DOCUMENTS,
            seed: 11,
            shape: Shape::Passages(percent),
        });
        let mut made = Synthetic {
            documents: Vec::new(),
            truth: Vec::new(),
        };
        let mut buffer = Buffer::default();
        for document in 0..DOCUMENTS {
            collection.document(document, &mut buffer);
            let line = std::str::from_utf8(buffer.line()).unwrap();
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| row[name].as_str().unwrap().to_owned();
            made.documents.push((field("id"), field("text")));
            made.truth.extend(buffer.passage().map(|one| TruePassage {
                passage: LocatedPassage::new(
                    side(one.left, one.left_start, one.left_end),
                    side(one.right, one.right_start, one.right_end),
                ),
                kind: 0,
            }));
        }
        made
    }
}

fn side(document: u64, start: u64, end: u64) -> LocatedSide {
    LocatedSide {
        document: u32::try_from(document).unwrap(),
        start: u32::try_from(start).unwrap(),
        end: u32::try_from(end).unwrap(),
    }
}

impl Synthetic {
    fn source(&self) -> MemorySource<Vec<MemoryDocument<'_>>> {
        let documents = self.documents.iter();
        MemorySource::of_documents(documents.map(|(id, text)| (id, text)))
    }
}

/// What `passages` finds, as characters of documents numbered in the order of the input.
fn found(source: &Synthetic) -> Vec<LocatedPassage> {
    let folder = tempfile::tempdir().unwrap();
    let work = WorkDir::new(folder.path().join("work"));
    let config = PassagesConfig::new(folder.path().join("work"));
    let result = passages(&source.source(), &config, &work, &Silent).unwrap();
    let mut found = Vec::new();
    let visited = result.for_each_pair(|texts| {
        let pair = texts.pair;
        for passage in &pair.passages {
            let (left, right) = (&passage.left.chars, &passage.right.chars);
            found.push(LocatedPassage::new(
                side(pair.left.get().into(), left.start, left.end),
                side(pair.right.get().into(), right.start, right.end),
            ));
        }
        Ok(())
    });
    visited.unwrap();
    found
}

#[test]
fn planted_passages_are_found_with_their_ends() {
    for (percent, least) in [(0, 0.97), (2, 0.92), (5, 0.85), (10, 0.6)] {
        let source = Synthetic::new(percent);
        assert_eq!(source.truth.len() as u64, DOCUMENTS / 3);
        let measures = measure(source.truth.clone(), found(&source));
        let (precision, recall) = (measures.micro.precision, measures.micro.recall);
        let f1 = measures.micro.f1.unwrap();
        println!(
            "{percent} % of words changed: precision {:.4}, recall {:.4}, F1 {f1:.4}, \
             granularity {:.3}",
            precision.unwrap(),
            recall.unwrap(),
            measures.granularity.unwrap()
        );
        assert!(f1 >= least, "{percent} %: F1 {f1} is below {least}");
    }
}
