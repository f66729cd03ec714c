// SPDX-License-Identifier: Apache-2.0
//
// The address space at the crash: its mappings, memory that may not be there, and what is removed
// from copies of it. CRASH-TIME.

#ifndef EPITAPH_MEMORY_MEMORY_H
#define EPITAPH_MEMORY_MEMORY_H

#include "epitaph_dump_format.h"
#include "epitaph_text_index.h"
#include "system/sys.h"

#include <signal.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

// The address space at the crash, from /proc/self/maps: what is mapped where, which file it is, and
// which words may be pointers to data.

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

// Memory that may not be there: read by the kernel, read only where no page has to be waited for,
// and loaded under guard.

enum {
    EPITAPH_MEMORY_BATCH = 64,
    /// How many bytes of a text are read at first.
    EPITAPH_SHORT_TEXT_SIZE = 128,
};

/// Copies up to `count` bytes from `address` of this process to `buffer` and returns how many were
/// copied: the copy ends at the first page that is unreadable or would have to be waited for (see
/// residency.c). The kernel does the reading, so no address can fault.
size_t epitaph_memory_read(void *buffer, uint64_t address, size_t count);

/// The same, all or nothing.
bool epitaph_memory_read_exactly(void *buffer, uint64_t address, size_t count);

/// Whether every page of `count` bytes from `address` on can be read now. The kernel has loaded
/// each of them, as a read would. Also false if that cannot be determined: before Linux 5.14, and
/// if process_vm_readv(2) is forbidden.
bool epitaph_memory_is_readable(uint64_t address, uint64_t count);

/// Copies the memory of as many `ranges` as one call of the kernel accepts and the buffer's `size`
/// allows, one behind the other, and returns how many those are. `got[i]` is how many bytes of
/// range i were readable; the place of the next range does not depend on it.
uint32_t epitaph_memory_read_batch(void *buffer, size_t size, const epitaph_range *ranges,
                                   uint32_t count, uint32_t got[EPITAPH_MEMORY_BATCH]);

/// Reads up to EPITAPH_MEMORY_BATCH ranges of together at most 4 KiB with one call of the kernel,
/// so that the following reads of them need none. Valid until the next call; with a `count` of 0
/// nothing is kept. If any range is not readable, nothing is kept.
void epitaph_memory_read_ahead(const epitaph_range *ranges, uint32_t count);

/// Copies the text at `address` up to its NUL, cutting it to `size` - 1 bytes; returns its length.
/// `buffer` ends in NUL in every case.
size_t epitaph_memory_read_text(char *buffer, size_t size, uint64_t address);

/// Must be called first in a capture: forgets descriptors of an earlier one, and empties
/// `mappings`, the table of this capture, which shows what is on a disk; NULL for none.
void epitaph_memory_begin(epitaph_mappings *mappings);
/// The same for a capture that makes no system calls: memory is loaded, guard.c.
void epitaph_memory_begin_loading(epitaph_mappings *mappings);
/// Must be called last: closes what was opened, for a process that survives.
void epitaph_memory_end(void);

// Which memory can be read without waiting for its pages. A page that a userfaultfd or a file
// system has to provide may never arrive, and only SIGKILL ends that wait: mm/userfaultfd.c,
// handle_userfault; mm/filemap.c, folio_wait_bit_killable.

/// Forgets what was found out in an earlier capture, and what `mappings` contains of it; NULL for
/// none. If `can_ask` is false, or the kernel does not report it, everything counts as resident.
void epitaph_residency_begin(bool can_ask, epitaph_mappings *mappings);

/// Counts `range` as resident until another one is trusted: a thread's own stack. Swapped-out parts
/// of it come back, and untouched parts are zeros.
void epitaph_residency_trust(epitaph_range range);

/// The range that is currently trusted.
epitaph_range epitaph_residency_trusted(void);

/// How many of `count` bytes from `address` on precede the first page that is mapped but not
/// resident. Unmapped addresses count, because reading them fails at once.
uint64_t epitaph_residency_prefix(uint64_t address, uint64_t count);

/// Whether `address` is in a page that is mapped but not resident.
bool epitaph_residency_is_absent(uint64_t address);

/// Why memory at `address`, which could not be read, is missing.
epitaph_dump_why epitaph_residency_why(uint64_t address);

// Plain loads and stores that may fault, without a system call: the fault returns to our own
// handler, which continues behind them. For the first record and for captures that may only load
// and store; everything else lets the kernel read. One user at a time: the thread
// that has taken the armed file.

/// Calls `function` and returns true, or false if it faulted; then it was abandoned at that point.
bool epitaph_guard_run(void (*function)(void *argument), void *argument);

/// Copies up to `count` bytes and returns how many were copied, up to the first page that cannot be
/// read or written.
size_t epitaph_guarded_copy(void *to, const void *from, size_t count);

/// Must be called first in the handler. Does not return if the fault belongs to guarded code.
void epitaph_guard_catch(const siginfo_t *info, const ucontext_t *context);

// Removes the environment and the command line from bytes that are about to be written. Removed
// bytes become asterisks, as when reports are scrubbed: text stays text, and the result is neither
// an address nor zero. docs/decisions/memory.md.

enum { EPITAPH_BLANK_BYTE = '*' };

/// What is searched for, and what was found.
typedef struct epitaph_blanking {
    /// The texts of the start, and those that the crash found besides; the latter may be NULL.
    const epitaph_text_index *known;
    const epitaph_text_index *late;
    /// Words that are addresses in it stay; NULL if it is not known.
    const epitaph_mappings *mappings;
    uint64_t blanked_bytes;
} epitaph_blanking;

/// A copy of memory. `address` is where its first byte came from. The first `before` bytes and the
/// last `after` ones are there so that runs across its ends are found; they are not changed.
typedef struct epitaph_copy {
    uint8_t *bytes;
    uint64_t count;
    uint64_t address;
    uint64_t before;
    uint64_t after;
} epitaph_copy;

/// A copy that is examined from its first byte to its last.
static inline epitaph_copy epitaph_copy_of(uint8_t *bytes, uint64_t count, uint64_t address) {
    epitaph_copy copy;
    copy.bytes = bytes;
    copy.count = count;
    copy.address = address;
    copy.before = 0;
    copy.after = 0;
    return copy;
}

/// Blanks every run of at least EPITAPH_TEXT_WINDOW bytes that is in one of the texts, except its
/// zeros. The part of a run that is in an aligned word which is an address is not blanked, so that
/// no return address is lost.
void epitaph_blank(epitaph_blanking *blanking, epitaph_copy copy);

/// The same for vector registers: any byte may be the first of a run, and no word is an address.
void epitaph_blank_registers(epitaph_blanking *blanking, epitaph_copy copy);

/// Whether `epitaph_blank` would find anything.
bool epitaph_blank_is_needed(const epitaph_blanking *blanking, epitaph_copy copy);

/// Blanks the bytes at the addresses of `range`, except zeros.
void epitaph_blank_range(epitaph_blanking *blanking, epitaph_copy copy, epitaph_range range);

#pragma GCC visibility pop

#endif
