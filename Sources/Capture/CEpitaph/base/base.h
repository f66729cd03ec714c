// SPDX-License-Identifier: Apache-2.0
//
// Errors, state and locks, memory, clocks, own threads, /proc files. QUIET-TIME unless marked.

#ifndef EPITAPH_BASE_BASE_H
#define EPITAPH_BASE_BASE_H

#include "epitaph.h"
#include "epitaph_placement.h"
#include "epitaph_process.h"
#include "epitaph_system.h"

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/// Unless `error` is NULL, fills it with a printf(3) sentence, followed by the text of
/// `error_number` if not 0. Returns `status`.
epitaph_status epitaph_error_set(epitaph_error *error, epitaph_status status, int error_number,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/// Held by every function that starts, stops, or changes the work of epitaph_start.
void epitaph_state_lock(void);

void epitaph_state_unlock(void);

bool epitaph_is_started(void);

/// EPITAPH_OK, or EPITAPH_NOT_STARTED with its sentence.
epitaph_status epitaph_started_check(epitaph_error *error);

/// Creates the page on first call. Never NULL: without mmap(2) only fork(3) clears its memory.
epitaph_process_page *epitaph_process_page_get(void);

/// The locks are not recursive.
void epitaph_process_lock_take(epitaph_process_lock lock);

void epitaph_process_lock_give(epitaph_process_lock lock);

/// MADV_WIPEONFORK of Linux 4.14's asm-generic/mman-common.h, which old headers lack.
enum { EPITAPH_WIPE_ON_FORK = 18 };

/// Zeroed, at least `size` bytes, above a guard page; NULL on failure. Pages come on first touch.
void *epitaph_guarded_memory_make(size_t size);

/// Zeroed memory that a forked child need not have: there it is all zeros again, if the kernel can
/// do that (Linux 4.14), and fork(3) copies none of its pages.
void *epitaph_unforked_memory_make(size_t size);

void epitaph_unforked_memory_free(void *memory, size_t size);

/// Zeroed memory for what is never freed and no stack: in one mapping as long as there is room,
/// because each mapping costs every fork(3) of the program.
void *epitaph_lasting_memory_make(size_t size);

enum { EPITAPH_EMERGENCY_STACK_BYTES = 256 << 10 };

/// The same memory each time, in the mapping of lasting memory and above a guard page; NULL on
/// failure.
void *epitaph_emergency_stack_get(void);

void epitaph_guarded_memory_free(void *memory, size_t size);

/// As realloc(3) and free(3), without the program's allocator, in pages.
void *epitaph_own_memory_resize(void *memory, size_t size);
void epitaph_own_memory_free(void *memory);

/// Memory that each start uses again. Only within a start, which one thread makes at a time.
typedef struct epitaph_lasting_room {
    void *memory;
    size_t size;
} epitaph_lasting_room;

/// At least `size` bytes, or NULL.
void *epitaph_lasting_room_get(epitaph_lasting_room *room, size_t size);

/// Begins with an open directory and zeros.
typedef struct epitaph_directory_reader {
    int fd;
    epitaph_directory_entries entries;
    _Alignas(8) uint8_t bytes[2048];
} epitaph_directory_reader;

/// The next name, also "." and "..", until the next call; NULL at the end or on error.
const char *epitaph_directory_next(epitaph_directory_reader *reader);

/// Begins with an open file and zeros. A line of /proc/self/maps, proc(5), has a path of PATH_MAX.
typedef struct epitaph_line_reader {
    int fd;
    size_t next;
    size_t end;
    char text[4096 + 256];
} epitaph_line_reader;

/// The next line without its end, until the next call; NULL at the end or on error.
char *epitaph_line_next(epitaph_line_reader *reader);

/// Copies up to `count` bytes (at most 4,096) of possibly unmapped memory at `address`. Returns the
/// bytes copied; 0 also if no pipe can be created.
size_t epitaph_readable_copy(void *to, uint64_t address, size_t count);

/// ANY-TIME. Nanoseconds; 0 for an unreadable clock. Usually no system call, vdso(7).
static inline uint64_t epitaph_clock_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/// pthread_create(3) of a joinable thread that blocks all signals except faults, SIGABRT and
/// SIGPROF, because process-directed signals are for the program's threads. `stack_bytes` 0 is the
/// default size. Returns 0 or an errno.
int epitaph_own_thread_make(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
                            void *argument);

/// Fills a set with all signals but `signals` (epitaph_system.h).
void epitaph_signals_fill_but(sigset_t *set, uint64_t signals);

/// Of the function `name`, which this library replaces, the next definition, dlsym(3). NULL in a
/// static program. `interceptor` is the sanitizers' function of this name (sanitizer_common's
/// interception.h), NULL if there is none.
void *epitaph_next_function(const char *name, const void *interceptor);

/// Prevents dlclose(3): handlers, key destructors and stacks refer to this library. Idempotent.
void epitaph_library_pin(void);

typedef struct epitaph_note_kind {
    /// With padding zeros as in the file.
    const char *owner;
    size_t owner_bytes;
    uint32_t type;
} epitaph_note_kind;

struct dl_phdr_info;

/// Whether a module, dl_iterate_phdr(3), has such a note.
bool epitaph_module_has_note(const struct dl_phdr_info *module, const epitaph_note_kind *kind);

// /proc files, read without allocating: the program may be stuck in the allocator.

/// Reads at most `size` - 1 bytes and appends a NUL. Returns the count, 0 on error.
size_t epitaph_proc_file_read(const char *path, char *text, size_t size);

/// Reads up to `size` bytes of a regular file from its start. Returns their number, or -1 with
/// errno.
ssize_t epitaph_file_start_read(int fd, void *bytes, size_t size);

/// Returns the value after "\n<name>:" and blanks in a status file, proc_pid_status(5), or NULL.
/// The process name in the first line cannot contain a line break.
const char *epitaph_proc_status_find(const char *text, const char *name);

/// ANY-TIME. Pid of the tracer, ptrace(2); 0 if there is none or no /proc.
int epitaph_tracer_find(void);

typedef struct epitaph_proc_stat {
    char state;
    uint64_t thread_count;
    uint64_t start_ticks;
} epitaph_proc_stat;

bool epitaph_proc_stat_parse(const char *text, epitaph_proc_stat *stat);

#pragma GCC visibility pop

#endif
