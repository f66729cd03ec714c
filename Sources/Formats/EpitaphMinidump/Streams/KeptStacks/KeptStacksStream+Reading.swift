// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension KeptStacksStream {
    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream)
        let found = try cursor.read(UInt32.self)
        guard found == version else {
            return file.note(subject, "they are written in a form that is not known (\(found))")
        }
        var counts: [Int] = []
        for _ in Table.allCases { counts.append(Int(try cursor.read(UInt32.self))) }
        var texts = Texts()
        let problems = texts.text(at: try cursor.read(), &file)

        var tables = Tables(stream, offset: cursor.offset)
        var kept = KeptStacks()
        for record in tables.records(.stacks, counts, &file) {
            kept.stacks.append(try stack(record, &texts, &file))
        }
        for record in tables.records(.steps, counts, &file) {
            var cursor = ByteCursor(record)
            kept.steps.append(
                KeptStacks.Step(
                    frame: Int(try cursor.read(UInt32.self)), distance: try cursor.read()))
        }
        for record in tables.records(.frames, counts, &file) {
            kept.frames.append(try frame(record, &texts, &file))
        }
        for record in tables.records(.places, counts, &file) {
            var cursor = ByteCursor(record)
            kept.places.append(
                KeptStacks.Place(
                    lookupAddress: try cursor.read(),
                    firstCall: Int(try cursor.read(UInt32.self)),
                    callCount: Int(try cursor.read(UInt32.self))))
        }
        for record in tables.records(.calls, counts, &file) {
            kept.calls.append(try call(record, &texts, &file))
        }
        let modules = tables.records(.modules, counts, &file)
        let entries = tables.bytes(.entryBytes, counts, &file)
        try give(modules, entries, to: &snapshot)
        kept.problems = problems?.split(separator: "\n").map(String.init) ?? []
        snapshot.keptStacks = kept
    }

    private static func stack(
        _ record: ByteSlice, _ texts: inout Texts, _ file: inout MinidumpFile
    ) throws(TruncatedRead) -> KeptStacks.Stack {
        var cursor = ByteCursor(record)
        let threadID = try cursor.read(UInt64.self)
        let stackPointer = try cursor.read(UInt64.self)
        var stack = KeptStacks.Stack(
            threadID: threadID, isOfCrash: false, stackPointer: stackPointer,
            firstStep: Int(try cursor.read(UInt32.self)),
            stepCount: Int(try cursor.read(UInt32.self)))
        stack.whyIncomplete = texts.text(at: try cursor.read(), &file)
        stack.whyAsyncCallersIncomplete = texts.text(at: try cursor.read(), &file)
        stack.isOfCrash = try cursor.read(UInt32.self) & Flag.ofCrash != 0
        stack.moment = HeapMoment.Place(number: try cursor.read())
        return stack
    }

    private static func frame(
        _ record: ByteSlice, _ texts: inout Texts, _ file: inout MinidumpFile
    ) throws(TruncatedRead) -> KeptStacks.Frame {
        var cursor = ByteCursor(record)
        let instructionPointer = try cursor.read(UInt64.self)
        let lookupAddress = try cursor.read(UInt64.self)
        let byteCount = try cursor.read(UInt64.self)
        var frame = KeptStacks.Frame(
            instructionPointer: instructionPointer, lookupAddress: lookupAddress,
            foundBy: texts.text(at: try cursor.read(), &file) ?? "")
        frame.isSignalFrame = try cursor.read(UInt8.self) & Flag.signalFrame != 0
        switch try cursor.read(UInt8.self) {
        case OmissionKind.stackBytes: frame.omission = .stackBytes(byteCount)
        case OmissionKind.tailCall: frame.omission = .tailCall
        default: break
        }
        return frame
    }

    private static func call(
        _ record: ByteSlice, _ texts: inout Texts, _ file: inout MinidumpFile
    ) throws(TruncatedRead) -> KeptStacks.Call {
        var cursor = ByteCursor(record)
        var call = KeptStacks.Call()
        let offset = try cursor.read(UInt64.self)
        call.functionOffset = offset == unknownOffset ? nil : offset
        call.function = texts.text(at: try cursor.read(), &file)
        call.linkageName = texts.text(at: try cursor.read(), &file)
        call.file = texts.text(at: try cursor.read(), &file)
        call.runtimeFailure = texts.text(at: try cursor.read(), &file)
        call.line = positive(try cursor.read())
        call.column = positive(try cursor.read())
        call.isInlined = try cursor.read(UInt32.self) & Flag.inlined != 0
        call.functionLine = positive(try cursor.read())
        return call
    }

    private static func positive(_ number: UInt32) -> Int? { number == 0 ? nil : Int(number) }

    private static func give(
        _ records: [ByteSlice], _ entries: ByteSlice, to snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var modules: [UInt64: Int] = [:]
        for (index, module) in snapshot.modules.enumerated() {
            modules[module.addressRange.lowerBound] = index
        }
        for record in records {
            var cursor = ByteCursor(record)
            // Each module has at most one.
            let index = modules.removeValue(forKey: try cursor.read(UInt64.self))
            let loadBias = try cursor.read(UInt64.self)
            let offset = Int(try cursor.read(UInt32.self))
            let bytes = entries.slice(from: offset, length: Int(try cursor.read(UInt32.self)))
            guard let index, !bytes.isEmpty else { continue }
            snapshot.modules[index].keptCallFrames = KeptCallFrames(
                loadBias: loadBias, entries: bytes)
        }
    }

    private struct Tables {
        private var cursor: ByteCursor

        init(_ stream: ByteSlice, offset: Int) {
            cursor = ByteCursor(stream, offset: offset)
        }

        mutating func bytes(
            _ table: Table, _ counts: [Int], _ file: inout MinidumpFile
        ) -> ByteSlice {
            let size = table.recordByteCount
            let announced = counts[table.rawValue]
            let available = min(announced, cursor.remainingCount / size)
            if available < announced {
                file.note(subject, "\(announced) \(table) announced, \(available) are there")
            }
            return (try? cursor.readSlice(count: available * size)) ?? .empty
        }

        mutating func records(
            _ table: Table, _ counts: [Int], _ file: inout MinidumpFile
        ) -> [ByteSlice] {
            let bytes = bytes(table, counts, &file)
            let size = table.recordByteCount
            let count = file.admitted(bytes.count / size, memoryBytes: 192, for: subject)
            return stride(from: 0, to: count * size, by: size).map {
                bytes.slice(from: $0, length: size)
            }
        }
    }

    private struct Texts {
        private var known: [UInt32: String?] = [:]

        mutating func text(at offset: UInt32, _ file: inout MinidumpFile) -> String? {
            guard offset != 0 else { return nil }
            if let text = known[offset] { return text }
            let text = file.utf8(at: offset, for: subject)
            known[offset] = .some(text)
            return text
        }
    }
}
