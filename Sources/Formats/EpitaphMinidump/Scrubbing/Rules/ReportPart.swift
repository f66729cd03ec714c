// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A part to remove as a whole. Raw values are for the command line and rules files.
    public enum ReportPart: String, Sendable, CaseIterable, Comparable {
        /// Messages of runtimes and the program: Swift's fatal errors, glibc's aborts, C++
        /// exceptions, assertions, comments of other writers.
        case messages
        case breadcrumbs
        case commandLine = "cmdline"
        case environment = "environ"
        /// /proc/self/maps, with the paths of mapped files. The address ranges are kept.
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
        case threadNames = "thread-names"
        /// What could not be captured, and why.
        case damage
        /// Stacks as unwound when the report was filed.
        case keptStacks = "kept-stacks"

        public static func < (left: ReportPart, right: ReportPart) -> Bool {
            left.rawValue < right.rawValue
        }

        /// Streams that hold only this part.
        static let streams: [StreamType: ReportPart] = [
            .commentASCII: .messages, .commentUnicode: .messages, .assertionInfo: .messages,
            .breadcrumbs: .breadcrumbs, .linuxCommandLine: .commandLine,
            .linuxEnvironment: .environment, .linuxMaps: .maps, .linuxProcessStatus: .status,
            .linuxAuxiliaryVector: .auxv, .linuxLimits: .limits, .linuxCPUInfo: .cpuinfo,
            .linuxRelease: .osRelease, .threadNames: .threadNames, .softErrors: .damage,
            .keptStacks: .keptStacks,
        ]
    }
}

extension StreamType {
    static let threadInfoList = StreamType(rawValue: 17)
    static let systemMemoryInfo = StreamType(rawValue: 21)
    static let processCounters = StreamType(rawValue: 22)
}
