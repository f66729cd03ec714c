// SPDX-License-Identifier: Apache-2.0

import EpitaphFleet
import EpitaphSystem
import EpitaphValues

/// Inserts records into a table in batches. A line is written once the table has its record, so
/// that an input with a line need never be explained again.
final class InsertingSink: ExplanationSink {
    struct Limits {
        var rows = 1_000
        var bytes = 4 << 20
        var seconds = 5.0
    }

    private let insert: ([CrashRecord]) throws(FleetError) -> Void
    private let target: LineTarget?
    private let asRows: Bool
    private let limits: Limits
    private let now: () -> Double

    private var batch: [CrashRecord] = []
    private var batchBytes = 0
    private var batchBegan: Double?
    private var held: HeldLines?
    /// Called for failures if no lines are written.
    var complain: ((String) -> Void)?

    /// - Parameter now: seconds of a monotonic clock.
    init(
        lines target: LineTarget?, asRows: Bool, limits: Limits = Limits(),
        now: @escaping () -> Double,
        insert: @escaping ([CrashRecord]) throws(FleetError) -> Void
    ) {
        self.target = target
        self.asRows = asRows
        self.limits = limits
        self.now = now
        self.insert = insert
    }

    var isOpen: Bool { true }

    func has(_ input: String) -> Bool { target?.has(input) ?? false }

    func accept(_ explained: Explained) throws(CommandFailure) {
        if target != nil { try hold(explained.line(asRow: asRows)) }
        if case .failure(let sentence) = explained.content {
            complain?("\(explained.input): \(sentence)")
        }
        if case .report(_, let json) = explained.content {
            guard let record = explained.record else {
                throw CommandFailure(.incomplete, "a worker's record cannot be read")
            }
            batch.append(record)
            batchBytes += json.count
        }
        if batchBegan == nil { batchBegan = now() }
        if batch.count >= limits.rows || batchBytes >= limits.bytes { try flush() }
    }

    func tick() throws(CommandFailure) {
        if let batchBegan, now() - batchBegan >= limits.seconds { try flush() }
    }

    func finish() throws(CommandFailure) {
        try flush()
        try target?.finish()
    }

    private func hold(_ line: [UInt8]) throws(CommandFailure) {
        if held == nil { held = try onScratch(HeldLines()) }
        try onScratch(held?.append(line))
    }

    private func flush() throws(CommandFailure) {
        batchBegan = nil
        try rethrowing(insert(batch)) { (error: FleetError) in
            CommandFailure(.incomplete, sentence(error))
        }
        batch.removeAll(keepingCapacity: true)
        batchBytes = 0
        guard let held, let target else { return }
        held.rewind()
        while let line = try onScratch(held.next()) {
            try target.write(line)
        }
        try onScratch(held.empty())
    }

    private func sentence(_ error: FleetError) -> String {
        guard !batch.isEmpty else { return "\(error)" }
        let count = batch.count == 1 ? "1 report that was" : "\(batch.count) reports that were"
        return "\(error); \(count) explained may not be there: the same command inserts them"
    }

    private func onScratch<Value>(
        _ value: @autoclosure () throws(SystemError) -> Value
    ) throws(CommandFailure) -> Value {
        try orFail(saying: "the lines of a batch cannot be kept until it is inserted: ", value())
    }
}

final class HeldLines {
    private let file: ScratchFile
    private var lengths: [Int] = []
    private var end = 0
    private var readLines = 0
    private var offset = 0

    init() throws(SystemError) {
        file = try ScratchFile()
    }

    func append(_ line: [UInt8]) throws(SystemError) {
        try file.descriptor.writeAll(line, at: end)
        end += line.count
        lengths.append(line.count)
    }

    func rewind() {
        readLines = 0
        offset = 0
    }

    func next() throws(SystemError) -> [UInt8]? {
        guard readLines < lengths.count else { return nil }
        let line = try file.descriptor.readBytes(count: lengths[readLines], at: offset)
        guard line.count == lengths[readLines] else {
            throw SystemError(call: "pread", subject: file.descriptor.path, errorNumber: 5)
        }
        readLines += 1
        offset += line.count
        return line
    }

    func empty() throws(SystemError) {
        lengths.removeAll(keepingCapacity: true)
        end = 0
        try file.setSize(0)
    }
}
