// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// Choices at the start. See `epitaph_options` in epitaph.h, whose defaults these are.
    public struct CrashReporterOptions: @unchecked Sendable {
        /// The numbers, in C's structure. Its pointers stay NULL, so it can be sent.
        var fields = Self.defaultFields
        /// Signals to handle; nil for the ten that end a program by a fault of its own.
        public var signals: [Signal]?
        /// Signals whose deaths are marked, so that the next launch knows the signal. Only those
        /// with the default action at the start are. docs/launch-ends.md describes the effects.
        public var markedSignals: [Signal] = []
        /// The signals that usually end a daemon.
        public static let usualMarkedSignals: [Signal] = [
            .sighup, .sigint, .sigpipe, .sigalrm, .sigterm, .sigusr1, .sigusr2,
        ]
        /// Whether the Swift runtime's own backtracer runs after the capture.
        public var runsSwiftBacktracer: Bool {
            get { fields.swift_backtracer == EPITAPH_SWIFT_BACKTRACER_CHAIN }
            set {
                fields.swift_backtracer =
                    newValue ? EPITAPH_SWIFT_BACKTRACER_CHAIN : EPITAPH_SWIFT_BACKTRACER_REPLACE
            }
        }
        /// What a dump may hold and how long its capture may take.
        public var limits = CaptureLimits()
        /// How many breadcrumbs are kept, at most 1,024, 576 bytes of memory each; 0 keeps none.
        public var breadcrumbLimit: Int {
            get { fields.breadcrumb_limit }
            set { fields.breadcrumb_limit = newValue }
        }
        /// The size of the breadcrumb file in bytes, 8 KiB to 16 MiB. Breadcrumbs are also written
        /// there. They survive SIGKILL, and a power failure as far as the kernel had written them
        /// to disk. 0 for no file; `usualBreadcrumbFileBytes` is 64 KiB.
        /// `Epitaph.breadcrumbFileProblem` says why the file could not be used.
        public var breadcrumbFileBytes: Int {
            get { fields.breadcrumb_file_bytes }
            set { fields.breadcrumb_file_bytes = newValue }
        }
        /// 64 KiB, the usual size of a breadcrumb file.
        public static let usualBreadcrumbFileBytes = 65_536
        /// Environment variables allowed in dumps. Copies of others in memory and registers are
        /// blanked, except for harmless ones such as `PATH`.
        public var environmentAllowList: [String] = []
        /// Whether the command line may be in a dump.
        public var includesCommandLine: Bool {
            get { fields.includes_command_line != 0 }
            set { fields.includes_command_line = newValue ? 1 : 0 }
        }
        /// Whether existing threads get an alternate stack, so that their stack overflows are
        /// reported. Each is sent one signal; calls such as epoll_wait(2) may return EINTR once.
        public var preparesExistingThreads: Bool {
            get { fields.existing_threads == EPITAPH_EXISTING_THREADS_GET_STACKS }
            set {
                fields.existing_threads =
                    newValue
                    ? EPITAPH_EXISTING_THREADS_GET_STACKS : EPITAPH_EXISTING_THREADS_LEFT_ALONE
            }
        }
        /// Whether threads that no signal stops are read with ptrace(2) also in a process that gave
        /// up its rights, which is traceable for that moment, or that has a seccomp filter.
        public var tracesUnresponsiveThreads: Bool {
            get { fields.thread_capture == EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE }
            set {
                fields.thread_capture =
                    newValue
                    ? EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE : EPITAPH_THREAD_CAPTURE_SIGNAL
            }
        }
        /// How many dumps may wait for conversion; those from the middle of a crash loop go first.
        public var maxPendingDumps: UInt32 {
            get { fields.max_pending_dumps }
            set { fields.max_pending_dumps = newValue }
        }
        /// The disk space, in bytes, that waiting dumps of this program may take together.
        public var maxPendingBytes: UInt64 {
            get { fields.max_pending_bytes }
            set { fields.max_pending_bytes = newValue }
        }
        /// Whether exit(3) marks the process as ended well; otherwise only `stop()` does.
        public var exitIsCleanEnd: Bool {
            get { fields.ignores_exit == 0 }
            set { fields.ignores_exit = newValue ? 0 : 1 }
        }
        /// Whether to start in a program with more rights than the user who runs it, such as a
        /// set-user-id one. Its dumps hold memory that the user may not be allowed to see.
        public var allowsSecureExecution: Bool {
            get { fields.allows_secure_execution != 0 }
            set { fields.allows_secure_execution = newValue ? 1 : 0 }
        }
        /// Whether to start while a debugger is attached; strace counts as one.
        public var allowsDebugger: Bool {
            get { fields.allows_debugger != 0 }
            set { fields.allows_debugger = newValue ? 1 : 0 }
        }
        /// Whether the seccomp filters that the program installs after the start allow the calls
        /// listed in docs/async-safety.md. If not, a crash under such a filter makes no call that
        /// could end the process in another way, and the report has only the crashing thread.
        public var filtersAllowCapture: Bool {
            get { fields.filters_allow_capture != 0 }
            set { fields.filters_allow_capture = newValue ? 1 : 0 }
        }
        /// Whether three lines go to standard error while the program dies: the signal, the last
        /// words, and the name of the dump. Never if that could block.
        public var writesLastLines: Bool {
            get { fields.writes_last_lines != 0 }
            set { fields.writes_last_lines = newValue ? 1 : 0 }
        }
        /// Whether `Epitaph.generateTestCrash` may end the program.
        public var allowsTestCrashes: Bool {
            get { fields.allows_test_crashes != 0 }
            set { fields.allows_test_crashes = newValue ? 1 : 0 }
        }
        /// Absolute path of a directory in which dumps wait instead of in the database, for example
        /// on a tmpfs; nil for the database. Created with mode 0700 if missing; its parent must
        /// exist. It must belong to the database's owner and be writable by nobody else.
        public var crashDirectory: String?
        /// Who may read the files in `crashDirectory`.
        public var crashFileMode: CrashFileMode {
            get { CrashFileMode(rawValue: fields.crash_file_mode) ?? .owner }
            set { fields.crash_file_mode = newValue.rawValue }
        }
        /// Whether the program's own sigaction(2) and signal(2) calls get the answers they would
        /// get without Epitaph: handlers that are installed later run after the capture instead of
        /// displacing Epitaph's. docs/virtual-signal-actions.md
        public var virtualSignalActions: Bool {
            get { fields.virtual_signal_actions != 0 }
            set { fields.virtual_signal_actions = newValue ? 1 : 0 }
        }

        /// N, to watch one of N allocations for memory errors; 0 for none. Needs the product
        /// EpitaphHeap, or the preloaded libepitaph-heap. docs/memory-errors.md
        public var heapSampling: UInt32 {
            get { fields.heap_sampling }
            set { fields.heap_sampling = newValue }
        }
        /// How many watched allocations may be in use at once.
        public var heapBlocks: UInt32 {
            get { fields.heap_blocks }
            set { fields.heap_blocks = newValue }
        }
        /// Whether the program ends by abort(3) when it frees a watched allocation beside which it
        /// has written; if not, that is reported as a handled error.
        public var heapOverwritesEnd: Bool {
            get { fields.heap_overwrites_end != 0 }
            set { fields.heap_overwrites_end = newValue ? 1 : 0 }
        }

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
                        var options = fields
                        for row in OptionRows.of(EPITAPH_OPTION_LIMIT) {
                            epitaph_option_set(&options, row, limits.number(of: row) ?? 0)
                        }
                        options.database_path = strings.add(databasePath)
                        options.bundle_id = strings.add(bundleID)
                        options.annotations = pairs.baseAddress
                        options.annotation_count = pairs.count
                        options.signals = signals == nil ? nil : numbers.baseAddress
                        options.marked_signals = numbers.baseAddress.map {
                            $0 + (signals?.count ?? 0) + 1
                        }
                        options.environment_allow_list = allowed.baseAddress
                        options.crash_directory = crashDirectory.map { strings.add($0) }
                        return epitaph_start(&options, &error)
                    }
                }
            }
            try Refusal.check(status, error)
        }
    }
}

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
