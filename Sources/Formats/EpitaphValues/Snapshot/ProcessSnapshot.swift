// SPDX-License-Identifier: Apache-2.0

/// A process at one moment as plain values, whatever source they were read from.
///
/// Everything but the architecture may be missing: a dump can be cut anywhere. `damage` says what
/// is missing and why.
package struct ProcessSnapshot: Sendable {
    /// The processor that the process ran on.
    package var architecture: Architecture
    /// Who the process was.
    package var process = ProcessFacts()
    /// The machine it ran on.
    package var system = SystemFacts()
    /// What the process recorded about itself when it started; nil when the source is not an
    /// intermediate dump.
    package var launch: LaunchRecord?
    /// Nil when the process did not crash, or died before the handler could say how.
    package var exception: ExceptionSnapshot?
    /// What the program asked for, of a dump that it took itself; nil for a crash, and where the
    /// source does not say.
    package var request: ReportRequest?
    /// In order of capture. The crashing thread is the one whose id is `exception?.threadID`. If
    /// that is not known it is the one with the id 0, which no thread has.
    package var threads: [ThreadSnapshot] = []
    /// The main executable first.
    package var modules: [ModuleSnapshot] = []
    /// The dynamic linker's own list of modules; nil if the dump does not have it.
    package var dynamicLinker: DynamicLinkerSnapshot?
    /// Memory besides the threads' stacks: bytes around instruction pointers and registers, and
    /// ranges that the program registered.
    package var memory: [MemoryRegion] = []
    /// Set by the program, in the order found; names may repeat. Those of the crashed task stand for
    /// those of the process with the same names.
    package var annotations: [Annotation] = []
    /// Files that the program wanted to go with its reports, as it named them: whoever wrote the
    /// dump chose the paths. Not in minidumps.
    package var attachments: [NamedFile] = []
    /// What the program noted as it went, in the order noted.
    package var breadcrumbs: [Breadcrumb] = []
    /// Why the process died, as the program or its runtimes put it, for example the text of a Swift
    /// fatal error.
    package var messages: [CrashMessage] = []
    /// Files of the kernel and the system.
    package var files = SystemFiles()
    /// The address space from another part of the dump, if it has no maps file.
    package var mappingsWithoutFile: [MemoryMapping] = []
    /// Command-line arguments, each ended by a NUL byte as in /proc/PID/cmdline; nil unless the
    /// program allows them.
    package var commandLine: ByteSlice?
    /// Environment variables that the program allows, each as `NAME=value`.
    package var environment: [String] = []
    /// How the capture went; nil if the dump does not say.
    package var capture: CaptureSummary?
    /// What was found out when the report was filed; nil in a dump, and if nothing was kept.
    package var keptStacks: KeptStacks?
    /// What could not be captured or read, and why.
    package var damage: [Damage] = []

    /// A snapshot with nothing known but the processor.
    package init(architecture: Architecture) {
        self.architecture = architecture
    }

    /// The address space, from the maps file or from `mappingsWithoutFile`; empty when not known.
    package var mappings: [MemoryMapping] {
        files.maps.map { MemoryMapping.parse($0).mappings } ?? mappingsWithoutFile
    }

    /// Whether the dump ends early or was not read to its end. What it lacks may then have been
    /// there, so nothing follows from its absence.
    package var isCut: Bool { damage.contains { $0.stage == .reading } }

    /// The thread the signal was for; nil without an exception, and if the dump does not have that
    /// thread.
    package var crashingThread: ThreadSnapshot? {
        guard let exception else { return nil }
        return threads.first { $0.id == exception.threadID ?? 0 }
    }
}

/// A file by its path, and what it is to be called.
package struct NamedFile: Sendable, Equatable {
    /// Absolute.
    package var path: String
    /// In a report.
    package var name: String

    /// Neither text is checked.
    package init(path: String, name: String) {
        self.path = path
        self.name = name
    }
}

/// A sentence that a runtime or the program left behind about why the process is dying.
package struct CrashMessage: Sendable, Equatable {
    /// Which runtime left it, for example `swift`, `glibc` or `c++`.
    package var source: String
    /// The text, with its line breaks.
    package var text: String

    /// Both as in the properties.
    package init(source: String, text: String) {
        self.source = source
        self.text = text
    }
}
