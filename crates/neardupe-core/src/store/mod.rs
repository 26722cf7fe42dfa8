//! What a job keeps while it runs: in memory as long as the budget allows, else in files of
//! the work directory. The only folder of the core that touches files.
//!
//! [`budget`] says what each stage may hold, [`room`] how long a record may be, [`work_dir`] knows the files and stages of a job
//! that can be resumed, [`frame`] writes and reads them with checksums, [`sorter`] sorts more
//! rows than fit, [`own_files`] knows which files may be removed, [`sealed`] writes and reads files that outlive their job.

pub mod budget;
pub mod frame;
mod manifest;
pub mod own_files;
pub mod room;
pub mod sealed;
pub mod sorter;
pub mod work_dir;

pub use budget::Budget;
pub use frame::{FrameFile, FrameWriter};
pub use manifest::{COMMAND, JobIdentity, Stage};
pub use own_files::{
    OwnFiles, begin_own_files, create_own_file, files_below, listed, note_own_file,
};
pub use room::{RecordHeld, RecordHolds, RecordRoom};
pub use sorter::{Rows, Sorter};
pub use work_dir::WorkDir;
