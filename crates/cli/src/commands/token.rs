//! `candor token`: who may use the server of this data folder.

use candor_app::DataFolder;
use candor_app::tokens::{NamedToken, Tokens};
use candor_projections::format;

use crate::args::{GlobalOptions, Listing, TokenArgs, TokenCommand, TokenStatus};
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
        TokenCommand::List { status, listing } => list(tokens.list()?, *status, *listing)?,
    }
    Ok(code::DONE)
}

/// Shows tokens, without even their hashes.
fn list(mut tokens: Vec<NamedToken>, wanted: Option<TokenStatus>, listing: Listing) -> Result<(), Failure> {
    if tokens.is_empty() && !listing.json {
        return output::print(word!(
            "There are no tokens; the first start of `candor serve` makes one.\n",
            "No hay tokens; el primer inicio de `candor serve` crea uno.\n"
        ));
    }
    let now = candor_runtime::wall();
    let status = |token: &NamedToken| match token.expires_at.is_some_and(|end| end <= now) {
        true => TokenStatus::Expired,
        false => TokenStatus::Active,
    };
    tokens.retain(|token| wanted.is_none_or(|wanted| wanted == status(token)));
    listing.cut(&mut tokens);
    if listing.json {
        let row = |token: &NamedToken| {
            serde_json::json!({
                "name": token.name, "scope": token.scope,
                "created_at": token.created_at, "expires_at": token.expires_at,
            })
        };
        return output::print_json(&tokens.iter().map(row).collect::<serde_json::Value>());
    }
    for token in &tokens {
        let made = format::day_and_clock(token.created_at);
        let end = token.expires_at.map(format::day_and_clock);
        let end = end.map(|end| say!(", until {end}", ", hasta {end}")).unwrap_or_default();
        output::print(&say!(
            "{:<24} {:<7} since {made}{end}\n",
            "{:<24} {:<7} desde {made}{end}\n",
            token.name,
            token.scope.as_str()
        ))?;
    }
    Ok(())
}
