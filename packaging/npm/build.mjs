// build.mjs VERSION OUT PLATFORM=BINARY...: writes the npm packages into OUT, one per platform and the one that starts it.
// For instance: node build.mjs 0.2.0 dist linux-x64=../../target/release/candor
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [version, out, ...binaries] = process.argv.slice(2);
if (!version || !out || binaries.length === 0) {
  console.error("usage: build.mjs VERSION OUT PLATFORM=BINARY...");
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const main = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));

for (const entry of binaries) {
  const at = entry.indexOf("=");
  const [platform, binary] = [entry.slice(0, at), entry.slice(at + 1)];
  const [os, cpu] = platform.split("-");
  const folder = join(out, platform);
  mkdirSync(join(folder, "bin"), { recursive: true });
  copyFileSync(binary, join(folder, "bin", "candor"));
  chmodSync(join(folder, "bin", "candor"), 0o755);
  const name = `@candor-engine/${platform}`;
  const { license } = main;
  const description = `The binary of candor-engine for ${platform}`;
  write(folder, { name, version, description, license, os: [os], cpu: [cpu], files: ["bin"] });
}
const wrapper = join(out, "candor-engine");
mkdirSync(wrapper, { recursive: true });
cpSync(join(here, "bin"), join(wrapper, "bin"), { recursive: true });
copyFileSync(join(here, "README.md"), join(wrapper, "README.md"));
const pinned = Object.keys(main.optionalDependencies).map((name) => [name, version]);
write(wrapper, { ...main, version, optionalDependencies: Object.fromEntries(pinned) });

function write(folder, content) {
  writeFileSync(join(folder, "package.json"), JSON.stringify(content, null, 2) + "\n");
}
