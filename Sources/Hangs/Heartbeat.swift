// SPDX-License-Identifier: Apache-2.0

import CEpitaph

/// Work that says regularly that it goes on: a thread's loop, a worker, a request handler.
///
///     let heartbeat = try Heartbeat("importer")
///     while let file = nextFile() {
///         heartbeat.whileWorking { importFile(file) }
///     }
///     heartbeat.end()
///
/// Epitaph has to be started. The values of one heartbeat are copies of each other, and may be used
/// from any thread. A report is about the thread that beat last.
public struct Heartbeat: Sendable {
    let number: epitaph_heartbeat

    /// Begins to watch. Silence counts from here on.
    ///
    /// - Parameters:
    ///   - name: what reports call it; 64 bytes of it are kept.
    ///   - thresholdMilliseconds: how long it may be silent, 100 to 3,600,000.
    /// - Throws: `HangError` where Epitaph is not started, 64 heartbeats are watched already, or
    ///   there is no thread to watch.
    public init(_ name: String, thresholdMilliseconds: Int = 2_000) throws(HangError) {
        var error = epitaph_error()
        number = epitaph_heartbeat_register(
            name, UInt32(HangOptions.thresholds.clamped(thresholdMilliseconds)), &error)
        guard number != 0 else { throw HangError(error) }
    }

    /// Says that the work goes on. Takes some nanoseconds.
    public func beat() { epitaph_heartbeat_beat(number) }

    /// Says that there is nothing to do: silence is no hang until `resume()`.
    public func pause() { epitaph_heartbeat_pause(number) }

    /// Says that there is work again.
    public func resume() { epitaph_heartbeat_resume(number) }

    /// Watches a piece of work from its beginning to its end, and nothing before or after it.
    public func whileWorking<Value, Failure: Error>(
        _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        resume()
        defer { pause() }
        return try work()
    }

    /// Ends the watch. A hang of it is over.
    public func end() { epitaph_heartbeat_unregister(number) }
}

/// Why something cannot be watched.
public struct HangError: Error, Equatable, CustomStringConvertible {
    /// A sentence that says what is wrong.
    public let description: String

    init(_ error: epitaph_error) {
        description = withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    init(_ sentence: String) {
        description = sentence
    }
}

extension ClosedRange where Bound: Comparable {
    func clamped(_ value: Bound) -> Bound {
        Swift.min(Swift.max(value, lowerBound), upperBound)
    }
}
