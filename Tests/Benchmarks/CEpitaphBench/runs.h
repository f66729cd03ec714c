// SPDX-License-Identifier: Apache-2.0
//
// Running the victim once and measuring its death from outside.

#ifndef BENCHMARK_RUNS_H
#define BENCHMARK_RUNS_H

#include "victim.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct benchmark_run {
    /// Nanoseconds from the instruction before the fault to the sealed file (`epitaph`) or the end
    /// of write(2) (`write`); 0 where there is no file.
    uint64_t file_ns;
    /// To the moment the parent could have reaped the process.
    uint64_t end_ns;
    /// Size of the dump.
    uint64_t file_bytes;
    uint64_t start_ns;
    uint64_t annotation_ps;
    uint64_t breadcrumb_ps;
} benchmark_run;

/// Runs this program as the victim, in a new directory that is removed again. False, and a word on
/// standard error, when it did not die as it should.
bool benchmark_run_once(const benchmark_death *death, benchmark_run *run);

#endif
