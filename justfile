# Everything there is to run. `just` alone lists it.
set shell := ["bash", "-euo", "pipefail", "-c"]

export PATH := justfile_directory() / ".tools/bin" + ":" + justfile_directory() / ".tools/venv/bin" + ":" + env("PATH")

[private]
default:
    @just --list

# Install the tools and the real parts that the tests use, into .tools (idempotent).
tools:
    .ci/install

# Format, clippy with denied warnings, licences and doors.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo deny --all-features check --hide-inclusion-graph licenses bans sources

# All tests.
test *arguments:
    cargo nextest run --workspace --locked {{arguments}}

# Put right what a machine can put right, and rewrite generated files.
fix:
    cargo fmt --all
    cargo clippy --workspace --all-targets --fix --allow-dirty --allow-staged
    UPDATE=1 cargo nextest run -p probity --test it generated tidy

# Measure an area at full size (`just figures foundation`), or the part that CI runs (`just figures foundation quick`).
figures area size="full":
    cargo build --locked --workspace --bins {{ if size == "full" { "--release" } else { "" } }}
    target/{{ if size == "full" { "release" } else { "debug" } }}/figures {{area}} {{size}}

# The ratios against the bare parts, at full size.
bench: (figures "foundation" "full")

# The quick trust battery: crashes, power cuts, corruption, two processes, simulation.
trust: (figures "foundation" "quick")

# Rewrite README's tables from docs/figures.
readme:
    cargo run --locked -p probity-benches -- readme

# Run the program: `just run research "why is the sky blue?"`.
run *arguments:
    cargo run --locked -p probity -- {{arguments}}

# The provider on loopback, for trying things without a key.
simulator *arguments:
    cargo run --locked -p probity-simulator -- {{arguments}}
