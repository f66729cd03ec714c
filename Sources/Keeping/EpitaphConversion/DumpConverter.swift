// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphMinidump
import EpitaphSymbols
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

/// Converts the bytes of a dump to a minidump, without other input or output; a seam for tests.
package protocol DumpConverter: Sendable {
    /// The launch record is enough to decide about a file whose owner may be alive. `writeMinidump`
    /// decodes the crash once the file does not change any more.
    func contents(of dump: ByteSlice) -> DumpContents

    /// The same converter with breadcrumbs from a file, used if the dump has none.
    func adding(_ breadcrumbs: [Breadcrumb]) -> Self

    /// Writes the minidump of `dump`, from its first byte to its last.
    ///
    /// - Parameters:
    ///   - name: its ids are used: those in the dump may be from a process that is not allowed to
    ///     speak for others.
    ///   - clientID: identifies the installation; nil if unknown.
    ///   - attempt: 1 for the first. Earlier attempts ended without a result, perhaps with their
    ///     process.
    /// - Returns: the crash's signature, if it was made.
    /// - Throws: `.unusable` if the dump is at fault, `.system` if the sink is.
    @discardableResult
    func writeMinidump<Sink: ByteSink>(
        of dump: ReadDump, named name: DumpName, clientID: Epitaph.ID?, attempt: Int,
        to sink: inout Sink
    ) throws(ConversionError) -> KeptSignature? where Sink.Failure == SystemError
}

extension DumpConverter {
    package func adding(_ breadcrumbs: [Breadcrumb]) -> Self { self }
}

package enum ConversionError: Error, Sendable, Equatable, CustomStringConvertible {
    case unusable(String)
    /// The machine is at fault: a full disk, missing permission. A retry may work.
    case system(SystemError)

    package var description: String {
        switch self {
        case .unusable(let sentence): sentence
        case .system(let error): error.description
        }
    }
}

/// Converts an intermediate dump to a minidump, with what can be found out about its stacks.
package struct MinidumpConverter: DumpConverter {
    private let images: any ELFImageSource
    private let effort: StackKeeper.Effort
    private let time: TimeAllowance
    private let annotations: AddedAnnotations
    private let cache = SymbolCache()
    private var keptBreadcrumbs: [Breadcrumb] = []

    /// - Parameters:
    ///   - effort: of the first attempt. The second attempt uses no C libraries, the third examines
    ///     no stacks: the report matters more.
    ///   - timeLimit: for the stacks of all dumps of this converter.
    ///   - annotations: added to the reports.
    package init(
        images: any ELFImageSource = InstalledImages(), effort: StackKeeper.Effort = .lines,
        timeLimit: Duration = .seconds(10), adding annotations: AddedAnnotations = .none
    ) {
        self.annotations = annotations
        self.images = images
        self.effort = effort
        time = TimeAllowance(timeLimit)
    }

    package func adding(_ breadcrumbs: [Breadcrumb]) -> MinidumpConverter {
        var converter = self
        converter.keptBreadcrumbs = breadcrumbs
        return converter
    }

    package func contents(of dump: ByteSlice) -> DumpContents { ReadDump(dump).contents }

    /// Later attempts find out less about the stacks, or nothing.
    @discardableResult
    package func writeMinidump<Sink: ByteSink>(
        of dump: ReadDump, named name: DumpName, clientID: Epitaph.ID?, attempt: Int,
        to sink: inout Sink
    ) throws(ConversionError) -> KeptSignature? where Sink.Failure == SystemError {
        let start = try rethrowing(dump.start.get()) { (error: IntermediateDumpError) in
            ConversionError.unusable(error.description)
        }
        var snapshot = IntermediateDump(start).snapshot
        snapshot.launch?.bundleID = name.bundleID
        annotations.add(to: &snapshot, of: name.bundleID)
        if snapshot.breadcrumbs.isEmpty { snapshot.breadcrumbs = keptBreadcrumbs }
        images.makeRoom()
        let signature = StackKeeper(
            images: images, effort: effort(atAttempt: attempt), time: time, cache: cache
        ).keep(in: &snapshot)
        try rethrowing(
            MinidumpWriter(snapshot: snapshot, reportID: name.uuid, clientID: clientID).write(
                to: &sink), as: ConversionError.system)
        return signature
    }

    private func effort(atAttempt attempt: Int) -> StackKeeper.Effort {
        switch (effort, attempt) {
        case (_, ...1): effort
        case (.lines, 2): .functions
        default: .nothing
        }
    }
}
