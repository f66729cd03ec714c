// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension KeptStacksStream {
    static func place(
        _ kept: KeptStacks, _ modules: [ModuleSnapshot], in layout: inout FileLayout
    ) -> Location {
        var texts = Texts()
        let stacks = kept.stacks.map { record(of: $0, &texts, &layout) }
        let frames = kept.frames.map { record(of: $0, &texts, &layout) }
        let calls = kept.calls.map { record(of: $0, &texts, &layout) }
        let problems = texts.place(kept.problems.joined(separator: "\n"), &layout)
        let steps = kept.steps.map { step in
            var record = ByteBuilder()
            record.append(UInt32(clamping: step.frame), step.distance)
            return record
        }
        let places = kept.places.map { place in
            var record = ByteBuilder()
            record.append(place.lookupAddress)
            record.append(UInt32(clamping: place.firstCall))
            record.append(UInt32(clamping: place.callCount))
            return record
        }
        let (moduleRecords, entries) = callFrames(of: modules)

        let tables = [stacks, steps, frames, places, calls, moduleRecords]
        var stream = ByteBuilder()
        stream.append(version)
        for table in tables { stream.append(UInt32(clamping: table.count)) }
        stream.append(UInt32(clamping: entries.count), problems)
        for record in tables.joined() { stream.append(record.bytes) }
        stream.append(entries.bytes)
        return layout.place(stream, for: subject)
    }

    private static func record(
        of stack: KeptStacks.Stack, _ texts: inout Texts, _ layout: inout FileLayout
    ) -> ByteBuilder {
        var record = ByteBuilder()
        record.append(stack.threadID, stack.stackPointer, UInt32(clamping: stack.firstStep))
        record.append(UInt32(clamping: stack.stepCount), texts.place(stack.whyIncomplete, &layout))
        record.append(texts.place(stack.whyAsyncCallersIncomplete, &layout))
        record.append(stack.isOfCrash ? Flag.ofCrash : 0)
        // Earlier versions wrote 0 here.
        record.append(stack.moment?.number ?? 0)
        return record
    }

    private static func record(
        of frame: KeptStacks.Frame, _ texts: inout Texts, _ layout: inout FileLayout
    ) -> ByteBuilder {
        var record = ByteBuilder()
        record.append(frame.instructionPointer, frame.lookupAddress)
        let (kind, byteCount) =
            switch frame.omission {
            case nil: (OmissionKind.none, UInt64(0))
            case .stackBytes(let count): (OmissionKind.stackBytes, count)
            case .tailCall: (OmissionKind.tailCall, 0)
            }
        record.append(byteCount, texts.place(frame.foundBy, &layout))
        record.append(frame.isSignalFrame ? Flag.signalFrame : 0, kind)
        record.append(UInt16(0))  // reserved
        return record
    }

    private static func record(
        of call: KeptStacks.Call, _ texts: inout Texts, _ layout: inout FileLayout
    ) -> ByteBuilder {
        var record = ByteBuilder()
        record.append(call.functionOffset ?? unknownOffset, texts.place(call.function, &layout))
        record.append(texts.place(call.linkageName, &layout), texts.place(call.file, &layout))
        record.append(texts.place(call.runtimeFailure, &layout), UInt32(clamping: call.line ?? 0))
        record.append(UInt32(clamping: call.column ?? 0), call.isInlined ? Flag.inlined : 0)
        record.append(UInt32(clamping: call.functionLine ?? 0))
        return record
    }

    private static func callFrames(
        of modules: [ModuleSnapshot]
    ) -> (records: [ByteBuilder], entries: ByteBuilder) {
        var entries = ByteBuilder()
        let records = modules.compactMap { module -> ByteBuilder? in
            guard let kept = module.keptCallFrames else { return nil }
            var record = ByteBuilder()
            record.append(module.addressRange.lowerBound, kept.loadBias)
            record.append(UInt32(clamping: entries.count), UInt32(clamping: kept.entries.count))
            entries.append(kept.entries.array)
            return record
        }
        return (records, entries)
    }

    private struct Texts {
        private var offsets: [String: UInt32] = [:]

        mutating func place(_ text: String?, _ layout: inout FileLayout) -> UInt32 {
            guard let text, !text.isEmpty else { return 0 }
            if let known = offsets[text] { return known }
            let offset = layout.placeUTF8(text, for: subject)
            offsets[text] = offset
            return offset
        }
    }
}
