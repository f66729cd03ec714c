// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials

/// A process at one moment, as plain values, whatever they were read from.
///
/// Everything but the architecture may be missing: a dump can be cut anywhere. `damage` says what
/// is missing and why.
public struct ProcessSnapshot: Sendable {
    /// The processor that the process ran on.
    public var architecture: Architecture
    /// Who the process was.
    public var process = ProcessFacts()
    /// The machine it ran on.
    public var system = SystemFacts()
    /// What Epitaph wrote down when the process started; nil when the source is not an intermediate
    /// dump.
    public var launch: LaunchRecord?
    /// Nil when the process did not crash, or died before the handler could say how.
    public var exception: ExceptionSnapshot?
    /// What the program asked for, of a dump that it took itself; nil for a crash, and where the
    /// source does not say.
    public var request: ReportRequest?
    /// In order of capture. The crashing thread is the one whose id is `exception?.threadID`, and
    /// where that is not known the one with the id 0, which no thread has.
    public var threads: [ThreadSnapshot] = []
    /// The main executable first.
    public var modules: [ModuleSnapshot] = []
    /// The dynamic linker's own list of modules; nil if the dump does not have it.
    public var dynamicLinker: DynamicLinkerSnapshot?
    /// Memory besides the threads' stacks: bytes around instruction pointers, registers,
    /// app-registered ranges.
    public var memory: [MemoryRegion] = []
    /// Set by the program, in the order found; names may repeat.
    public var annotations: [Annotation] = []
    /// Files that the program wanted to go with its reports, as it named them: whoever wrote the
    /// dump chose the paths. Not in minidumps.
    public var attachments: [NamedFile] = []
    /// What the program noted as it went, in the order noted.
    public var breadcrumbs: [Breadcrumb] = []
    /// Why the process died in its own words, for example a Swift fatal error's text.
    public var messages: [CrashMessage] = []
    /// Files of the kernel and the system.
    public var files = SystemFiles()
    /// The address space if the dump describes it and has no maps file.
    public var mappingsWithoutFile: [MemoryMapping] = []
    /// Command-line arguments and environment variables the program allow-listed; empty otherwise.
    public var commandLine: ByteSlice?
    public var environment: [String] = []
    /// How the capture went; nil if the dump does not say.
    public var capture: CaptureSummary?
    /// What was found out when the report was filed; nil in a dump, and where nothing was kept.
    public var keptStacks: KeptStacks?
    /// What could not be captured or read, and why.
    public var damage: [Damage] = []

    /// A snapshot of which nothing but the processor is known.
    public init(architecture: Architecture) {
        self.architecture = architecture
    }

    /// The address space, from the maps file or what stands in for it; empty when not known.
    public var mappings: [MemoryMapping] {
        files.maps.map { MemoryMapping.parse($0).mappings } ?? mappingsWithoutFile
    }

    /// Whether the dump ends early or was not read to its end. Then what it lacks may have been
    /// there: nothing follows from its absence.
    public var isCut: Bool { damage.contains { $0.stage == .reading } }

    public var crashingThread: ThreadSnapshot? {
        guard let exception else { return nil }
        return threads.first { $0.id == exception.threadID ?? 0 }
    }
}

/// A name and a value the program attached to its reports.
public struct Annotation: Sendable, Equatable {
    /// Chosen by the program.
    public var name: String
    /// Chosen by the program.
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// A file by its path, and what it is to be called.
public struct NamedFile: Sendable, Equatable {
    /// Absolute.
    public var path: String
    /// In a report.
    public var name: String

    public init(path: String, name: String) {
        self.path = path
        self.name = name
    }
}

/// A sentence some runtime left behind while the process was dying.
public struct CrashMessage: Sendable, Equatable {
    /// Who said it, for example `swift`, `glibc` or `c++`.
    public var source: String
    /// What was said, with its line breaks.
    public var text: String

    public init(source: String, text: String) {
        self.source = source
        self.text = text
    }
}
