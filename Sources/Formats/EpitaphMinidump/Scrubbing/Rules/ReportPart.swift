// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A part of a report that can be left out as a whole. Raw values are the words of the command
    /// line and of a rules file.
    public enum ReportPart: String, Sendable, CaseIterable, Comparable {
        /// What runtimes and the program said about the crash: Swift's fatal errors, glibc's
        /// aborts, C++ exceptions, assertions, comments of other writers.
        case messages
        /// What the program noted before the crash.
        case breadcrumbs
        /// The command line.
        case commandLine = "cmdline"
        /// Environment variables.
        case environment = "environ"
        /// /proc/self/maps, with the paths of mapped files. The ranges themselves stay.
        case maps
        /// /proc/self/status
        case status
        /// /proc/self/auxv
        case auxv
        /// /proc/self/limits
        case limits
        /// /proc/cpuinfo
        case cpuinfo
        /// /etc/os-release
        case osRelease = "os-release"
        /// The names of threads.
        case threadNames = "thread-names"
        /// What could not be captured, and why.
        case damage
        /// Stacks as they were found and named when the report was filed.
        case keptStacks = "kept-stacks"

        public static func < (left: ReportPart, right: ReportPart) -> Bool {
            left.rawValue < right.rawValue
        }

        /// Streams of a minidump that hold this part and nothing else.
        static let streams: [StreamType: ReportPart] = [
            .commentASCII: .messages, .commentUnicode: .messages, .assertionInfo: .messages,
            .epitaphBreadcrumbs: .breadcrumbs, .linuxCommandLine: .commandLine,
            .linuxEnvironment: .environment, .linuxMaps: .maps, .linuxProcessStatus: .status,
            .linuxAuxiliaryVector: .auxv, .linuxLimits: .limits, .linuxCPUInfo: .cpuinfo,
            .linuxRelease: .osRelease, .threadNames: .threadNames, .softErrors: .damage,
            .keptStacks: .keptStacks,
        ]
    }
}

extension StreamType {
    /// Epitaph's breadcrumbs: a count and records of 36 bytes, docs/minidump.md.
    static let epitaphBreadcrumbs = StreamType(rawValue: 0x4570_0001)
    /// Types and attributes: a count and records of 16 bytes, docs/minidump.md.
    static let epitaphAttributes = StreamType(rawValue: 0x4570_0010)
    /// Contains only numbers and addresses.
    static let epitaphCaptureFacts = StreamType(rawValue: 0x4570_0003)
    static let unloadedModuleList = StreamType(rawValue: 14)
    static let threadInfoList = StreamType(rawValue: 17)
    static let systemMemoryInfo = StreamType(rawValue: 21)
    static let processCounters = StreamType(rawValue: 22)
}
