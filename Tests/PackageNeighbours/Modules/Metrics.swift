// SPDX-License-Identifier: Apache-2.0

@_exported import CoreMetrics

public struct Stopwatch: Sendable {
    public let counter: Counter

    public init(for counter: Counter) {
        self.counter = counter
    }
}
