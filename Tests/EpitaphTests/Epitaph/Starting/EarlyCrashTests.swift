// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Epitaph

@Suite struct EarlyCrashTests {
    private func count(_ launches: [(isCrash: Bool, seconds: Double?)]) -> Int {
        EarlyCrashes(
            launches.map { .init(id: Epitaph.ID(), isCrash: $0.isCrash, runSeconds: $0.seconds) },
            by: CrashLoopPolicy(earlyTime: .seconds(10), crashCount: 2)
        ).count
    }

    @Test("Early crashes in a row are counted up to the first launch that was none")
    func rows() {
        #expect(count([]) == 0)
        #expect(count([(true, 0), (true, 10), (true, 10.1), (true, 1)]) == 2)
        #expect(count([(true, 1), (false, 1), (true, 1)]) == 1)
        #expect(count([(false, 1), (true, 1)]) == 0)
        // Of a clock that was set back it is not known how long it ran.
        #expect(count([(true, nil), (true, 1)]) == 0)
        #expect(count([(true, -5), (true, 1)]) == 0)
    }

    @Test("A crash loop has as many as the policy wants, and names the last one's report")
    func loop() {
        let policy = CrashLoopPolicy(earlyTime: .seconds(10), crashCount: 2)
        let ids = [Epitaph.ID(), Epitaph.ID()]
        let crashes = ids.map { EarlyCrashes.Ended(id: $0, isCrash: true, runSeconds: 1) }
        #expect(EarlyCrashes([crashes[0]], by: policy).loop(by: policy) == nil)
        #expect(
            EarlyCrashes(crashes, by: policy).loop(by: policy)
                == CrashLoop(crashCount: 2, lastReport: ids[0]))
    }
}
