# SPDX-License-Identifier: Apache-2.0
"""symbol_file.py FILE: reads hexadecimal addresses from standard input, one a line, and names each with Breakpad's symbol file
FILE: for each call, innermost first, a line of address, name, file and line, with tabs between them.

Run by the Python of .build/python-symbols, which Scripts/setup lab makes: symbolic reads inlined calls only since version 9.
"""

import sys

from symbolic.debuginfo import Archive

cache = next(Archive.open(sys.argv[1]).iter_objects()).make_symcache()
for line in sys.stdin:
    for call in cache.lookup(int(line, 16)):
        print("\t".join([line.strip(), call.symbol, call.full_path or "", str(call.line)]))
