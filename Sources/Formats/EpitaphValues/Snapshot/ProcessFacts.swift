// SPDX-License-Identifier: Apache-2.0

/// Who the process was and how long it had run.
package struct ProcessFacts: Sendable, Equatable {
    /// getpid(2), in the process's own namespace.
    package var id: Int32?
    /// getppid(2)
    package var parentID: Int32?
    /// getuid(2), the real user.
    package var userID: UInt32?
    /// When the process started.
    package var startTime: Timestamp?
    /// When it crashed, or the dump of a live process was taken.
    package var snapshotTime: Timestamp?
    /// CPU time spent in the program, seconds.
    package var userTimeSeconds: Double?
    /// CPU time spent in the kernel on its behalf, seconds.
    package var systemTimeSeconds: Double?
    /// Nanoseconds from the start of Epitaph to the snapshot, by a clock that cannot be set.
    package var uptimeNanoseconds: UInt64?

    /// Nothing known.
    package init() {}
}

/// What the program wrote into its dump file when it started.
package struct LaunchRecord: Sendable, Equatable {
    /// getpid(2) of the process that started Epitaph.
    package var processID: Int32?
    /// Start of the process in clock ticks after boot: field 22 of /proc/PID/stat, proc(5).
    package var startTicks: UInt64?
    /// /proc/sys/kernel/random/boot_id
    package var bootID: Epitaph.ID?
    /// Inode of /proc/self/ns/pid
    package var pidNamespace: UInt64?
    /// When Epitaph was started.
    package var time: Timestamp?
    /// The program's identifier, from the options it started Epitaph with.
    package var bundleID: String?
    /// The `<uuid>` in the dump's file name, which becomes the report's id.
    package var uuid: Epitaph.ID?
    /// /proc/self/exe
    package var executablePath: String?
    /// The dump of an earlier crash of this process: the program's own handler was given the signal
    /// before this file was armed, and the process may have survived it.
    package var crashBefore: Epitaph.ID?
    /// Bytes of the file that were set aside for stores and are mapped in the process; 0 or nil
    /// where there are none.
    package var headBytes: UInt32?
    /// Whether it was a forked child of the process that started Epitaph.
    package var isChild = false
    /// The id of the breadcrumb file that the process kept, if it did.
    package var breadcrumbFile: Epitaph.ID?
    /// How often the kernel had ended a process for want of memory when Epitaph started, a line for
    /// each place that counts: docs/dump-format.md, `LAUNCH_OOM_KILLS`.
    package var oomKills: String?
    /// Signals whose deaths are marked, bit n - 1 for signal n; nil for none.
    package var markedSignals: UInt64?
    /// Whether the program was told that memory is short.
    package var hadMemoryWarning = false
    /// The signal that ended the process, where it was marked.
    package var endSignal: Int32?
    /// The process that sent it, in the pid namespace of the one that ended; nil if the kernel did.
    package var endSignalSender: Int32?
    /// When that was.
    package var endTime: Timestamp?
    /// When the process recorded that it ended cleanly; nil when it did not, or crashed afterwards.
    package var cleanExitTime: Timestamp?
    /// Signals whose crashes would not have been recorded, if the process noted that before it
    /// ended.
    package var displacedHandlers: [DisplacedHandler] = []

    /// Nothing known.
    package init() {}
}

/// The machine and its operating system.
package struct SystemFacts: Sendable, Equatable {
    /// Other than Linux only in minidumps of other programs.
    package var operatingSystem = OperatingSystem.linux
    /// uname(2): sysname, release, version, machine.
    package var kernelName: String?
    /// As `uname -r`.
    package var kernelRelease: String?
    /// As `uname -v`.
    package var kernelVersion: String?
    /// As `uname -m`.
    package var machine: String?
    /// Processors that are online.
    package var processorCount: Int32?
    /// x86: the 12 letters of CPUID leaf 0.
    package var processorVendor: String?
    /// x86: EAX of CPUID leaf 1.
    package var processorSignature: UInt32?
    /// x86: EDX of CPUID leaf 1.
    package var processorFeatures: UInt32?
    /// AT_HWCAP, getauxval(3).
    package var hardwareCapabilities: UInt64?
    /// AT_HWCAP2, getauxval(3).
    package var hardwareCapabilities2: UInt64?
    /// In bytes.
    package var pageSize: UInt64?
    /// aarch64: the bits of a pointer that belong to the address; the others may hold a pointer
    /// authentication code.
    package var addressMask: UInt64?

    /// A Linux machine with nothing else known.
    package init() {}
}

/// How the capture itself went.
package struct CaptureSummary: Sendable, Equatable {
    /// How long the capture took.
    package var durationNanoseconds: UInt64?
    /// How many threads the process had.
    package var threadsFound: UInt32?
    /// How many of them were stopped before they were read.
    package var threadsStopped: UInt32?
    /// Live dumps only: how long the other threads were stopped.
    package var pauseNanoseconds: UInt64?
    /// How many bytes of memory and registers had the text of an environment variable or of the
    /// command line and are asterisks instead; nil when there were none.
    package var blankedByteCount: UInt64?

    /// Nothing known.
    package init() {}
}

/// A signal whose handler was no longer Epitaph's, so that its crashes may not have been recorded.
package struct DisplacedHandler: Sendable, Equatable {
    /// signal(7)
    package var signal: Int32
    /// The handler that was installed instead; 0 for the default action, 1 for an ignored signal
    /// (signal(2)), nil if the dump does not say.
    package var address: UInt64?

    /// Both as in the properties.
    package init(signal: Int32, address: UInt64?) {
        self.signal = signal
        self.address = address
    }
}

/// Files of the kernel and the system, byte for byte as they were at the crash; nil if one was not
/// captured.
package struct SystemFiles: Sendable, Equatable {
    /// /proc/self/maps
    package var maps: ByteSlice?
    /// /proc/self/status
    package var status: ByteSlice?
    /// /proc/self/auxv
    package var auxv: ByteSlice?
    /// /proc/self/limits
    package var limits: ByteSlice?
    /// /proc/cpuinfo
    package var cpuinfo: ByteSlice?
    /// /etc/os-release
    package var osRelease: ByteSlice?
    /// Other files, by path.
    package var others: [String: ByteSlice] = [:]

    /// No files.
    package init() {}
}
