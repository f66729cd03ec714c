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

/// The arrows of docs/overview.md. `Scripts/layers` fails when a source file imports more than is
/// listed here.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swift)
}

func cLibrary(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, cSettings: c + [.headerSearchPath(".")])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies + ["TestSupport"],
        swiftSettings: swift)
}

let package = Package(
    name: "Epitaph",
    products: [
        .library(name: "Epitaph", targets: ["Epitaph"]),
        .library(name: "EpitaphCapture", targets: ["EpitaphCapture"]),
        .library(name: "CEpitaph", targets: ["CEpitaph"]),
        .library(name: "StorageInspection", targets: ["StorageInspection"]),
        .library(name: "RequestMonitoring", targets: ["RequestMonitoring"]),
        .executable(name: "dump-convert", targets: ["dump-convert"]),
    ],
    targets: [
        // Crash time and quiet time, in C.
        cLibrary("CDumpFormat", []),
        cLibrary("CCrashCapture", ["CDumpFormat"]),
        cLibrary("CEpitaph", ["CCrashCapture"]),
        .systemLibrary(name: "CEpitaphVersion"),
        cLibrary("CCallerStack", []),

        // Debian's libraries: one that is linked, and those that are opened when they are needed.
        .systemLibrary(name: "CZlib"),
        cLibrary("CLoadedLibrary", []),
        cLibrary("CThreadRights", []),
        cLibrary("CCapstone", ["CLoadedLibrary"]),
        cLibrary("CDeflate", ["CLoadedLibrary"]),
        cLibrary("CDebuginfod", ["CLoadedLibrary"]),
        cLibrary("CElfutils", ["CLoadedLibrary"]),
        cLibrary("CLzma", ["CLoadedLibrary"]),
        cLibrary("CLz4", ["CLoadedLibrary"]),
        cLibrary("CZstd", ["CLoadedLibrary"]),
        cLibrary("CSQLite", ["CLoadedLibrary"]),
        cLibrary("CUnwind", ["CLoadedLibrary"]),
        cLibrary("CCurl", ["CLoadedLibrary"]),
        cLibrary("CCrypto", ["CLoadedLibrary"]),
        cLibrary("CCxxRuntime", []),

        // Values and bytes: no files, no clock, no libc.
        library("Bytes", []),
        library("Snapshot", ["Bytes"]),
        library("ELFImage", ["Bytes"]),
        library("BreakpadSymbols", ["Bytes", "ELFImage"]),
        library("PrometheusFormat", []),
        library("IntermediateDump", ["Bytes", "CDumpFormat", "Snapshot"]),
        library("Minidump", ["Bytes", "Snapshot"]),
        library("CoreFiles", ["Bytes", "ELFImage", "Snapshot"]),
        library("ReportScrubbing", ["Bytes", "Minidump", "Snapshot"]),

        // The system below, and what is built on it.
        cLibrary("CFileSystems", []),
        cLibrary("CFutex", []),
        cLibrary("CKernelEvents", []),
        library(
            "LinuxSystem",
            ["Bytes", "CFileSystems", "CFutex", "CKernelEvents", "CThreadRights"]),
        library(
            "StackUnwinding",
            ["BreakpadSymbols", "Bytes", "CUnwind", "ELFImage", "LinuxSystem", "Snapshot"]),
        library(
            "Symbolication",
            [
                "BreakpadSymbols", "Bytes", "CCxxRuntime", "CDeflate", "CElfutils", "CLzma",
                "ELFImage", "LinuxSystem", "Snapshot", "StackUnwinding",
            ]),
        library(
            "SymbolServers",
            ["Bytes", "CDebuginfod", "ELFImage", "LinuxSystem", "Snapshot", "StackUnwinding"]),
        library(
            "SymbolStore",
            [
                "BreakpadSymbols", "Bytes", "ELFImage", "LinuxSystem", "Snapshot", "StackUnwinding",
                "Symbolication",
            ]),
        library("CompressedFiles", ["Bytes", "CLz4", "CLzma", "CZstd", "LinuxSystem"]),
        library("Disassembly", ["CCapstone", "Snapshot"]),
        library("ReportDatabase", ["Bytes", "LinuxSystem", "Minidump"]),
        library(
            "DumpConversion",
            [
                "Bytes", "CrashReport", "IntermediateDump", "LinuxSystem", "Minidump",
                "ReportDatabase", "Snapshot", "StackUnwinding", "Symbolication",
            ]),
        library(
            "CoreHandling",
            [
                "Bytes", "CoreFiles", "DumpConversion", "IntermediateDump", "LinuxSystem",
                "Minidump", "ReportDatabase", "Snapshot",
            ]),
        library("RequestSigning", ["CCrypto"]),
        library(
            "ReportUpload",
            [
                "Bytes", "CEpitaphVersion", "CZlib", "LinuxSystem", "Minidump", "ReportDatabase",
                "ReportScrubbing", "RequestSigning", "Snapshot",
            ]),
        library(
            "ObjectStore", ["Bytes", "CZlib", "LinuxSystem", "ReportUpload", "RequestSigning"]),
        library("LogUpload", ["LinuxSystem", "ReportUpload"]),
        library("Service", ["LinuxSystem", "PrometheusFormat", "ReportUpload"]),
        library(
            "Events", ["Bytes", "LinuxSystem", "ReportDatabase", "ReportUpload"]),
        library("Monitoring", ["Events", "LinuxSystem", "LogUpload"]),
        library("Metrics", ["Events", "LinuxSystem"]),
        library("Sessions", ["Events", "LinuxSystem", "PrometheusFormat", "ReportDatabase"]),

        // What the client watches while the program runs.
        library("Hangs", ["CEpitaph", "LinuxSystem"]),
        library("MemoryPressure", ["CEpitaph", "LinuxSystem"]),
        library("SystemEvents", ["LinuxSystem"]),
        library("HTTPTransport", ["Bytes", "CCurl", "LinuxSystem", "ReportUpload"]),
        library(
            "CrashReport",
            ["Bytes", "Disassembly", "Snapshot", "StackUnwinding", "Symbolication"]),

        // What many machines' reports have in common.
        library(
            "Fleet", ["Bytes", "CrashReport", "LinuxSystem", "ReportUpload", "Snapshot"]),
        library(
            "HandledErrors",
            [
                "Bytes", "CCallerStack", "DumpConversion", "LinuxSystem", "Minidump",
                "ReportDatabase", "Snapshot",
            ]),
        library("StorageInspection", ["CSQLite", "LinuxSystem"]),
        // A product of its own, because it links FoundationNetworking.
        library("RequestMonitoring", ["Monitoring"]),

        // What people use. The capture alone needs none of the above.
        library("EpitaphCapture", ["CEpitaph"]),
        library(
            "Epitaph",
            [
                "Bytes", "CEpitaph", "CrashReport", "DumpConversion", "EpitaphCapture", "Events",
                "HTTPTransport", "HandledErrors", "Hangs", "IntermediateDump", "LinuxSystem",
                "LogUpload",
                "MemoryPressure", "Metrics", "Minidump", "Monitoring", "ReportDatabase",
                "ReportScrubbing", "ReportUpload", "Sessions", "Snapshot", "StackUnwinding",
                "SystemEvents",
            ]),
        .executableTarget(
            name: "dump-convert",
            dependencies: [
                "Bytes", "CEpitaphVersion", "CompressedFiles", "CoreFiles", "CoreHandling",
                "CrashReport",
                "DumpConversion", "ELFImage", "Fleet",
                "HTTPTransport", "IntermediateDump", "LinuxSystem", "LogUpload", "Minidump",
                "ObjectStore", "PrometheusFormat", "ReportDatabase", "ReportScrubbing",
                "ReportUpload", "Service", "Sessions", "Snapshot", "StackUnwinding",
                "SymbolServers", "SymbolStore", "Symbolication",
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "example-daemon", dependencies: ["Epitaph", "StorageInspection"],
            swiftSettings: swift),

        // Tests.
        .target(
            name: "TestSupport",
            dependencies: ["Bytes", "ELFImage", "LinuxSystem", "ReportUpload", "Snapshot"],
            path: "Tests/TestSupport", swiftSettings: swift),
        .executableTarget(
            name: "CrashDummy", dependencies: ["CEpitaph"], path: "Tests/CrashDummy",
            cSettings: c),
        .executableTarget(
            name: "SwiftCrashDummy", dependencies: ["CEpitaph"], path: "Tests/SwiftCrashDummy",
            swiftSettings: swift),
        .executableTarget(
            name: "FacadeDummy", dependencies: ["Epitaph", "LinuxSystem"],
            path: "Tests/FacadeDummy",
            swiftSettings: swift),
        .executableTarget(
            name: "CaptureDummy", dependencies: ["EpitaphCapture"], path: "Tests/CaptureDummy",
            swiftSettings: swift),
        .executableTarget(
            name: "ScopeDummy", dependencies: ["CEpitaph", "EpitaphCapture"],
            path: "Tests/ScopeDummy",
            swiftSettings: swift),
        .executableTarget(
            name: "WatchDummy", dependencies: ["CEpitaph", "Hangs", "MemoryPressure"],
            path: "Tests/WatchDummy", swiftSettings: swift),
        .executableTarget(
            name: "RequestDummy",
            dependencies: ["Events", "LinuxSystem", "Monitoring", "RequestMonitoring"],
            path: "Tests/RequestDummy", swiftSettings: swift),
        .executableTarget(
            name: "SealedDummy", dependencies: ["CEpitaph"], path: "Tests/SealedDummy",
            cSettings: c),
        .executableTarget(
            name: "DatabaseDummy", dependencies: ["Bytes", "LinuxSystem", "ReportDatabase"],
            path: "Tests/DatabaseDummy", swiftSettings: swift),
        .executableTarget(
            name: "DumpCheck",
            dependencies: ["Bytes", "IntermediateDump", "Snapshot", "TestSupport"],
            path: "Tests/DumpCheck", swiftSettings: swift),
        .executableTarget(
            name: "SymbolCheck",
            dependencies: [
                "ELFImage", "LinuxSystem", "Snapshot", "StackUnwinding", "Symbolication",
            ],
            path: "Tests/SymbolCheck", swiftSettings: swift),
        .executableTarget(
            name: "ReportPages",
            dependencies: [
                "Bytes", "CrashReport", "Fleet", "IntermediateDump", "Minidump", "Snapshot",
                "StackUnwinding", "TestSupport",
            ],
            path: "Tests/ReportPages", swiftSettings: swift),
        .executableTarget(
            name: "StackCheck",
            dependencies: [
                "Bytes", "CoreFiles", "IntermediateDump", "LinuxSystem", "Snapshot",
                "StackUnwinding", "Symbolication",
            ],
            path: "Tests/StackCheck", swiftSettings: swift),
        .target(
            name: "CBenchmark", dependencies: ["CEpitaph"], path: "Tests/Benchmarks/CBenchmark",
            cSettings: c),
        .executableTarget(
            name: "CrashBenchmark", dependencies: ["CBenchmark"],
            path: "Tests/Benchmarks/CrashBenchmark", swiftSettings: swift),
        .executableTarget(
            name: "BusyDaemon", dependencies: ["CEpitaph"], path: "Tests/Benchmarks/BusyDaemon",
            swiftSettings: swift),
        .executableTarget(
            name: "UnwindBenchmark",
            dependencies: ["Bytes", "IntermediateDump", "LinuxSystem", "StackUnwinding"],
            path: "Tests/Benchmarks/UnwindBenchmark", swiftSettings: swift),
        .executableTarget(
            name: "ClientBenchmark", dependencies: ["CCallerStack", "Epitaph"],
            path: "Tests/Benchmarks/ClientBenchmark", swiftSettings: swift),
        .executableTarget(
            name: "IdleDaemon", dependencies: ["Epitaph"], path: "Tests/Benchmarks/IdleDaemon",
            swiftSettings: swift),
        .executableTarget(
            name: "IdleBaseline", path: "Tests/Benchmarks/IdleBaseline", swiftSettings: swift),
        tests("TestSupport", []),
        tests("Bytes", ["Bytes"]),
        tests("Snapshot", ["Snapshot"]),
        tests("CDumpFormat", ["CDumpFormat"]),
        tests("CCrashCapture", ["CCrashCapture", "CDumpFormat"]),
        tests(
            "CEpitaph",
            [
                "Bytes", "CEpitaph", "DumpConversion", "IntermediateDump", "LinuxSystem",
                "Minidump", "ReportDatabase", "Snapshot",
            ]),
        tests("ELFImage", ["Bytes", "ELFImage", "LinuxSystem"]),
        tests("BreakpadSymbols", ["BreakpadSymbols", "Bytes", "ELFImage"]),
        tests("IntermediateDump", ["Bytes", "CDumpFormat", "IntermediateDump", "Snapshot"]),
        tests("Minidump", ["Bytes", "Minidump", "Snapshot"]),
        tests("CoreFiles", ["Bytes", "CoreFiles", "LinuxSystem", "Snapshot", "StackUnwinding"]),
        tests("CoreHandling", ["CoreHandling"]),
        tests("CompressedFiles", ["Bytes", "CompressedFiles", "LinuxSystem"]),
        tests(
            "ReportScrubbing",
            [
                "Bytes", "IntermediateDump", "LinuxSystem", "Minidump", "ReportScrubbing",
                "Snapshot", "StackUnwinding",
            ]),
        tests("LinuxSystem", ["Bytes", "CThreadRights", "LinuxSystem"]),
        tests(
            "StackUnwinding", ["Bytes", "ELFImage", "LinuxSystem", "Snapshot", "StackUnwinding"]),
        tests(
            "Symbolication",
            ["Bytes", "ELFImage", "LinuxSystem", "Snapshot", "StackUnwinding", "Symbolication"]),
        tests(
            "SymbolServers",
            ["Bytes", "LinuxSystem", "Snapshot", "StackUnwinding", "SymbolServers"]),
        tests("SymbolStore", ["Bytes", "LinuxSystem", "SymbolStore"]),
        tests("Disassembly", ["Disassembly", "Snapshot"]),
        tests(
            "ReportDatabase",
            ["Bytes", "LinuxSystem", "Minidump", "ReportDatabase", "Snapshot"]),
        tests(
            "DumpConversion",
            [
                "Bytes", "CDumpFormat", "DumpConversion", "IntermediateDump", "LinuxSystem",
                "Minidump", "ReportDatabase", "Snapshot", "StackUnwinding",
            ]),
        tests(
            "ReportUpload",
            [
                "Bytes", "CZlib", "LinuxSystem", "Minidump", "ReportDatabase", "ReportUpload",
                "RequestSigning", "Snapshot",
            ]),
        tests("Hangs", ["CEpitaph", "Hangs"]),
        tests("MemoryPressure", ["CEpitaph", "LinuxSystem", "MemoryPressure"]),
        tests("SystemEvents", ["LinuxSystem", "SystemEvents"]),
        tests(
            "Events", ["Bytes", "Events", "LinuxSystem", "ReportDatabase", "ReportUpload"]),
        tests("Monitoring", ["Events", "LogUpload", "Monitoring"]),
        tests("RequestMonitoring", ["Events"]),
        tests("Metrics", ["Events", "LinuxSystem", "Metrics"]),
        tests("Sessions", ["Events", "LinuxSystem", "ReportDatabase", "Sessions"]),
        tests(
            "LogUpload",
            ["Bytes", "HTTPTransport", "LinuxSystem", "LogUpload", "ReportUpload"]),
        tests("RequestSigning", ["RequestSigning"]),
        tests(
            "ObjectStore",
            ["Bytes", "HTTPTransport", "LinuxSystem", "ObjectStore", "ReportUpload"]),
        tests(
            "HTTPTransport",
            ["Bytes", "HTTPTransport", "LinuxSystem", "ReportDatabase", "ReportUpload"]),
        tests(
            "CrashReport",
            [
                "Bytes", "CEpitaph", "CrashReport", "Disassembly", "DumpConversion",
                "IntermediateDump", "Minidump", "Snapshot", "StackUnwinding", "Symbolication",
            ]),
        tests(
            "HandledErrors",
            [
                "Bytes", "HandledErrors", "LinuxSystem", "Minidump", "ReportDatabase", "Snapshot",
                "StackUnwinding", "Symbolication",
            ]),
        tests(
            "Fleet",
            ["Bytes", "CrashReport", "Fleet", "LinuxSystem", "ReportUpload", "Snapshot"]),
        tests("Service", ["LinuxSystem", "PrometheusFormat", "ReportUpload", "Service"]),
        tests("StorageInspection", ["CSQLite", "LinuxSystem", "StorageInspection"]),
        tests("EpitaphCapture", []),
        tests(
            "Epitaph",
            [
                "CEpitaph", "DumpConversion", "Epitaph", "LinuxSystem", "ReportDatabase",
                "ReportUpload",
            ]),
        tests(
            "DumpConvert",
            [
                "BreakpadSymbols", "Bytes", "ELFImage", "LinuxSystem", "Minidump",
                "ReportDatabase", "Sessions", "Snapshot",
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
                "BreakpadSymbols", "Bytes", "CoreFiles", "CoreHandling", "CrashReport",
                "DumpConversion", "ELFImage",
                "Epitaph", "Events", "HTTPTransport", "IntermediateDump", "LinuxSystem",
                "LogUpload", "Minidump",
                "Monitoring", "ReportDatabase", "ReportUpload", "Sessions", "Snapshot",
                "StackUnwinding", "Symbolication", "SystemEvents",
            ],
            path: "Tests/Fuzzing", exclude: ["seeds"],
            swiftSettings: swift + [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]))
}
