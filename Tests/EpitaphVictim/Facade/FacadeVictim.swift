// SPDX-License-Identifier: Apache-2.0
//
// EpitaphVictim facade MODE DATABASE [ARGUMENT]: what a Swift daemon does with the façade, in a
// process of its own. Modes:
//   process, attach, live    calls the form for tasks while one thread of Swift's pool is free, and
//                            prints whether another task could run meanwhile
//   process-blocking, …      the same with the form that blocks: then none can
//   live-dumps COUNT         reports so many live dumps, and prints the ids
//   report-memory COUNT      reports so many live dumps twice, and prints the private memory at the
//                            start and after each time, in KiB
//   and those of StartModes

import Dispatch
import Epitaph
import Foundation
import Synchronization

enum FacadeVictim {
    @MainActor static func run(_ arguments: [String]) async throws {
        let modes = StartModes(database: arguments[2])
        guard !modes.run(arguments[1], arguments.dropFirst(3).first) else { return }
        var options = CrashReporterOptions()
        options.attachmentLimitBytes = 1 << 30
        let reporter = try CrashReporter(
            databasePath: arguments[2], bundleID: "org.example.facade", options: options)
        defer { reporter.stop() }
        if arguments[1] == "live-dumps" {
            for _ in 0..<(Int(arguments[3]) ?? 1) {
                print(try await reporter.reportLiveDump().description)
            }
            return
        }
        if arguments[1] == "report-memory" {
            print(privateMemory())
            for _ in 0..<2 {
                for _ in 0..<(Int(arguments[3]) ?? 1) { try await reporter.reportLiveDump() }
                print(privateMemory())
            }
            return
        }
        let work = try FacadeWork(arguments[1], reporter, file: arguments.dropFirst(3).first ?? "")
        print(await isHeldUp(by: work) ? "held up" : "free")
    }

    /// RssAnon of proc_pid_status(5), in KiB.
    private static func privateMemory() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// Whether a task had to wait for `work` when a single thread of the pool was free before.
    static func isHeldUp(by work: FacadeWork) async -> Bool {
        let occupants = Occupants(count: ProcessInfo.processInfo.activeProcessorCount - 1)
        defer { occupants.release() }
        return await Task.detached {
            let probe = Probe()
            Task.detached { probe.run() }
            await work.run()
            return !probe.hasRun
        }.value
    }
}

/// A task that has nothing to do with the work.
final class Probe: Sendable {
    private let isDone = Atomic(false)
    var hasRun: Bool { isDone.load(ordering: .acquiring) }
    func run() { isDone.store(true, ordering: .releasing) }
}

/// Tasks that block their threads.
final class Occupants: Sendable {
    private let count: Int
    private let started = Atomic(0)
    private let end = DispatchSemaphore(value: 0)

    init(count: Int) {
        self.count = count
        for _ in 0..<count { Task.detached { self.occupy() } }
        while started.load(ordering: .acquiring) < count { usleep(1000) }
    }

    private func occupy() {
        started.add(1, ordering: .releasing)
        end.wait()
    }

    func release() {
        for _ in 0..<count { end.signal() }
    }
}

struct FacadeWork: Sendable {
    let run: @Sendable () async -> Void

    init(_ mode: String, _ reporter: CrashReporter, file: String) throws {
        let attached = AttachedFile(file, name: "attached")
        let dump = try Self.captureNow(reporter)
        let report = mode.hasPrefix("attach") ? try Self.reportNow(reporter) : dump
        run = {
            do {
                switch mode {
                case "process": try await reporter.processIntermediateDumps()
                case "attach": try await reporter.attach(attached, to: report)
                case "live": try await reporter.reportLiveDump()
                case "process-blocking": try Self.processNow(reporter)
                case "attach-blocking": try Self.attachNow(attached, to: report, reporter)
                default: try Self.reportNow(reporter)
                }
            } catch {
                print("\(mode): \(error)")
            }
        }
    }

    // In a function that is no task's the forms that block are called.
    static func captureNow(_ reporter: CrashReporter) throws -> Epitaph.ID {
        try reporter.captureLiveDump()
    }

    static func processNow(_ reporter: CrashReporter) throws {
        try reporter.processIntermediateDumps()
    }

    static func attachNow(
        _ file: AttachedFile, to report: Epitaph.ID, _ reporter: CrashReporter
    ) throws {
        try reporter.attach(file, to: report)
    }

    @discardableResult
    static func reportNow(_ reporter: CrashReporter) throws -> Epitaph.ID {
        try reporter.reportLiveDump()
    }
}
