// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

enum WorkerMessage {
    case ready
    case explained(report: [UInt8], record: [UInt8])
    case failed(String)
    case postponed(String)
    case impossible(String)
    /// The worker exits after its next answer.
    case leaving

    private static let headerBytes = 24
    /// More than any readable report, and less than a machine's memory.
    static let mostBytes = 256 << 20

    private var parts: (kind: UInt64, first: [UInt8], second: [UInt8]) {
        switch self {
        case .ready: (0, [], [])
        case .explained(let report, let record): (1, report, record)
        case .failed(let sentence): (2, Array(sentence.utf8), [])
        case .postponed(let sentence): (3, Array(sentence.utf8), [])
        case .impossible(let sentence): (4, Array(sentence.utf8), [])
        case .leaving: (5, [], [])
        }
    }

    func send(to file: FileDescriptor) throws(SystemError) {
        let (kind, first, second) = parts
        var header = ByteBuilder()
        header.append(kind)
        header.append(UInt64(first.count))
        header.append(UInt64(second.count))
        var sink = FileSink(file)
        try sink.append(header.bytes)
        try sink.append(first)
        try sink.append(second)
    }

    /// Removes and returns the first message of `bytes`; nil while it is incomplete.
    static func take(from bytes: inout [UInt8]) throws(UnknownMessage) -> WorkerMessage? {
        guard bytes.count >= headerBytes else { return nil }
        let header = ByteSlice(Array(bytes.prefix(headerBytes)))
        let numbers = (0..<3).map { header.load(at: $0 * 8, as: UInt64.self) ?? .max }
        guard numbers[0] <= 5, numbers[1] <= UInt64(mostBytes), numbers[2] <= UInt64(mostBytes)
        else { throw UnknownMessage() }
        let middle = headerBytes + Int(numbers[1])
        let end = middle + Int(numbers[2])
        guard bytes.count >= end else {
            bytes.reserveCapacity(end)
            return nil
        }
        let first = Array(bytes[headerBytes..<middle])
        let second = Array(bytes[middle..<end])
        bytes.removeFirst(end)
        switch numbers[0] {
        case 0: return .ready
        case 1: return .explained(report: first, record: second)
        case 2: return .failed(String(decoding: first, as: UTF8.self))
        case 3: return .postponed(String(decoding: first, as: UTF8.self))
        case 4: return .impossible(String(decoding: first, as: UTF8.self))
        default: return .leaving
        }
    }

    struct UnknownMessage: Error {}
}

enum WorkerRequest {
    static func send(_ name: String, to file: FileDescriptor) throws(SystemError) {
        var bytes = ByteBuilder()
        bytes.append(UInt32(clamping: name.utf8.count))
        bytes.append(name)
        var sink = FileSink(file)
        try sink.append(bytes.bytes)
    }

    /// Nil at the end.
    static func receive(from file: FileDescriptor) throws(SystemError) -> String? {
        let head = try file.readAll(limit: 4)
        guard head.count == 4, let count = ByteSlice(head).load(at: 0, as: UInt32.self) else {
            return nil
        }
        let name = try file.readAll(limit: Int(count))
        return name.count == Int(count) ? String(decoding: name, as: UTF8.self) : nil
    }
}
