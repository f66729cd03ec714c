// SPDX-License-Identifier: Apache-2.0

import EpitaphFleet
import EpitaphHTTP
import EpitaphSystem
import Synchronization

enum ExplanationTargets {
    private static let standardOutput = "-"

    static func sink(
        _ arguments: ParsedArguments, _ stop: StopSignal, _ output: Output
    ) throws(CommandFailure) -> any ExplanationSink {
        let lines = try lineTarget(arguments, output)
        let asRows = arguments.has(ExplainOptions.rows)
        guard let place = arguments.value(of: ExplainOptions.insert) else {
            return LineSink(lines ?? .standardOutput(output), asRows: asRows)
        }
        let location = try ClickHouseOption.location(
            place, of: ExplainCommand.description, output)
        let inserter = try inserter(location, arguments, stop, output)
        // A wrong address should fail before the work.
        try orFail(inserter.prepare())
        let clock = SystemStoppableClock(stopSignal: stop)
        let sink = InsertingSink(
            lines: lines, asRows: asRows, now: clock.monotonicSeconds, insert: inserter.insert)
        sink.complain = lines == nil ? { output.complain($0) } : nil
        return sink
    }

    private static func lineTarget(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) -> LineTarget? {
        let path = arguments.value(of: ExplainOptions.output)
        let continues = arguments.has(ExplainOptions.resume)
        guard let path, path != standardOutput else {
            guard !continues else {
                throw CommandFailure(
                    usage: "--resume continues a file: name it with --output FILE",
                    of: ExplainCommand.description)
            }
            return ExplainOptions.wantsLines(arguments) ? .standardOutput(output) : nil
        }
        return .file(try LineFile(path, continues: continues))
    }

    private static func inserter(
        _ location: ClickHouseLocation, _ arguments: ParsedArguments, _ stop: StopSignal,
        _ output: Output
    ) throws(CommandFailure) -> RowInserter {
        let grace = StopGrace(stop)
        let transport = try ClickHouseOption.transport(arguments) {
            $0.shouldStop = { grace.isOver }
        }
        return RowInserter(
            ClickHouseClient(location, by: transport),
            clock: SystemStoppableClock(stopSignal: stop),
            patienceSeconds: ExplainOptions.patience(arguments), note: output.note)
    }
}

/// Lets a request finish for some seconds after the signal to stop.
private final class StopGrace: Sendable {
    private static let seconds = 10
    private let stop: StopSignal
    private let end = Mutex<ContinuousClock.Instant?>(nil)

    init(_ stop: StopSignal) {
        self.stop = stop
    }

    var isOver: Bool {
        guard stop.isStopped else { return false }
        return end.withLock { end in
            let known = end ?? .now + .seconds(Self.seconds)
            end = known
            return ContinuousClock.now >= known
        }
    }
}
