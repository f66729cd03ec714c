# SPDX-License-Identifier: Apache-2.0
"""Swaps two names in a directory again and again, as fast as it can, until its standard input ends.

usage: swapper.py PATH OTHER [PATH OTHER ...]

Each pair changes places by renameat2(2) with RENAME_EXCHANGE, so both names always stand for something.
"""
import ctypes
import os
import select
import sys

AT_FDCWD = -100
RENAME_EXCHANGE = 2


def main():
    names = [os.fsencode(name) for name in sys.argv[1:]]
    pairs = list(zip(names[::2], names[1::2]))
    libc = ctypes.CDLL(None, use_errno=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        for one, other in pairs:
            libc.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)


if __name__ == "__main__":
    main()
