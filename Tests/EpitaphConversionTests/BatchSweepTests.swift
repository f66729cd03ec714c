// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

@Suite("Dumps that are filed together")
struct BatchSweepTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    /// Looks at the directory of the dumps during each conversion, and refuses some of them.
    private final class Watching: DumpConverter {
        let path: String
        let refused: Set<Epitaph.ID>
        let seen = Mutex<[[String]]>([])

        init(_ path: String, refused: Set<Epitaph.ID> = []) {
            self.path = path
            self.refused = refused
        }

        func contents(of dump: ByteSlice) -> DumpContents {
            MinidumpConverter().contents(of: dump)
        }

        func writeMinidump<Sink: ByteSink>(
            of dump: ReadDump, named name: DumpName, clientID: Epitaph.ID?, attempt: Int,
            to sink: inout Sink
        ) throws(ConversionError) -> KeptSignature? where Sink.Failure == SystemError {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            seen.withLock { $0.append(names.filter { $0.contains(".converting") }) }
            guard !refused.contains(name.uuid) else { throw .unusable("it was refused") }
            return try MinidumpConverter().writeMinidump(
                of: dump, named: name, clientID: clientID, attempt: attempt, to: &sink)
        }
    }

    @Test("Many dumps become reports, and are told of in the order they were looked at")
    func many() throws {
        var ids: [Epitaph.ID] = []
        for number in 0..<70 {
            let uuid = Epitaph.ID()
            let name = try fixture.put(uuid)
            try FileManager.default.setAttributes(
                [
                    .modificationDate: (Timestamp(secondsSince1970: 1_700_000_000 + Double(number)))
                        .date
                ],
                ofItemAtPath: fixture.path(name))
            ids.append(uuid)
        }
        var options = DumpSweep.Options()
        options.limit = .unlimited
        let summary = try fixture.sweep(options)
        #expect(summary.reportIDs == ids)
        #expect(summary.entries.count == 70)
        #expect(try fixture.pendingNames == [])
        #expect(try fixture.reportIDs == Set(ids))
    }

    @Test("Only the dump that is converted has an attempt counted")
    func attempts() throws {
        for _ in 0..<5 { try fixture.put(Epitaph.ID()) }
        let converter = Watching(fixture.path(""))
        let summary = try fixture.sweep(converter)
        #expect(summary.reportIDs.count == 5)
        let seen = converter.seen.withLock { $0 }
        #expect(seen.count == 5 && seen.allSatisfy { $0.count == 1 })
    }

    @Test("A dump that cannot be converted holds up none of the others")
    func oneFails() throws {
        let ids = (0..<5).map { _ in Epitaph.ID() }
        for id in ids { try fixture.put(id) }
        let summary = try fixture.sweep(Watching(fixture.path(""), refused: [ids[2]]))
        #expect(Set(summary.reportIDs) == Set(ids).subtracting([ids[2]]))
        #expect(try fixture.pendingNames.count == 1)
        #expect(summary.problems.count == 1)
        #expect(summary.waitingCount == 0)
    }

    @Test("A report that cannot be filed leaves its dump as it was, and the others go on")
    func notFiled() throws {
        let ids = (0..<3).map { _ in Epitaph.ID() }
        for id in ids { try fixture.put(id) }
        let blocked = fixture.temporary.path(
            "db/pending/\(ids[1].description).meta/full")
        try FileManager.default.createDirectory(
            atPath: blocked, withIntermediateDirectories: true)
        // What is in the way cannot be put aside either.
        try fixture.temporary.write([], to: "db/quarantine")
        let summary = try fixture.sweep()
        #expect(Set(summary.reportIDs) == [ids[0], ids[2]])
        #expect(summary.problems.count == 1)
        #expect(try fixture.pendingNames == ["org.example@\(ids[1].description)"])
    }
}
