// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials

/// A process at one moment as plain values, whatever source they were read from.
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
    /// What the process recorded about itself when it started; nil when the source is not an
    /// intermediate dump.
    public var launch: LaunchRecord?
    /// Nil when the process did not crash, or died before the handler could say how.
    public var exception: ExceptionSnapshot?
    /// What the program asked for, of a dump that it took itself; nil for a crash, and where the
    /// source does not say.
    public var request: ReportRequest?
    /// In order of capture. The crashing thread is the one whose id is `exception?.threadID`. If
    /// that is not known it is the one with the id 0, which no thread has.
    public var threads: [ThreadSnapshot] = []
    /// The main executable first.
    public var modules: [ModuleSnapshot] = []
    /// The dynamic linker's own list of modules; nil if the dump does not have it.
    public var dynamicLinker: DynamicLinkerSnapshot?
    /// Memory besides the threads' stacks: bytes around instruction pointers and registers, and
    /// ranges that the program registered.
    public var memory: [MemoryRegion] = []
    /// Set by the program, in the order found; names may repeat. Those of the crashed task stand for
    /// those of the process with the same names.
    public var annotations: [Annotation] = []
    /// Files that the program wanted to go with its reports, as it named them: whoever wrote the
    /// dump chose the paths. Not in minidumps.
    public var attachments: [NamedFile] = []
    /// What the program noted as it went, in the order noted.
    public var breadcrumbs: [Breadcrumb] = []
    /// Why the process died, as the program or its runtimes put it, for example the text of a Swift
    /// fatal error.
    public var messages: [CrashMessage] = []
    /// Files of the kernel and the system.
    public var files = SystemFiles()
    /// The address space from another part of the dump, if it has no maps file.
    public var mappingsWithoutFile: [MemoryMapping] = []
    /// Command-line arguments, each ended by a NUL byte as in /proc/PID/cmdline; nil unless the
    /// program allows them.
    public var commandLine: ByteSlice?
    /// Environment variables that the program allows, each as `NAME=value`.
    public var environment: [String] = []
    /// How the capture went; nil if the dump does not say.
    public var capture: CaptureSummary?
    /// What was found out when the report was filed; nil in a dump, and if nothing was kept.
    public var keptStacks: KeptStacks?
    /// What could not be captured or read, and why.
    public var damage: [Damage] = []

    /// A snapshot of which nothing but the processor is known.
    public init(architecture: Architecture) {
        self.architecture = architecture
    }

    /// The address space, from the maps file or from `mappingsWithoutFile`; empty when not known.
    public var mappings: [MemoryMapping] {
        files.maps.map { MemoryMapping.parse($0).mappings } ?? mappingsWithoutFile
    }

    /// Whether the dump ends early or was not read to its end. What it lacks may then have been
    /// there, so nothing follows from its absence.
    public var isCut: Bool { damage.contains { $0.stage == .reading } }

    /// The thread the signal was for; nil without an exception, and if the dump does not have that
    /// thread.
    public var crashingThread: ThreadSnapshot? {
        guard let exception else { return nil }
        return threads.first { $0.id == exception.threadID ?? 0 }
    }
}

/// A file by its path, and what it is to be called.
public struct NamedFile: Sendable, Equatable {
    /// Absolute.
    public var path: String
    /// In a report.
    public var name: String

    /// Neither text is checked.
    public init(path: String, name: String) {
        self.path = path
        self.name = name
    }
}

/// A sentence that a runtime or the program left behind about why the process is dying.
public struct CrashMessage: Sendable, Equatable {
    /// Which runtime left it, for example `swift`, `glibc` or `c++`.
    public var source: String
    /// The text, with its line breaks.
    public var text: String

    /// Both as in the properties.
    public init(source: String, text: String) {
        self.source = source
        self.text = text
    }
}
