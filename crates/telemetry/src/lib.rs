//! What leaves for other programs: traces for any OpenTelemetry backend over OTLP/HTTP and Langfuse, and webhooks.
//!
//! A trace is made from the log ([`candor_projections::trace`]) with ids and times of the log, so that sending it
//! again changes nothing at the other end. This crate encodes it ([`otlp`]), knows where it goes ([`Targets`], from
//! the environment) and sends it ([`send`]). It keeps nothing: how far a run was exported is whoever calls it to note.
//! Text of people and models leaves only if [`Targets::content`] says so.

mod attributes;
mod base64;
pub mod otlp;
mod protobuf;
mod send;
mod settings;
pub mod webhook;

pub use self::send::{SendError, send};
pub use self::settings::{Endpoint, Targets};
