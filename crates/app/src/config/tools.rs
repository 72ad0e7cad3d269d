//! Tools as they are declared: those that come with Candor, and the servers of others.

use std::collections::BTreeMap;
use std::path::Path;

use candor_tools::ServerConfig;
use candor_tools::builtin::BuiltinConfig;
use serde::Deserialize;

use crate::error::AppError;

/// Which tools there are.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolsInFile {
    /// Those that come with Candor.
    pub builtin: BuiltinConfig,
    /// MCP servers by name; their tools are called `name.tool`.
    pub servers: BTreeMap<String, ServerConfig>,
}

impl ToolsInFile {
    /// Checks what serde cannot: one way to reach each server.
    pub(super) fn check(&self, path: &Path) -> Result<(), AppError> {
        for (name, server) in &self.servers {
            server.check(name).map_err(|error| {
                AppError::usage(format!("{}, [tools.servers.{name}]: {error}", path.display()))
            })?;
        }
        Ok(())
    }

    /// Whether a tool, or one that fits a pattern, may be there: a built-in one by its name, one of a server by the pattern.
    pub(crate) fn has(&self, tool: &str) -> bool {
        match tool.contains('.') {
            true => !self.servers.is_empty(),
            false => self.builtin.has(tool),
        }
    }

    /// Lets files of this folder be read, if the file says nothing of a folder.
    pub(crate) fn look_at(&mut self, folder: &Path) {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        self.builtin.folder.get_or_insert_with(|| here.to_owned());
    }

    /// The same with paths that start at the folder of the configuration.
    pub(super) fn in_folder(mut self, folder: &Path) -> Self {
        let builtin = &mut self.builtin;
        if let Some(own) = &builtin.folder {
            builtin.folder = Some(folder.join(own));
        }
        builtin.readable.iter_mut().for_each(|path| *path = folder.join(&*path));
        for server in self.servers.values_mut() {
            let cwd = server.cwd.take().unwrap_or_default();
            let cwd = folder.join(cwd);
            server.cwd = Some(cwd).filter(|cwd| !cwd.as_os_str().is_empty());
        }
        self
    }
}
