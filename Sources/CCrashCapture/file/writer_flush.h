// SPDX-License-Identifier: Apache-2.0
//
// Writes the writer's buffer to the file. ANY-TIME.

#ifndef EPITAPH_FILE_WRITER_FLUSH_H
#define EPITAPH_FILE_WRITER_FLUSH_H

#include "file/writer.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Writes the buffer to the file. Called at the end of each section: what was flushed survives the
/// process.
void epitaph_writer_flush(epitaph_writer *writer);

/// Forgets gathered values that are not within the first `kept` bytes of what is to be written.
void epitaph_writer_gathered_cut(epitaph_writer *writer, uint64_t kept);

#pragma GCC visibility pop

#endif
