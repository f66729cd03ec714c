// SPDX-License-Identifier: Apache-2.0
//
// EpitaphVictim capture WAY DATABASE ATTACHMENT: what a program does that only captures. A test
// compiles this folder as a program of its own, in which nothing makes reports.
//   crash    dies of a null pointer in a scope
//   live     makes a live dump and prints its name
//   health   prints what can be asked of the capture

import EpitaphCapture
import Glibc

enum CaptureVictim {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 4 else {
            print("usage: EpitaphVictim capture WAY DATABASE ATTACHMENT")
            exit(64)
        }
        var options = CrashReporterOptions()
        options.allowsDebugger = true
        options.allowsTestCrashes = true
        let reporter = try CrashReporter(
            databasePath: arguments[2], bundleID: "org.example.capture",
            annotations: ["ver": "1.2"], options: options)
        try reporter.setAttribute("connections", to: 17)
        try reporter.addAttachment(arguments[3])
        reporter.addBreadcrumb("listening", category: "net", attributes: ["port": 8080])
        switch arguments[1] {
        case "crash":
            try reporter.withScope(["request": "r-42"]) {
                try reporter.generateTestCrash(.nullWrite)
            }
        case "live": print(try reporter.writeLiveDump())
        case "health":
            print(reporter.isEnabled, reporter.displacedHandlerCount())
            print(reporter.breadcrumbFileProblem ?? "no problem")
            print(reporter.attributes["connections"] == 17, reporter.limits != nil)
            reporter.stop()
            print(reporter.isEnabled)
        default: exit(64)
        }
    }
}
