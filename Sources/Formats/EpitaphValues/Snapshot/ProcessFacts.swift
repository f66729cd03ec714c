// SPDX-License-Identifier: Apache-2.0

package struct ProcessFacts: Sendable, Equatable {
    /// getpid(2), in the process's own namespace.
    package var id: Int32?
    /// getppid(2)
    package var parentID: Int32?
    /// getuid(2), the real user.
    package var userID: UInt32?
    package var startTime: Timestamp?
    package var snapshotTime: Timestamp?
    package var userTimeSeconds: Double?
    package var systemTimeSeconds: Double?
    /// Nanoseconds from the start of Epitaph to the snapshot, by a monotonic clock.
    package var uptimeNanoseconds: UInt64?

    package init() {}
}

package struct LaunchRecord: Sendable, Equatable {
    /// getpid(2) of the process that started Epitaph.
    package var processID: Int32?
    /// Start of the process in clock ticks after boot: field 22 of /proc/PID/stat, proc(5).
    package var startTicks: UInt64?
    /// /proc/sys/kernel/random/boot_id
    package var bootID: Epitaph.ID?
    /// Inode of /proc/self/ns/pid
    package var pidNamespace: UInt64?
    package var time: Timestamp?
    /// From the options of Epitaph's start.
    package var bundleID: String?
    /// The `<uuid>` in the dump's file name; becomes the report's id.
    package var uuid: Epitaph.ID?
    /// /proc/self/exe
    package var executablePath: String?
    /// The dump of an earlier crash, whose signal the process's own handler got.
    package var crashBefore: Epitaph.ID?
    /// Bytes at the start of the file, mapped, reserved for stores; 0 or nil for none.
    package var headBytes: UInt32?
    /// Whether it was a forked child of the process that started Epitaph.
    package var isChild = false
    package var breadcrumbFile: Epitaph.ID?
    /// The kernel's count of out-of-memory kills when Epitaph started, a line for each source:
    /// docs/dump-format.md, `LAUNCH_OOM_KILLS`.
    package var oomKills: String?
    /// Signals whose deaths are marked, bit n - 1 for signal n.
    package var markedSignals: UInt64?
    package var hadMemoryWarning = false
    package var endSignal: Int32?
    /// The sending process, in the pid namespace of the one that ended; nil if the kernel sent it.
    package var endSignalSender: Int32?
    package var endTime: Timestamp?
    /// When a clean end was recorded; nil if it was not, or if a crash followed.
    package var cleanExitTime: Timestamp?
    /// Signals whose crashes would not have been recorded, if noted before the end.
    package var displacedHandlers: [DisplacedHandler] = []

    package init() {}
}

package struct SystemFacts: Sendable, Equatable {
    /// Linux except in minidumps of other programs.
    package var operatingSystem = OperatingSystem.linux
    /// uname(2): sysname, release, version, machine.
    package var kernelName: String?
    /// As `uname -r`.
    package var kernelRelease: String?
    /// As `uname -v`.
    package var kernelVersion: String?
    /// As `uname -m`.
    package var machine: String?
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
    package var pageSize: UInt64?
    /// aarch64: the address bits of a pointer; the others may hold an authentication code.
    package var addressMask: UInt64?

    package init() {}
}

package struct CaptureSummary: Sendable, Equatable {
    package var durationNanoseconds: UInt64?
    package var threadsFound: UInt32?
    package var threadsStopped: UInt32?
    /// Live dumps only: how long the other threads were stopped.
    package var pauseNanoseconds: UInt64?
    /// Bytes with text of the environment or the command line, replaced by asterisks; nil for none.
    package var blankedByteCount: UInt64?

    package init() {}
}

/// A signal whose handler was no longer Epitaph's, so that its crashes may not have been recorded.
package struct DisplacedHandler: Sendable, Equatable {
    /// signal(7)
    package var signal: Int32
    /// The installed handler, signal(2): 0 SIG_DFL, 1 SIG_IGN, nil if unknown.
    package var address: UInt64?

    package init(signal: Int32, address: UInt64?) {
        self.signal = signal
        self.address = address
    }
}

/// Files of the kernel and the system, byte for byte as at the crash; nil if not captured.
package struct SystemFiles: Sendable, Equatable {
    package var maps: ByteSlice? {
        didSet { mappings = maps.map { MemoryMapping.parse($0).mappings } }
    }
    /// The lines of `maps`, read once: every report looks for addresses in them many times.
    package private(set) var mappings: [MemoryMapping]?
    package var status: ByteSlice?
    package var auxv: ByteSlice?
    package var limits: ByteSlice?
    package var cpuinfo: ByteSlice?
    /// /etc/os-release
    package var osRelease: ByteSlice?
    /// Other files, by path.
    package var others: [String: ByteSlice] = [:]

    package init() {}
}
