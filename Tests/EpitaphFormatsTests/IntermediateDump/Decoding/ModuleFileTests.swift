// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("What was at the paths of modules")
struct ModuleFileTests {
    private func read(_ fill: @escaping (inout DumpBuilder) -> Void) throws -> ProcessSnapshot {
        try SampleDumps.snapshot {
            SampleDumps.addModules(to: &$0)
            $0.array(.moduleFiles, fill)
        }
    }

    private func state(_ address: UInt64, _ number: UInt8, in builder: inout DumpBuilder) {
        builder.map {
            $0.add(.moduleAddress, address)
            $0.add(.moduleFileState, number)
        }
    }

    @Test(
        "The state goes to the module at its address",
        arguments: [(1, .same), (2, .deleted), (3, .replaced), (4, .lost)]
            as [(UInt8, ModuleSnapshot.FileState)])
    func states(_ number: UInt8, _ expected: ModuleSnapshot.FileState) throws {
        let snapshot = try read { state(0x40_0000, number, in: &$0) }
        #expect(snapshot.modules.map(\.fileState) == [expected, nil])
        #expect(snapshot.damage.isEmpty)
    }

    @Test("A state that is not known is none, and told of")
    func unknown() throws {
        let snapshot = try read { state(0x40_0000, 9, in: &$0) }
        #expect(snapshot.modules.first?.fileState == nil)
        #expect(snapshot.damage.count == 1)
    }

    @Test("A state of no module does no harm")
    func elsewhere() throws {
        let snapshot = try read {
            state(0x1234, 2, in: &$0)
            $0.map { $0.add(.moduleFileState, 2) }
        }
        #expect(snapshot.modules.allSatisfy { $0.fileState == nil })
        #expect(snapshot.damage.isEmpty)
    }

    @Test("Unwind tables are memory")
    func tables() throws {
        let snapshot = try SampleDumps.snapshot {
            $0.array(.unwindTables) { $0.region(0x40_0000, [0x7f, 0x45, 0x4c, 0x46]) }
        }
        #expect(snapshot.memory.map(\.address) == [0x40_0000])
    }
}
