// SPDX-License-Identifier: Apache-2.0
//
// Files of /proc, read while libc may be called. Nothing is allocated: somebody may hang in the
// allocator. QUIET-TIME.

#ifndef EPITAPH_BASE_PROC_FILES_H
#define EPITAPH_BASE_PROC_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

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
