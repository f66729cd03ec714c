// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// Options of the start. See `epitaph_options` in epitaph.h, also for the defaults.
    public struct CrashReporterOptions: Sendable {
        /// Signals to handle; nil for the ten that indicate a program fault.
        public var signals: [Signal]?
        /// Signals whose deaths are marked, so that the next launch knows the signal. Only those
        /// with the default action at the start are. docs/launch-ends.md describes the effects.
        public var markedSignals: [Signal] = []
        /// The signals that usually end a daemon.
        public static let usualMarkedSignals: [Signal] = [
            .sighup, .sigint, .sigpipe, .sigalrm, .sigterm, .sigusr1, .sigusr2,
        ]
        /// Whether the Swift runtime's backtracer runs after the capture.
        public var runsSwiftBacktracer = false
        /// Stack bytes kept of the crashing thread.
        public var crashingStackBytes = epitaph_default_crashing_stack_bytes
        /// Stack bytes kept of each other thread.
        public var otherStackBytes = epitaph_default_other_stack_bytes
        /// Stack bytes kept of all threads together.
        public var allStacksBytes = epitaph_default_all_stacks_bytes
        /// Bytes of other memory kept for the crashing thread.
        public var crashingMemoryBytes = epitaph_default_crashing_memory_bytes
        /// Bytes of other memory kept for each other thread.
        public var otherMemoryBytes = epitaph_default_other_memory_bytes
        /// Bytes of other memory kept for all threads together.
        public var allMemoryBytes = epitaph_default_all_memory_bytes
        /// Memory from `Epitaph.registerMemory`.
        public var registeredMemoryBytes = epitaph_default_registered_memory_bytes
        /// Kept of the unwind tables of modules whose files were deleted or replaced while running.
        public var unwindTablesBytes = epitaph_default_unwind_tables_bytes
        /// Time for the other threads to stop.
        public var stopTimeout = Duration.milliseconds(epitaph_default_stop_timeout_ms)
        /// Time for the whole capture.
        public var captureTimeout = Duration.milliseconds(epitaph_default_capture_timeout_ms)
        /// Disk space reserved for the dump at the start.
        public var reservedBytes = epitaph_default_reserved_bytes
        /// At most 1,024, 576 bytes of memory each; 0 keeps none.
        public var breadcrumbLimit = 64
        /// Size of the breadcrumb file, 8 KiB to 16 MiB; 0 for none. Its breadcrumbs survive
        /// SIGKILL and, as far as the kernel wrote them out, power loss.
        /// `Epitaph.breadcrumbFileProblem` explains failures.
        public var breadcrumbFileBytes = 0
        /// 64 KiB.
        public static let usualBreadcrumbFileBytes = 65_536
        /// Environment variables allowed in dumps. Copies of others in memory and registers are
        /// blanked, except for harmless ones such as `PATH`.
        public var environmentAllowList: [String] = []
        /// Whether dumps include the command line.
        public var includesCommandLine = false
        /// Whether existing threads get an alternate stack, so that their stack overflows are
        /// reported. Each receives one signal; calls such as epoll_wait(2) may return EINTR once.
        public var preparesExistingThreads = true
        /// Whether threads that block the stop signal are read with ptrace(2).
        public var tracesUnresponsiveThreads = false
        /// Limit of pending dumps. Those from the middle of a crash loop are removed first.
        public var maxPendingDumps = epitaph_default_max_pending_dumps
        /// Limit of disk space for this program's pending dumps.
        public var maxPendingBytes = epitaph_default_max_pending_bytes
        /// Whether exit(3) is a clean end; otherwise only `stop()` is.
        public var exitIsCleanEnd = true
        /// Whether to start in a program with more rights than its user, such as a set-user-ID one.
        /// Its dumps have memory that the user may not be allowed to see.
        public var allowsSecureExecution = false
        /// Whether to start under a debugger, including strace.
        public var allowsDebugger = false
        /// Whether seccomp filters installed after the start allow the calls in
        /// docs/async-safety.md. If not, a crash under such a filter makes no call that it could
        /// kill for, and the report has only the crashing thread.
        public var filtersAllowCapture = false
        /// Whether a crash writes three lines to standard error: the signal, the last message of
        /// runtime or program, and the dump's name. Only if that cannot block.
        public var writesLastLines = false
        /// Whether `Epitaph.generateTestCrash` may end the program.
        public var allowsTestCrashes = false
        /// Absolute path of a directory for pending dumps, for example on a tmpfs; nil for the
        /// database. Created with mode 0700 if missing; its parent must exist. It must have the
        /// database's owner and be writable by no one else.
        public var crashDirectory: String?
        /// Mode of files in `crashDirectory`.
        public var crashFileMode = CrashFileMode.owner
        /// Whether the program's own sigaction(2) and signal(2) calls are virtual: later handlers
        /// run after the capture instead of displacing Epitaph's. docs/virtual-signal-actions.md
        public var virtualSignalActions = false

        /// Options for the report-making module, which a capture-only program does not have.
        package var forReports: (any Sendable)?

        /// The defaults of epitaph.h.
        public init() {}

        func start(
            databasePath: String, bundleID: String, annotations: [String: String]
        ) throws(Refusal) {
            // C keeps none of the pointers, so the strings need to live only during the call.
            let strings = CStringArena()
            let pairs = annotations.sorted { $0.key < $1.key }.map {
                epitaph_annotation_pair(name: strings.add($0.key), value: strings.add($0.value))
            }
            let allowed = environmentAllowList.map { Optional(strings.add($0)) } + [nil]
            // Two 0-terminated lists.
            let numbers = ((signals ?? []) + [0] + markedSignals + [0]).map(\.rawValue)
            var error = epitaph_error()
            let status = pairs.withUnsafeBufferPointer { pairs in
                allowed.withUnsafeBufferPointer { allowed in
                    numbers.withUnsafeBufferPointer { numbers in
                        var options = epitaph_options()
                        options.size_bytes = UInt32(MemoryLayout<epitaph_options>.size)
                        options.database_path = strings.add(databasePath)
                        options.bundle_id = strings.add(bundleID)
                        options.annotations = pairs.baseAddress
                        options.annotation_count = pairs.count
                        options.signals = signals == nil ? nil : numbers.baseAddress
                        options.marked_signals = numbers.baseAddress.map {
                            $0 + (signals?.count ?? 0) + 1
                        }
                        options.swift_backtracer =
                            runsSwiftBacktracer
                            ? EPITAPH_SWIFT_BACKTRACER_CHAIN : EPITAPH_SWIFT_BACKTRACER_REPLACE
                        options.crashing_stack_bytes = crashingStackBytes
                        options.other_stack_bytes = otherStackBytes
                        options.all_stacks_bytes = allStacksBytes
                        options.crashing_memory_bytes = crashingMemoryBytes
                        options.other_memory_bytes = otherMemoryBytes
                        options.all_memory_bytes = allMemoryBytes
                        options.registered_memory_bytes = registeredMemoryBytes
                        options.unwind_tables_bytes = unwindTablesBytes
                        options.stop_timeout_ms = UInt32(clamping: stopTimeout.inMilliseconds)
                        options.capture_timeout_ms = UInt32(clamping: captureTimeout.inMilliseconds)
                        options.reserved_bytes = reservedBytes
                        options.environment_allow_list = allowed.baseAddress
                        options.includes_command_line = includesCommandLine ? 1 : 0
                        options.existing_threads =
                            preparesExistingThreads
                            ? EPITAPH_EXISTING_THREADS_GET_STACKS
                            : EPITAPH_EXISTING_THREADS_LEFT_ALONE
                        options.thread_capture =
                            tracesUnresponsiveThreads
                            ? EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE
                            : EPITAPH_THREAD_CAPTURE_SIGNAL
                        options.max_pending_dumps = maxPendingDumps
                        options.max_pending_bytes = maxPendingBytes
                        options.ignores_exit = exitIsCleanEnd ? 0 : 1
                        options.allows_secure_execution = allowsSecureExecution ? 1 : 0
                        options.allows_debugger = allowsDebugger ? 1 : 0
                        // A negative number becomes too large and is refused.
                        options.breadcrumb_limit = breadcrumbLimit
                        options.breadcrumb_file_bytes = breadcrumbFileBytes
                        options.filters_allow_capture = filtersAllowCapture ? 1 : 0
                        options.writes_last_lines = writesLastLines ? 1 : 0
                        options.allows_test_crashes = allowsTestCrashes ? 1 : 0
                        options.crash_directory = crashDirectory.map { strings.add($0) }
                        options.crash_file_mode = crashFileMode.rawValue
                        options.virtual_signal_actions = virtualSignalActions ? 1 : 0
                        return epitaph_start(&options, &error)
                    }
                }
            }
            guard status == EPITAPH_OK else { throw Refusal(status, error) }
        }
    }
}

/// C strings that live as long as the arena.
private final class CStringArena {
    private var strings: [UnsafeMutablePointer<CChar>] = []

    func add(_ string: String) -> UnsafePointer<CChar> {
        let bytes = Array(string.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        strings.append(copy)
        return UnsafePointer(copy)
    }

    deinit {
        strings.forEach { $0.deallocate() }
    }
}

extension Epitaph {
    /// Who may read dumps in a crash directory. They contain memory of the program.
    public enum CrashFileMode: UInt32, Sendable, CaseIterable {
        /// 0600: the owner.
        case owner = 0o600
        /// 0640: also the directory's group.
        case group = 0o640
    }
}
