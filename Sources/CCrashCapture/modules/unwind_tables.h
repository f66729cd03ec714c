// SPDX-License-Identifier: Apache-2.0
//
// The UNWIND_TABLES section. CRASH-TIME.

#ifndef EPITAPH_MODULES_UNWIND_TABLES_H
#define EPITAPH_MODULES_UNWIND_TABLES_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/// Writes the unwind tables of modules that have lost their files.
void epitaph_unwind_tables_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
