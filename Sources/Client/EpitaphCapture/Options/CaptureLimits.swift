// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// How much a dump may hold and how long its capture may take. Chosen at the start in
    /// `CrashReporterOptions.limits`, and changed later with `Epitaph.setLimits`.
    public struct CaptureLimits: Sendable, Equatable {
        /// The rows of EPITAPH_LIMITS in epitaph_option_table.h.
        var fields = Self.defaultFields

        /// The defaults of epitaph.h.
        public init() {}

        /// Stack bytes kept of the crashing thread.
        public var crashingStackBytes: UInt64 {
            get { fields.crashing_stack_bytes }
            set { fields.crashing_stack_bytes = newValue }
        }
        /// Stack bytes kept of each other thread.
        public var otherStackBytes: UInt64 {
            get { fields.other_stack_bytes }
            set { fields.other_stack_bytes = newValue }
        }
        /// Stack bytes kept of all threads together.
        public var allStacksBytes: UInt64 {
            get { fields.all_stacks_bytes }
            set { fields.all_stacks_bytes = newValue }
        }
        /// Bytes of memory besides stacks kept for the crashing thread.
        public var crashingMemoryBytes: UInt64 {
            get { fields.crashing_memory_bytes }
            set { fields.crashing_memory_bytes = newValue }
        }
        /// Bytes of memory besides stacks kept for each other thread.
        public var otherMemoryBytes: UInt64 {
            get { fields.other_memory_bytes }
            set { fields.other_memory_bytes = newValue }
        }
        /// Bytes of memory besides stacks kept for all threads together.
        public var allMemoryBytes: UInt64 {
            get { fields.all_memory_bytes }
            set { fields.all_memory_bytes = newValue }
        }
        /// Bytes kept of what `Epitaph.registerMemory` names.
        public var registeredMemoryBytes: UInt64 {
            get { fields.registered_memory_bytes }
            set { fields.registered_memory_bytes = newValue }
        }
        /// Unwind tables kept of modules whose files were deleted or replaced while the program
        /// ran, as by a package upgrade, bytes.
        public var unwindTablesBytes: UInt64 {
            get { fields.unwind_tables_bytes }
            set { fields.unwind_tables_bytes = newValue }
        }
        /// Disk space set aside for a dump, bytes. A change counts from the next dump file on.
        public var reservedBytes: UInt64 {
            get { fields.reserved_bytes }
            set { fields.reserved_bytes = newValue }
        }
        /// How long the other threads may take to stop, in whole milliseconds, rounded up.
        public var stopTimeout: Duration {
            get { .milliseconds(fields.stop_timeout_ms) }
            set { fields.stop_timeout_ms = newValue.millisecondsRoundedUp }
        }
        /// How long a whole capture may take, in whole milliseconds, rounded up.
        public var captureTimeout: Duration {
            get { .milliseconds(fields.capture_timeout_ms) }
            set { fields.capture_timeout_ms = newValue.millisecondsRoundedUp }
        }

        public static func == (first: Self, second: Self) -> Bool {
            OptionRows.of(EPITAPH_OPTION_LIMIT).allSatisfy {
                first.number(of: $0) == second.number(of: $0)
            }
        }
    }

    /// What a dump may hold and how long it may take; nil after `stop()`.
    public static var limits: CaptureLimits? {
        var limits = CaptureLimits()
        return epitaph_limits_get(&limits.fields) == EPITAPH_OK ? limits : nil
    }

    /// Changes the limits for crashes from now on, all at once. A field that is 0 stays as it is.
    ///
    /// - Throws: `Refusal` after `stop()`.
    public static func setLimits(_ limits: CaptureLimits) throws(Refusal) {
        var fields = limits.fields
        guard epitaph_limits_set(&fields) == EPITAPH_OK else { throw .notStarted }
    }
}

extension Duration {
    /// For C, where 0 has another meaning than a time that is too short to count.
    fileprivate var millisecondsRoundedUp: UInt32 {
        UInt32(clamping: (self + .nanoseconds(999_999)).inMilliseconds)
    }
}
