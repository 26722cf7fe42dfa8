//! Every fuzz target, for a moment.

use neardupe_fuzz::{run, targets};
use std::time::Duration;

#[test]
fn no_target_fails_on_damaged_samples() {
    for target in targets() {
        let report = run(&target, 1, Duration::from_secs(1));
        println!("{}: {} inputs", target.name, report.inputs);
        assert!(report.inputs > 10, "{}: {report:?}", target.name);
    }
}
