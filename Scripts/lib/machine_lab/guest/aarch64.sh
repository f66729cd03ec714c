# SPDX-License-Identifier: Apache-2.0
# Lets the programs of the corpus crash, and gdb say what stacks they had. The host compares them with the dumps.
. /lab/say.sh

check "this is aarch64" prints aarch64 uname -m
say "figure: $(uname -r), $(nproc) processors, features: $(grep -m1 Features /proc/cpuinfo | grep -oE 'paca|bti|mte|sve' | tr '\n' ' ')"
echo core.%p >/proc/sys/kernel/core_pattern
python3 /lab/crashes.py || failures=$((failures + $?))
# Without an end of its own a disk's archive ends in zeros.
tar -C /lab/out -cf /dev/disk/by-id/virtio-lab-out . || failures=$((failures + 1))
finish
