// SPDX-License-Identifier: Apache-2.0
//
// In Swift only so that the Swift runtime and its backtracer are in the process.

import CBenchmark
import Glibc

exit(benchmark_main(CommandLine.argc, CommandLine.unsafeArgv))
