// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

// Settings that may change at run time. A crash sees each as it was before or after a change.
extension Epitaph {
    /// Whether crashes are captured; if not, they end the process as without Epitaph. False after
    /// `stop()`, and cannot be set to true then.
    public static var isCaptureEnabled: Bool {
        get { epitaph_is_enabled() != 0 }
        set { epitaph_set_enabled(newValue ? 1 : 0) }
    }

    /// Sets the message for reports of this process, for example from another runtime's panic hook.
    ///
    /// - Parameter text: cut to 4,096 bytes; nil removes the message.
    public static func setLastWords(_ text: String?) {
        epitaph_message_set(text)
    }

    /// Starts capturing crashes by a signal.
    ///
    /// - Throws: `Refusal` if the signal cannot be handled, is the one that stops threads, or is
    ///   ignored by the program.
    public static func startHandling(_ signal: Signal) throws(Epitaph.Refusal) {
        try setHandled(true, signal)
    }

    /// Stops handling a signal and restores its previous action.
    ///
    /// - Throws: `Refusal` for a signal that cannot be handled.
    public static func stopHandling(_ signal: Signal) throws(Epitaph.Refusal) {
        try setHandled(false, signal)
    }

    private static func setHandled(_ isHandled: Bool, _ signal: Signal) throws(Refusal) {
        switch epitaph_signal_set_handled(signal.rawValue, isHandled ? 1 : 0) {
        case EPITAPH_OK: return
        case EPITAPH_NOT_STARTED: throw .notStarted
        default:
            throw Refusal(
                .impossible, "\(signal) cannot be handled, or the program ignores it")
        }
    }

    /// How many of Epitaph's handlers have been replaced, for example by a library loaded later.
    /// Crashes are lost unless the new handler passes them on.
    public static func displacedHandlerCount() -> Int {
        Int(epitaph_handlers_check(0))
    }

    /// Puts Epitaph's handlers back in front of those that displaced them, which are then called
    /// after the capture. Ignored signals stay ignored. Returns how many were displaced.
    @discardableResult
    public static func retakeDisplacedHandlers() -> Int {
        Int(epitaph_handlers_check(1))
    }

    /// nil after `stop()`.
    public static var limits: Epitaph.CaptureLimits? { Epitaph.CaptureLimits.present }

    /// Atomically changes the limits of later captures; fields that are 0 stay unchanged.
    ///
    /// - Throws: `Refusal` after `stop()`.
    public static func setLimits(_ limits: Epitaph.CaptureLimits) throws(Epitaph.Refusal) {
        guard limits.apply() else { throw .notStarted }
    }
}

extension Epitaph {
    /// Limits of a dump's size and capture time.
    public struct CaptureLimits: Sendable, Equatable {
        /// Stack bytes kept of the crashing thread.
        public var crashingStackBytes: UInt64
        /// Stack bytes kept of each other thread.
        public var otherStackBytes: UInt64
        /// Stack bytes kept of all threads together.
        public var allStacksBytes: UInt64
        /// Bytes of other memory kept for the crashing thread.
        public var crashingMemoryBytes: UInt64
        /// Bytes of other memory kept for each other thread.
        public var otherMemoryBytes: UInt64
        /// Bytes of other memory kept for all threads together.
        public var allMemoryBytes: UInt64
        /// Bytes kept of registered memory.
        public var registeredMemoryBytes: UInt64
        /// Time for the other threads to stop.
        public var stopTimeout: Duration
        /// Time for the whole capture.
        public var captureTimeout: Duration
        /// Disk space reserved for a dump, from the next dump file on.
        public var reservedBytes: UInt64
        /// Kept of the unwind tables of modules whose files were deleted or replaced.
        public var unwindTablesBytes: UInt64

        fileprivate static var present: CaptureLimits? {
            var limits = epitaph_limits()
            limits.size_bytes = UInt32(MemoryLayout<epitaph_limits>.size)
            guard epitaph_limits_get(&limits) == EPITAPH_OK else { return nil }
            return CaptureLimits(
                crashingStackBytes: limits.crashing_stack_bytes,
                otherStackBytes: limits.other_stack_bytes, allStacksBytes: limits.all_stacks_bytes,
                crashingMemoryBytes: limits.crashing_memory_bytes,
                otherMemoryBytes: limits.other_memory_bytes,
                allMemoryBytes: limits.all_memory_bytes,
                registeredMemoryBytes: limits.registered_memory_bytes,
                stopTimeout: .milliseconds(limits.stop_timeout_ms),
                captureTimeout: .milliseconds(limits.capture_timeout_ms),
                reservedBytes: limits.reserved_bytes,
                unwindTablesBytes: limits.unwind_tables_bytes)
        }

        /// False if Epitaph is not started.
        fileprivate func apply() -> Bool {
            var limits = epitaph_limits()
            limits.size_bytes = UInt32(MemoryLayout<epitaph_limits>.size)
            limits.crashing_stack_bytes = crashingStackBytes
            limits.other_stack_bytes = otherStackBytes
            limits.all_stacks_bytes = allStacksBytes
            limits.crashing_memory_bytes = crashingMemoryBytes
            limits.other_memory_bytes = otherMemoryBytes
            limits.all_memory_bytes = allMemoryBytes
            limits.registered_memory_bytes = registeredMemoryBytes
            limits.stop_timeout_ms = UInt32(clamping: stopTimeout.inMilliseconds)
            limits.capture_timeout_ms = UInt32(clamping: captureTimeout.inMilliseconds)
            limits.reserved_bytes = reservedBytes
            limits.unwind_tables_bytes = unwindTablesBytes
            return epitaph_limits_set(&limits) == EPITAPH_OK
        }
    }
}
