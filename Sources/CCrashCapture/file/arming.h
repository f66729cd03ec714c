// SPDX-License-Identifier: Apache-2.0
//
// Making dump files. QUIET-TIME.

#ifndef EPITAPH_FILE_ARMING_H
#define EPITAPH_FILE_ARMING_H

#include "file/writer.h"

#pragma GCC visibility push(hidden)

/// Sets the writer for launch records. Nothing else may be using it when they are written.
void epitaph_launch_writer_set(epitaph_writer *writer);

#pragma GCC visibility pop

#endif
