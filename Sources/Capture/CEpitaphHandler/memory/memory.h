// SPDX-License-Identifier: Apache-2.0
//
// The address space at the crash: mappings, reading and blanking. CRASH-TIME.

#ifndef EPITAPH_MEMORY_MEMORY_H
#define EPITAPH_MEMORY_MEMORY_H

#include "epitaph_dump_format.h"
#include "epitaph_text_index.h"
#include "system/sys.h"

#include <signal.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

enum {
    /// Twice the kernel's default limit (vm.max_map_count). Beyond it only mappings of known stacks
    /// are kept, for which the last entries are reserved.
    EPITAPH_MAPPING_LIMIT = 131072,
    EPITAPH_MAPPINGS_SET_ASIDE = 16,
    /// A stack pointer in a guard page or just below a stack belongs to the mapping above.
    EPITAPH_GUARD_REACH = 1 << 20,
    /// The file's text is kept if it fits, to avoid a second read.
    EPITAPH_MAPS_TEXT_SIZE = 1 << 20,
    /// User-space addresses, on both architectures.
    EPITAPH_ADDRESS_BITS = 60,
};

typedef struct epitaph_mapping {
    uint64_t start;
    uint64_t end : EPITAPH_ADDRESS_BITS;
    uint64_t is_readable : 1;
    uint64_t is_executable : 1;
    /// A file on a block device: its pages arrive or the device reports an error, and userfaultfd
    /// does not apply (mm/userfaultfd.c, vma_can_userfault).
    uint64_t is_on_disk : 1;
    /// Private memory without a file, so it cannot be truncated while it is read.
    uint64_t is_anonymous : 1;
    /// The part that the dump has as a thread's stack.
    epitaph_range stack;
} epitaph_mapping;

typedef struct epitaph_mappings {
    uint32_t count;
    uint32_t text_bytes;
    /// Errno of reading the file; 0: none.
    int32_t error;
    bool has_more;
    /// The capturing thread's stack pointer and the end of the main stack.
    uint64_t stack_pointers[2];
    /// Before the entries, which are more: the touched start of each is near the other's.
    char text[EPITAPH_MAPS_TEXT_SIZE];
    epitaph_mapping entries[EPITAPH_MAPPING_LIMIT];
} epitaph_mappings;

/// A line of the file, proc(5): "7f12a000-7f12c000 r-xp 00000000 fe:00 123   /usr/lib/x.so".
typedef struct epitaph_maps_line {
    uint64_t start;
    uint64_t end;
    const char *rights;
    /// Whether the fields below could be read.
    bool has_backing;
    uint64_t device_major;
    uint64_t device_minor;
    /// 0: no file.
    uint64_t inode;
    /// The rest of the line: blanks, and the path if any.
    const char *rest;
} epitaph_maps_line;

/// Reads a line that ends at `end`; false without addresses and rights.
bool epitaph_maps_line_read(const char *text, const char *end, epitaph_maps_line *line);

/// Reads the file. Without /proc the table is empty and `error` is set. Keeps the mapping of
/// `stack_pointer`, the capturing thread's, even if there are too many.
void epitaph_mappings_read(epitaph_mappings *mappings, uint64_t stack_pointer);

/// For threads that have begun since. The old text stays if the file cannot be opened.
void epitaph_mappings_read_again(epitaph_mappings *mappings);

void epitaph_mappings_forget(epitaph_mappings *mappings, int32_t error);

static inline bool epitaph_mapping_holds(const epitaph_mapping *mapping, uint64_t address) {
    return address - mapping->start < mapping->end - mapping->start;
}

const epitaph_mapping *epitaph_mappings_find(const epitaph_mappings *mappings, uint64_t address);

void epitaph_mappings_note_stack(epitaph_mappings *mappings, epitaph_range stack);

/// The first readable mapping that ends above `address`, or NULL.
const epitaph_mapping *epitaph_mappings_find_readable_from(const epitaph_mappings *mappings,
                                                           uint64_t address);

typedef struct epitaph_mapped_file {
    epitaph_file_identity identity;
    /// Points into the maps text: not NUL-terminated, without the kernel's " (deleted)".
    const char *path;
    size_t path_bytes;
    /// The name is gone: the file was deleted, or another was renamed to it.
    bool is_deleted;
} epitaph_mapped_file;

/// The file mapped at `address`; false if there is none or the text was not kept.
bool epitaph_mappings_find_file(const epitaph_mappings *mappings, uint64_t address,
                                epitaph_mapped_file *file);

/// Whether the word is far enough from both ends of the address space to be a pointer.
bool epitaph_may_be_pointer(uint64_t value);

/// The readable mapping without code that contains `value`; NULL if none, or if the value points
/// into a stack that the dump has separately.
const epitaph_mapping *epitaph_data_mapping_find(const epitaph_mappings *mappings, uint64_t value);

// Reading memory that may not exist: by the kernel, without waiting, or loaded under guard.

enum {
    EPITAPH_MEMORY_BATCH = 64,
    EPITAPH_SHORT_TEXT_SIZE = 128,
};

/// Copies up to `count` bytes from `address` and returns how many, up to the first page that is
/// unreadable or not there yet (residency.c). The kernel reads, so no address can fault.
size_t epitaph_memory_read(void *buffer, uint64_t address, size_t count);

bool epitaph_memory_read_exactly(void *buffer, uint64_t address, size_t count);

/// Whether every page of the range can be read now; the kernel has loaded each, as a read would.
/// False if unknown: before Linux 5.14, and if process_vm_readv(2) is forbidden.
bool epitaph_memory_is_readable(uint64_t address, uint64_t count);

/// Copies as many `ranges` as one call accepts and `size` allows, and returns their number.
/// `got[i]` is what could be read of range i; the next range's place does not depend on it.
uint32_t epitaph_memory_read_batch(void *buffer, size_t size, const epitaph_range *ranges,
                                   uint32_t count, uint32_t got[EPITAPH_MEMORY_BATCH]);

/// Reads up to EPITAPH_MEMORY_BATCH ranges, together at most 4 KiB, with one call for later reads.
/// Valid until the next call; keeps all or nothing; `count` 0 forgets.
void epitaph_memory_read_ahead(const epitaph_range *ranges, uint32_t count);

/// Copies the text at `address`, cut to `size` - 1 bytes, always with a NUL; returns its length.
size_t epitaph_memory_read_text(char *buffer, size_t size, uint64_t address);

/// Call first in a capture: forgets an earlier one's descriptors and empties `mappings`, this
/// capture's table, which shows what is on a disk. NULL: no table.
void epitaph_memory_begin(epitaph_mappings *mappings);
/// The same without system calls: memory is loaded, guard.c.
void epitaph_memory_begin_loading(epitaph_mappings *mappings);
/// Call last: closes what was opened, for a process that survives.
void epitaph_memory_end(void);

// Memory readable without waiting. A wait for a page from a userfaultfd or a file system ends only
// by SIGKILL: mm/userfaultfd.c, handle_userfault; mm/filemap.c, folio_wait_bit_killable.

/// /proc/self/mem. False without /proc, and in a process that is not dumpable.
bool epitaph_memory_file_open(void);
long epitaph_memory_file_read(void *buffer, uint64_t address, size_t count);
void epitaph_memory_file_close(void);
/// Of an earlier capture, whose process may have been another.
void epitaph_memory_file_forget(void);

/// Loads the page of `address` if that takes no wait for the program; true too without the file.
bool epitaph_memory_fetch(uint64_t address);

/// Forgets an earlier capture's results and the contents of `mappings`, which may be NULL. If
/// `can_ask` is false, or the kernel does not report residency, everything counts as resident.
void epitaph_residency_begin(bool can_ask, epitaph_mappings *mappings);

/// Until another is trusted, absent pages of `range`, a thread's own stack, are fetched, and count
/// as resident if they come. Swapped-out ones come back, and untouched ones are zeros.
void epitaph_residency_trust(epitaph_range range);

epitaph_range epitaph_residency_trusted(void);

/// Bytes before the first mapped but absent page. Unmapped ones count: reading them fails at once.
uint64_t epitaph_residency_prefix(uint64_t address, uint64_t count);

/// Whether `address` is mapped but not resident.
bool epitaph_residency_is_absent(uint64_t address);

epitaph_dump_why epitaph_residency_why(uint64_t address);

// Loads and stores that may fault, without a system call: our handler continues behind them. For
// the first record and for captures that may only load and store; everything else lets the kernel
// read. One user at a time: the thread that has taken the armed file.

/// Calls `function`. Returns false if it faulted and was abandoned there.
bool epitaph_guard_run(void (*function)(void *argument), void *argument);

/// QUIET-TIME. Outside of any handler: after a fault the thread keeps its signal mask and stack.
bool epitaph_guard_run_at_rest(void (*function)(void *argument), void *argument);

/// Copies up to `count` bytes; returns how many, up to the first page that faults on either side.
size_t epitaph_guarded_copy(void *to, const void *from, size_t count);

/// Call first in the handler. Does not return if the fault belongs to guarded code of a handler;
/// returns true if it belongs to such code at rest, which continues when the handler returns.
bool epitaph_guard_catch(const siginfo_t *info, ucontext_t *context);

// Removes the environment and the command line from output. Removed bytes become asterisks, as in
// scrubbed reports: text stays text, neither an address nor zero. docs/decisions/memory.md.

enum { EPITAPH_BLANK_BYTE = '*' };

typedef struct epitaph_blanking {
    /// The texts of the start, and those the crash found, which may be NULL.
    const epitaph_text_index *known;
    const epitaph_text_index *late;
    /// Words that are addresses in it stay; NULL if unknown.
    const epitaph_mappings *mappings;
    uint64_t blanked_bytes;
} epitaph_blanking;

/// A copy of memory from `address`. Its first `before` and last `after` bytes are context, so that
/// runs across the ends are found; they are not changed.
typedef struct epitaph_copy {
    uint8_t *bytes;
    uint64_t count;
    uint64_t address;
    uint64_t before;
    uint64_t after;
} epitaph_copy;

static inline epitaph_copy epitaph_copy_of(uint8_t *bytes, uint64_t count, uint64_t address) {
    epitaph_copy copy;
    copy.bytes = bytes;
    copy.count = count;
    copy.address = address;
    copy.before = 0;
    copy.after = 0;
    return copy;
}

/// Blanks every run of at least EPITAPH_TEXT_WINDOW bytes of a text, except zeros. Aligned words
/// that are addresses stay, so that no return address is lost.
void epitaph_blank(epitaph_blanking *blanking, epitaph_copy copy);

/// For vector registers: a run may begin at any byte, and no word is an address.
void epitaph_blank_registers(epitaph_blanking *blanking, epitaph_copy copy);

bool epitaph_blank_is_needed(const epitaph_blanking *blanking, epitaph_copy copy);

void epitaph_blank_range(epitaph_blanking *blanking, epitaph_copy copy, epitaph_range range);

#pragma GCC visibility pop

#endif
