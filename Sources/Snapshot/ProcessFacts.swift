// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials

/// Who the process was and how long it had run.
public struct ProcessFacts: Sendable, Equatable {
    /// getpid(2), in the process's own namespace.
    public var id: Int32?
    /// getppid(2)
    public var parentID: Int32?
    /// getuid(2), the real user.
    public var userID: UInt32?
    /// When the process started.
    public var startTime: Date?
    /// When it crashed, or the dump of a live process was taken.
    public var snapshotTime: Date?
    /// CPU time spent in the program, seconds.
    public var userTimeSeconds: Double?
    /// CPU time spent in the kernel on its behalf, seconds.
    public var systemTimeSeconds: Double?
    /// Nanoseconds from the start of Epitaph to the snapshot, by a clock that cannot be set.
    public var uptimeNanoseconds: UInt64?

    /// Nothing known.
    public init() {}
}

/// What the program wrote into its dump file when it started.
public struct LaunchRecord: Sendable, Equatable {
    /// getpid(2) of the process that started Epitaph.
    public var processID: Int32?
    /// Start of the process in clock ticks after boot: field 22 of /proc/PID/stat, proc(5).
    public var startTicks: UInt64?
    /// /proc/sys/kernel/random/boot_id
    public var bootID: UUID?
    /// Inode of /proc/self/ns/pid
    public var pidNamespace: UInt64?
    /// When Epitaph was started.
    public var time: Date?
    /// The program's identifier, from the options it started Epitaph with.
    public var bundleID: String?
    /// The `<uuid>` in the dump's file name, which becomes the report's id.
    public var uuid: UUID?
    /// /proc/self/exe
    public var executablePath: String?
    /// The dump of an earlier crash of this process: the program's own handler was given the signal
    /// before this file was armed, and the process may have survived it.
    public var crashBefore: UUID?
    /// Bytes of the file that were set aside for stores and are mapped in the process; 0 or nil
    /// where there are none.
    public var headBytes: UInt32?
    /// Whether it was a forked child of the process that started Epitaph.
    public var isChild = false
    /// The id of the breadcrumb file that the process kept, if it did.
    public var breadcrumbFile: UUID?
    /// How often the kernel had ended a process for want of memory when Epitaph started, a line for
    /// each place that counts: docs/dump-format.md, `LAUNCH_OOM_KILLS`.
    public var oomKills: String?
    /// Signals whose deaths are marked, bit n - 1 for signal n; nil for none.
    public var markedSignals: UInt64?
    /// Whether the program was told that memory is short.
    public var hadMemoryWarning = false
    /// The signal that ended the process, where it was marked.
    public var endSignal: Int32?
    /// The process that sent it, in the pid namespace of the one that ended; nil if the kernel did.
    public var endSignalSender: Int32?
    /// When that was.
    public var endTime: Date?
    /// When the process recorded that it ended cleanly; nil when it did not, or crashed afterwards.
    public var cleanExitTime: Date?
    /// Signals whose crashes would not have been recorded, if the process noted that before it
    /// ended.
    public var displacedHandlers: [DisplacedHandler] = []

    /// Nothing known.
    public init() {}
}

/// The machine and its operating system.
public struct SystemFacts: Sendable, Equatable {
    /// Other than Linux only in minidumps of other programs.
    public var operatingSystem = OperatingSystem.linux
    /// uname(2): sysname, release, version, machine.
    public var kernelName: String?
    /// As `uname -r`.
    public var kernelRelease: String?
    /// As `uname -v`.
    public var kernelVersion: String?
    /// As `uname -m`.
    public var machine: String?
    /// Processors that are online.
    public var processorCount: Int32?
    /// x86: the 12 letters of CPUID leaf 0.
    public var processorVendor: String?
    /// x86: EAX of CPUID leaf 1.
    public var processorSignature: UInt32?
    /// x86: EDX of CPUID leaf 1.
    public var processorFeatures: UInt32?
    /// AT_HWCAP, getauxval(3).
    public var hardwareCapabilities: UInt64?
    /// AT_HWCAP2, getauxval(3).
    public var hardwareCapabilities2: UInt64?
    /// In bytes.
    public var pageSize: UInt64?
    /// aarch64: the bits of a pointer that belong to the address; the others may hold a pointer
    /// authentication code.
    public var addressMask: UInt64?

    /// A Linux machine of which nothing else is known.
    public init() {}
}

/// How the capture itself went.
public struct CaptureSummary: Sendable, Equatable {
    /// How long the capture took.
    public var durationNanoseconds: UInt64?
    /// How many threads the process had.
    public var threadsFound: UInt32?
    /// How many of them were stopped before they were read.
    public var threadsStopped: UInt32?
    /// Live dumps only: how long the other threads were stopped.
    public var pauseNanoseconds: UInt64?
    /// How many bytes of memory and registers had the text of an environment variable or of the
    /// command line and are asterisks instead; nil when there were none.
    public var blankedByteCount: UInt64?

    /// Nothing known.
    public init() {}
}

/// A signal whose handler was no longer Epitaph's, so that its crashes may not have been recorded.
public struct DisplacedHandler: Sendable, Equatable {
    /// signal(7)
    public var signal: Int32
    /// The handler that was installed instead; 0 for the default action, 1 for an ignored signal
    /// (signal(2)), nil if the dump does not say.
    public var address: UInt64?

    /// Both as in the properties.
    public init(signal: Int32, address: UInt64?) {
        self.signal = signal
        self.address = address
    }
}

/// Files of the kernel and the system, byte for byte as they were at the crash; nil if one was not
/// captured.
public struct SystemFiles: Sendable, Equatable {
    /// /proc/self/maps
    public var maps: ByteSlice?
    /// /proc/self/status
    public var status: ByteSlice?
    /// /proc/self/auxv
    public var auxv: ByteSlice?
    /// /proc/self/limits
    public var limits: ByteSlice?
    /// /proc/cpuinfo
    public var cpuinfo: ByteSlice?
    /// /etc/os-release
    public var osRelease: ByteSlice?
    /// Other files, by path.
    public var others: [String: ByteSlice] = [:]

    /// No files.
    public init() {}
}
