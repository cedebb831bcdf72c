#!/usr/bin/env node
// Starts the program of this platform's package: same arguments, same terminal, same signals, same ending.
// Downloads nothing and decides nothing.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");

const manifest = require("../package.json");

// What a caller can branch on: no such program, as shells say it.
const EXIT_NOT_FOUND = 127;

function programPath() {
  const name = `${manifest.name}-${process.platform}-${process.arch}`;
  const known = Object.keys(manifest.optionalDependencies ?? {});
  if (!known.includes(name)) {
    fail(
      `there is no program for ${process.platform} on ${process.arch} in ${manifest.name} ${manifest.version}`,
      `packages exist for: ${known.map((each) => each.slice(manifest.name.length + 1)).join(", ")}; elsewhere build it with \`cargo install\``,
    );
  }
  try {
    return require.resolve(`${name}/bin/probity`);
  } catch {
    fail(
      `the package ${name} is not installed beside ${manifest.name}`,
      `optional dependencies were left out: run \`npm install ${name}@${manifest.version}\` in the same place (with --global if this is), or install again without --omit=optional`,
    );
  }
}

function fail(what, next) {
  process.stderr.write(`probity: ${what}\n  ${next}\n`);
  process.exit(EXIT_NOT_FOUND);
}

function run(program) {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });

  // Ctrl-C in a terminal reaches the whole group, so the program has it already; passing it on would count as
  // pressing it twice. Anything else was sent to us alone.
  // Asked of the descriptors: to touch `process.stdin` would open it here and leave it so that the program's reads fail.
  const terminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const fromTerminal = ["SIGINT", "SIGQUIT"];
  for (const signal of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR2", "SIGWINCH"]) {
    const pass = !(terminal && fromTerminal.includes(signal)) && signal !== "SIGWINCH";
    try {
      process.on(signal, () => pass && child.kill(signal));
    } catch {
      // Not every platform has every signal.
    }
  }

  child.on("error", (error) => {
    const next =
      error.code === "EACCES"
        ? `make it executable: chmod +x "${program}"`
        : `install again: npm install ${manifest.name}@${manifest.version}`;
    fail(`could not start ${program}: ${error.message}`, next);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exit(code);
    }
    // End the way the program ended, so that shells and hosts see the same.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Where a signal does not end this process, its number does.
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 1000);
  });
}

run(programPath());
