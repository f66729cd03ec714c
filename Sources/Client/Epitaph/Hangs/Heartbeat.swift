// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Work that regularly reports progress: the loop of a thread, a worker, a request handler.
    ///
    ///     let heartbeat = try Heartbeat("importer")
    ///     while let file = nextFile() {
    ///         heartbeat.whileWorking { importFile(file) }
    ///     }
    ///     heartbeat.end()
    ///
    /// Epitaph must be started first. Copies of a heartbeat are the same heartbeat, and may be used
    /// from any thread. A report names the thread that beat last.
    public struct Heartbeat: Sendable {
        let number: epitaph_heartbeat

        /// Starts to watch. The first silence is counted from now.
        ///
        /// - Parameters:
        ///   - name: how reports call it, cut to 64 bytes.
        ///   - threshold: how long it may be silent, 100 ms to an hour.
        /// - Throws: `Refusal` if Epitaph is not started, 64 heartbeats are watched already, or
        ///   the watching thread cannot be started.
        public init(_ name: String, threshold: Duration = .seconds(2)) throws(Refusal) {
            var error = epitaph_error()
            number = epitaph_heartbeat_register(
                name, UInt32(threshold.clamped(to: HangOptions.thresholds).inMilliseconds), &error)
            guard number != 0 else { throw Refusal(error) }
        }

        /// Reports progress. Takes a few nanoseconds.
        public func beat() { epitaph_heartbeat_beat(number) }

        /// Reports that there is nothing to do: silence does not count as a hang until `resume()`.
        public func pause() { epitaph_heartbeat_pause(number) }

        /// Reports that there is work again.
        public func resume() { epitaph_heartbeat_resume(number) }

        /// Watches one piece of work and nothing before or after it.
        public func whileWorking<Value, Failure: Error>(
            _ work: () throws(Failure) -> Value
        ) throws(Failure) -> Value {
            resume()
            defer { pause() }
            return try work()
        }

        /// Stops watching. If it hangs now, the hang is over.
        public func end() { epitaph_heartbeat_unregister(number) }
    }
}
