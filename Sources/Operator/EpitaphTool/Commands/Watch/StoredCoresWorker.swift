// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphExplanation
import EpitaphService
import EpitaphSystem
import EpitaphValues

/// Has reports made of the cores that systemd-coredump stores: docs/service.md.
///
/// Each is made by a process of its own, `core-pipe --stored`, with a limit of time: the crashed
/// program wrote what is read.
final class StoredCoresWorker: Sendable {
    /// Interval of searches without a notification.
    private static let searchSeconds = 600.0
    /// systemd-coredump puts several in place at once.
    private static let settleSeconds = 0.3
    /// More than the longest time limit of core-pipe, after which it ends by itself.
    private static let mostSeconds = 660.0

    let directory: String
    private let log: any ServiceEventSink
    private let stop: StopSignal
    private let pulse = WorkPulse()

    init(_ directory: String, log: any ServiceEventSink) throws(SystemError) {
        self.directory = directory
        self.log = log
        stop = try StopSignal()
    }

    func start() throws(SystemError) {
        do throws(SystemError) {
            try BackgroundThread.start("cores") { [self] in
                run()
                pulse.end()
            }
        } catch {
            pulse.end()
            throw error
        }
    }

    /// Asks the thread to end; a report that is being made is tried again later.
    func end() { stop.stop() }

    var hasEnded: Bool { pulse.hasEnded }

    var silentSeconds: Double { pulse.silentSeconds }

    private func run() {
        var told: Set<String> = []
        let watch = DirectoryWatch(directory, stopSignal: stop, options: watchOptions)
        while !stop.isStopped {
            told = pass(until: stop, told)
            let reason = DirectoryWatch.wait(
                for: [watch], stopSignal: stop, seconds: Self.searchSeconds)
            if reason == .changed { _ = stop.wait(seconds: Self.settleSeconds) }
        }
    }

    private var watchOptions: DirectoryWatch.Options {
        var options = DirectoryWatch.Options()
        options.isInteresting = { StoredCore.Name($0) != nil }
        return options
    }

    /// Makes the reports that are due, the oldest crash first.
    ///
    /// - Parameter told: problems that were logged already.
    /// - Returns: the problems there are.
    @discardableResult
    func pass(until stop: StopSignal, _ told: Set<String> = []) -> Set<String> {
        pulse.beat()
        defer { pulse.rest() }
        var problems: Set<String> = []
        func complain(_ sentence: String) {
            guard problems.insert(sentence).inserted, !told.contains(sentence) else { return }
            say(.databaseProblem, .error, sentence)
        }
        do throws(SystemError) {
            for name in try names() where !stop.isStopped {
                pulse.beat()
                let path = directory + "/" + name
                do throws(CoreHandlerError) {
                    guard try StoredCore(opening: path).isDue else { continue }
                    makeReport(of: path, until: stop)
                } catch {
                    // It may have been removed since.
                    if case .system(let error) = error, error.isNotFound { continue }
                    complain("no report: \(error)")
                }
            }
        } catch {
            // systemd-coredump makes it with the first core.
            if !error.isNotFound { complain("the cores in \(directory) are not seen: \(error)") }
        }
        return problems
    }

    private func names() throws(SystemError) -> [String] {
        let names = try Directory(named: directory).list().names.compactMap { name in
            StoredCore.Name(name).map { (name: name, time: $0.time) }
        }
        return names.sorted { ($0.time, $0.name) < ($1.time, $1.name) }.map(\.name)
    }

    private func makeReport(of path: String, until stop: StopSignal) {
        let said: (text: String, ending: ChildProcess.Ending?)
        do throws(SystemError) {
            let child = try PipedChild(
                "/proc/self/exe", name: ProgramDescription.name,
                [CorePipeCommand.description.name, "--" + CorePipeCommand.stored.long, path])
            said = (text(of: child, until: stop), child.ended())
        } catch {
            return say(.conversionFailed, .error, "\(path): no report: \(error)")
        }
        let lines = said.text.split(separator: "\n").map(String.init)
        guard let id = lines.first.flatMap({ Epitaph.ID($0) }), lines.count > 1 else {
            // It has said why on standard error.
            let ending = said.ending.map { "\($0)" } ?? "no answer"
            return say(
                .conversionFailed, .warning,
                "\(path): no report was made (\(ending))", [("EPITAPH_CORE", path)])
        }
        say(
            .crashReported, .notice, lines[1],
            [("EPITAPH_REPORT_ID", id.description), ("EPITAPH_CORE", path)])
    }

    private func text(of child: PipedChild, until stop: StopSignal) -> String {
        var bytes: [UInt8] = []
        let end = ContinuousClock.now + .seconds(Self.mostSeconds)
        while ContinuousClock.now < end, !stop.isStopped {
            guard case .ready = stop.wait(seconds: 1, for: [Awaited(child.output, .input)]) else {
                continue
            }
            let more = withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
                let count = try? child.output.read(into: buffer)
                return Array(buffer.prefix(count ?? 0))
            }
            guard !more.isEmpty else { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func say(
        _ message: ServiceMessage, _ priority: ServicePriority, _ sentence: String,
        _ fields: [(name: String, value: String)] = []
    ) {
        log.record(
            ServiceEvent(message, priority, TerminalText.line(sentence), fields: fields))
    }
}
