// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

/// Tests/Fixtures/minidumps holds what the writer made of the samples, and beside each file a
/// listing for people. Written anew with EPITAPH_RECORD_FIXTURES=1.
@Suite("The golden minidumps")
struct GoldenMinidumpTests {
    static let isRecording = ProcessInfo.processInfo.environment["EPITAPH_RECORD_FIXTURES"] == "1"

    @Test("are what the writer makes, byte for byte", arguments: Architecture.captured)
    func bytes(architecture: Architecture) throws {
        let snapshot = architecture == .x86_64 ? Samples.x86_64 : Samples.aarch64
        let made = minidump(of: snapshot)
        let path = Products.fixture("minidumps/greeter-\(architecture.name).dmp")
        if Self.isRecording { try Data(made).write(to: URL(fileURLWithPath: path)) }
        let golden = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        let difference = zip(made, golden).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(difference == nil)
        #expect(made.count == golden.count)
    }

    @Test("are read as their readable twins say", arguments: Architecture.captured)
    func twin(architecture: Architecture) throws {
        let path = Products.fixture("minidumps/greeter-\(architecture.name)")
        if Self.isRecording {
            // The other test may not have written the file yet.
            let snapshot = architecture == .x86_64 ? Samples.x86_64 : Samples.aarch64
            let listing = try Listing.text(of: ByteSlice(minidump(of: snapshot)))
            try listing.write(toFile: path + ".txt", atomically: true, encoding: .utf8)
        }
        let golden = try Data(contentsOf: URL(fileURLWithPath: path + ".dmp"))
        let expected = try String(contentsOfFile: path + ".txt", encoding: .utf8)
        #expect(try Listing.text(of: ByteSlice([UInt8](golden))) == expected)
    }
}

/// A minidump in words and numbers.
enum Listing {
    static func text(of bytes: ByteSlice) throws -> String {
        let contents = try MinidumpReader.read(bytes)
        let snapshot = contents.snapshot
        var lines = ["minidump of \(snapshot.architecture.name), \(bytes.count) bytes"]
        lines.append("report \(contents.reportID?.description.uppercased() ?? "-")")
        lines.append("client \(contents.clientID?.description.uppercased() ?? "-")")
        lines += contents.streams.map { "stream \($0.type) \($0.byteCount)" }
        lines.append("process \(snapshot.process.id ?? 0)")
        if let exception = snapshot.exception {
            lines.append(
                "exception signal \(exception.signal) code \(exception.code) address "
                    + "\(hexadecimal(exception.address)) thread \(exception.threadID ?? 0)")
        }
        for thread in snapshot.threads { lines += self.lines(of: thread) }
        for module in snapshot.modules {
            let range = module.addressRange
            lines.append(
                "module \(hexadecimal(range.lowerBound))-\(hexadecimal(range.upperBound)) "
                    + "\(module.path) \(module.kind) build id "
                    + module.buildID.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        }
        for region in snapshot.memory {
            lines.append("memory \(hexadecimal(region.address)) \(region.bytes.count)")
        }
        lines += snapshot.annotations.map { "annotation \($0.name) = \($0.value)" }
        lines += snapshot.messages.map { "message from \($0.source): \($0.text)" }
        lines += snapshot.damage.map { "damage \($0.stage): \($0.sentence)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of thread: ThreadSnapshot) -> [String] {
        var lines = ["thread \(thread.id) \(thread.name ?? "-") \(thread.completeness)"]
        if let stack = thread.stack {
            lines.append("  stack \(hexadecimal(stack.address)) \(stack.bytes.count)")
        }
        for (name, value) in thread.registers?.named ?? [] {
            lines.append("  \(name) \(hexadecimal(value))")
        }
        return lines
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        "0x" + String(value, radix: 16)
    }
}
