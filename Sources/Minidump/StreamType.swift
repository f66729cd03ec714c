// SPDX-License-Identifier: Apache-2.0

/// What a stream of a minidump holds: the number in its directory entry.
///
/// Numbers below 0x10000 are Microsoft's (minidumpapiset.h), 0x4767xxxx Breakpad's
/// (minidump_format.h), 0x4350xxxx Crashpad's (minidump_extensions.h), 0x4d7axxxx Mozilla's
/// (minidump-common), 0x4570xxxx ours (docs/minidump.md).
public struct StreamType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let unused = StreamType(0)
    public static let threadList = StreamType(3)
    public static let moduleList = StreamType(4)
    public static let memoryList = StreamType(5)
    public static let exception = StreamType(6)
    public static let systemInfo = StreamType(7)
    public static let memory64List = StreamType(9)
    public static let commentASCII = StreamType(10)
    public static let commentUnicode = StreamType(11)
    public static let miscInfo = StreamType(15)
    public static let memoryInfoList = StreamType(16)
    public static let threadNames = StreamType(24)
    public static let crashpadInfo = StreamType(0x4350_0001)
    public static let breadcrumbs = StreamType(0x4570_0001)
    public static let keptStacks = StreamType(0x4570_0002)
    public static let captureFacts = StreamType(0x4570_0003)
    public static let attributes = StreamType(0x4570_0010)
    public static let breakpadInfo = StreamType(0x4767_0001)
    public static let assertionInfo = StreamType(0x4767_0002)
    public static let linuxCPUInfo = StreamType(0x4767_0003)
    public static let linuxProcessStatus = StreamType(0x4767_0004)
    public static let linuxRelease = StreamType(0x4767_0005)
    public static let linuxCommandLine = StreamType(0x4767_0006)
    public static let linuxEnvironment = StreamType(0x4767_0007)
    public static let linuxAuxiliaryVector = StreamType(0x4767_0008)
    public static let linuxMaps = StreamType(0x4767_0009)
    public static let linuxDynamicLinker = StreamType(0x4767_000a)
    public static let linuxLimits = StreamType(0x4d7a_0003)
    public static let softErrors = StreamType(0x4d7a_0004)

    private static let names: [StreamType: String] = [
        .unused: "Unused", .threadList: "ThreadList", .moduleList: "ModuleList",
        .memoryList: "MemoryList", .exception: "Exception", .systemInfo: "SystemInfo",
        .memory64List: "Memory64List", .commentASCII: "CommentA", .commentUnicode: "CommentW",
        .miscInfo: "MiscInfo", .memoryInfoList: "MemoryInfoList",
        .threadNames: "ThreadNames", .crashpadInfo: "CrashpadInfo", .breakpadInfo: "BreakpadInfo",
        .assertionInfo: "AssertionInfo", .breadcrumbs: "EpitaphBreadcrumbs",
        .keptStacks: "EpitaphKeptStacks", .attributes: "EpitaphAttributes",
        .captureFacts: "EpitaphCaptureFacts",
        .linuxCPUInfo: "LinuxCpuInfo", .linuxProcessStatus: "LinuxProcStatus",
        .linuxRelease: "LinuxLsbRelease", .linuxCommandLine: "LinuxCmdLine",
        .linuxEnvironment: "LinuxEnviron", .linuxAuxiliaryVector: "LinuxAuxv",
        .linuxMaps: "LinuxMaps", .linuxDynamicLinker: "LinuxDsoDebug",
        .linuxLimits: "MozLinuxLimits", .softErrors: "MozSoftErrors",
        // Those that are not read.
        .init(8): "ThreadExList", .init(12): "HandleData", .init(13): "FunctionTable",
        .init(14): "UnloadedModuleList", .init(17): "ThreadInfoList",
        .init(18): "HandleOperationList", .init(19): "Token", .init(20): "JavaScriptData",
        .init(21): "SystemMemoryInfo", .init(22): "ProcessVmCounters", .init(23): "IptTrace",
        .init(0x4d7a_0001): "MozMacosCrashInfo", .init(0x4d7a_0002): "MozMacosBootArgs",
    ]

    /// The name other tools use, or the number where there is none.
    public var description: String {
        Self.names[self] ?? "0x" + String(rawValue, radix: 16)
    }
}
