// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Who the process was and how long it had run.
public struct ProcessFacts: Sendable, Equatable {
    public var id: Int32?
    public var parentID: Int32?
    public var userID: UInt32?
    public var startTime: Date?
    public var snapshotTime: Date?
    /// CPU time spent in the program, seconds.
    public var userTimeSeconds: Double?
    /// CPU time spent in the kernel on its behalf, seconds.
    public var systemTimeSeconds: Double?
    /// Nanoseconds from the start of Epitaph to the snapshot, by a clock that cannot be set.
    public var uptimeNanoseconds: UInt64?

    public init() {}
}

/// What the program wrote into its dump file when it started.
public struct LaunchRecord: Sendable, Equatable {
    public var processID: Int32?
    /// Start of the process in clock ticks after boot: field 22 of /proc/PID/stat, proc(5).
    public var startTicks: UInt64?
    /// /proc/sys/kernel/random/boot_id
    public var bootID: UUID?
    /// Inode of /proc/self/ns/pid
    public var pidNamespace: UInt64?
    public var time: Date?
    public var bundleID: String?
    /// The `<uuid>` in the dump's file name; the report keeps it.
    public var uuid: UUID?
    public var executablePath: String?
    /// The dump of the crash that the program's own handler was given before the file was armed:
    /// the process lived on, or ended of it after all.
    public var crashBefore: UUID?
    /// When the process said that it ended well; nil when it did not, or crashed after all.
    public var cleanExitTime: Date?
    /// Signals whose crashes would not have been recorded, when the process said so before it ended.
    public var displacedHandlers: [DisplacedHandler] = []

    public init() {}
}

/// The machine and its operating system.
public struct SystemFacts: Sendable, Equatable {
    public var operatingSystem = OperatingSystem.linux
    /// uname(2): sysname, release, version, machine.
    public var kernelName: String?
    public var kernelRelease: String?
    public var kernelVersion: String?
    public var machine: String?
    public var processorCount: Int32?
    /// x86: the 12 letters of CPUID leaf 0.
    public var processorVendor: String?
    /// x86: EAX of CPUID leaf 1.
    public var processorSignature: UInt32?
    /// x86: EDX of CPUID leaf 1.
    public var processorFeatures: UInt32?
    /// AT_HWCAP and AT_HWCAP2, getauxval(3).
    public var hardwareCapabilities: UInt64?
    public var hardwareCapabilities2: UInt64?
    public var pageSize: UInt64?
    /// aarch64: the bits of a pointer that are an address; the rest may hold a pointer
    /// authentication code.
    public var addressMask: UInt64?

    public init() {}
}

/// How the capture itself went.
public struct CaptureSummary: Sendable, Equatable {
    public var durationNanoseconds: UInt64?
    public var threadsFound: UInt32?
    public var threadsStopped: UInt32?
    /// Live dumps: how long the other threads stood still.
    public var pauseNanoseconds: UInt64?
    /// Bytes of memory and registers that said what the environment or the command line says, and
    /// are asterisks instead; nil when there were none.
    public var blankedByteCount: UInt64?

    public init() {}
}
