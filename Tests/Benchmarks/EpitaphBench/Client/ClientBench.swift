// SPDX-License-Identifier: Apache-2.0
//
// EpitaphBench client DATABASE costs: what the client's calls cost the thread that makes them, as a
// table. EpitaphBench client DATABASE flood COUNT: what sixteen threads that report COUNT errors
// together cost, and whether each was counted.

import Epitaph
import Glibc

enum ClientBench {
    static func run(_ arguments: [String]) {
        guard arguments.count >= 3 else {
            print("usage: EpitaphBench client DATABASE costs | flood COUNT")
            exit(64)
        }

        var configuration = Epitaph.Configuration(
            databasePath: arguments[1], bundleID: "org.example.benchmark")
        configuration.heedsEnvironment = false
        configuration.processesEarlierDumps = false
        if arguments[2] == "costs" {
            // Each of the errors that are measured alone is of its own kind.
            configuration.parts.handledErrors?.reportsPerMinute = 1_000
            configuration.parts.metrics = MetricsOptions()
            if arguments.last == "file" {
                configuration.capture.breadcrumbFileBytes =
                    CrashReporterOptions.usualBreadcrumbFileBytes
            }
        }
        Epitaph.start(configuration)
        guard Epitaph.state == .running, let reporter = Epitaph.reporter,
            let errors = Epitaph.errors
        else {
            print("\(Epitaph.state)")
            exit(70)
        }

        switch arguments[2] {
        case "costs": Costs(reporter: reporter).measure()
        case "flood":
            Flood(
                errors: errors, count: arguments.last.flatMap { Int($0) } ?? 1_000_000
            ).run()
        default:
            print("there is nothing called \(arguments[2])")
            exit(64)
        }
        Epitaph.stop()
    }
}
