// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The output file of a run. It keeps only whole lines, so that an interrupted run can be resumed.
final class LineFile {
    private let file: FileDescriptor
    private let path: String
    private var end = 0
    private(set) var done = InputDigests()

    private static let chunkBytes = 1 << 20
    /// The part of a line searched for its input: longer than the longest name, fully escaped.
    private static let headBytes = 1 << 19

    init(_ path: String, continues: Bool) throws(CommandFailure) {
        self.path = path
        let flags = Self.readWrite | Self.create | (continues ? 0 : Self.exclusive)
        do throws(SystemError) {
            let real = continues ? (try? realPath(of: path)) ?? path : path
            file = try FileDescriptor.open(real, flags: flags, mode: 0o600)
        } catch {
            throw CommandFailure(
                .incomplete,
                error.isAlreadyThere
                    ? "\(path) exists; --resume continues it"
                    : "cannot write \(path): \(error.reason)")
        }
        guard try trying(file.fileStatus()).kind == .regular else {
            throw failure(SystemError(call: "open", subject: path, errorNumber: 22))
        }
        guard try trying(file.tryLocking(.exclusive)) else {
            throw CommandFailure(.incomplete, "another run writes to \(path)")
        }
        try readLines()
    }

    private static let readWrite: Int32 = 2
    private static let create: Int32 = 0o100
    private static let exclusive: Int32 = 0o200

    func append(_ line: [UInt8]) throws(CommandFailure) {
        do throws(SystemError) {
            try file.writeAll(line + [UInt8(ascii: "\n")], at: end)
        } catch {
            try? file.truncate(toBytes: end)
            throw failure(error)
        }
        end += line.count + 1
    }

    func synchronize() throws(CommandFailure) {
        try trying(file.synchronize())
    }

    /// Finds the inputs with a line, and cuts an incomplete line.
    private func readLines() throws(CommandFailure) {
        var offset = 0
        var head: [UInt8] = []
        while true {
            let chunk = try trying(file.readBytes(count: Self.chunkBytes, at: offset))
            guard !chunk.isEmpty else { break }
            var rest = chunk[...]
            while let stop = rest.firstIndex(of: UInt8(ascii: "\n")) {
                head += rest[..<stop].prefix(Self.headBytes - head.count)
                try note(head, endingAt: offset + stop + 1)
                head.removeAll(keepingCapacity: true)
                rest = rest[(stop + 1)...]
            }
            head += rest.prefix(Self.headBytes - head.count)
            offset += chunk.count
        }
        if offset > end {
            try trying(file.truncate(toBytes: end))
        }
    }

    private func note(_ head: [UInt8], endingAt offset: Int) throws(CommandFailure) {
        guard let input = Self.input(ofLine: head) else {
            throw CommandFailure(
                .incomplete,
                "\(path) is not continued: what ends at byte \(offset) is no line of explain")
        }
        done.insert(input)
        end = offset
    }

    static func input(ofLine head: [UInt8]) -> String? {
        guard head.starts(with: Array("{\"schema\":\"urn:epitaph:".utf8)) else { return nil }
        // The two members before it contain neither quotes nor backslashes.
        let mark = Array("\"input\":\"".utf8)
        guard let found = head.prefix(256).firstRange(of: mark) else { return nil }
        var index = found.upperBound
        while index < head.count, head[index] != UInt8(ascii: "\"") {
            index += head[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < head.count else { return nil }
        let text = [UInt8(ascii: "[")] + head[(found.upperBound - 1)...index] + [UInt8(ascii: "]")]
        return (try? JSONText.decode([String].self, from: text))?.first
    }

    private func failure(_ error: SystemError) -> CommandFailure {
        CommandFailure(.incomplete, "cannot write \(path): \(error.reason)")
    }

    private func trying<Value>(
        _ value: @autoclosure () throws(SystemError) -> Value
    ) throws(CommandFailure) -> Value {
        try rethrowing(value(), as: failure)
    }
}

/// A set of names that stores a 16-byte hash of each, which outsiders cannot predict.
struct InputDigests {
    private struct Digest: Hashable {
        let one: Int
        let other: Int
    }

    private var digests: Set<Digest> = []
    private let salt = UInt64.random(in: 0 ... .max)

    mutating func insert(_ name: String) { digests.insert(digest(name)) }

    func contains(_ name: String) -> Bool { digests.contains(digest(name)) }

    private func digest(_ name: String) -> Digest {
        var one = Hasher()
        one.combine(name)
        var other = Hasher()
        other.combine(salt)
        other.combine(name)
        return Digest(one: one.finalize(), other: other.finalize())
    }
}
