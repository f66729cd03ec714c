// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation

/// A minidump before and after.
struct Scrubbed {
    let source: [UInt8]
    let bytes: [UInt8]
    let summary: ScrubbingSummary

    init(_ source: [UInt8], _ choose: (inout ScrubbingRules) throws -> Void) throws {
        var rules = ScrubbingRules()
        try choose(&rules)
        let plan = try ScrubPlan(minidump: ByteSlice(source), rules: rules)
        var builder = ByteBuilder()
        plan.write(to: &builder)
        self.source = source
        bytes = builder.bytes
        summary = plan.summary
    }

    init(
        _ snapshot: ProcessSnapshot, _ choose: (inout ScrubbingRules) throws -> Void
    ) throws {
        try self.init(plainMinidump(of: snapshot), choose)
    }

    /// What our reader says of the result.
    func contents() throws -> MinidumpContents { try MinidumpReader.read(ByteSlice(bytes)) }

    func contains(_ text: String) -> Bool { Self.contains(text, in: bytes) }

    func sourceContains(_ text: String) -> Bool { Self.contains(text, in: source) }

    /// In UTF-8 or in UTF-16.
    private static func contains(_ text: String, in bytes: [UInt8]) -> Bool {
        let data = Data(bytes)
        return data.range(of: Data(text.utf8)) != nil
            || text.data(using: .utf16LittleEndian).flatMap { data.range(of: $0) } != nil
    }
}

func plainMinidump(of snapshot: ProcessSnapshot) -> [UInt8] {
    var builder = ByteBuilder()
    MinidumpWriter(
        snapshot: snapshot, reportID: Epitaph.ID("00112233-4455-6677-8899-aabbccddeeff"),
        clientID: nil
    ).write(to: &builder)
    return builder.bytes
}

func fixture(_ name: String) throws -> [UInt8] {
    [UInt8](
        try Data(contentsOf: URL(fileURLWithPath: Products.fixture("minidumps/\(name).dmp"))))
}
