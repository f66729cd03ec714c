// SPDX-License-Identifier: Apache-2.0
//
// ScopeDummy DATABASE WAY: dies in a scope, or beside many, as Swift programs do.

import EpitaphCapture
import Glibc

@inline(never) func die() {
    UnsafeMutablePointer<Int>(bitPattern: 16)!.pointee = 1
}

@main struct ScopeDummy {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else {
            print("usage: ScopeDummy DATABASE WAY")
            exit(64)
        }
        var options = CrashReporterOptions()
        options.allowsDebugger = true
        options.preparesExistingThreads = false
        let reporter = try CrashReporter(
            databasePath: arguments[1], bundleID: "org.example.scopes", options: options)
        try reporter.setAttribute("request", to: "of the process")
        try reporter.setAttribute("ver", to: "1")
        let ways = Ways(reporter: reporter)
        if let way = ways.all[arguments[2]] {
            await way()
        } else if arguments[2] == "thread" {
            ways.inThread()
        } else if arguments[2] == "costs" {
            Costs(reporter: reporter).measure()
        } else {
            print("there is no way to die called \(arguments[2])")
            exit(64)
        }
        sleep(30)
    }
}
