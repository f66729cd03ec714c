// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The number in a directory entry. Below 0x10000 Microsoft's (minidumpapiset.h), 0x4767xxxx
/// Breakpad's (minidump_format.h), 0x4350xxxx Crashpad's (minidump_extensions.h), 0x4d7axxxx
/// Mozilla's (minidump-common), 0x4570xxxx ours (docs/minidump.md).
package struct StreamType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// An unused directory entry; there may be several.
    package static let unused = StreamType(0)
    /// MINIDUMP_THREAD_LIST: ids, registers and stacks.
    package static let threadList = StreamType(3)
    /// MINIDUMP_MODULE_LIST: paths, addresses and build ids.
    package static let moduleList = StreamType(4)
    /// MINIDUMP_MEMORY_LIST: memory with 32-bit file offsets.
    package static let memoryList = StreamType(5)
    /// MINIDUMP_EXCEPTION_STREAM: signal, code, address and registers of the crash.
    package static let exception = StreamType(6)
    /// MINIDUMP_SYSTEM_INFO: processor, system and kernel.
    package static let systemInfo = StreamType(7)
    /// MINIDUMP_MEMORY64_LIST: the memory of full dumps, with 64-bit file offsets; only read.
    package static let memory64List = StreamType(9)
    /// 8-bit text that a program passed to MiniDumpWriteDump; only read.
    package static let commentASCII = StreamType(10)
    /// The same in UTF-16; only read.
    package static let commentUnicode = StreamType(11)
    /// MINIDUMP_UNLOADED_MODULE_LIST: where libraries were.
    package static let unloadedModuleList = StreamType(14)
    /// MINIDUMP_MISC_INFO: process id and times in seconds.
    package static let miscInfo = StreamType(15)
    /// MINIDUMP_MEMORY_INFO_LIST: the map of the address space.
    package static let memoryInfoList = StreamType(16)
    /// MINIDUMP_THREAD_NAME_LIST
    package static let threadNames = StreamType(24)
    /// MinidumpCrashpadInfo: ids of report and client, and annotations.
    package static let crashpadInfo = StreamType(0x4350_0001)
    /// Breadcrumbs; docs/minidump.md.
    package static let breadcrumbs = StreamType(0x4570_0001)
    /// Stacks unwound when the report was filed; docs/minidump.md.
    package static let keptStacks = StreamType(0x4570_0002)
    /// Facts of the capture without a field in other streams; docs/minidump.md.
    package static let captureFacts = StreamType(0x4570_0003)
    /// What the sampler of allocations knew; docs/minidump.md.
    package static let heapSampling = StreamType(0x4570_0004)
    /// Types of attributes, the scope of the task, names of tasks; docs/minidump.md.
    package static let attributes = StreamType(0x4570_0010)
    /// MDRawBreakpadInfo: the ids of the dumping and the crashing thread; only read.
    package static let breakpadInfo = StreamType(0x4767_0001)
    /// MDRawAssertionInfo: a failed assertion; only read.
    package static let assertionInfo = StreamType(0x4767_0002)
    /// /proc/cpuinfo
    package static let linuxCPUInfo = StreamType(0x4767_0003)
    /// /proc/self/status
    package static let linuxProcessStatus = StreamType(0x4767_0004)
    /// /etc/os-release, or lsb-release in dumps of other programs.
    package static let linuxRelease = StreamType(0x4767_0005)
    /// /proc/self/cmdline: arguments, each ended by a NUL.
    package static let linuxCommandLine = StreamType(0x4767_0006)
    /// /proc/self/environ: `NAME=value`, each ended by a NUL.
    package static let linuxEnvironment = StreamType(0x4767_0007)
    /// /proc/self/auxv
    package static let linuxAuxiliaryVector = StreamType(0x4767_0008)
    /// /proc/self/maps
    package static let linuxMaps = StreamType(0x4767_0009)
    /// MDRawDebug: the dynamic linker's list of modules.
    package static let linuxDynamicLinker = StreamType(0x4767_000a)
    /// /proc/self/limits
    package static let linuxLimits = StreamType(0x4d7a_0003)
    /// JSON array of what is missing and why.
    package static let softErrors = StreamType(0x4d7a_0004)

    private static let names: [StreamType: String] = [
        .unused: "Unused", .threadList: "ThreadList", .moduleList: "ModuleList",
        .memoryList: "MemoryList", .exception: "Exception", .systemInfo: "SystemInfo",
        .memory64List: "Memory64List", .commentASCII: "CommentA", .commentUnicode: "CommentW",
        .unloadedModuleList: "UnloadedModuleList",
        .miscInfo: "MiscInfo", .memoryInfoList: "MemoryInfoList",
        .threadNames: "ThreadNames", .crashpadInfo: "CrashpadInfo", .breakpadInfo: "BreakpadInfo",
        .assertionInfo: "AssertionInfo", .breadcrumbs: "EpitaphBreadcrumbs",
        .keptStacks: "EpitaphKeptStacks", .attributes: "EpitaphAttributes",
        .captureFacts: "EpitaphCaptureFacts", .heapSampling: "EpitaphHeapSampling",
        .linuxCPUInfo: "LinuxCpuInfo", .linuxProcessStatus: "LinuxProcStatus",
        .linuxRelease: "LinuxLsbRelease", .linuxCommandLine: "LinuxCmdLine",
        .linuxEnvironment: "LinuxEnviron", .linuxAuxiliaryVector: "LinuxAuxv",
        .linuxMaps: "LinuxMaps", .linuxDynamicLinker: "LinuxDsoDebug",
        .linuxLimits: "MozLinuxLimits", .softErrors: "MozSoftErrors",
        // Named but not read.
        .init(8): "ThreadExList", .init(12): "HandleData", .init(13): "FunctionTable",
        .init(17): "ThreadInfoList",
        .init(18): "HandleOperationList", .init(19): "Token", .init(20): "JavaScriptData",
        .init(21): "SystemMemoryInfo", .init(22): "ProcessVmCounters", .init(23): "IptTrace",
        .init(0x4d7a_0001): "MozMacosCrashInfo", .init(0x4d7a_0002): "MozMacosBootArgs",
    ]

    /// The name other tools use, or the number.
    package var description: String {
        Self.names[self] ?? rawValue.hex
    }
}
