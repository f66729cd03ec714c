// SPDX-License-Identifier: Apache-2.0

/// Named sums, with Swift concurrency.
actor Ledger {
    struct TooLittle: Error, CustomStringConvertible {
        let name: String
        let amount: Int
        var description: String { "there are not \(amount) \(name)" }
    }

    private var sums: [String: Int] = [:]

    func add(_ amount: Int, to name: String) async -> Int {
        let sum = sums[name, default: 0] + amount
        sums[name] = sum
        return sum
    }

    func take(_ amount: Int, from name: String) throws(TooLittle) -> Int {
        let left = sums[name, default: 0] - amount
        guard left >= 0 else { throw TooLittle(name: name, amount: amount) }
        sums[name] = left
        return left
    }

    /// Adds up all sums in child tasks.
    func total() async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for sum in sums.values {
                group.addTask { sum }
            }
            var total = 0
            for await sum in group { total += sum }
            return total
        }
    }
}
