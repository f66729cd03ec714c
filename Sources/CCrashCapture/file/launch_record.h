// SPDX-License-Identifier: Apache-2.0
//
// The launch record: which process a dump file belongs to. ANY-TIME.

#ifndef EPITAPH_FILE_LAUNCH_RECORD_H
#define EPITAPH_FILE_LAUNCH_RECORD_H

#include "epitaph_dump_file_state.h"
#include "file/writer.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

// Each section begins and ends its own containers and records as damage what it cannot get.
void epitaph_launch_record_write(epitaph_writer *writer, const epitaph_dump_file *file);

/// The offset of the byte that says whether the program was told that memory is short.
uint64_t epitaph_launch_record_memory_warning_place(const epitaph_dump_file *file);

#pragma GCC visibility pop

#endif
