# SPDX-License-Identifier: Apache-2.0
"""Swaps two names again and again, as another user, as fast as it can. Ends by itself after a minute.

usage: swapper.py USER-ID PATH OTHER [PATH OTHER ...]

Each pair changes places by renameat2(2) with RENAME_EXCHANGE, so both names always exist.
"""
import ctypes
import os
import signal
import sys

AT_FDCWD = -100
RENAME_EXCHANGE = 2


def main():
    signal.alarm(60)
    user = int(sys.argv[1])
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    names = [os.fsencode(name) for name in sys.argv[2:]]
    pairs = list(zip(names[::2], names[1::2]))
    libc = ctypes.CDLL(None, use_errno=True)
    while True:
        for one, other in pairs:
            libc.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)


if __name__ == "__main__":
    main()
