//! `candor man`: man pages from the same source as `--help`.

use clap_mangen::Man;

use crate::args::{ManArgs, help};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) fn man(args: &ManArgs) -> Result<u8, Failure> {
    // Not the template of the help page: a man page has its own order.
    let command = help::plain();
    match &args.folder {
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(command, folder)?;
            tell!(
                "candor: wrote the man pages to {}",
                "candor: páginas de manual escritas en {}",
                folder.display()
            );
        }
        None => {
            // Not straight to standard output: a reader that goes away early is no error.
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            output::print(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(code::DONE)
}
