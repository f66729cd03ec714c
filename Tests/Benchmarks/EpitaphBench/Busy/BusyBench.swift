// SPDX-License-Identifier: Apache-2.0
//
// EpitaphBench busy DATABASE threads COUNT STACK_KB: a daemon whose threads are all at work, each with
// that much used stack below its calls, until one of them crashes. EpitaphBench busy DATABASE recursion
// DEPTH: crashes that deep. The benchmark explains what it leaves behind.

import CEpitaph
import Glibc

enum BusyBench {
    static func run(_ arguments: [String]) {
        guard arguments.count >= 4, let count = Int(arguments[3]) else {
            print("usage: EpitaphBench busy DATABASE threads COUNT STACK_KB | recursion DEPTH")
            exit(64)
        }
        guard start(arguments[1]) == EPITAPH_OK else { exit(70) }
        if arguments[2] == "recursion" {
            runOnLargeStack { descend(count) }
        } else {
            let usedBytes = (arguments.count > 4 ? Int(arguments[4]) ?? 0 : 0) << 10
            Workforce(count: count, usedStackByteCount: usedBytes).runUntilCrash()
        }
    }

    private static func start(_ database: String) -> epitaph_status {
        database.withCString { path in
            "org.example.busy".withCString { bundleID in
                var options = epitaph_options()
                options.size_bytes = UInt32(MemoryLayout<epitaph_options>.size)
                options.database_path = path
                options.bundle_id = bundleID
                // gdb makes the core file that debuggers are measured with.
                options.allows_debugger = 1
                options.all_stacks_bytes = 1 << 30
                options.other_stack_bytes = 8 << 20
                options.crashing_stack_bytes = 64 << 20
                var error = epitaph_error()
                return epitaph_start(&options, &error)
            }
        }
    }
}
