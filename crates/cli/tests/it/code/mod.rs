//! Code, as the real command looks at it and runs it: a real parser, the real sandbox, a real Python.

mod bench;
mod check;
mod data;
mod docs;
mod nodes;
mod run;
mod workflows;
