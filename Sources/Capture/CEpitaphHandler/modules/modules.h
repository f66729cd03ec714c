// SPDX-License-Identifier: Apache-2.0
//
// The modules of the process: the sections MODULES, DYNAMIC_LINKER, MODULE_FILES and UNWIND_TABLES.
// CRASH-TIME.

#ifndef EPITAPH_MODULES_MODULES_H
#define EPITAPH_MODULES_MODULES_H

#include "capture/capture.h"
#include "file/stored_values.h"

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

typedef struct epitaph_modules {
    /// The executable first, if it could be read; the vdso is not among them.
    uint32_t count;
    epitaph_module entries[EPITAPH_MODULE_LIMIT];
} epitaph_modules;

// The MODULES and DYNAMIC_LINKER sections.

/// Writes the executable's module, from facts found at quiet time; the others follow in
/// epitaph_modules_write.
void epitaph_executable_write(epitaph_capture *capture);
void epitaph_modules_write(epitaph_capture *capture);

/// The same, stored as an array of one module: without it no address of the stack means anything.
void epitaph_executable_store(epitaph_stored_values *values);

// The MODULE_FILES section.

/// Writes what was at the paths of the modules that were written.
void epitaph_module_files_write(epitaph_capture *capture);

// The UNWIND_TABLES section.

/// Writes the unwind tables of modules that have lost their files.
void epitaph_unwind_tables_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
