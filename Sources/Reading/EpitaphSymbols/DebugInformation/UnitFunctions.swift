// SPDX-License-Identifier: Apache-2.0

struct UnitFunctions {
    let unit: CompilationUnit
    private let index: AddressIndex<DIE>

    /// Deeper than any real file.
    private static let depthLimit = 128

    init(_ unit: CompilationUnit, _ budget: WorkBudget) {
        self.unit = unit
        var ranges: [(Range<UInt64>, DIE)] = []
        func add(_ entry: DIE) -> Bool {
            let own = unit.ranges(of: entry, budget)
            guard budget.hold(own.count * WorkBudget.bytesPerEntry) else { return false }
            ranges += own.map { ($0, entry) }
            return true
        }
        let isRead = unit.file.functions.visit(
            below: unit.root, depthLimit: Self.depthLimit, budget, add)
        if !isRead {
            ranges = []
            unit.root.walk(depthLimit: Self.depthLimit, budget) { entry, _ in
                let tag = entry.tag
                if tag == .function, !add(entry) { return .stop }
                return tag.mayHoldFunctions ? .into : .past
            }
        }
        index = AddressIndex(ranges)
    }

    func calls(at address: UInt64, _ budget: WorkBudget) -> [DIE] {
        guard let function = index.values(containing: address).first else { return [] }
        var calls = [function]
        while calls.count < Self.depthLimit,
            let next = inlinedCall(at: address, in: calls[calls.count - 1], depth: 0, budget)
        {
            calls.append(next)
        }
        return calls
    }

    private func inlinedCall(
        at address: UInt64, in entry: DIE, depth: Int, _ budget: WorkBudget
    ) -> DIE? {
        var next = entry.firstChild
        while let child = next, budget.spend() {
            next = child.nextSibling
            let tag = child.tag
            guard tag == .inlinedCall || tag == .block else { continue }
            let ranges = unit.ranges(of: child, budget)
            let holds = ranges.contains { $0.contains(address) }
            if tag == .inlinedCall {
                if holds { return child }
            } else if holds || ranges.isEmpty, depth < Self.depthLimit,
                let call = inlinedCall(at: address, in: child, depth: depth + 1, budget)
            {
                return call
            }
        }
        return nil
    }
}
