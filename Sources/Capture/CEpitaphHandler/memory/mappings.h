// SPDX-License-Identifier: Apache-2.0
//
// The address space at the crash, from /proc/self/maps: what is mapped where, which file it is, and
// which words may be pointers to data. CRASH-TIME.

#ifndef EPITAPH_MEMORY_MAPPINGS_H
#define EPITAPH_MEMORY_MAPPINGS_H

#include "system/range.h"
#include "system/sys_descriptors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// Twice what the kernel allows by default (vm.max_map_count). If there are more, only those
    /// are kept that contain a stack known beforehand, for which the last entries are reserved.
    EPITAPH_MAPPING_LIMIT = 131072,
    EPITAPH_MAPPINGS_SET_ASIDE = 16,
    /// A stack pointer in a guard page or just below a stack that overflowed belongs to the mapping
    /// above it.
    EPITAPH_GUARD_REACH = 1 << 20,
    /// The text of the file is kept if it fits, so that it need not be read twice.
    EPITAPH_MAPS_TEXT_SIZE = 1 << 20,
    /// Of addresses in user space, on both architectures.
    EPITAPH_ADDRESS_BITS = 60,
};

typedef struct epitaph_mapping {
    uint64_t start;
    uint64_t end : EPITAPH_ADDRESS_BITS;
    uint64_t is_readable : 1;
    uint64_t is_executable : 1;
    /// A file on a block device: its pages arrive, or the device reports an error, and no
    /// userfaultfd can be set on it (mm/userfaultfd.c, vma_can_userfault).
    uint64_t is_on_disk : 1;
    /// Private memory without a file, which therefore cannot be truncated while it is read.
    uint64_t is_anonymous : 1;
    /// The part that is in the dump, or will be, as a thread's stack.
    epitaph_range stack;
} epitaph_mapping;

typedef struct epitaph_mappings {
    uint32_t count;
    /// Size of `text`; 0 if the file did not fit.
    uint32_t text_bytes;
    /// The errno with which reading the file failed; 0 if it did not.
    int32_t error;
    /// Some mappings are not in the table.
    bool has_more;
    /// Pointers into stacks: the capturing thread's, and the end of the main thread's.
    uint64_t stack_pointers[2];
    epitaph_mapping entries[EPITAPH_MAPPING_LIMIT];
    char text[EPITAPH_MAPS_TEXT_SIZE];
} epitaph_mappings;

/// A line of the file, proc(5): "7f12a000-7f12c000 r-xp 00000000 fe:00 123   /usr/lib/x.so".
typedef struct epitaph_maps_line {
    uint64_t start;
    uint64_t end;
    /// The four letters of the rights.
    const char *rights;
    /// Whether what follows could be read.
    bool has_backing;
    uint64_t device_major;
    uint64_t device_minor;
    /// 0 if there is no file.
    uint64_t inode;
    /// What is left of the line: blanks, and the path if there is one.
    const char *rest;
} epitaph_maps_line;

/// Reads a line that ends at `end`; false without its addresses and rights.
bool epitaph_maps_line_read(const char *text, const char *end, epitaph_maps_line *line);

/// Reads the file. Without /proc the table is empty and `error` says why. The mapping that contains
/// `stack_pointer`, the capturing thread's, is kept even if there are too many.
void epitaph_mappings_read(epitaph_mappings *mappings, uint64_t stack_pointer);

/// An empty table, because of `error`.
void epitaph_mappings_forget(epitaph_mappings *mappings, int32_t error);

/// The mapping that holds `address`, or NULL.
const epitaph_mapping *epitaph_mappings_find(const epitaph_mappings *mappings, uint64_t address);

/// Records in its mapping that `stack` is in the dump separately.
void epitaph_mappings_note_stack(epitaph_mappings *mappings, epitaph_range stack);

/// The first readable mapping that ends above `address`, or NULL.
const epitaph_mapping *epitaph_mappings_find_readable_from(const epitaph_mappings *mappings,
                                                           uint64_t address);

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

// Which words may be pointers to data, and into which mapping.

/// Whether the word is far enough from both ends of the address space to be a pointer.
bool epitaph_may_be_pointer(uint64_t value);

/// The readable mapping without code that contains `value`, or NULL; also NULL for a value that
/// points into a stack that is in the dump separately.
const epitaph_mapping *epitaph_data_mapping_find(const epitaph_mappings *mappings, uint64_t value);

#pragma GCC visibility pop

#endif
