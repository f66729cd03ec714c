// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

// What a program can change while it runs. A crash at any moment sees each setting as it was before
// the change or as it is after.
extension Epitaph {
    /// Whether crashes are captured. While false, they end the process as if Epitaph were not
    /// there, and leave no file. False after `stop()`, and cannot be set to true then.
    public static var isCaptureEnabled: Bool {
        get { epitaph_is_enabled() != 0 }
        set { epitaph_set_enabled(newValue ? 1 : 0) }
    }

    /// Sets the last words for the report that this process may leave, for example from the panic
    /// hook of another runtime; the latest text counts.
    ///
    /// - Parameter text: cut to 4096 bytes; nil takes the words back.
    public static func setLastWords(_ text: String?) {
        epitaph_message_set(text)
    }

    /// Starts to capture crashes by one more signal, or by one that was given up.
    ///
    /// - Throws: `Refusal` if the signal cannot be handled at all, is the one that stops threads, or
    ///   is ignored by the program.
    public static func startHandling(_ signal: Signal) throws(Epitaph.Refusal) {
        try setHandled(true, signal)
    }

    /// Gives up a signal: its action is again the one from before Epitaph started.
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

    /// How many signals that Epitaph handles have since got another handler, for example from a
    /// library that was loaded later. Their crashes are lost unless that handler passes them on.
    public static func displacedHandlerCount() -> Int {
        Int(epitaph_handlers_check(0))
    }

    /// Puts Epitaph's handlers back where others have displaced them. The others are then called
    /// after the capture. An ignored signal stays ignored.
    ///
    /// - Returns: how many were displaced.
    @discardableResult
    public static func retakeDisplacedHandlers() -> Int {
        Int(epitaph_handlers_check(1))
    }

    /// What a dump may hold and how long it may take; nil after `stop()`.
    public static var limits: Epitaph.CaptureLimits? { Epitaph.CaptureLimits.present }

    /// Changes the limits for crashes from now on, all at once. A field that is 0 stays as it is.
    ///
    /// - Throws: `Refusal` after `stop()`.
    public static func setLimits(_ limits: Epitaph.CaptureLimits) throws(Epitaph.Refusal) {
        guard limits.apply() else { throw .notStarted }
    }
}

extension Epitaph {
    /// How much a dump may hold and how long its capture may take.
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
        /// Bytes kept of the memory that the program registered.
        public var registeredMemoryBytes: UInt64
        /// How long the other threads may take to stop.
        public var stopTimeout: Duration
        /// How long a whole capture may take.
        public var captureTimeout: Duration
        /// Disk space set aside for a dump; counts from the next dump file on.
        public var reservedBytes: UInt64
        /// Unwind tables kept of modules whose files were deleted or replaced, bytes.
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

        /// A field that is 0 keeps its present value. False if Epitaph is not started.
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
