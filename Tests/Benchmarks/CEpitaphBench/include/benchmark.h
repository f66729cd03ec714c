// SPDX-License-Identifier: Apache-2.0

#ifndef BENCHMARK_H
#define BENCHMARK_H

#include <stdbool.h>

/// The subcommand `crash` of EpitaphBench, and the program installed.c; see benchmark.c for the
/// command line. `has_backtracer`: it is a Swift program. Returns the exit status.
int benchmark_main(int count, char **arguments, bool has_backtracer);

#endif
