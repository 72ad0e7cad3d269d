//! `candor serve --listen`: the real binary over real connections, spoken to as programs, browsers and attackers do.

mod a2a;
mod alerts;
mod api;
mod attacks;
mod browser;
pub(crate) mod client;
mod contract;
mod exports;
mod figures;
mod kills;
mod mcp;
mod origins;
pub(crate) mod receiver;
mod records;
mod remote;
mod schedules;
mod secrets;
mod streams;
mod tls;
mod webhooks;
