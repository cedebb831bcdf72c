#!/bin/sh
# Installs the program `probity` for one user: finds the platform, downloads, checks signature and SHA-256, then installs.
# Needs no root and touches no file besides the program itself. Made complete by `just package`.
set -eu

version="${PROBITY_VERSION:-@VERSION@}"
downloads="${PROBITY_DOWNLOADS:-@DOWNLOADS_PATTERN@}"
downloads=$(printf '%s' "$downloads" | sed "s/{version}/$version/g")
# The minisign key that SHA256SUMS is signed with; empty until releases are signed.
key="@RELEASE_KEY@"
unsigned=
folder="${PROBITY_INSTALL_DIR:-${HOME:?HOME is not set}/.local/bin}"

usage() {
    cat <<TEXT
Installs probity $version.

  sh install.sh [--to FOLDER] [--from ADDRESS] [--key FILE] [--unsigned] [--help]

  --to FOLDER      where the program goes (PROBITY_INSTALL_DIR); now: $folder
  --from ADDRESS   where it is downloaded from (PROBITY_DOWNLOADS); now: $downloads
                   https://, http:// on this machine, file:// or a folder
  --key FILE       trust this minisign public key instead of the built-in one
  --unsigned       check the SHA-256 alone, where neither minisign nor openssl is here
  PROBITY_VERSION  another version than $version

Nothing is installed unless its SHA-256 stands in SHA256SUMS at the same address. Where the publisher's key is known,
that list must be signed with it.
TEXT
}

fail() {
    printf 'probity: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '  %s\n' "$2" >&2
    exit 1
}

platform() {
    system=$(uname -s)
    machine=$(uname -m)
    case "$system" in
        Linux) ;;
        *) fail "there is no program for $system here yet" "build it: cargo install --locked --path crates/probity" ;;
    esac
    case "$machine" in
        x86_64 | amd64) echo x86_64-unknown-linux-musl ;;
        aarch64 | arm64) echo aarch64-unknown-linux-musl ;;
        *) fail "there is no program for $machine here yet" "build it: cargo install --locked --path crates/probity" ;;
    esac
}

# get ADDRESS FILE
get() {
    case "$1" in
        file://*) cp "${1#file://}" "$2" ;;
        /* | ./*) cp "$1" "$2" ;;
        https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) download "$1" "$2" ;;
        *) fail "will not download from $1" "give --from an https:// address, file:// or a folder" ;;
    esac
}

download() {
    if command -v curl >/dev/null 2>&1; then
        case "$1" in
            https://*) curl --proto '=https' --tlsv1.2 --location --fail --silent --show-error --output "$2" "$1" ;;
            *) curl --proto '=http' --fail --silent --show-error --output "$2" "$1" ;;
        esac
    elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$2" "$1"
    else
        fail "neither curl nor wget is here" "install one of them, or download $1 yourself and give its folder to --from"
    fi
}

sha256_of() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum "$1" | cut -d' ' -f1
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 "$1" | cut -d' ' -f1
    else
        fail "neither sha256sum nor shasum is here" "what was downloaded cannot be checked, so it is not installed"
    fi
}

# verify SUMS SIGNATURE: with minisign, else with openssl, which knows the two parts of such a signature.
verify() {
    if command -v minisign >/dev/null 2>&1; then
        minisign -V -q -P "$key" -m "$1" -x "$2" >/dev/null 2>&1
        return
    fi
    line() { sed -n "$1p" "$2" | base64 -d 2>/dev/null; }
    # An Ed25519 key as openssl reads it: a fixed beginning, then the key.
    { printf '\060\052\060\005\006\003\053\145\160\003\041\000'; printf '%s' "$key" | base64 -d | tail -c 32; } >"$work/key"
    # `ED`: the list was hashed before it was signed. Nothing else is taken.
    [ "$(line 2 "$2" | head -c 2)" = ED ] || return 1
    line 2 "$2" | tail -c 64 >"$work/signature"
    openssl dgst -blake2b512 -binary "$1" >"$work/hash"
    # The comment, which names the version, is signed together with the first signature.
    { cat "$work/signature"; sed -n 's/^trusted comment: //p' "$2" | tr -d '\n'; } >"$work/comment"
    line 4 "$2" >"$work/second"
    verified() { openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key" -rawin -in "$1" -sigfile "$2" >/dev/null 2>&1; }
    verified "$work/hash" "$work/signature" && verified "$work/comment" "$work/second"
}

# check_signature SUMS
check_signature() {
    if [ -z "$key" ]; then
        printf 'probity: this installer knows no key, so the list of sums is not known to be the publisher'"'"'s\n' >&2
        return
    fi
    if ! command -v minisign >/dev/null 2>&1 && ! command -v openssl >/dev/null 2>&1; then
        [ -n "$unsigned" ] || fail "neither minisign nor openssl is here, so nobody can tell who made this" "install one of them, or add --unsigned to rely on the address alone"
        return
    fi
    get "$downloads/SHA256SUMS.minisig" "$work/SHA256SUMS.minisig" || fail "there is no signature at $downloads" "nothing was installed"
    verify "$1" "$work/SHA256SUMS.minisig" || fail "SHA256SUMS is not signed with the publisher's key" "nothing was installed; report it if it stays so"
    signed=$(sed -n 's/^trusted comment: //p' "$work/SHA256SUMS.minisig")
    [ "$signed" = "probity $version" ] || fail "the files there are signed as \`$signed\`, not as probity $version" "nothing was installed; ask for the version that is there with PROBITY_VERSION"
}

# check FILE NAME SUMS
check() {
    wanted=$(while read -r sum name; do
        [ "$name" = "$2" ] && echo "$sum"
    done <"$3" || true)
    [ -n "$wanted" ] || fail "SHA256SUMS at $downloads does not name $2" "is $version a released version?"
    found=$(sha256_of "$1")
    [ "$found" = "$wanted" ] || fail "$2 is not what was released: SHA-256 $found instead of $wanted" "nothing was installed; try again, and report it if it stays so"
}

# Everything happens in here, so that a download cut short runs nothing.
main() {
    while [ $# -gt 0 ]; do
        case "$1" in
            --help | -h) usage; exit 0 ;;
            --to) [ $# -ge 2 ] || fail "--to needs a folder"; folder=$2; shift 2 ;;
            --key) [ $# -ge 2 ] || fail "--key needs a file"; key=$(grep -v '^untrusted comment' "$2" | head -n 1); shift 2 ;;
            --unsigned) unsigned=yes; shift ;;
            --from) [ $# -ge 2 ] || fail "--from needs an address"; downloads=${2%/}; shift 2 ;;
            *) fail "\`$1\` is not known" "sh install.sh --help" ;;
        esac
    done

    triple=$(platform)
    name="probity-$version-$triple"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM

    get "$downloads/SHA256SUMS" "$work/SHA256SUMS" || fail "could not download $downloads/SHA256SUMS"
    check_signature "$work/SHA256SUMS"
    get "$downloads/$name.tar.gz" "$work/$name.tar.gz" || fail "could not download $downloads/$name.tar.gz"
    check "$work/$name.tar.gz" "$name.tar.gz" "$work/SHA256SUMS"
    tar -xzf "$work/$name.tar.gz" -C "$work"
    "$work/$name/probity" --version >/dev/null || fail "the program does not run on this machine"

    mkdir -p "$folder"
    # Beside its place and then renamed: a running program is never half overwritten.
    cp "$work/$name/probity" "$folder/.probity.new"
    chmod 755 "$folder/.probity.new"
    mv -f "$folder/.probity.new" "$folder/probity"

    printf 'probity %s is in %s\n' "$version" "$folder" >&2
    case ":$PATH:" in
        *":$folder:"*) printf '  try: probity doctor\n' >&2 ;;
        *) printf '  it is not on your PATH yet: export PATH="%s:%s"\n' "$folder" "\$PATH" >&2 ;;
    esac
}

main "$@"
