//! `find`: near-duplicates of a collection. Other kinds of jobs read, compare and run as it does.
//!
//! A description (`spec`, with a `preset` under it) is validated (`validate`, with `method`, `effect`,
//! `antecedents`, `codes`, `sampling_plan`) into a job (`job`), which is run (`run`) in a work directory
//! (`work`). Before it reads for good it may count or study its input (`antecedents`, `planned`,
//! frequencies in `run`), and announces its needs (`estimate`). `in_process` runs it without an output
//! folder.

mod antecedents;
pub mod codes;
mod effect;
mod estimate;
mod in_process;
mod job;
mod method;
mod passed_over;
mod planned;
mod preset;
mod run;
mod sampling_plan;
mod spec;
mod validate;
mod warnings;
pub(crate) mod work;

pub(crate) use antecedents::{check_antecedents, count_antecedents, counts_antecedents};
pub use effect::Effects;
pub(crate) use effect::{idle_hashes, idle_options};
pub use estimate::{Estimate, estimate};
pub(crate) use in_process::find_with;
pub use in_process::{FoundDuplicate, find_for};
pub use job::{FindJob, all_options};
pub(crate) use method::{check_explainable, method_catalogue};
pub use preset::Preset;
pub use run::FindOutcome;
pub(crate) use run::{Purpose, run_for};
pub use sampling_plan::{PLAN, PlanFile};
pub use spec::FindSpec;
pub use warnings::{of_texts as text_warnings, shared_main_warning};
