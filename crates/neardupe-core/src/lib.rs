//! core
pub mod candidate;
pub mod cluster;
pub mod document;
pub mod error;
pub mod feature;
pub mod hash;
pub mod join;
pub mod pair;
pub mod pipeline;
pub mod store;
pub mod synth;
pub mod text;
pub mod threshold;
pub mod verify;
