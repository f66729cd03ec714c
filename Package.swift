// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Warnings are errors everywhere; SwiftPM lifts this for packages that depend on us.
let swift: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let c: [CSetting] = [
    .define("_GNU_SOURCE"), .enableWarning("all"), .enableWarning("extra"),
    .enableWarning("conversion"),
    .treatAllWarnings(as: .error),
]

/// A floor of the house, docs/overview.md. The arrows between targets are checked by
/// `Scripts/layers`, which fails when a source file imports more than is listed here, and when a
/// name lacks our prefix: module names are global in a graph of packages.
enum Floor: String {
    case capture = "Capture"
    case formats = "Formats"
    case system = "System"
    case reading = "Reading"
    case keeping = "Keeping"
    case sending = "Sending"
    case client = "Client"
    case `operator` = "Operator"

    func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/\(rawValue)/\(name)",
            swiftSettings: swift)
    }

    func cLibrary(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/\(rawValue)/\(name)",
            cSettings: c + [.headerSearchPath(".")])
    }

    func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: "Sources/\(rawValue)/\(name)",
            swiftSettings: swift)
    }
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies + ["EpitaphTestSupport"],
        swiftSettings: swift)
}

let package = Package(
    name: "Epitaph",
    products: [
        .library(name: "Epitaph", targets: ["Epitaph"]),
        .library(name: "EpitaphCapture", targets: ["EpitaphCapture"]),
        .library(name: "CEpitaph", targets: ["CEpitaph"]),
        .library(name: "EpitaphHeap", targets: ["CEpitaphHeap"]),
        .library(name: "EpitaphStorageInspection", targets: ["EpitaphStorageInspection"]),
        .library(name: "EpitaphLogUpload", targets: ["EpitaphLogUpload"]),
        .library(name: "EpitaphRequestMonitoring", targets: ["EpitaphRequestMonitoring"]),
        .library(name: "EpitaphFoundation", targets: ["EpitaphFoundation"]),
        .executable(name: "dump-convert", targets: ["EpitaphTool"]),
        .executable(name: "example-daemon", targets: ["EpitaphExample"]),
    ],
    targets: [
        // What runs in the dying process, and what prepares it.
        Floor.capture.cLibrary("CEpitaphFormat", []),
        Floor.capture.cLibrary("CEpitaphHandler", ["CEpitaphFormat"]),
        Floor.capture.cLibrary("CEpitaph", ["CEpitaphHandler"]),
        // Stands in for malloc(3) in whatever links it.
        Floor.capture.cLibrary("CEpitaphHeap", ["CEpitaphFormat"]),

        // Bytes and values: no files, no clock, no libc.
        Floor.formats.library("EpitaphNames", []),
        Floor.formats.library("EpitaphValues", ["CEpitaphFormat", "EpitaphNames"]),
        Floor.formats.library("EpitaphELF", ["EpitaphValues"]),
        Floor.formats.library("EpitaphIntermediateDump", ["CEpitaphFormat", "EpitaphValues"]),
        Floor.formats.library("EpitaphMinidump", ["EpitaphValues"]),

        // The system below: libc, and Debian's libraries, of which one is linked and the others are
        // opened when they are needed.
        .systemLibrary(name: "CEpitaphZlib", path: "Sources/System/CEpitaphZlib"),
        Floor.system.cLibrary("CEpitaphLibraries", ["CEpitaphSystem"]),
        Floor.system.cLibrary("CEpitaphSystem", []),
        Floor.system.library(
            "EpitaphSystem", ["CEpitaphFormat", "CEpitaphSystem", "EpitaphValues"]),

        // A dump is understood.
        Floor.reading.library(
            "EpitaphUnwinding",
            ["CEpitaphLibraries", "EpitaphELF", "EpitaphSystem", "EpitaphValues"]),
        Floor.reading.library(
            "EpitaphSymbols",
            [
                "CEpitaphLibraries", "CEpitaphSystem", "EpitaphELF", "EpitaphSystem",
                "EpitaphUnwinding", "EpitaphValues",
            ]),
        Floor.reading.library(
            "EpitaphExplanation",
            [
                "CEpitaphLibraries", "EpitaphSymbols", "EpitaphSystem", "EpitaphUnwinding",
                "EpitaphValues",
            ]),
        Floor.reading.library(
            "EpitaphPages", ["EpitaphExplanation", "EpitaphUnwinding", "EpitaphValues"]),

        // Reports are made and kept.
        Floor.keeping.library(
            "EpitaphDatabase", ["EpitaphMinidump", "EpitaphSystem", "EpitaphValues"]),
        Floor.keeping.library(
            "EpitaphConversion",
            [
                "CEpitaphFormat", "EpitaphDatabase", "EpitaphExplanation",
                "EpitaphIntermediateDump",
                "EpitaphMinidump", "EpitaphSymbols", "EpitaphSystem", "EpitaphUnwinding",
                "EpitaphValues",
            ]),

        // They are sent. EpitaphHTTP alone opens sockets.
        Floor.sending.library(
            "EpitaphHTTP",
            [
                "CEpitaphFormat", "CEpitaphLibraries", "CEpitaphSystem", "CEpitaphZlib",
                "EpitaphSystem", "EpitaphValues",
            ]),
        Floor.sending.library(
            "EpitaphUpload",
            [
                "CEpitaphZlib", "EpitaphDatabase", "EpitaphHTTP", "EpitaphMinidump",
                "EpitaphSystem", "EpitaphValues",
            ]),

        // What programs link.
        Floor.client.library("EpitaphCapture", ["CEpitaph", "EpitaphNames"]),
        Floor.client.library(
            "EpitaphEvents",
            ["EpitaphDatabase", "EpitaphHTTP", "EpitaphSystem", "EpitaphUpload", "EpitaphValues"]),
        Floor.client.library(
            "Epitaph",
            [
                "CEpitaph", "CEpitaphFormat", "CEpitaphSystem", "EpitaphCapture",
                "EpitaphConversion", "EpitaphDatabase", "EpitaphEvents", "EpitaphExplanation",
                "EpitaphHTTP",
                "EpitaphIntermediateDump", "EpitaphMinidump", "EpitaphSystem", "EpitaphUnwinding",
                "EpitaphUpload", "EpitaphValues",
            ]),
        // Products of their own: one opens SQLite, one sends log files, one links
        // FoundationNetworking, and one has conversions for programs with Foundation.
        Floor.client.library(
            "EpitaphStorageInspection", ["CEpitaphLibraries", "EpitaphSystem", "EpitaphValues"]),
        Floor.client.library(
            "EpitaphLogUpload", ["EpitaphHTTP", "EpitaphSystem", "EpitaphUpload", "EpitaphValues"]),
        Floor.client.library(
            "EpitaphRequestMonitoring", ["EpitaphEvents", "EpitaphSystem", "EpitaphValues"]),
        Floor.client.library("EpitaphFoundation", ["EpitaphValues"]),

        // What operators run.
        Floor.operator.library(
            "EpitaphCores",
            [
                "EpitaphConversion", "EpitaphDatabase", "EpitaphELF", "EpitaphIntermediateDump",
                "EpitaphMinidump", "EpitaphSystem", "EpitaphValues",
            ]),
        Floor.operator.library(
            "EpitaphSymbolStore",
            [
                "CEpitaphLibraries", "EpitaphELF", "EpitaphSymbols", "EpitaphSystem",
                "EpitaphUnwinding", "EpitaphValues",
            ]),
        Floor.operator.library(
            "EpitaphFleet",
            [
                "EpitaphExplanation", "EpitaphHTTP", "EpitaphPages", "EpitaphSystem",
                "EpitaphUpload", "EpitaphValues",
            ]),
        Floor.operator.library(
            "EpitaphService",
            [
                "CEpitaphFormat", "EpitaphDatabase", "EpitaphHTTP", "EpitaphSystem",
                "EpitaphUpload", "EpitaphValues",
            ]),
        Floor.operator.program(
            "EpitaphTool",
            [
                "CEpitaphFormat", "EpitaphConversion", "EpitaphCores", "EpitaphDatabase",
                "EpitaphELF", "EpitaphEvents", "EpitaphExplanation", "EpitaphFleet", "EpitaphHTTP",
                "EpitaphIntermediateDump", "EpitaphLogUpload", "EpitaphMinidump", "EpitaphPages",
                "EpitaphService", "EpitaphSymbolStore", "EpitaphSymbols", "EpitaphSystem",
                "EpitaphUnwinding",
                "EpitaphUpload", "EpitaphValues",
            ]),
        Floor.operator.program("EpitaphExample", ["Epitaph", "EpitaphStorageInspection"]),

        // Tests.
        .target(
            name: "EpitaphTestSupport",
            dependencies: ["EpitaphELF", "EpitaphHTTP", "EpitaphSystem", "EpitaphValues"],
            path: "Tests/EpitaphTestSupport", swiftSettings: swift),
        // They die, hang and work on request; the second has a subcommand for each purpose.
        .executableTarget(
            name: "CEpitaphVictim", dependencies: ["CEpitaph"], path: "Tests/CEpitaphVictim",
            cSettings: c),
        .executableTarget(
            name: "EpitaphVictim",
            dependencies: [
                "CEpitaph", "Epitaph", "EpitaphCapture", "EpitaphDatabase", "EpitaphEvents",
                "EpitaphRequestMonitoring", "EpitaphSystem", "EpitaphValues",
            ],
            path: "Tests/EpitaphVictim", swiftSettings: swift),
        // What scripts ask about dumps, symbols, pages and stacks.
        .executableTarget(
            name: "EpitaphCheck",
            dependencies: [
                "EpitaphCores", "EpitaphDatabase", "EpitaphELF", "EpitaphExplanation",
                "EpitaphFleet", "EpitaphIntermediateDump", "EpitaphMinidump", "EpitaphPages",
                "EpitaphSymbols", "EpitaphSystem", "EpitaphTestSupport", "EpitaphUnwinding",
                "EpitaphValues",
            ],
            path: "Tests/EpitaphCheck", swiftSettings: swift),
        // What Scripts/bench measures.
        .target(
            name: "CEpitaphBench", dependencies: ["CEpitaph"],
            path: "Tests/Benchmarks/CEpitaphBench", cSettings: c),
        .executableTarget(
            name: "EpitaphBench",
            dependencies: [
                "CEpitaph", "CEpitaphBench", "CEpitaphSystem", "Epitaph",
                "EpitaphIntermediateDump", "EpitaphSystem", "EpitaphUnwinding", "EpitaphValues",
            ],
            path: "Tests/Benchmarks/EpitaphBench", swiftSettings: swift),
        tests(
            "CEpitaph",
            [
                "CEpitaph", "CEpitaphFormat", "CEpitaphHandler", "EpitaphConversion",
                "EpitaphDatabase", "EpitaphExplanation", "EpitaphIntermediateDump",
                "EpitaphMinidump", "EpitaphSystem", "EpitaphUnwinding", "EpitaphValues",
            ]),
        tests(
            "EpitaphFormats",
            [
                "CEpitaphFormat", "EpitaphELF", "EpitaphFoundation", "EpitaphIntermediateDump",
                "EpitaphSystem", "EpitaphValues",
            ]),
        tests(
            "EpitaphMinidump",
            [
                "EpitaphIntermediateDump", "EpitaphMinidump", "EpitaphSystem", "EpitaphUnwinding",
                "EpitaphValues",
            ]),
        tests("EpitaphSystem", ["CEpitaphSystem", "EpitaphSystem", "EpitaphValues"]),
        tests(
            "EpitaphUnwinding",
            ["EpitaphELF", "EpitaphSystem", "EpitaphUnwinding", "EpitaphValues"]),
        tests(
            "EpitaphSymbols",
            ["EpitaphELF", "EpitaphSymbols", "EpitaphSystem", "EpitaphUnwinding", "EpitaphValues"]),
        tests(
            "EpitaphExplanation",
            [
                "CEpitaph", "EpitaphConversion", "EpitaphExplanation", "EpitaphIntermediateDump",
                "EpitaphMinidump", "EpitaphPages", "EpitaphSymbols", "EpitaphUnwinding",
                "EpitaphValues",
            ]),
        tests(
            "EpitaphDatabase",
            ["EpitaphDatabase", "EpitaphMinidump", "EpitaphSystem", "EpitaphValues"]),
        tests(
            "EpitaphConversion",
            [
                "CEpitaphFormat", "EpitaphConversion", "EpitaphDatabase",
                "EpitaphIntermediateDump", "EpitaphMinidump", "EpitaphSystem", "EpitaphUnwinding",
                "EpitaphValues",
            ]),
        tests(
            "EpitaphHTTP",
            [
                "EpitaphDatabase", "EpitaphHTTP", "EpitaphSystem", "EpitaphUpload",
                "EpitaphValues",
            ]),
        tests(
            "EpitaphUpload",
            [
                "CEpitaphZlib", "EpitaphDatabase", "EpitaphHTTP", "EpitaphMinidump",
                "EpitaphSystem", "EpitaphUpload", "EpitaphValues",
            ]),
        tests(
            "EpitaphEvents",
            [
                "EpitaphDatabase", "EpitaphEvents", "EpitaphHTTP", "EpitaphLogUpload",
                "EpitaphSystem", "EpitaphUpload", "EpitaphValues",
            ]),
        tests(
            "Epitaph",
            [
                "CEpitaph", "CEpitaphFormat", "CEpitaphLibraries", "Epitaph",
                "EpitaphConversion", "EpitaphDatabase", "EpitaphHTTP", "EpitaphMinidump",
                "EpitaphStorageInspection",
                "EpitaphSymbols", "EpitaphSystem", "EpitaphUnwinding", "EpitaphUpload",
                "EpitaphValues",
            ]),
        tests(
            "EpitaphOperator",
            [
                "EpitaphCores", "EpitaphExplanation", "EpitaphFleet", "EpitaphHTTP",
                "EpitaphService", "EpitaphSymbolStore", "EpitaphSystem", "EpitaphUnwinding",
                "EpitaphUpload", "EpitaphValues",
            ]),
        tests(
            "EpitaphTool",
            [
                "EpitaphDatabase", "EpitaphELF", "EpitaphEvents", "EpitaphMinidump",
                "EpitaphSystem", "EpitaphValues",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)

// Scripts/fuzz builds what libFuzzer runs; nobody else has a use for it.
if Context.environment["EPITAPH_FUZZ_TARGET"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzzing",
            dependencies: [
                "Epitaph", "EpitaphConversion", "EpitaphCores", "EpitaphDatabase", "EpitaphELF",
                "EpitaphEvents", "EpitaphExplanation", "EpitaphHTTP", "EpitaphIntermediateDump",
                "EpitaphMinidump", "EpitaphPages", "EpitaphSymbols", "EpitaphSystem",
                "EpitaphUnwinding", "EpitaphUpload", "EpitaphValues",
            ],
            path: "Tests/Fuzzing", exclude: ["seeds"],
            swiftSettings: swift + [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]))
}
