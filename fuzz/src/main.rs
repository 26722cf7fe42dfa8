//! Runs fuzz targets for as long as wanted:
//! `cargo run --release -p neardupe-fuzz -- TARGET|all SECONDS [SEED]`.
#![allow(clippy::print_stdout, reason = "a program for people")]

use neardupe_fuzz::{run, targets};
use std::time::Duration;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "all".to_owned());
    let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok());
    let seconds = Duration::from_secs(number().unwrap_or(60));
    let seed = number().unwrap_or(0);
    for target in targets() {
        if name == "all" || name == target.name {
            let report = run(&target, seed, seconds);
            println!(
                "{}: {} inputs, slowest {:?}",
                target.name, report.inputs, report.slowest
            );
        }
    }
}
