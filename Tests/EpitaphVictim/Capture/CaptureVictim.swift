// SPDX-License-Identifier: Apache-2.0
//
// EpitaphVictim capture WAY DATABASE ATTACHMENT: what a program does that only captures. A test
// compiles this folder as a program of its own, in which nothing makes reports.
//   crash    dies of a null pointer in a scope
//   live     makes a live dump and prints its name
//   heap     prints how many allocations were watched, or why none is
//   health   prints what can be asked of the capture

import EpitaphCapture
import Glibc

enum CaptureVictim {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 4 else {
            print("usage: EpitaphVictim capture WAY DATABASE ATTACHMENT")
            exit(64)
        }
        var options = Epitaph.CrashReporterOptions()
        options.allowsDebugger = true
        options.allowsTestCrashes = true
        if arguments[1] == "heap" { options.heapSampling = 1 }
        try Epitaph.startCapture(
            databasePath: arguments[2], bundleID: "org.example.capture",
            annotations: ["ver": "1.2"], options: options)
        Epitaph["connections"] = 17
        try Epitaph.addAttachment(arguments[3])
        Epitaph.note("listening", category: "net", attributes: ["port": 8080])
        switch arguments[1] {
        case "crash":
            try Epitaph.scope(["request": "r-42"]) {
                try Epitaph.generateTestCrash(.nullWrite)
            }
        case "live": print(try Epitaph.writeLiveDump())
        case "heap":
            do {
                let counts = try Epitaph.heapCounts()
                print(counts.sampled > 0 ? "watched" : "none", counts.caught)
            } catch {
                print(error)
            }
        case "health":
            print(Epitaph.isCaptureEnabled, Epitaph.displacedSignals.count)
            print(Epitaph.breadcrumbFileProblem ?? "no problem")
            print(Epitaph.attributes["connections"] == 17, Epitaph.limits != nil)
            Epitaph.stopCapture()
            print(Epitaph.isCaptureEnabled)
        default: exit(64)
        }
    }
}
