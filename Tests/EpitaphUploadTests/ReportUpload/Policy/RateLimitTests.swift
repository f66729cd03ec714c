// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EpitaphUpload

/// No more than so many requests in any 60 seconds.
@Suite struct RateLimitTests {
    @Test("The thirty-first request waits until the first is a minute old")
    func full() {
        var limit = RateLimit(reportsPerMinute: 30)
        for request in 0..<30 {
            #expect(limit.delaySeconds(at: Double(request)) == 0)
            limit.note(at: Double(request))
        }
        #expect(limit.delaySeconds(at: 29) == 31)
        #expect(limit.delaySeconds(at: 59.5) == 0.5)
        #expect(limit.delaySeconds(at: 60) == 0)
        limit.note(at: 60)
        #expect(limit.delaySeconds(at: 60) == 1)
    }

    @Test("In no window of a minute are there more than allowed, however the waits are cut")
    func anyWindow() {
        var limit = RateLimit(reportsPerMinute: 7)
        var now = 0.0
        var sent: [Double] = []
        for step in 0..<2_000 {
            if limit.delaySeconds(at: now) <= 0 {
                limit.note(at: now)
                sent.append(now)
            }
            now += Double(step % 13) / 4
        }
        #expect(sent.count > 50)
        for (index, first) in sent.enumerated() where index + 7 < sent.count {
            #expect(sent[index + 7] - first >= 60)
        }
    }

    @Test("Nought is no limit")
    func none() {
        var limit = RateLimit(reportsPerMinute: 0)
        for _ in 0..<1_000 { limit.note(at: 1) }
        #expect(limit.delaySeconds(at: 1) == 0)
        #expect(RateLimit(reportsPerMinute: -1).delaySeconds(at: 1) == 0)
    }
}
