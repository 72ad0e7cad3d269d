#!/usr/bin/env node
// Starts the binary of the package for this platform, with the same arguments, streams and exit code.
"use strict";
const { spawnSync } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`@candor-engine/${platform}/bin/candor`);
} catch {
  console.error(
    `candor: there is no binary for ${platform} (linux and darwin, x64 and arm64), or npm was told to leave out optional ` +
      "dependencies; install with `npm i -g candor-engine` again, or build it with cargo",
  );
  process.exit(1);
}
// The terminal sends Ctrl-C to the whole group: the binary ends in its own way, and this waits for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const ended = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`candor: ${binary} could not be started: ${ended.error.message}`);
  process.exit(1);
}
process.exit(ended.status ?? 1);
