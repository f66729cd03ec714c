# SPDX-License-Identifier: Apache-2.0
# What every script in a machine begins with. /dev/virtio-ports/lab leads to the host, a line at a time; the last one is
# "end 0" if everything was as it has to be. Standard output is the console.
export DEBIAN_FRONTEND=noninteractive COLUMNS=500
cd /lab
exec 3>/dev/virtio-ports/lab
say() { printf '%s\n' "$*" >&3; }
say up
failures=0
check() { # WHAT COMMAND...
    local what=$1
    shift
    if ("$@") >/run/output 2>&1; then say "ok: $what"; else
        say "FAILED: $what"
        tail -n 40 /run/output | sed 's/^/    /' >&3
        failures=$((failures + 1))
    fi
}
# A condition that comes true within a minute and a half. The processors are emulated.
eventually() { # COMMAND...
    local deadline=$((SECONDS + 90))
    while [ $SECONDS -lt $deadline ]; do
        if "$@" >/run/last 2>&1; then return 0; fi
        sleep 0.2
    done
    echo "in vain until the deadline: $*"
    cat /run/last
    return 1
}
prints() { # PATTERN COMMAND...
    local pattern=$1
    shift
    "$@" 2>&1 | tee /run/printed
    grep -qE -- "$pattern" /run/printed
}
finish() {
    say "end $failures"
    sync
    systemctl poweroff --force
    sleep 600
}
trap 'say "FAILED: the script of the part broke off"; say "end 1"; systemctl poweroff --force' ERR
set -E
