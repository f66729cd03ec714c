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
    private let cache: SymbolCache
    private var opened: [Int: OpenedModule] = [:]
    private let shortNames = ShortFunctionNames()

    private struct OpenedModule {
        let symbols: ModuleSymbols
        let loadBias: UInt64
    }

    /// - Parameters:
    ///   - snapshot: the process whose frames are named.
    ///   - images: the ELF files to name with.
    ///   - sources: what of these files is read.
    ///   - cache: for reports that are read one after the other; what was opened goes into it with
    ///     the symbolicator's last reference.
    public init(
        snapshot: ProcessSnapshot, images: any ELFImageSource,
        sources: Sources = .debugInformation, cache: SymbolCache = SymbolCache()
    ) {
        modules = snapshot.modules
        self.sources = sources
        self.cache = cache
        self.images = EvidencedImages(images, for: snapshot)
    }

    deinit {
        cache.giveBack(opened.values.map(\.symbols))
    }

    /// The calls of one physical frame, innermost first: those inlined, and last the function the
    /// frame belongs to. Always at least one.
    public func symbolicate(_ frame: StackFrame) -> [SourceFrame] {
        guard let index = frame.moduleIndex, modules.indices.contains(index) else {
            return [SourceFrame()]
        }
        let module = openedModule(index)
        let address = frame.lookupAddress &- module.loadBias
        // Nobody returns to an async caller: it goes on at the first byte of a function, and what
        // the compiler puts there belongs to no line.
        let calls =
            frame.foundBy == .asyncContext
            ? module.symbols.callsBehindPrologue(at: address)
            : module.symbols.calls(at: address)
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

    /// Why no lines can be found for any module, as a clause; nil if they can.
    public static var problemWithDebugInformation: String? {
        epitaph_elfutils_problem().map { String(cString: $0) }
    }

    /// Why debug information that is there was not read, as clauses, by the file.
    public var problemsWithFiles: [String] {
        opened.values.compactMap(\.symbols.problem).sorted()
    }

    private func openedModule(_ index: Int) -> OpenedModule {
        if let known = opened[index] { return known }
        let images = images.images(for: modules[index])
        let file = images.code ?? images.debug
        let module = OpenedModule(
            symbols: cache.take(images, sources),
            loadBias: file?.image.loadBias(in: modules[index]) ?? 0)
        opened[index] = module
        return module
    }
}
