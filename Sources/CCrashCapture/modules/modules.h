// SPDX-License-Identifier: Apache-2.0
//
// The MODULES and DYNAMIC_LINKER sections. CRASH-TIME.

#ifndef EPITAPH_MODULES_MODULES_H
#define EPITAPH_MODULES_MODULES_H

#include "capture/capture.h"
#include "file/stored_values.h"

#pragma GCC visibility push(hidden)

/// Writes the executable's module, from facts found at quiet time; the others follow in
/// epitaph_modules_write.
void epitaph_executable_write(epitaph_capture *capture);
void epitaph_modules_write(epitaph_capture *capture);

/// The same, stored as an array of one module: without it no address of the stack means anything.
void epitaph_executable_store(epitaph_stored_values *values);

#pragma GCC visibility pop

#endif
