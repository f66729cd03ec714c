// SPDX-License-Identifier: Apache-2.0
//
// The modules that were written. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_MODULE_LIST_H
#define EPITAPH_CAPTURE_MODULE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_MODULE_LIMIT = 4096 };

/// A module that was written.
typedef struct epitaph_module {
    uint64_t start;
    uint64_t end;
    /// Where the loader stores its path; 0 for the executable.
    uint64_t path_address;
    /// Its file is gone or has been replaced by another.
    bool has_lost_file;
} epitaph_module;

#pragma GCC visibility pop

#endif
