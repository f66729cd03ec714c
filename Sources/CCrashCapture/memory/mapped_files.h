// SPDX-License-Identifier: Apache-2.0
//
// Which file is mapped at an address, according to /proc/self/maps. CRASH-TIME.

#ifndef EPITAPH_MEMORY_MAPPED_FILES_H
#define EPITAPH_MEMORY_MAPPED_FILES_H

#include "memory/mappings.h"
#include "system/sys_descriptors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The file that is mapped somewhere, according to /proc/self/maps.
typedef struct epitaph_mapped_file {
    epitaph_file_identity identity;
    /// Inside the text of the maps file, not terminated, and without the kernel's " (deleted)".
    const char *path;
    size_t path_bytes;
    /// Whether the kernel says that the name is gone: the file was deleted, or another was renamed
    /// to it.
    bool is_deleted;
} epitaph_mapped_file;

/// The file that is mapped at `address`; false if there is none or the text was not kept.
bool epitaph_mappings_find_file(const epitaph_mappings *mappings, uint64_t address,
                                epitaph_mapped_file *file);

#pragma GCC visibility pop

#endif
