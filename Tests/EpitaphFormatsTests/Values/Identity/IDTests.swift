// SPDX-License-Identifier: Apache-2.0

import EpitaphFoundation
import EpitaphValues
import Foundation
import Testing

@Suite("Ids")
struct IDTests {
    @Test("Foundation reads what is written, and the other way round, in either case")
    func foundation() throws {
        for _ in 0..<200 {
            let id = Epitaph.ID()
            let theirs = try #require(UUID(uuidString: id.description))
            #expect(theirs.uuidString.lowercased() == id.description)
            #expect(Epitaph.ID(theirs.uuidString) == id)
            #expect(UUID(id) == theirs && Epitaph.ID(theirs) == id)
            #expect(withUnsafeBytes(of: theirs.uuid) { Array($0) } == id.bytes)
            #expect(Epitaph.ID(bytes: id.bytes) == id)
            #expect(id.lastByte == theirs.uuid.15 && id.version == 4 && theirs.uuid.8 >> 6 == 0b10)
        }
    }

    @Test("They sort as their text does")
    func order() {
        let ids = (0..<200).map { _ in Epitaph.ID() }
        #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
    }

    @Test(
        "Any other text is none",
        arguments: [
            "", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeeff0",
            "00112233044550667708899-aabbccddeeff", "g0112233-4455-6677-8899-aabbccddeeff",
            "{0112233-4455-6677-8899-aabbccddeef}", "00112233-4455-6677-8899-aabbccddeé",
        ])
    func refused(text: String) {
        #expect(Epitaph.ID(text) == nil)
    }

    @Test("Bytes of another number are none, and zeros are the id that means none")
    func bytes() {
        #expect(Epitaph.ID(bytes: [UInt8](repeating: 1, count: 15)) == nil)
        #expect(Epitaph.ID(bytes: [UInt8](repeating: 1, count: 17)) == nil)
        #expect(Epitaph.ID(bytes: [UInt8](repeating: 0, count: 16)) == Epitaph.ID.none)
    }

    @Test("In JSON it is its text")
    func coding() throws {
        let id = Epitaph.ID()
        #expect(try JSONText.encode([id]) == Array("[\"\(id)\"]".utf8))
        #expect(try JSONText.decode([Epitaph.ID].self, from: "[\"\(id)\"]".utf8) == [id])
        #expect(throws: (any Error).self) {
            try JSONText.decode([Epitaph.ID].self, from: "[\"x\"]".utf8)
        }
    }
}
