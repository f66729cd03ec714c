// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import Dispatch

/// The watch for hangs of this process: its options, whom it tells, and the main queue.
///
/// Heartbeats and queue watches work without one, with the defaults.
public final class HangDetection: Sendable {
    private let mainQueue: QueueWatch?

    /// Puts options in force for the whole process, and begins to watch the main queue if they say
    /// so.
    ///
    /// - Parameters:
    ///   - options: how hangs are looked for.
    ///   - onEvent: called on the watching thread; it must return soon, for nothing is watched
    ///     meanwhile, and must not wait for what may hang.
    /// - Throws: `HangError` where Epitaph is not started, or there are no threads or descriptors.
    public init(
        _ options: HangOptions = HangOptions(),
        onEvent: @escaping @Sendable (HangEvent) -> Void = { _ in }
    ) throws(HangError) {
        var forC = options.forC
        forC.on_event = { event, context in
            guard let event = event.flatMap({ HangEvent($0.pointee) }), let context else { return }
            Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue().onEvent(event)
        }
        // Never released: the watching thread may be in the middle of a call.
        forC.context = Unmanaged.passRetained(Listener(onEvent)).toOpaque()
        guard epitaph_hang_options_set(&forC) == EPITAPH_OK else {
            throw HangError("no memory for the options of the watch for hangs")
        }
        guard options.watchesMainQueue else {
            mainQueue = nil
            return
        }
        mainQueue = try QueueWatch("main queue", options: options) { work in
            DispatchQueue.main.async(execute: work)
        }
    }

    /// Ends the watch of the main queue. Others go on, with the same options.
    public func stop() { mainQueue?.stop() }

    private final class Listener: Sendable {
        let onEvent: @Sendable (HangEvent) -> Void

        init(_ onEvent: @escaping @Sendable (HangEvent) -> Void) {
            self.onEvent = onEvent
        }
    }
}
