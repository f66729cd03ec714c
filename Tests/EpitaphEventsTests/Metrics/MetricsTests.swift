// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@testable import EpitaphEvents

@Suite struct MetricsTests {
    @Test("A report has what was counted since the last one, in the last second and in the busiest")
    func window() throws {
        let (events, clock) = (KeptEvents(), TestClock())
        let metrics = try MetricsRegistry(recorder: events, clock: clock)
        let counter = metrics.counter("requests")
        #expect(metrics.counter("requests") === counter)
        for count in [5, 40, 2] as [UInt64] {
            counter.increment(by: count)
            clock.advance(bySeconds: 1)
            metrics.look()
        }
        metrics.report()
        counter.increment()
        clock.advance(bySeconds: 1)
        metrics.look()
        metrics.report()
        #expect(
            events.metrics.map { $0.counters["requests"] } == [
                .init(total: 47, sinceLast: 47, lastSecond: 2, busiestSecond: 40),
                .init(total: 48, sinceLast: 1, lastSecond: 1, busiestSecond: 1),
            ])
        #expect(events.metrics.map(\.intervalSeconds) == [3, 1])
    }

    @Test("Where nothing was counted there is no event")
    func quiet() throws {
        let (events, clock) = (KeptEvents(), TestClock())
        let metrics = try MetricsRegistry(recorder: events, clock: clock)
        metrics.counter("requests").increment()
        _ = metrics.counter("never")
        metrics.look()
        metrics.report()
        metrics.look()
        metrics.report()
        #expect(events.metrics.count == 1)
        #expect(events.metrics[0].counters.keys.sorted() == ["requests"])
    }

    @Test("A look that comes late makes no busy second")
    func late() throws {
        let (events, clock) = (KeptEvents(), TestClock())
        let metrics = try MetricsRegistry(recorder: events, clock: clock)
        metrics.counter("requests").increment(by: 1_000)
        clock.advance(bySeconds: 100)
        metrics.look()
        #expect(metrics.snapshot.counters["requests"]?.busiestSecond == 10)
    }

    @Test(
        "Durations have a sum, a longest, a median and a 95th percentile, an eighth too long at most"
    )
    func durations() throws {
        let (events, clock) = (KeptEvents(), TestClock())
        let metrics = try MetricsRegistry(recorder: events, clock: clock)
        let meter = metrics.durations("query")
        for milliseconds in 1...100 { meter.record(.milliseconds(milliseconds)) }
        clock.advance(bySeconds: 1)
        metrics.look()
        let durations = try #require(metrics.snapshot.durations["query"])
        #expect(durations.count == 100)
        #expect(abs(durations.totalSeconds - 5.05) < 1e-9)
        for (value, exact) in [
            (durations.medianSeconds, 0.05), (durations.percentile95Seconds, 0.095),
            (durations.longestSeconds, 0.1),
        ] {
            let seconds = try #require(value)
            #expect(seconds >= exact && seconds <= exact * 1.125)
        }
    }

    @Test("A duration that is no duration does no harm")
    func oddDurations() throws {
        let metrics = try MetricsRegistry(recorder: KeptEvents(), clock: TestClock())
        let meter = metrics.durations("odd")
        meter.record(.seconds(-1))
        meter.record(.zero)
        meter.record(.seconds(Int64.max))
        #expect(throws: CancellationError.self) {
            try meter.measure { throw CancellationError() }
        }
        metrics.look()
        #expect(metrics.snapshot.durations["odd"]?.count == 4)
    }

    @Test("Buckets follow one another without a gap, none wider than an eighth")
    func buckets() {
        var last = -1
        for nanoseconds in (0..<5_000).map(UInt64.init) + (13..<63).map({ 1 << $0 }) {
            let index = DurationBuckets.index(ofNanoseconds: nanoseconds)
            #expect(index == last || index == last + 1 || nanoseconds >= 5_000)
            #expect(index < DurationBuckets.count)
            last = index
            guard index < DurationBuckets.count - 1 else { continue }
            let end = DurationBuckets.upperEnd(of: index)
            #expect(end >= nanoseconds)
            #expect(Double(end) <= Double(nanoseconds) * 1.125)
        }
    }

    @Test("Names that are too many, too long or empty count for themselves and are counted")
    func names() throws {
        let (events, clock) = (KeptEvents(), TestClock())
        var options = MetricsOptions()
        options.nameLimit = 2
        let metrics = try MetricsRegistry(recorder: events, options: options, clock: clock)
        metrics.counter("a").increment()
        metrics.durations("b").record(.seconds(1))
        for name in ["c", "", String(repeating: "x", count: 101)] {
            metrics.counter(name).increment()
        }
        #expect(metrics.refusedNameCount == 3)
        metrics.look()
        #expect(metrics.snapshot.counters.keys.sorted() == ["a"])
        #expect(metrics.snapshot.durations.keys.sorted() == ["b"])
    }

    @Test("Many names become several events, none larger than an event may be")
    func parts() throws {
        let (events, clock) = (KeptEvents(), TestClock())
        let metrics = try MetricsRegistry(recorder: events, clock: clock)
        for number in 0..<250 {
            metrics.counter(String(repeating: "x", count: 90) + "\(number)").increment()
            metrics.durations(String(repeating: "y", count: 90) + "\(number)").record(.seconds(1))
        }
        metrics.look()
        metrics.report()
        #expect(events.metrics.count == 5)
        #expect(events.metrics.allSatisfy { $0.byteCount < EventLogOptions().eventLimitBytes })
        let names = events.metrics.flatMap { Array($0.counters.keys) + Array($0.durations.keys) }
        #expect(Set(names).count == 500)
    }

    @Test("Sixteen threads count, and nothing is lost")
    func threads() throws {
        let metrics = try MetricsRegistry(recorder: KeptEvents())
        let (counter, meter) = (metrics.counter("requests"), metrics.durations("query"))
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            for _ in 0..<10_000 {
                counter.increment()
                meter.record(.microseconds(3))
            }
        }
        #expect(counter.total == 160_000)
        #expect(meter.reading.count == 160_000)
        #expect(meter.reading.nanoseconds == 160_000 * 3_000)
    }

    @Test("The thread looks by itself, and a stop reports what is left")
    func thread() throws {
        let events = KeptEvents()
        let metrics = try MetricsRegistry(recorder: events)
        try metrics.start()
        try metrics.start()
        metrics.counter("requests").increment()
        #expect(eventually { metrics.snapshot.counters["requests"] != nil })
        metrics.stop()
        #expect(events.metrics.map { $0.counters["requests"]?.total } == [1])
    }
}
