// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EpitaphELF

@Suite("The order of symbols")
struct OrderedKeysTests {
    @Test(
        "It is that of the standard library's sort, and equal ones stay in their order",
        arguments: [0, 1, 7, 11, 12, 32, 47, 63] as [UInt64])
    func order(highestBit: UInt64) {
        let highest: UInt64 = 2 << highestBit &- 1
        for count in [0, 1, 2, 500] {
            let numbers = (0..<count).map { place in
                (key: UInt64.random(in: 0...highest), place: place)
            }
            let sorted = numbers.sorted(byKey: \.key)
            let expected = numbers.sorted { ($0.key, $0.place) < ($1.key, $1.place) }
            #expect(sorted.map(\.key) == expected.map(\.key))
            #expect(sorted.map(\.place) == expected.map(\.place))
        }
    }
}
