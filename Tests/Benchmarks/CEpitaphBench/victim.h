// SPDX-License-Identifier: Apache-2.0
//
// The process that dies, and what it shares with the one that measures.

#ifndef BENCHMARK_VICTIM_H
#define BENCHMARK_VICTIM_H

#include <stdint.h>

/// CLOCK_MONOTONIC nanoseconds, in memory shared by both processes; 0 is "not yet".
typedef struct benchmark_times {
    uint64_t before_fault;
    uint64_t bytes_written;
    uint64_t before_start;
    uint64_t after_start;
    /// Picoseconds of one annotation's setting.
    uint64_t annotation_ps;
    /// Picoseconds of one breadcrumb.
    uint64_t breadcrumb_ps;
} benchmark_times;

uint64_t benchmark_clock_ns(void);

typedef struct benchmark_death {
    const char *way;
    long threads;
    /// The file's size for the way `write`.
    uint64_t bytes;
    /// What the used stacks hold: see contents.h.
    const char *content;
} benchmark_death;

/// Dies of a null write with `threads` - 1 others that wait, each with 64 KiB of used stack. `way`
/// is what happens in between: `none`, `write` (a handler writes `bytes` bytes to a file that is
/// open already), `epitaph`, or `backtracer` (which the environment turns on).
int benchmark_victim(const benchmark_death *death, const char *directory, benchmark_times *times);

/// Starts Epitaph, sets annotations, adds breadcrumbs, and stores how long each took.
int benchmark_quiet(const char *directory, benchmark_times *times);

/// Starts Epitaph and does nothing for two seconds, between two calls of getppid(2) that mark the
/// time in a trace. Returns the number of threads of the process, less 1.
int benchmark_idle(const char *directory);

#endif
