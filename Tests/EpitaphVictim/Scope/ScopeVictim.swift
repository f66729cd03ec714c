// SPDX-License-Identifier: Apache-2.0
//
// EpitaphVictim scope DATABASE WAY: dies in a scope, or beside many, as Swift programs do.
// Scripts/static-runtime builds this folder as a program of its own, too.

import EpitaphCapture
import Glibc

@inline(never) func dieInScope() {
    UnsafeMutablePointer<Int>(bitPattern: 16)!.pointee = 1
}

enum ScopeVictim {
    @MainActor static func run(_ arguments: [String]) async throws {
        guard arguments.count == 3 else {
            print("usage: EpitaphVictim scope DATABASE WAY")
            exit(64)
        }
        var options = Epitaph.CrashReporterOptions()
        options.allowsDebugger = true
        options.preparesExistingThreads = false
        try Epitaph.startCapture(
            databasePath: arguments[1], bundleID: "org.example.scopes", options: options)
        Epitaph["request"] = "of the process"
        Epitaph["ver"] = "1"
        let ways = ScopeWays()
        if let way = ways.all[arguments[2]] {
            await way()
        } else if arguments[2] == "thread" {
            ways.inThread()
        } else if arguments[2] == "costs" {
            ScopeCosts().measure()
        } else {
            print("there is no way to die called \(arguments[2])")
            exit(64)
        }
        sleep(30)
    }
}
