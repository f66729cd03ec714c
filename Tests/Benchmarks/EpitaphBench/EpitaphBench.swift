// SPDX-License-Identifier: Apache-2.0
//
// EpitaphBench SUBCOMMAND [ARGUMENT]...: the programs that Scripts/bench measures. The file of each
// subcommand says what its arguments are; those of `crash` are in CEpitaphBench/benchmark.c.

import CEpitaphBench
import Glibc

@main enum Program {
    static func main() throws {
        var arguments = CommandLine.arguments
        // The program runs itself as the victim of its own `crash`.
        if arguments.first == "victim" {
            exit(benchmark_main(CommandLine.argc, CommandLine.unsafeArgv, true))
        }
        let subcommand = arguments.count > 1 ? arguments.remove(at: 1) : ""
        switch subcommand {
        // In Swift only so that the Swift runtime and its backtracer are in the process.
        case "crash": exit(benchmark_main(CommandLine.argc - 1, CommandLine.unsafeArgv + 1, true))
        case "busy": BusyBench.run(arguments)
        case "unwind": try UnwindBench.run(arguments)
        case "client": ClientBench.run(arguments)
        case "idle": IdleBench.run(arguments)
        default:
            print("usage: EpitaphBench crash|busy|unwind|client|idle ...")
            exit(64)
        }
    }
}
