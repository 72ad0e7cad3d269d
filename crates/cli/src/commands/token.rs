//! `candor token`: who may use the server of this data folder.

use candor_app::DataFolder;
use candor_app::tokens::Tokens;
use candor_projections::format;

use crate::args::{GlobalOptions, TokenArgs, TokenCommand};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) fn token(global: &GlobalOptions, args: &TokenArgs) -> Result<u8, Failure> {
    let tokens = Tokens::of(DataFolder::find(global.data.as_deref())?.path());
    match &args.command {
        TokenCommand::Add { name, scope } => {
            let secret = tokens.add(name, *scope, candor_runtime::wall(), None)?;
            tell!(
                "candor: token `{name}` ({}); it is shown once and kept as a hash",
                "candor: token `{name}` ({}); se muestra una vez y se guarda como hash",
                scope.as_str()
            );
            output::print(&format!("{secret}\n"))?;
        }
        TokenCommand::Remove { name } => {
            tokens.remove(name)?;
            tell!("candor: token `{name}` is removed", "candor: token `{name}` quitado");
        }
        TokenCommand::List { json: true } => output::print_json(&listed(&tokens)?)?,
        TokenCommand::List { json: false } => {
            let mut text = String::new();
            for token in tokens.list()? {
                let made = format::day_and_clock(token.created_at);
                let end = token.expires_at.map(format::day_and_clock);
                let end = end.map(|end| say!(", until {end}", ", hasta {end}")).unwrap_or_default();
                text.push_str(&say!(
                    "{:<24} {:<7} since {made}{end}\n",
                    "{:<24} {:<7} desde {made}{end}\n",
                    token.name,
                    token.scope.as_str()
                ));
            }
            if text.is_empty() {
                text.push_str(word!(
                    "There are no tokens; the first start of `candor serve` makes one.\n",
                    "No hay tokens; el primer inicio de `candor serve` crea uno.\n"
                ));
            }
            output::print(&text)?;
        }
    }
    Ok(code::DONE)
}

/// The tokens without even their hashes.
fn listed(tokens: &Tokens) -> Result<serde_json::Value, Failure> {
    let row = |token: &candor_app::tokens::NamedToken| {
        serde_json::json!({
            "name": token.name, "scope": token.scope,
            "created_at": token.created_at, "expires_at": token.expires_at,
        })
    };
    Ok(tokens.list()?.iter().map(row).collect())
}
