// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphValues
import Foundation
import Testing

@Suite struct DumpNameTests {
    private static let id = "00112233-4455-6677-8899-aabbccddeeff"

    @Test(
        "A dump's name is bundle, @, uuid and its stage",
        arguments: [
            ("daemon@\(id)", "daemon", DumpName.Stage.pending, 0),
            ("org.example.d@\(id).locked", "org.example.d", .locked, 0),
            ("a@b@\(id).converting-1", "a@b", .converting(attempt: 1), 1),
            ("a@\(id).converting-3", "a", .converting(attempt: 3), 3),
        ])
    func names(name: String, bundle: String, stage: DumpName.Stage, attempts: Int) throws {
        let parsed = try #require(DumpName(name))
        #expect(parsed.bundleID == bundle)
        #expect(parsed.uuid == Epitaph.ID(Self.id))
        #expect(parsed.stage == stage)
        #expect(parsed.attempts == attempts)
        #expect(name.hasPrefix(parsed.stem) && parsed.stem.hasSuffix(Self.id))
    }

    @Test(
        "Any other name is no dump's",
        arguments: [
            "", "@", "README", "@\(id)", id, "a@", "a@\(id)x", "a@\(id).lock", "a@\(id).locked.x",
            "a@\(id).converting-", "a@\(id).converting-0", "a@\(id).converting--1",
            "a@\(id).converting-100", "a@\(id).converting-99999999999999999999",
            "a@{\(id)}", "a@" + id.replacingOccurrences(of: "-", with: ""), "a@\(id).",
        ])
    func others(name: String) {
        #expect(DumpName(name) == nil)
    }
}
