# SPDX-License-Identifier: Apache-2.0
"""Explains minidumps with Breakpad's processor (PyPI's symbolic 8.7.2): stacks by call frame information, and function,
file and line of every frame of every thread. Files are prepared once and kept, as `dump-convert explain` keeps them.

usage: bulk_breakpad.py MINIDUMP...    prints how many seconds the reports took after the first, and frames and names found
"""
import os
import sys
import time

from symbolic.debuginfo import Archive, normalize_debug_id
from symbolic.minidump import FrameInfoMap, ProcessState
from symbolic.symcache import SymCache

symbols, rules = {}, {}


def prepare(module):
    key = module.debug_id
    if key in symbols:
        return
    symbols[key] = rules[key] = None
    if not module.code_file or not key or not os.path.isfile(module.code_file):
        return
    image = next(Archive.open(module.code_file).iter_objects())
    # The minidump's id ends with an age, which ELF files do not have.
    if image.debug_id != normalize_debug_id(key):
        return
    if "unwind" in image.features:
        rules[key] = image.make_cficache()
    symbols[key] = SymCache.from_object(image)


def explain(path):
    state = ProcessState.from_minidump(path)
    for module in state.modules():
        prepare(module)
    frame_infos = FrameInfoMap.new()
    for module in state.modules():
        if rules.get(module.debug_id):
            frame_infos.add(module.debug_id, rules[module.debug_id])
    state = ProcessState.from_minidump(path, frame_infos)
    frames = names = 0
    for thread in state.threads():
        for index, frame in enumerate(thread.frames()):
            frames += 1
            cache = frame.module and symbols.get(frame.module.debug_id)
            if cache:
                address = frame.instruction - frame.module.addr - (1 if index else 0)
                names += bool(cache.lookup(address))
    return frames, names


explain(sys.argv[1])
start = time.perf_counter()
for argument in sys.argv[2:]:
    counts = explain(argument)
print(time.perf_counter() - start, *counts)
