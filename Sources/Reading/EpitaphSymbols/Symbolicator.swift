// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphUnwinding
import EpitaphValues

/// Functions and source lines, from files that certainly were loaded. Not thread-safe.
package final class Symbolicator {
    package enum Sources: Sendable {
        /// Functions, inlined calls and lines.
        case debugInformation
        /// Functions only, with our own reader.
        case symbolTables
    }

    private let modules: [ModuleSnapshot]
    private let images: any ELFImageSource
    private let sources: Sources
    private let cache: SymbolCache
    private var opened: [Int: OpenedModule] = [:]
    private var problems: [Int: ImageProblem?] = [:]

    private struct OpenedModule {
        let symbols: ModuleSymbols
        let loadBias: UInt64
    }

    /// - Parameter cache: gets what was opened when the symbolicator is released.
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

    /// Inlined calls, innermost first, then the frame's own function. Never empty.
    package func symbolicate(_ frame: StackFrame) -> [SourceFrame] {
        guard let index = frame.moduleIndex, modules.indices.contains(index) else {
            return [SourceFrame()]
        }
        let module = openedModule(index)
        let address = frame.lookupAddress &- module.loadBias
        // An async caller continues at a function's first byte, which has no line.
        let calls =
            frame.foundBy == .asyncContext
            ? module.symbols.callsBehindPrologue(at: address)
            : module.symbols.calls(at: address)
        return calls.map { call in
            var call = call
            // The lookup address is inside the call; offsets count to the return address.
            call.functionOffset? &+= frame.instructionPointer &- frame.lookupAddress
            return call
        }
    }

    /// Of an object that begins with `word`, the type: Swift's objects begin with the address of
    /// their class's metadata, C++'s with one in the table of their virtual functions.
    package func typeName(of word: UInt64) -> String? {
        guard let index = modules.firstIndex(where: { $0.addressRange.contains(word) }) else {
            return nil
        }
        let module = openedModule(index)
        guard let name = module.symbols.objectName(containing: word &- module.loadBias) else {
            return nil
        }
        let words = Demangler.demangle(name)
        for prefix in ["type metadata for ", "full type metadata for ", "vtable for "]
        where words.hasPrefix(prefix) {
            return String(words.dropFirst(prefix.count))
        }
        return nil
    }

    /// The reason for missing names; nil if the module's file is there.
    package func problem(ofModule index: Int) -> ImageProblem? {
        guard modules.indices.contains(index) else { return nil }
        if let known = problems[index] { return known }
        let problem = images.images(for: modules[index]).presentProblem
        problems[index] = .some(problem)
        return problem
    }

    /// The reason for missing lines in all modules, as a clause.
    package static var problemWithDebugInformation: String? {
        epitaph_elfutils_problem().map { String(cString: $0) }
    }

    /// The reasons for skipped debug information, a clause for each file.
    package var problemsWithFiles: [String] {
        opened.values.compactMap(\.symbols.problem).sorted()
    }

    private func openedModule(_ index: Int) -> OpenedModule {
        if let known = opened[index] { return known }
        let images = images.images(for: modules[index])
        let file = images.code ?? images.debug
        let module = OpenedModule(
            symbols: cache.take(images, sources),
            // Symbol files count from the load address.
            loadBias: file?.image.loadBias(in: modules[index])
                ?? modules[index].addressRange.lowerBound)
        opened[index] = module
        return module
    }
}
