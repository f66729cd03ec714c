// SPDX-License-Identifier: Apache-2.0
//
// Three lines on standard error, if the program has asked for them: the signal, the last message,
// and where the dump is. In a pod without a volume nothing else outlives the process. CRASH-TIME.

#ifndef EPITAPH_HANDLER_LAST_LINES_H
#define EPITAPH_HANDLER_LAST_LINES_H

#include "capture/capture.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Writes the lines once the dump is complete. Never waits for their reader: what cannot be written
/// now is not written. `has_dump` says whether there is a dump, and `is_sealed` whether its file
/// has its final name.
void epitaph_last_lines_write(epitaph_capture *capture, bool has_dump, bool is_sealed);

#pragma GCC visibility pop

#endif
