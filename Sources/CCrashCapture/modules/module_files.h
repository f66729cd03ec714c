// SPDX-License-Identifier: Apache-2.0
//
// The MODULE_FILES section. CRASH-TIME.

#ifndef EPITAPH_MODULES_MODULE_FILES_H
#define EPITAPH_MODULES_MODULE_FILES_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/// Writes what was at the paths of the modules that were written.
void epitaph_module_files_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
