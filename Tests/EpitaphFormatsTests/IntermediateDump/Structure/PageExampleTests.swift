// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// The example of docs/dump-format.md, whose bytes were put together by hand.
@Suite("The example in docs/dump-format.md")
struct PageExampleTests {
    private let bytes: [UInt8]
    /// Offsets as the page states them and as its bytes count up to.
    private let offsets: [(stated: Int?, counted: Int)]

    init() throws {
        let page = try String(
            contentsOfFile: Products.packageRoot + "/docs/dump-format.md", encoding: .utf8)
        var bytes: [UInt8] = []
        var offsets: [(stated: Int?, counted: Int)] = []
        for line in try Self.example(in: page).split(separator: "\n") {
            let fields = line.prefix { $0 != ";" }.split(separator: " ")
            offsets.append((Int(fields[0], radix: 16), bytes.count))
            bytes += try fields.dropFirst().map { try #require(UInt8($0, radix: 16)) }
        }
        self.bytes = bytes
        self.offsets = offsets
    }

    private static func example(in page: String) throws -> String {
        let opening = try #require(page.range(of: "```dump\n"))
        let rest = page[opening.upperBound...]
        return String(rest[..<(try #require(rest.range(of: "```"))).lowerBound])
    }

    @Test("Its offsets are right")
    func offsetsMatch() {
        #expect(!offsets.isEmpty)
        for (stated, counted) in offsets {
            #expect(stated == counted)
        }
    }

    @Test("It is complete and says what the page says")
    func decoded() throws {
        let dump = try IntermediateDump(ByteSlice(bytes))
        #expect(dump.isComplete)
        let snapshot = dump.snapshot
        #expect(snapshot.damage.isEmpty)
        #expect(snapshot.architecture == .x86_64)
        #expect(snapshot.launch?.processID == 4711)
        #expect(snapshot.exception?.signal == 11)
        #expect(snapshot.exception?.address == 0xdead)
        #expect(snapshot.threads.map(\.id) == [4712, 4711])
        #expect(snapshot.crashingThread?.name == "worker")
        let other = try #require(snapshot.threads.last)
        #expect(other.completeness == .missing)
        #expect(other.whyIncomplete == "the thread did not answer before the deadline")
    }
}
