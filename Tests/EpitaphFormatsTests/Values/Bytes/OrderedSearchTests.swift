// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@Suite struct OrderedSearchTests {
    @Test("The count of a prefix is that of looking at every element")
    func everyLength() {
        for length in 0..<20 {
            let numbers = (0..<length).map { $0 / 3 }
            for limit in -1...8 {
                #expect(
                    numbers.prefixCount { $0 < limit } == numbers.prefix { $0 < limit }.count)
                #expect(
                    numbers.dropFirst(2).prefixCount { $0 < limit }
                        == numbers.dropFirst(2).prefix { $0 < limit }.count)
            }
        }
    }

    @Test("What is in no order has an answer all the same")
    func disorder() {
        #expect((0...4).contains([3, 1, 4, 1].prefixCount { $0 < 3 }))
    }
}
