// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// Choices at the start. See `epitaph_options` in epitaph.h, whose defaults these are.
    public struct CrashReporterOptions: Sendable {
        /// Signals to handle; nil for the ten that end a program by a fault of its own.
        public var signals: [Signal]?
        /// Signals whose deaths are marked, so that the next launch knows the signal instead of
        /// only that the process was killed. Empty for none. Only signals that have the default
        /// action at the start are marked. docs/launch-ends.md describes the effects on a program.
        public var markedSignals: [Signal] = []
        /// The signals by which a daemon is usually ended: SIGHUP, SIGINT, SIGPIPE, SIGALRM,
        /// SIGTERM, SIGUSR1 and SIGUSR2.
        public static let usualMarkedSignals: [Signal] = [
            .sighup, .sigint, .sigpipe, .sigalrm, .sigterm, .sigusr1, .sigusr2,
        ]
        /// Whether the Swift runtime's own backtracer runs after the capture.
        public var runsSwiftBacktracer = false
        /// Stack bytes kept of the crashing thread.
        public var crashingStackBytes = epitaph_default_crashing_stack_bytes
        /// Stack bytes kept of each other thread.
        public var otherStackBytes = epitaph_default_other_stack_bytes
        /// Stack bytes kept of all threads together.
        public var allStacksBytes = epitaph_default_all_stacks_bytes
        /// Bytes of memory besides stacks kept for the crashing thread.
        public var crashingMemoryBytes = epitaph_default_crashing_memory_bytes
        /// Bytes of memory besides stacks kept for each other thread.
        public var otherMemoryBytes = epitaph_default_other_memory_bytes
        /// Bytes of memory besides stacks kept for all threads together.
        public var allMemoryBytes = epitaph_default_all_memory_bytes
        /// Bytes kept of what `Epitaph.registerMemory` names.
        public var registeredMemoryBytes = epitaph_default_registered_memory_bytes
        /// Unwind tables kept of modules whose files were deleted or replaced while the program
        /// ran, as by a package upgrade, bytes.
        public var unwindTablesBytes = epitaph_default_unwind_tables_bytes
        /// How long the other threads may take to stop.
        public var stopTimeout = Duration.milliseconds(epitaph_default_stop_timeout_ms)
        /// How long a whole capture may take.
        public var captureTimeout = Duration.milliseconds(epitaph_default_capture_timeout_ms)
        /// Disk space set aside for the dump at the start.
        public var reservedBytes = epitaph_default_reserved_bytes
        /// How many breadcrumbs are kept, at most 1,024, 576 bytes of memory each; 0 keeps none.
        public var breadcrumbLimit = 64
        /// The size of the breadcrumb file in bytes, 8 KiB to 16 MiB. Breadcrumbs are also written
        /// there. They survive SIGKILL, and a power failure as far as the kernel had written them
        /// to disk. 0 for no file; `usualBreadcrumbFileBytes` is 64 KiB.
        /// `Epitaph.breadcrumbFileProblem` says why the file could not be used.
        public var breadcrumbFileBytes = 0
        /// 64 KiB, the usual size of a breadcrumb file.
        public static let usualBreadcrumbFileBytes = 65_536
        /// Names of environment variables that may be in a dump. Copies of the others in memory and
        /// registers are blanked, except for `PATH` and its like.
        public var environmentAllowList: [String] = []
        /// Whether the command line may be in a dump.
        public var includesCommandLine = false
        /// Whether threads that exist already get an alternate stack, so that their stack overflows
        /// are reported. Each is sent one signal; calls such as epoll_wait(2) may return EINTR that
        /// once.
        public var preparesExistingThreads = true
        /// Whether threads that block the signal that stops them are read with ptrace(2).
        public var tracesUnresponsiveThreads = false
        /// How many dumps of this program may wait for conversion. Dumps from the middle of a crash
        /// loop go first.
        public var maxPendingDumps = epitaph_default_max_pending_dumps
        /// The disk space, in bytes, that waiting dumps of this program may take together.
        public var maxPendingBytes = epitaph_default_max_pending_bytes
        /// Whether exit(3) marks the process as ended well; otherwise only `stop()` does.
        public var exitIsCleanEnd = true
        /// Whether to start in a program with more rights than the user who runs it, such as a
        /// set-user-id one. Its dumps hold memory that the user may not be allowed to see.
        public var allowsSecureExecution = false
        /// Whether to start while a debugger is attached; strace counts as one.
        public var allowsDebugger = false
        /// Whether the seccomp filters that the program installs after the start allow the calls
        /// listed in docs/async-safety.md. If not, a crash under such a filter makes no call that
        /// could end the process in another way, and the report has only the crashing thread.
        public var filtersAllowCapture = false
        /// Whether three lines go to standard error while the program dies: the signal, the last
        /// words of the runtime or the program, and the name of the dump. Never if that could
        /// block.
        public var writesLastLines = false
        /// Whether `Epitaph.generateTestCrash` may end the program.
        public var allowsTestCrashes = false
        /// Absolute path of a directory in which dumps wait instead of in the database, for example
        /// on a tmpfs; nil for the database. It is created with mode 0700 if it is missing; its
        /// parent must exist. It must belong to the database's owner, and nobody else may have
        /// permission to write to it.
        public var crashDirectory: String?
        /// Who may read the files in `crashDirectory`.
        public var crashFileMode = CrashFileMode.owner
        /// Whether the program's own sigaction(2) and signal(2) calls get the answers they would
        /// get without Epitaph: handlers that are installed later run after the capture instead of
        /// displacing Epitaph's. docs/virtual-signal-actions.md
        public var virtualSignalActions = false

        /// Options for the module that makes reports from dumps. A program that only captures does
        /// not have that module.
        package var forReports: (any Sendable)?

        /// The defaults of epitaph.h.
        public init() {}

        func start(
            databasePath: String, bundleID: String, annotations: [String: String]
        ) throws(Refusal) {
            // C keeps none of the pointers, so one arena of strings that lives until the call is
            // over is enough.
            let strings = CStringArena()
            let pairs = annotations.sorted { $0.key < $1.key }.map {
                epitaph_annotation_pair(name: strings.add($0.key), value: strings.add($0.value))
            }
            let allowed = environmentAllowList.map { Optional(strings.add($0)) } + [nil]
            // Two lists, each ended by 0.
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
                        // A negative number becomes one that is too large, and is refused.
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
    /// Who may read dumps that wait in a crash directory. They hold memory of the program.
    public enum CrashFileMode: UInt32, Sendable, CaseIterable {
        /// 0600: only the directory's owner.
        case owner = 0o600
        /// 0640: the directory's group as well.
        case group = 0o640
    }
}
