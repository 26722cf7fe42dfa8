//! Before simhashes can be made: what the collection says about the weights of features.
//!
//! Each of these reads the collection once more: how many documents have each feature (unless
//! a frozen table says it), what pages of a host have in common, the texts of links, and the
//! range of numbers that are weights.

use crate::document::{BadRecord, Progress, Record, Sink, Source, check_cancelled};
use crate::error::{Error, Result};
use crate::feature::{FeatureKind, FeatureSpec, Occurrence, OccurrenceReader};
use crate::frequency::{
    CountConfig, DEFAULT_MAX_ENTRIES, DEFAULT_MIN_DF, DfTable, FeatureSpecText, count,
    count_with,
};
use crate::signature::anchors::{Anchors, address_hash, resolve};
use crate::signature::coder::{CodeSpec, Reserve, address, template_features};
use crate::signature::{IMatchSettings, Idf, Lexicons, Numeric, Variant, read_weight};
use crate::store::{Budget, WorkDir};
use crate::text::WordOptions;
use std::sync::Arc;

/// Where the numbers of documents come from that have each feature.
#[derive(Debug, Clone)]
pub enum DfSource {
    /// From a frozen table.
    Table(Arc<DfTable>),
    /// From the collection itself, which is read once more.
    Collection,
}

/// How simhashes are to be made.
#[derive(Debug, Clone)]
pub struct CodePlan {
    /// What is weighed.
    pub features: FeatureKind,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the feature hash.
    pub seed: u64,
    /// How features are chosen and weighed.
    pub variant: Variant,
    /// What a feature weighs beside its occurrences.
    pub idf: Idf,
    /// Where that comes from.
    pub df: DfSource,
    /// Bits for a metadata value.
    pub reserve: Option<Reserve>,
    /// Names of the metadata fields of records, in their order.
    pub fields: Vec<String>,
    /// How many of the fields are features: the first ones.
    pub num_features: usize,
}

/// Where a method gets the frequencies of features by which it weighs them.
#[derive(Debug, Clone)]
pub struct DfPlan {
    /// What is counted.
    pub features: FeatureKind,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the feature hash.
    pub seed: u64,
    /// Where the numbers come from.
    pub df: DfSource,
}

impl DfPlan {
    /// Counts features unless a table says it; and how many distinct ones were counted, 0 when none were.
    pub fn specify_counted(&self, reading: Reading<'_>) -> Result<(Arc<DfTable>, u64)> {
        match &self.df {
            DfSource::Table(table) => {
                let spec = FeatureSpec::new(self.features, &self.words, self.seed);
                // A table of other features has numbers for none of these, and every weight would be that of a word never seen.
                table.check(&spec)?;
                Ok((table.clone(), 0))
            }
            DfSource::Collection => {
                if reading.source.origins()?.is_none() {
                    let message = "weights are made of the collection, which is read twice for that, \
                                   and standard input and pipes can be read only once; take \
                                   `df-table` with a frozen table";
                    return Err(Error::config("df-table", message));
                }
                let config = CountConfig {
                    features: self.features,
                    words: self.words.clone(),
                    seed: self.seed,
                    threads: reading.threads,
                    budget: *reading.budget,
                    min_df: DEFAULT_MIN_DF,
                    max_entries: DEFAULT_MAX_ENTRIES,
                };
                let (work, progress) = (reading.work, reading.progress);
                let counted = count(reading.source, &config, work, progress)?;
                Ok((Arc::new(counted.table), counted.num_features))
            }
        }
    }
}

/// How keys of I-Match are to be made.
#[derive(Debug, Clone)]
pub struct LexiconPlan {
    /// Which terms count, and how many lexicons there are.
    pub settings: IMatchSettings,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the hashes.
    pub seed: u64,
    /// How many documents have each term.
    pub df: DfSource,
}

impl LexiconPlan {
    /// Counts terms unless a table says it, and returns how keys are made.
    pub fn specify(&self, reading: Reading<'_>) -> Result<Lexicons> {
        Ok(self.specify_counted(reading)?.0)
    }

    /// The same, and how many distinct terms were counted; 0 when none were.
    pub fn specify_counted(&self, reading: Reading<'_>) -> Result<(Lexicons, u64)> {
        let mut num_counted = 0;
        let df = match &self.df {
            DfSource::Table(table) => {
                let kind = FeatureKind::Terms;
                table.check(&FeatureSpec::new(kind, &self.words, self.seed))?;
                table.clone()
            }
            DfSource::Collection => {
                if reading.source.origins()?.is_none() {
                    let message = "keys of I-Match are made of the frequencies of terms in the \
                                   collection, which is read twice for that, and standard input \
                                   and pipes can be read only once; take `df-table` with a frozen \
                                   table, or `no-filter signature`";
                    return Err(Error::config("df-table", message));
                }
                let config = CountConfig {
                    features: FeatureKind::Terms,
                    words: self.words.clone(),
                    seed: self.seed,
                    threads: reading.threads,
                    budget: *reading.budget,
                    min_df: DEFAULT_MIN_DF,
                    max_entries: DEFAULT_MAX_ENTRIES,
                };
                let (work, progress) = (reading.work, reading.progress);
                let counted = count(reading.source, &config, work, progress)?;
                num_counted = counted.num_features;
                Arc::new(counted.table)
            }
        };
        let lexicons = Lexicons {
            settings: self.settings,
            words: self.words.clone(),
            seed: self.seed,
            df,
        };
        Ok((lexicons, num_counted))
    }
}

/// Refuses what can be read only once.
fn check_readable_twice(source: &dyn Source) -> Result<()> {
    match source.origins()? {
        Some(_) => Ok(()),
        None => {
            let message = "weights are made of the collection, which is read twice for that, \
                           and standard input and pipes can be read only once; take \
                           `df-table` with a frozen table, or `idf none`";
            Err(Error::config("df-table", message))
        }
    }
}

/// The same, where a range would help.
fn check_range_readable(source: &dyn Source) -> Result<()> {
    match source.origins()? {
        Some(_) => Ok(()),
        None => {
            let message = "numbers weigh by the range that they have in the collection, which \
                           is read twice for that, and standard input and pipes can be read \
                           only once; give the range: numeric:FIELD:LOW..HIGH";
            Err(Error::config("variant", message))
        }
    }
}

/// What reading once more needs.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The collection.
    pub source: &'a dyn Source,
    /// Number of threads; no result depends on it.
    pub threads: usize,
    /// What may be held.
    pub budget: &'a Budget,
    /// Where goes what does not fit.
    pub work: &'a WorkDir,
    /// Hears how far it is.
    pub progress: &'a dyn Progress,
}

/// Occurrences of words in the texts of links that are remembered: 256 MB.
const MAX_ANCHORS: usize = 1 << 24;

impl CodePlan {
    /// Whether the collection is read before codes are made.
    pub fn reads_collection(&self) -> bool {
        self.counts()
            || self.variant.template.is_some()
            || self.variant.tagged.is_some()
            || self.variant.lacks_range()
    }

    /// Whether frequencies are counted in the input, since no table is given.
    fn counts(&self) -> bool {
        self.idf != Idf::None && matches!(self.df, DfSource::Collection)
    }

    /// Reads what must be known, and says how codes are made.
    pub fn specify(&self, reading: Reading<'_>) -> Result<CodeSpec> {
        Ok(self.specify_counted(reading)?.0)
    }

    /// The same, and how many distinct features were counted; 0 when none were.
    pub fn specify_counted(&self, reading: Reading<'_>) -> Result<(CodeSpec, u64)> {
        let mut num_counted = 0;
        if self.variant.lacks_range() {
            check_range_readable(reading.source)?;
        }
        if self.reads_collection() {
            check_readable_twice(reading.source)?;
        }
        let specification = FeatureSpec::new(self.features, &self.words, self.seed);
        let df = match &self.df {
            _ if self.idf == Idf::None => Arc::new(DfTable::from_counts(
                FeatureSpecText::from(&specification),
                0,
                1,
                std::iter::empty(),
            )),
            DfSource::Table(table) => {
                table.check(&specification)?;
                table.clone()
            }
            DfSource::Collection => {
                let config = self.counting(reading);
                let (work, progress) = (reading.work, reading.progress);
                let counted = count(reading.source, &config, work, progress)?;
                num_counted = counted.num_features;
                Arc::new(counted.table)
            }
        };
        let of_hosts = match self.variant.template {
            None => None,
            Some(_) => Some(Arc::new(self.count_hosts(reading)?)),
        };
        let anchors = match self.variant.tagged {
            None => None,
            Some(_) => Some(Arc::new(self.gather_anchors(reading)?)),
        };
        let variant = if self.variant.lacks_range() {
            self.find_ranges(reading)?
        } else {
            self.variant.clone()
        };
        let spec = CodeSpec {
            features: self.features,
            words: self.words.clone(),
            seed: self.seed,
            variant,
            idf: self.idf,
            reserve: self.reserve.clone(),
            fields: self.fields.clone(),
            num_features: self.num_features,
            df,
            of_hosts,
            anchors: anchors.filter(|anchors| !anchors.is_empty()),
        };
        Ok((spec, num_counted))
    }

    /// How features are counted.
    fn counting(&self, reading: Reading<'_>) -> CountConfig {
        CountConfig {
            features: self.features,
            words: self.words.clone(),
            seed: self.seed,
            threads: reading.threads,
            budget: *reading.budget,
            min_df: DEFAULT_MIN_DF,
            max_entries: DEFAULT_MAX_ENTRIES,
        }
    }

    /// Counts in how many documents of each host a feature occurs.
    fn count_hosts(&self, reading: Reading<'_>) -> Result<DfTable> {
        let config = CountConfig {
            // Fewer are no template.
            min_df: 3,
            ..self.counting(reading)
        };
        let adapt = |record: &Record<'_>, features: &mut Vec<u64>| {
            template_features(&self.fields, record, features);
        };
        let (work, progress) = (reading.work, reading.progress);
        Ok(count_with(reading.source, &config, &adapt, work, progress)?.table)
    }

    /// The variant with the ranges that numbers have in the collection.
    fn find_ranges(&self, reading: Reading<'_>) -> Result<Variant> {
        let (source, progress) = (reading.source, reading.progress);
        let mut variant = self.variant.clone();
        let lacking = variant.numeric.iter_mut().filter(|one| one.range.is_none());
        let mut lacking: Vec<&mut Numeric> = lacking.collect();
        let place = |field: &String| self.fields.iter().position(|name| name == field);
        let places: Vec<Option<usize>> = lacking
            .iter()
            .map(|numeric| place(&numeric.field))
            .collect();
        let threads = reading.budget.read_threads.min(reading.threads).max(1);
        let mut readers: Vec<RangeReader<'_>> = (0..threads)
            .map(|_| RangeReader {
                places: &places,
                ranges: vec![None; places.len()],
                progress,
            })
            .collect();
        progress.begin("ranges", source.total_bytes());
        for part in 0..source.num_parts()? {
            check_cancelled(progress)?;
            let sinks = readers.iter_mut().map(|one| one as &mut dyn Sink);
            source.read_part(part, sinks.collect(), progress)?;
        }
        // Smallest and largest are the same in whatever order they are found.
        for reader in &readers {
            for (numeric, range) in lacking.iter_mut().zip(&reader.ranges) {
                numeric.range = match (numeric.range, *range) {
                    (Some(one), Some(other)) => Some(widened(one, other)),
                    (one, other) => one.or(other),
                };
            }
        }
        Ok(variant)
    }

    /// Reads the texts of links, by the address they lead to.
    fn gather_anchors(&self, reading: Reading<'_>) -> Result<Anchors> {
        let (source, progress) = (reading.source, reading.progress);
        let threads = reading.budget.read_threads.min(reading.threads).max(1);
        let mut readers = Vec::new();
        for _ in 0..threads {
            readers.push(AnchorReader {
                fields: &self.fields,
                reader: OccurrenceReader::new(self.features, &self.words, self.seed)?,
                occurrences: Vec::new(),
                rows: Vec::new(),
                progress,
            });
        }
        progress.begin("links", source.total_bytes());
        for part in 0..source.num_parts()? {
            check_cancelled(progress)?;
            let sinks = readers.iter_mut().map(|one| one as &mut dyn Sink);
            source.read_part(part, sinks.collect(), progress)?;
            let held: usize = readers.iter().map(|reader| reader.rows.len()).sum();
            // Between parts: a limit that is passed by one part is noticed at its end.
            if held > MAX_ANCHORS {
                return Err(Error::Limit {
                    what: "words in the texts of links".to_owned(),
                    asked: held as u64,
                    allowed: MAX_ANCHORS as u64,
                    remedy: "split the collection, or leave tagged out of `variant`"
                        .to_owned(),
                });
            }
        }
        let rows = readers.into_iter().flat_map(|reader| reader.rows);
        Ok(Anchors::new(rows.collect()))
    }
}

/// The smallest range that has both.
fn widened(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    (one.0.min(other.0), one.1.max(other.1))
}

/// Finds the smallest and largest number in fields.
struct RangeReader<'a> {
    /// Where the fields are among those of a record.
    places: &'a [Option<usize>],
    ranges: Vec<Option<(f64, f64)>>,
    progress: &'a dyn Progress,
}

impl Sink for RangeReader<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        check_cancelled(self.progress)?;
        for (place, range) in self.places.iter().zip(&mut self.ranges) {
            let value = place.and_then(|place| record.metadata.get(place)?.as_deref());
            if let Some(number) = value.and_then(read_weight) {
                // Zero has two signs, of which one must be taken whoever comes first.
                let number = number + 0.0;
                let before = range.unwrap_or((number, number));
                *range = Some(widened(before, (number, number)));
            }
        }
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        // Reported when documents are read to be compared.
        Ok(())
    }
}

/// Gathers the texts of links.
struct AnchorReader<'a> {
    fields: &'a [String],
    reader: OccurrenceReader,
    occurrences: Vec<Occurrence>,
    rows: Vec<(u64, u64)>,
    progress: &'a dyn Progress,
}

impl Sink for AnchorReader<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        check_cancelled(self.progress)?;
        let Some(page) = address(self.fields, record) else {
            return Ok(());
        };
        let own = address_hash(page);
        for link in record.links {
            let Some(target) = resolve(page, &link.target) else {
                continue;
            };
            let target = address_hash(&target);
            let Some(text) = record.text.get(link.span.start..link.span.end) else {
                continue;
            };
            // What a page says of itself is in its text.
            if target == own || text.is_empty() {
                continue;
            }
            self.occurrences.clear();
            self.reader.read(text, &[], &mut self.occurrences);
            let features = self.occurrences.iter().map(|one| one.feature);
            self.rows.extend(features.map(|feature| (target, feature)));
        }
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        // Known when documents are read to be compared.
        Ok(())
    }
}
