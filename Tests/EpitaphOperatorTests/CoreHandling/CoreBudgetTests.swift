// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import Testing

@Suite("The room of kept cores")
struct CoreBudgetTests {
    private func core(_ user: UInt32, _ time: Int64, _ bytes: Int) throws -> CoreBudget.Core {
        try #require(CoreBudget.Core(name: "core.a.b.\(user).77.\(time)", bytes: bytes))
    }

    @Test("The oldest of the user whose cores take the most go first, as many as needed")
    func fairness() throws {
        let cores = [
            try core(0, 1, 20), try core(1, 5, 40), try core(1, 2, 30), try core(1, 9, 10),
        ]
        let budget = CoreBudget(maxUseBytes: 100, keepFreeBytes: 0)
        func times(_ wanted: Int) -> [Int64] {
            budget.removals(of: cores, freeBytes: 1_000, wanted: wanted).map(\.timeSeconds)
        }
        #expect(times(0) == [])
        #expect(times(1) == [2])
        #expect(times(31) == [2, 5])
        #expect(times(200) == [2, 5, 1, 9])
    }

    @Test("What is to stay free stays free")
    func free() throws {
        let cores = [try core(0, 1, 20), try core(0, 2, 20)]
        let budget = CoreBudget(maxUseBytes: 1_000, keepFreeBytes: 50)
        #expect(budget.removals(of: cores, freeBytes: 60, wanted: 10).isEmpty)
        #expect(budget.removals(of: cores, freeBytes: 45, wanted: 10) == [cores[0]])
    }

    @Test("A core that takes the most itself costs nobody theirs")
    func own() throws {
        let cores = [try core(0, 1, 40), try core(1, 2, 55)]
        let budget = CoreBudget(maxUseBytes: 100, keepFreeBytes: 0)
        #expect(
            budget.removals(of: cores, freeBytes: 1_000, wanted: 10, sparing: cores[1].name)
                .isEmpty)
        #expect(
            budget.removals(of: cores, freeBytes: 1_000, wanted: 10, sparing: cores[0].name)
                == [cores[1]])
    }

    @Test(
        "Other files in the directory are nobody's cores",
        arguments: [
            "core", "core.1.2.3", "notes.a.1.2.3", "core.a.-1.2.3", "core.a.1.2.x",
        ])
    func names(name: String) {
        #expect(CoreBudget.Core(name: name, bytes: 1) == nil)
    }
}
