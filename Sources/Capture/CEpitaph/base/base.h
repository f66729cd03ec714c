// SPDX-License-Identifier: Apache-2.0
//
// What every room needs: errors, state and locks, memory, clocks, threads and handlers of our own,
// files of /proc. QUIET-TIME unless said otherwise.

#ifndef EPITAPH_BASE_BASE_H
#define EPITAPH_BASE_BASE_H

#include "epitaph.h"
#include "epitaph_process.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/// Fills in `error`, unless it is NULL, with a sentence formatted as by printf(3), and returns
/// `status`. If `error_number` is not 0, its text follows after a colon.
epitaph_status epitaph_error_set(epitaph_error *error, epitaph_status status, int error_number,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

// Whether Epitaph is started, and the locks and the page that a forked child must not inherit.

/// Held by every function that starts, stops, or changes what epitaph_start did.
void epitaph_state_lock(void);

void epitaph_state_unlock(void);

bool epitaph_is_started(void);

/// Makes the page at the first call. Never NULL: if no page can be mapped it is
/// ordinary memory that is cleared only by fork(3).
epitaph_process_page *epitaph_process_page_get(void);

/// Take and release one of the locks, which are not recursive.
void epitaph_process_lock_take(epitaph_process_lock lock);

void epitaph_process_lock_give(epitaph_process_lock lock);

// Memory: our own with a guard, and copies of what may not be there.

/// Memory of at least `size` bytes, zeroed, with an unreadable page before it; NULL if there is
/// none. The kernel provides its pages when they are first touched.
void *epitaph_guarded_memory_make(size_t size);

void epitaph_guarded_memory_free(void *memory, size_t size);

/// Copies up to `count` bytes, at most 4,096, from `address` and returns how many there were; 0
/// also where no pipe can be made.
size_t epitaph_readable_copy(void *to, uint64_t address, size_t count);

// Clocks in nanoseconds. They need a system call on few machines only: vdso(7). ANY-TIME.

/// 0 for a clock that cannot be read.
static inline uint64_t epitaph_clock_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// Threads and handlers of our own in a program that is not ours, and the library they need.

/// pthread_create(3) of a thread to be joined. What is sent to the process is for the program's own
/// threads, so the new one blocks every signal but faults and the one that stops threads.
/// `stack_bytes` is 0 for the usual size. Returns 0 or an errno.
int epitaph_own_thread_make(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
                            void *argument);

/// Fills a set with all signals but these, epitaph_system.h: for masks of threads and handlers
/// of ours.
void epitaph_signals_fill_but(sigset_t *set, uint64_t signals);

/// Keeps the object that contains this library loaded until the process ends, even after
/// dlclose(3): handlers, destructors of keys and stacks refer to it. Harmless to repeat.
void epitaph_library_pin(void);

// Files of /proc, read while libc may be called. Nothing is allocated: somebody may hang in the
// allocator.

/// Reads at most `size` - 1 bytes of a file and appends a NUL; returns the count, 0 if it cannot be
/// read.
size_t epitaph_proc_file_read(const char *path, char *text, size_t size);

/// The text behind "\n<name>:" and blanks in the text of a status file, proc_pid_status(5); NULL if
/// there is no such line. The name of the process, in the first line, holds no line break.
const char *epitaph_proc_status_find(const char *text, const char *name);

/// ANY-TIME. The process that traces this one, ptrace(2); 0 for none, or where there is no /proc.
int epitaph_tracer_find(void);

/// What /proc/PID/stat says, proc_pid_stat(5).
typedef struct epitaph_proc_stat {
    char state;
    uint64_t thread_count;
    uint64_t start_ticks;
} epitaph_proc_stat;

/// False for a text that is cut.
bool epitaph_proc_stat_parse(const char *text, epitaph_proc_stat *stat);

#pragma GCC visibility pop

#endif
