// SPDX-License-Identifier: Apache-2.0
//
// Handing the writer's buffer to the kernel. ANY-TIME.

#ifndef EPITAPH_FILE_WRITER_FLUSH_H
#define EPITAPH_FILE_WRITER_FLUSH_H

#include "file/writer.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Hands the buffer to the kernel. Called at the end of each section: what was flushed outlives the
/// process.
void epitaph_writer_flush(epitaph_writer *writer);

/// Forgets gathered values that do not lie in the first `kept` bytes of what is to be written.
void epitaph_writer_gathered_cut(epitaph_writer *writer, uint64_t kept);

#pragma GCC visibility pop

#endif
