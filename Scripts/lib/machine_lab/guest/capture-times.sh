# SPDX-License-Identifier: Apache-2.0
# The table of `Scripts/bench crash` with as many processors as there are, and with one. What is emulated is no measure of
# time anywhere else; the ratios say whether more processors help. A thousand threads are too many for an emulator's time.
. /lab/say.sh

# systemd-coredump would be most of a death.
echo core >/proc/sys/kernel/core_pattern
ulimit -c 0
mkdir -p /lab/work && cd /lab/work
for processors in "0-$(($(nproc) - 1))" 0; do
    say "figure: on processors $processors"
    taskset -c "$processors" /lab/program table 9 100 >/run/table 2>&1 || failures=$((failures + 1))
    while read -r line; do say "figure: $line"; done </run/table
done
finish
