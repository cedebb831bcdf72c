#!/bin/sh
# Installs one package on a machine that has nothing, without a network, and uses it:
# `empty-root.sh WAY [PACKAGES [HANDS]]`, where WAY is archive, installer, npm, pypi or mcpb. With HANDS (key, model or
# nothing) it asks a first question as a new user would, against `$SIMULATOR` with the pages of `$WORLD`.
# Needs root, unshare and a static busybox.
#
# The root is a tmpfs with busybox alone; npm and PyPI also see this machine's /usr, read-only. The home is empty.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
way=${1:?archive, installer, npm, pypi or mcpb}
packages=$(cd "${2:-$here/../../target/packages}" && pwd)
hands=${3:-}

# Where Ollama listens: set-up finds it there.
OUTSIDE=127.0.0.1:11434
QUESTION='How tall is the Eiffel Tower and when did it open?'

# Seconds that the handshake may take on a busy machine.
HANDSHAKE_SECONDS=${HANDSHAKE_SECONDS:-20}

outside() {
    command -v busybox >/dev/null || { echo "no busybox here: apt-get install busybox-static" >&2; exit 3; }
    root=$(mktemp -d)
    trap 'rmdir "$root"' EXIT
    ROOT=$root unshare --mount --pid --net --fork --kill-child sh "$here/empty-root.sh" "$way" "$packages" $hands
}

# In namespaces of its own: what is mounted here is gone with the last process.
furnish() {
    mount -t tmpfs -o size=1g,mode=755 none "$ROOT"
    cd "$ROOT"
    mkdir -p proc dev tmp home/somebody packages etc opt
    chmod 1777 tmp
    mount -t proc none proc
    for device in null zero urandom random; do
        : >"dev/$device"
        mount --bind "/dev/$device" "dev/$device"
    done
    mount --bind -o ro "$packages" packages
    echo 'root:x:0:0::/home/somebody:/bin/sh' >etc/passwd
    cp "$(command -v busybox)" opt/busybox
    case "$way" in
        npm | pypi)
            mkdir usr
            mount --rbind /usr usr
            mount -o remount,bind,ro usr
            for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$folder"; done
            ;;
        *)
            mkdir bin
            opt/busybox --list | while read -r name; do ln -s /opt/busybox "bin/$name"; done
            ;;
    esac
    busybox ip link set lo up
    [ -z "$hands" ] || simulate_outside
    cp "$here/empty-root.sh" opt/steps
    env -i INSIDE=1 HOME=/home/somebody PATH=/bin:/usr/bin LANG=C.UTF-8 HANDSHAKE_SECONDS="$HANDSHAKE_SECONDS" \
        "$ROOT/opt/busybox" chroot "$ROOT" /bin/sh /opt/steps "$way" /packages $hands
}

# Google, a search engine, the web and a chat model, in this network and outside the root.
simulate_outside() {
    "$SIMULATOR" --listen "$OUTSIDE" --web "$WORLD" >tmp/outside 2>&1 &
    waited=0
    until grep -q "$OUTSIDE" tmp/outside; do
        [ "$waited" -lt "$HANDSHAKE_SECONDS" ] || { echo "the simulator does not start" >&2; exit 1; }
        sleep 1
        waited=$((waited + 1))
    done
}

# Sets `program`.
install_package() {
    cd "$HOME"
    case "$way" in
        archive)
            tar -xzf /packages/probity-*.tar.gz
            program=$(echo "$HOME"/probity-*/probity)
            ;;
        installer)
            /opt/busybox httpd -p 127.0.0.1:8000 -h /packages
            sh /packages/install.sh --from http://127.0.0.1:8000
            program=$HOME/.local/bin/probity
            ;;
        npm)
            npm install --offline --no-audit --no-fund --prefix "$HOME/npm" /packages/npm/*.tgz >&2
            program=$HOME/npm/node_modules/.bin/probity
            ;;
        pypi)
            python3 -m venv "$HOME/venv"
            "$HOME/venv/bin/pip" install --quiet --no-index --disable-pip-version-check /packages/pypi/*.whl >&2
            program=$HOME/venv/bin/probity
            ;;
        mcpb)
            mkdir bundle
            unzip -q -d bundle /packages/*.mcpb
            chmod +x bundle/server/probity
            program=$HOME/bundle/server/probity
            ;;
        *) echo "\`$way\` is not known" >&2; exit 2 ;;
    esac
}

use_package() {
    version=$("$program" --version) || { echo "the program does not start" >&2; exit 1; }
    echo "version: $version"
    # What is missing on such a machine is for the doctor to say: 1 is an answer, a crash is not.
    code=0
    "$program" doctor --json >/tmp/doctor.json || code=$?
    case "$code" in 0 | 1) ;; *) echo "doctor ended with $code" >&2; exit 1 ;; esac
    [ "$(head -c 1 /tmp/doctor.json)" = "{" ] || { echo "doctor --json is not a document" >&2; exit 1; }
    echo "doctor: exit $code, $(wc -c </tmp/doctor.json) bytes"
    hello='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"empty-root","version":"1"}}}'
    # The second comes after a pause: whoever reads without waiting has given up by then.
    ping='{"jsonrpc":"2.0","id":2,"method":"ping"}'
    { echo "$hello"; sleep 1; echo "$ping"; sleep "$HANDSHAKE_SECONDS"; } | timeout "$HANDSHAKE_SECONDS" "$program" mcp >/tmp/answers &
    waited=0
    until grep -q '"serverInfo"' /tmp/answers 2>/dev/null && grep -q '"id":2' /tmp/answers; do
        [ "$waited" -lt "$HANDSHAKE_SECONDS" ] || { echo "no answer to initialize and ping" >&2; exit 1; }
        sleep 1
        waited=$((waited + 1))
    done
    echo "mcp: answers initialize, and ping after a pause"
}

# The simulator is found where the internet is for everybody else; none of this is typed.
look_outside() {
    base=http://$OUTSIDE
    export GOOGLE_GEMINI_BASE_URL="$base"
    export PROBITY_WEB__REACH="*:80=$OUTSIDE,*:443=$OUTSIDE,$OUTSIDE=$OUTSIDE" PROBITY_WEB__ARCHIVE=false
    export PROBITY_SEARCH__BASES="tavily-keyless=$base/search-api/tavily,wikipedia=$base/search-api/wikipedia/{language}"
    PATH=$(dirname "$program"):$PATH
}

typed() {
    echo "typed: $*"
    "$@" 2>>/tmp/told || { cat /tmp/setup /tmp/told >&2; exit 1; }
}

# After the install, which the clock does not count and the number of commands does.
first_answer() {
    look_outside
    read -r began rest </proc/uptime
    case "$hands" in
        key) echo simulated | typed probity setup --gemini-key - >/tmp/setup ;;
        model) typed probity setup --yes --model-endpoint "http://$OUTSIDE/v1" --model small >/tmp/setup ;;
        nothing) : >/tmp/setup ;;
        *) echo "\`$hands\` is not known" >&2; exit 2 ;;
    esac
    typed probity ask "$QUESTION" >/tmp/answer
    read -r ended rest </proc/uptime
    grep -h '^typed: ' /tmp/setup /tmp/answer || true
    echo "seconds: $(/opt/busybox awk "BEGIN { print $ended - $began }")"
    # Not typed: what stands behind the answer.
    probity runs show --json >/tmp/shown.json
    echo "answer:"
    grep -v '^typed: ' /tmp/answer
    echo "shown:"
    cat /tmp/shown.json
}

if [ -n "${INSIDE:-}" ]; then
    install_package
    if [ -n "$hands" ]; then first_answer; else use_package; fi
elif [ -n "${ROOT:-}" ]; then
    furnish
else
    outside
fi
