// SPDX-License-Identifier: Apache-2.0

/// A process at one moment as plain values. Everything but the architecture may be missing: a dump
/// can be cut anywhere. `damage` says what is missing and why.
package struct ProcessSnapshot: Sendable {
    package var architecture: Architecture
    package var process = ProcessFacts()
    package var system = SystemFacts()
    /// Nil if the source is not an intermediate dump.
    package var launch: LaunchRecord?
    package var exception: ExceptionSnapshot?
    /// The request for a dump that the program took itself; nil for a crash, or if unknown.
    package var request: ReportRequest?
    /// In order of capture. The crashing thread's id is `exception?.threadID`, or 0 if unknown.
    package var threads: [ThreadSnapshot] = []
    package var modules: [ModuleSnapshot] = []
    /// The last libraries that were unloaded, path and range only. Others may be there now.
    package var unloadedModules: [ModuleSnapshot] = []
    package var dynamicLinker: DynamicLinkerSnapshot?
    /// Besides stacks: around instruction pointers and registers, and registered ranges.
    package var memory: [MemoryRegion] = []
    /// In the order found; names may repeat. Those of the crashed task replace the process's.
    package var annotations: [Annotation] = []
    /// The dump's writer chose the paths: do not trust them. Not in minidumps.
    package var attachments: [NamedFile] = []
    package var breadcrumbs: [Breadcrumb] = []
    /// Why the process died, according to the program or its runtimes.
    package var messages: [CrashMessage] = []
    package var files = SystemFiles()
    /// The address space if there is no maps file.
    package var mappingsWithoutFile: [MemoryMapping] = []
    /// Arguments, each ended by a NUL as in /proc/PID/cmdline; nil unless the program allows them.
    package var commandLine: ByteSlice?
    /// Variables that the program allows, each as `NAME=value`.
    package var environment: [String] = []
    package var capture: CaptureSummary?
    package var keptStacks: KeptStacks?
    /// Nil if the program does not sample its allocations.
    package var heap: HeapSampling?
    package var damage: [Damage] = []

    package init(architecture: Architecture) {
        self.architecture = architecture
    }

    /// From the maps file or `mappingsWithoutFile`; empty if unknown.
    package var mappings: [MemoryMapping] {
        files.mappings ?? mappingsWithoutFile
    }

    /// The unloaded library that was at an address where nothing is now; of two the smaller, which
    /// came later.
    package func unloadedModule(at address: UInt64) -> ModuleSnapshot? {
        let holders = unloadedModules.filter { $0.addressRange.contains(address) }
        guard !holders.isEmpty, !modules.contains(where: { $0.addressRange.contains(address) }),
            !mappings.contains(where: { $0.addressRange.contains(address) })
        else { return nil }
        return holders.min { $0.addressRange.count < $1.addressRange.count }
    }

    /// Whether the dump ends early or was not read to its end. Missing parts may have existed.
    package var isCut: Bool { damage.contains { $0.stage == .reading } }

    /// Nil without an exception, or if the dump lacks that thread.
    package var crashingThread: ThreadSnapshot? {
        guard let exception else { return nil }
        return threads.first { $0.id == exception.threadID ?? 0 }
    }
}

package struct NamedFile: Sendable, Equatable {
    package var path: String
    package var name: String

    package init(path: String, name: String) {
        self.path = path
        self.name = name
    }
}

package struct CrashMessage: Sendable, Equatable {
    /// For example `swift`, `glibc` or `c++`.
    package var source: String
    package var text: String

    package init(source: String, text: String) {
        self.source = source
        self.text = text
    }
}
