// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphUnwinding
import EpitaphValues

/// Finds the functions and source lines of frames.
///
/// Uses a module's DWARF, then its symbols. A name is only given if its file is certainly the one
/// that was loaded. Each module is opened at its first frame. Not for use by several threads at
/// once.
package final class Symbolicator {
    /// Which parts of a module's files are read.
    package enum Sources: Sendable {
        /// Everything: functions, inlined calls, lines.
        case debugInformation
        /// Symbol tables, with our own reader: only functions.
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
    ///   - images: finds the ELF files.
    ///   - sources: which parts of these files are read.
    ///   - cache: for reports that are read one after the other. What was opened goes into it with the
    ///     symbolicator's last reference.
    package init(
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

    /// The calls of one physical frame, innermost first: the inlined ones, and last the function
    /// that the frame belongs to. Always at least one.
    package func symbolicate(_ frame: StackFrame) -> [SourceFrame] {
        guard let index = frame.moduleIndex, modules.indices.contains(index) else {
            return [SourceFrame()]
        }
        let module = openedModule(index)
        let address = frame.lookupAddress &- module.loadBias
        // An async caller is not returned to: it continues at the first byte of a function, and
        // what the compiler puts there belongs to no line.
        let calls =
            frame.foundBy == .asyncContext
            ? module.symbols.callsBehindPrologue(at: address)
            : module.symbols.calls(at: address)
        return calls.map { call in
            var call = call
            // The lookup address is inside the call instruction; the offset is counted to where the
            // frame continues.
            call.functionOffset? &+= frame.instructionPointer &- frame.lookupAddress
            call.shortFunction = shortNames.name(for: call)
            return call
        }
    }

    /// Why a module's frames have no names from its file; nil if the file is there.
    package func problem(ofModule index: Int) -> ImageProblem? {
        modules.indices.contains(index) ? images.images(for: modules[index]).presentProblem : nil
    }

    /// Why no lines can be found for any module, as a clause; nil if they can.
    package static var problemWithDebugInformation: String? {
        epitaph_elfutils_problem().map { String(cString: $0) }
    }

    /// Why some debug information was not read, as clauses, one for each file.
    package var problemsWithFiles: [String] {
        opened.values.compactMap(\.symbols.problem).sorted()
    }

    private func openedModule(_ index: Int) -> OpenedModule {
        if let known = opened[index] { return known }
        let images = images.images(for: modules[index])
        let file = images.code ?? images.debug
        let module = OpenedModule(
            symbols: cache.take(images, sources),
            // A symbol file counts from where the module is loaded.
            loadBias: file?.image.loadBias(in: modules[index])
                ?? modules[index].addressRange.lowerBound)
        opened[index] = module
        return module
    }
}
