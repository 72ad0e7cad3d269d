//! `candor config show`: everything that holds, with the defaults that nobody changed.

use candor_app::App;
use serde_json::Value;

use crate::args::{ConfigArgs, ConfigCommand, GlobalOptions};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) fn config(global: &GlobalOptions, args: &ConfigArgs) -> Result<u8, Failure> {
    let ConfigCommand::Show { json: as_json } = &args.command;
    let app = App::build(global)?;
    let shown = app.shown_config()?;
    if *as_json {
        output::print_json(&shown)?;
    } else {
        let mut text = String::new();
        write("", &shown, &mut text);
        output::print(&text)?;
    }
    Ok(code::DONE)
}

/// A line per value, under its full name.
fn write(name: &str, value: &Value, text: &mut String) {
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| write(&below(key), value, text)),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().enumerate().for_each(|(at, item)| write(&format!("{name}[{at}]"), item, text));
        }
        value => text.push_str(&format!("{name} = {value}\n")),
    }
}
