//! The texts of the sample, read again and compared.
//!
//! This is the only part of `causes` that needs the texts, and so the only one that costs a
//! second pass over the input. Only pairs of the sample are compared, so the cost is bounded
//! by the size of the sample and the time to find its documents.

use super::{Drawn, Sorter};
use crate::causes::originals::{OriginalTexts, Originals};
use crate::causes::pairs::PairRow;
use crate::causes::text::{TextDifference, same_main};
use crate::causes::{CauseKind, Verdict};
use neardupe_core::error::Result;

impl Sorter<'_> {
    /// Compares the texts of the sample.
    pub(super) fn compare_texts(&mut self, drawn: Vec<Drawn>) -> Result<()> {
        let Some(originals) = self.originals.filter(|_| !drawn.is_empty()) else {
            return Ok(());
        };
        let Some(texts) = self.read(originals, "read", &drawn)? else {
            return Ok(());
        };
        let verdicts = self.in_parallel(&drawn, |(pair, hint)| {
            let [left, right] = self.texts_of(pair, &texts)?;
            Some(TextDifference::new(left, right).verdict(*hint))
        });
        drop(texts);
        let found = drawn.into_iter().zip(verdicts);
        let mut found: Vec<(Drawn, Verdict)> = found
            .filter_map(|(drawn, verdict)| Some((drawn, verdict?)))
            .collect();
        if let Some(main) = &originals.main {
            self.compare_main(main, &mut found)?;
        }
        let found = found.into_iter();
        self.verdicts = found
            .map(|((pair, _), verdict)| (pair.key(), verdict))
            .collect();
        Ok(())
    }

    /// Pages whose main content is the same differ in what stands around it.
    fn compare_main(
        &mut self,
        main: &Originals,
        found: &mut [(Drawn, Verdict)],
    ) -> Result<()> {
        let is_open = |verdict: &Verdict| {
            matches!(
                verdict.kind,
                CauseKind::Update | CauseKind::Body | CauseKind::Other
            )
        };
        let open = found.iter().filter(|(_, verdict)| is_open(verdict));
        let open: Vec<Drawn> = open.map(|(drawn, _)| drawn.clone()).collect();
        if open.is_empty() {
            return Ok(());
        }
        let Some(texts) = self.read(main, "extract", &open)? else {
            return Ok(());
        };
        let same = self.in_parallel(&open, |(pair, _)| {
            self.texts_of(pair, &texts)
                .is_some_and(|[left, right]| same_main(left, right))
        });
        let open = found.iter_mut().filter(|(_, verdict)| is_open(verdict));
        for ((_, verdict), _) in open.zip(same).filter(|(_, same)| *same) {
            let reason = "the main content is the same, the rest of the page differs";
            *verdict = Verdict::new(CauseKind::Periphery, reason);
        }
        Ok(())
    }

    fn read(
        &mut self,
        originals: &Originals,
        stage: &'static str,
        drawn: &[Drawn],
    ) -> Result<Option<OriginalTexts>> {
        let places = drawn.iter().flat_map(|(pair, _)| pair.members());
        let places: Vec<_> = places.filter_map(|member| self.position(member)).collect();
        let texts = originals.texts(&places, stage, self.options.threads, self.progress);
        self.or_gone(texts)
    }

    fn texts_of<'t>(
        &self,
        pair: &PairRow,
        texts: &'t OriginalTexts,
    ) -> Option<[&'t str; 2]> {
        let [left, right] = pair
            .members()
            .map(|member| texts.get(self.position(member)?).map(|it| it.text.as_str()));
        Some([left?, right?])
    }

    /// Works on all pairs with all threads; answers in their order.
    fn in_parallel<T: Send>(
        &self,
        drawn: &[Drawn],
        work: impl Fn(&Drawn) -> T + Sync,
    ) -> Vec<T> {
        self.progress.begin("compare", drawn.len() as u64);
        let share = drawn.len().div_ceil(self.options.threads.max(1)).max(1);
        let work = |part: &[Drawn]| -> Vec<T> {
            let each = part.iter().map(|drawn| {
                let answer = work(drawn);
                self.progress.advance(1);
                answer
            });
            each.collect()
        };
        std::thread::scope(|scope| {
            let parts = drawn.chunks(share);
            let threads: Vec<_> = parts
                .map(|part| {
                    let work = &work;
                    scope.spawn(move || work(part))
                })
                .collect();
            let answers = threads.into_iter().map(|thread| match thread.join() {
                Ok(answers) => answers,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            answers.flatten().collect()
        })
    }
}
