# SPDX-License-Identifier: Apache-2.0
# Compares how programs end with Epitaph and without it. The host judges their reports.
. /lab/say.sh

# systemd-coredump would take seconds for each core.
echo core >/proc/sys/kernel/core_pattern
ulimit -c 0
compare() { # MODE WORDS...
    local status=0
    python3 /lab/Scripts/compare-endings "$1" --made /lab/made --build /lab --patience 10 --jobs "$(nproc)" "${@:2}" \
        >/run/compared 2>&1 || status=$?
    grep -A 1000 -E "^(not as|$1:)" /run/compared | grep -v "^$1:$" | sed 's/^/figure: /' >&3
    return $status
}
check "programs of signal actions end as without Epitaph" compare random --seeds 60
check "programs that wait and refuse end as without Epitaph" compare waits --keep /lab/out
# Without an end of its own a disk's archive ends in zeros.
tar -C /lab/out -cf /dev/disk/by-id/virtio-lab-out . || failures=$((failures + 1))
finish
