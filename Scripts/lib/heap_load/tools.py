# SPDX-License-Identifier: Apache-2.0
"""Load tools, which may not fail."""

import pathlib
import re
import subprocess
import time

BURST_S = 120
LOOK_S = 0.2


def run(words, look=None, **options):
    """Output of a tool that may not fail; meanwhile `look` is called again and again."""
    tool = subprocess.Popen([str(word) for word in words], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **options)
    end = time.monotonic() + BURST_S
    while True:
        try:
            said, _ = tool.communicate(timeout=LOOK_S if look else BURST_S)
            break
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                tool.kill()
                tool.communicate()
                raise
            if look:
                look()
    if tool.returncode != 0:
        raise RuntimeError(f"{pathlib.Path(words[0]).name} ended with {tool.returncode}: {said[-500:]}")
    return said


def number(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise RuntimeError(f"no {pattern} in {text[-500:]}")
    return int(found[1])
