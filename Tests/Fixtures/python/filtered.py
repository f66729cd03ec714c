# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the system calls that a unit of systemd allows, seccomp(2): any other kills it with SIGSYS.

filtered.py UNIT PROGRAM ARGUMENT…

The unit's sets are those of `systemd-analyze syscall-filter`, and its capabilities are the only ones left."""

import ctypes
import os
import re
import struct
import subprocess
import sys

NUMBERS = {"x86_64": ("unistd_64.h", 0xC000003E), "aarch64": ("unistd.h", 0xC00000B7)}


def lines(unit, key):
    with open(unit) as file:
        return [line.split("=", 1)[1].split() for line in file if line.startswith(key + "=")]


def expanded(name):
    if not name.startswith("@"):
        return {name}
    text = subprocess.run(["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True).stdout
    calls = set()
    for line in text.splitlines()[1:]:
        word = line.strip()
        if word and not word.startswith("#"):
            calls |= expanded(word)
    return calls


def allowed(unit):
    calls = expanded("@default")
    for words in lines(unit, "SystemCallFilter"):
        takes = words[0].startswith("~")
        for word in words:
            names = expanded(word.lstrip("~"))
            calls = calls - names if takes else calls | names
    return calls


def numbers(machine):
    header = NUMBERS[machine][0]
    source = f"#include <asm/{header}>\n"
    text = subprocess.run(["cc", "-E", "-dM", "-"], input=source, check=True, capture_output=True, text=True).stdout
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", text)}


def program(calls, machine):
    allow, kill = 0x7FFF0000, 0x80000000
    table = numbers(machine)
    code = [(0x20, 0, 0, 4), (0x15, 1, 0, NUMBERS[machine][1]), (0x06, 0, 0, kill), (0x20, 0, 0, 0)]
    for number in sorted(table[name] for name in calls if name in table):
        code += [(0x15, 0, 1, number), (0x06, 0, 0, allow)]
    code.append((0x06, 0, 0, kill))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code), len(code)


def main():
    unit, command = sys.argv[1], sys.argv[2:]
    filter_bytes, count = program(allowed(unit), os.uname().machine)
    capabilities = [name[4:].lower() for words in lines(unit, "CapabilityBoundingSet") for name in words]
    if os.geteuid() == 0 and os.environ.get("EPITAPH_BOUNDED") is None:
        os.environ["EPITAPH_BOUNDED"] = "1"
        bounding = ",".join(["-all"] + ["+" + name for name in capabilities])
        os.execvp("setpriv", ["setpriv", "--bounding-set", bounding, "--no-new-privs", sys.executable, "-B"] + sys.argv)
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(filter_bytes)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    chain = Program(count, ctypes.addressof(buffer))
    # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(chain), 0, 0) != 0:
        sys.exit(77)
    os.execvp(command[0], command)


main()
