// SPDX-License-Identifier: Apache-2.0
//
// The deaths that EpitaphBench measures, in a C program with the archive that Scripts/install
// installs.

#include "benchmark.h"

int main(int count, char **arguments) {
    return benchmark_main(count, arguments, false);
}
