# SPDX-License-Identifier: Apache-2.0
"""breakpad.py MINIDUMP [SYMBOLS]: prints the frames that Breakpad's processor finds, with the call frame information of this
machine's files, or of symbol files in the directory SYMBOLS alone: for each thread a line "THREAD" and its id, then one line a frame: "FRAME", the address, an empty name, an empty name,
and how it was found.

Run by the Python that Scripts/setup lab makes: it needs symbolic 8, the last to hold the processor.
"""

import os
import sys

from symbolic.debuginfo import Archive, normalize_debug_id
from symbolic.minidump import FrameInfoMap, ProcessState


def symbol_file_infos(state, directory):
    """The call frame information in the symbol files of the process's modules, by debug id."""
    infos = FrameInfoMap.new()
    for module in state.modules():
        name = os.path.basename(module.code_file or "")
        if not name or not module.debug_id:
            continue
        debug_id = normalize_debug_id(module.debug_id)
        path = os.path.join(directory, name, debug_id.replace("-", "").upper()[:32] + "0", name + ".sym")
        if os.path.isfile(path):
            infos.add(module.debug_id, next(Archive.open(path).iter_objects()).make_cficache())
    return infos


def frame_infos(state):
    """The call frame information of the process's modules whose file is here, by debug id."""
    infos = FrameInfoMap.new()
    for module in state.modules():
        path = module.code_file
        if not path or not module.debug_id or not os.path.isfile(path):
            continue
        # The minidump's id ends with an age, which ELF files do not have.
        debug_id = normalize_debug_id(module.debug_id)
        debug = path + ".debug"
        for file in [path, debug] if os.path.isfile(debug) else [path]:
            # Of a stripped program, .debug_frame is in the debug file.
            image = next(Archive.open(file).iter_objects())
            if image.debug_id == debug_id and "unwind" in image.features:
                infos.add(module.debug_id, image.make_cficache())
                break
    return infos


def main():
    state = ProcessState.from_minidump(sys.argv[1])
    infos = symbol_file_infos(state, sys.argv[2]) if len(sys.argv) > 2 else frame_infos(state)
    state = ProcessState.from_minidump(sys.argv[1], infos)
    for thread in state.threads():
        print(f"THREAD\t{thread.thread_id}")
        for index, frame in enumerate(thread.frames()):
            address = frame.return_address if index else frame.instruction
            print(f"FRAME\t{address:x}\t\t\t{frame.trust}")


main()
