// SPDX-License-Identifier: Apache-2.0
//
// EpitaphVictim swift DATABASE WAY [chain]: starts Epitaph and dies as only Swift programs do. With
// `chain` the Swift runtime's backtracer runs after the capture. Tests compile this folder as a
// program of its own, too.

import CEpitaph
import Glibc

enum Failure: Error {
    case boom(Int)
}

@inline(never) func crashFatalError() {
    fatalError("the last words")
}

@inline(never) func crashIndex(_ numbers: [Int], _ index: Int) -> Int {
    numbers[index]
}

@inline(never) func crashUnwrap(_ number: Int?) -> Int {
    number!
}

@inline(never) func crashTry() {
    try! { throw Failure.boom(2) }()
}

enum SwiftVictim {
    /// - Parameter arguments: the program, DATABASE, WAY and perhaps `chain`.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3 || arguments.count == 4 else {
            print("usage: EpitaphVictim swift DATABASE WAY [chain]")
            exit(64)
        }
        guard start(arguments[1], chaining: arguments.last == "chain") == EPITAPH_OK else {
            exit(70)
        }
        switch arguments[2] {
        case "fatal-error": crashFatalError()
        case "index": print(crashIndex([1, 2, 3], arguments.count))
        case "unwrap": print(crashUnwrap(Int(arguments[2])))
        case "try": crashTry()
        case "beside-metadata": crashBesideMetadata()
        case "in-metadata": crashInMetadata()
        case "in-initialiser": print(neverMade)
        case "task": crashInTask()
        case "task-elsewhere": crashWhileTaskWaits()
        case "task-300-deep": crashInTask(depth: 300)
        case "task-5000-deep": crashInTask(depth: 5000)
        case "task-in-circles": crashInTask(with: contextsInCircles())
        case "no-workers": crashWithWorkers(0)
        case "100-workers": crashWithWorkers(100)
        case let way where overflowStack(way): break
        case let way where crashInShape(way): break
        default:
            print("there is no way to die called \(arguments[2])")
            exit(64)
        }
    }

    private static func start(_ database: String, chaining isChaining: Bool) -> epitaph_status {
        database.withCString { path in
            "org.example.swift-dummy".withCString { bundleID in
                var options = epitaph_options()
                options.size_bytes = UInt32(MemoryLayout<epitaph_options>.size)
                options.database_path = path
                options.bundle_id = bundleID
                options.allows_debugger = 1
                options.virtual_signal_actions = 1
                if isChaining { options.swift_backtracer = EPITAPH_SWIFT_BACKTRACER_CHAIN }
                var error = epitaph_error()
                return epitaph_start(&options, &error)
            }
        }
    }
}
