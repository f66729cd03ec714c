// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

extension Epitaph {
    /// Measures durations of frequent work.
    ///
    /// Recording takes two atomic additions; `measure` also reads a clock twice: no lock, no
    /// allocation, no system call.
    public final class DurationMeter: Sendable {
        public let name: String
        private let nanoseconds = Atomic<UInt64>(0)
        private let buckets: Buckets

        init(name: String) {
            self.name = name
            buckets = Buckets()
        }

        /// Records a duration, from any thread; a negative one counts as zero. Percentiles and the
        /// longest duration are capped at about two and a half hours.
        public func record(_ duration: Duration) {
            let (seconds, attoseconds) = duration.components
            let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
            let length =
                duration < .zero
                ? 0
                : whole.overflow ? .max : whole.partialValue &+ UInt64(attoseconds / 1_000_000_000)
            nanoseconds.wrappingAdd(length, ordering: .relaxed)
            buckets.count(DurationBuckets.index(ofNanoseconds: length))
        }

        /// Runs `body` and records its duration, even if it throws.
        public func measure<Value, Failure: Error>(
            _ body: () throws(Failure) -> Value
        ) throws(Failure) -> Value {
            let start = ContinuousClock().now
            defer { record(ContinuousClock().now - start) }
            return try body()
        }

        var reading: DurationReading {
            DurationReading(
                nanoseconds: nanoseconds.load(ordering: .relaxed), counts: buckets.values)
        }

        /// Memory of fixed size in which the atomics stay at their addresses.
        // Sendable: only atomics are changed.
        private final class Buckets: @unchecked Sendable {
            private let cells: UnsafeMutableBufferPointer<Atomic<UInt64>>

            init() {
                cells = .allocate(capacity: DurationBuckets.count)
                for index in cells.indices {
                    (cells.baseAddress! + index).initialize(to: Atomic(0))
                }
            }

            deinit {
                cells.baseAddress?.deinitialize(count: cells.count)
                cells.deallocate()
            }

            func count(_ index: Int) { cells[index].wrappingAdd(1, ordering: .relaxed) }

            var values: [UInt64] { cells.indices.map { cells[$0].load(ordering: .relaxed) } }
        }
    }
}

struct DurationReading: Equatable {
    var nanoseconds: UInt64 = 0
    var counts = [UInt64](repeating: 0, count: DurationBuckets.count)

    var count: UInt64 { counts.reduce(0, &+) }

    func since(_ earlier: DurationReading) -> DurationReading {
        DurationReading(
            nanoseconds: nanoseconds &- earlier.nanoseconds,
            counts: zip(counts, earlier.counts).map { $0 &- $1 })
    }
}
