//! `candor serve --listen`: the real binary over real connections, spoken to as programs, browsers and attackers do.

mod api;
mod attacks;
mod browser;
mod client;
mod contract;
mod kills;
mod remote;
mod streams;
