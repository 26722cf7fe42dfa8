//! What `web/report` was built into: the script and the style of the page. The files are part
//! of the source, so that building neardupe needs nothing but Rust.

/// The script that draws charts.
pub(super) const SCRIPT: &str = include_str!("../../../../web/dist/report.js");
/// Its hash: a page allows this script and no other.
pub(super) const SCRIPT_HASH: &str = include_str!("../../../../web/dist/report.hash");
/// The style.
pub(super) const STYLE: &str = include_str!("../../../../web/dist/report.css");
