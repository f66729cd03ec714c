// SPDX-License-Identifier: Apache-2.0

import CElfutils
import ELFImage
import Snapshot
import StackUnwinding

/// Names the functions and source lines of frames.
///
/// Uses a module's DWARF, then its symbols: a name is only given when the file that has it is
/// certainly the one that was loaded. Each module is opened at its first frame. Not for use by
/// several threads at once.
public final class Symbolicator {
    /// What of a module's files is read.
    public enum Sources: Sendable {
        /// Everything: functions, inlined calls, lines.
        case debugInformation
        /// Symbol tables, with our own reader: functions alone.
        case symbolTables
    }

    private let modules: [ModuleSnapshot]
    private let images: any ELFImageSource
    private let sources: Sources
    private var opened: [Int: ModuleSymbols] = [:]
    private let shortNames = ShortFunctionNames()

    public init(
        snapshot: ProcessSnapshot, images: any ELFImageSource,
        sources: Sources = .debugInformation
    ) {
        modules = snapshot.modules
        self.sources = sources
        self.images = EvidencedImages(images, for: snapshot)
    }

    /// The calls of one physical frame, innermost first: those inlined, and last the function the
    /// frame belongs to. Always at least one.
    public func symbolicate(_ frame: StackFrame) -> [SourceFrame] {
        guard let index = frame.moduleIndex, modules.indices.contains(index) else {
            return [SourceFrame()]
        }
        let symbols = symbols(of: index)
        // Nobody returns to an async caller: it goes on at the first byte of a function, and what
        // the compiler puts there belongs to no line.
        let calls =
            frame.foundBy == .asyncContext
            ? symbols.callsBehindPrologue(at: frame.lookupAddress)
            : symbols.calls(at: frame.lookupAddress)
        return calls.map { call in
            var call = call
            // Looked up inside the call instruction, told from where the frame goes on.
            call.functionOffset? &+= frame.instructionPointer &- frame.lookupAddress
            call.shortFunction = shortNames.name(for: call)
            return call
        }
    }

    /// Why a module's frames have no names from its file; nil when the file is there.
    public func problem(ofModule index: Int) -> ImageProblem? {
        modules.indices.contains(index) ? images.images(for: modules[index]).presentProblem : nil
    }

    /// Why no lines can be told of any module, as a clause; nil where nothing is in the way.
    public static var problemWithDebugInformation: String? {
        epitaph_elfutils_problem().map { String(cString: $0) }
    }

    /// Why debug information that is there was not read, as clauses, by the file.
    public var problemsWithFiles: [String] { opened.values.compactMap(\.problem).sorted() }

    private func symbols(of index: Int) -> ModuleSymbols {
        if let known = opened[index] { return known }
        let symbols = ModuleSymbols(
            modules[index], images.images(for: modules[index]), sources)
        opened[index] = symbols
        return symbols
    }
}
