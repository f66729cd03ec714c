// SPDX-License-Identifier: Apache-2.0

#ifndef BENCHMARK_H
#define BENCHMARK_H

/// The subcommand `crash` of EpitaphBench; see benchmark.c for its command line. Returns the exit
/// status.
int benchmark_main(int count, char **arguments);

#endif
