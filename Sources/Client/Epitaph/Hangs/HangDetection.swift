// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import Dispatch
import EpitaphValues

extension Epitaph {
    /// Settings of this process's hang detection, its callback, and the watch of the main queue.
    ///
    /// `Heartbeat` and `QueueWatch` also work without a `HangDetection`, with default options.
    public final class HangDetection: Sendable {
        private let mainQueue: QueueWatch?

        /// Applies options to the whole process, and starts to watch the main queue if the options
        /// say so.
        ///
        /// - Parameters:
        ///   - options: how hangs are detected.
        ///   - onEvent: called on the watching thread. It must return soon, because nothing is
        ///     watched meanwhile, and must not wait for anything that may hang.
        /// - Throws: `Refusal` if Epitaph is not started, or if no thread or file descriptor is
        ///   left.
        public init(
            _ options: HangOptions = HangOptions(),
            onEvent: @escaping @Sendable (HangEvent) -> Void = { _ in }
        ) throws(Refusal) {
            var forC = options.forC
            forC.on_event = { event, context in
                guard let event = event.flatMap({ HangEvent($0.pointee) }), let context else {
                    return
                }
                Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue().onEvent(event)
            }
            // Never released: the watching thread may be in the middle of a call to it.
            forC.context = Unmanaged.passRetained(Listener(onEvent)).toOpaque()
            guard epitaph_hang_options_set(&forC) == EPITAPH_OK else {
                throw Refusal(.system, "no memory for the options of the watch for hangs")
            }
            guard options.watchesMainQueue else {
                mainQueue = nil
                return
            }
            mainQueue = try QueueWatch("main queue", options: options) { work in
                DispatchQueue.main.async(execute: work)
            }
        }

        /// Stops watching the main queue. Other watches go on with the same options.
        public func stop() { mainQueue?.stop() }

        private final class Listener: Sendable {
            let onEvent: @Sendable (HangEvent) -> Void

            init(_ onEvent: @escaping @Sendable (HangEvent) -> Void) {
                self.onEvent = onEvent
            }
        }
    }
}
