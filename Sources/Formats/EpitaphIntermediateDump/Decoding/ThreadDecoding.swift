// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

extension FieldReader {
    mutating func thread(_ map: DumpMap, _ architecture: Architecture) -> ThreadSnapshot? {
        guard let id = integer(.threadID, in: map, as: UInt64.self) else {
            note(.threadID, in: map, "a thread has no id and was left out")
            return nil
        }
        var thread = ThreadSnapshot(id: id, completeness: .missing)
        thread.name = text(.threadName, in: map)
        thread.taskName = text(.threadTaskName, in: map)
        thread.queueName = text(.threadQueueName, in: map)
        thread.registers = registers(map, architecture) ?? pointers(map)
        thread.stack = stack(map)
        thread.asyncChainCuts = asyncChainCuts(map)
        thread.threadDataAddress = integer(.threadDataAddress, in: map)
        thread.priority = integer(.threadPriority, in: map)
        thread.schedulingPolicy = integer(.threadSchedulingPolicy, in: map)
        thread.nice = integer(.threadNice, in: map)
        thread.runState = runState(map)
        thread.systemCall = integer(.threadSystemCall, in: map)
        thread.futexArguments = futexArguments(map)
        setCompleteness(of: &thread, map)
        return thread
    }

    mutating func registers(_ map: DumpMap, _ architecture: Architecture) -> RegisterSnapshot? {
        let size = RegisterLayout.size(architecture)
        guard let state = payload(.threadState, in: map, count: size),
            var registers = try? RegisterLayout.decode(state, architecture)
        else { return nil }
        if let floats = bytes(.floatState, in: map), !FloatLayout.add(floats, to: &registers) {
            note(
                .floatState, in: map,
                "FLOAT_STATE holds no floating-point state of \(architecture.name)")
        }
        return registers
    }

    private mutating func futexArguments(_ map: DumpMap) -> [UInt64] {
        guard map.property(.threadFutexArguments) != nil,
            let bytes = payload(.threadFutexArguments, in: map, count: 24)
        else { return [] }
        return (0..<3).compactMap { bytes.load(at: 8 * $0) }
    }

    private mutating func pointers(_ map: DumpMap) -> RegisterSnapshot? {
        guard let instruction = integer(.threadInstructionPointer, in: map, as: UInt64.self),
            let stack = integer(.threadStackPointer, in: map, as: UInt64.self)
        else { return nil }
        return .pointers(instruction: instruction, stack: stack)
    }

    private mutating func runState(_ map: DumpMap) -> Character? {
        guard let letter = integer(.threadRunState, in: map, as: UInt8.self) else { return nil }
        let character = Character(Unicode.Scalar(letter))
        return character.isASCII && character.isLetter ? character : nil
    }

    /// Decided by the contents: an entry that says "complete" can be cut after that.
    private mutating func setCompleteness(of thread: inout ThreadSnapshot, _ map: DumpMap) {
        let stated = integer(.threadCompleteness, in: map, as: UInt8.self)
        switch thread.registers {
        case nil: thread.completeness = .missing
        case .pointers: thread.completeness = .partial
        case .x86_64, .aarch64, .named: thread.completeness = .complete
        }
        if let why = integer(.threadWhy, in: map, as: UInt32.self), why != 0 {
            thread.whyIncomplete = whyWords(why)
        } else if thread.completeness != .complete, stated != thread.completeness.rawValue {
            thread.whyIncomplete = "its registers are not in the dump"
        }
    }
}

func whyWords(_ why: UInt32) -> String {
    guard let words = epitaph_dump_why_words(why) else {
        return "reason \(why), which this version does not know"
    }
    return String(cString: words)
}

extension FieldReader {
    /// The longest run of zeros that the handler omits from a stack.
    private static let zerosLimit = 8192

    /// The handler omits zeros from a small stack and writes the part above under other keys.
    mutating func stack(_ map: DumpMap) -> MemoryRegion? {
        let lower = region(.stackRegionAddress, .stackRegionData, in: map)
        guard let upper = region(.stackUpperAddress, .stackUpperData, in: map) else { return lower }
        // Empty if the stack begins with the zeros, as that of a thread that has only just begun.
        let part = lower ?? emptyRegion(.stackRegionAddress, .stackRegionData, in: map)
        guard let lower = part, upper.address >= lower.addressRange.upperBound,
            upper.address - lower.addressRange.upperBound <= Self.zerosLimit,
            map.property(.stackRegionData)?.isCut == false
        else {
            note(
                .stackUpperData, in: map,
                "the upper part of a stack does not belong to its lower part and was left out")
            return lower
        }
        var builder = ByteBuilder()
        builder.append(lower.bytes)
        builder.appendZeros(Int(upper.address - lower.addressRange.upperBound))
        builder.append(upper.bytes)
        return MemoryRegion(address: lower.address, bytes: ByteSlice(builder.bytes))
    }

    private mutating func emptyRegion(
        _ addressKey: DumpKey, _ dataKey: DumpKey, in map: DumpMap
    ) -> MemoryRegion? {
        guard let data = bytes(dataKey, in: map), data.isEmpty,
            let address = integer(addressKey, in: map, as: UInt64.self)
        else { return nil }
        return MemoryRegion(address: address, bytes: data)
    }

    /// Only complete addresses: the last one may be cut.
    mutating func asyncChainCuts(_ map: DumpMap) -> [UInt64] {
        guard let addresses = bytes(.asyncChainCuts, in: map) else { return [] }
        var cursor = ByteCursor(addresses)
        var found: [UInt64] = []
        while let address = try? cursor.read(UInt64.self) { found.append(address) }
        return found
    }
}
