// SPDX-License-Identifier: Apache-2.0

import ELFImage
import Snapshot
import StackUnwinding

/// Names the functions and source lines of frames.
///
/// Uses a module's DWARF, then its symbols, then says module and offset: a name is only given when
/// the file that has it is certainly the one that was loaded. Each module is opened at its first
/// frame. Not for use by several threads at once.
public final class Symbolicator {
    private let modules: [ModuleSnapshot]
    private let images: any ELFImageSource
    private var opened: [Int: ModuleSymbols] = [:]

    public init(snapshot: ProcessSnapshot, images: any ELFImageSource) {
        modules = snapshot.modules
        self.images = EvidencedImages(images, for: snapshot)
    }

    /// The calls of one physical frame, innermost first: those inlined, and last the function the
    /// frame belongs to. Always at least one.
    public func symbolicate(_ frame: StackFrame) -> [SourceFrame] {
        guard let index = frame.moduleIndex, modules.indices.contains(index) else {
            return [SourceFrame()]
        }
        let module = modules[index]
        let offset = frame.instructionPointer &- module.addressRange.lowerBound
        return symbols(of: index).calls(at: frame.lookupAddress).map { call in
            var call = call
            call.module = module.name
            call.moduleOffset = offset
            // Looked up inside the call instruction, told from where the frame goes on.
            call.functionOffset? &+= frame.instructionPointer &- frame.lookupAddress
            return call
        }
    }

    /// Why a module's frames have no names from its file; nil when the file is there.
    public func problem(ofModule index: Int) -> ImageProblem? {
        modules.indices.contains(index) ? images.images(for: modules[index]).problem : nil
    }

    private func symbols(of index: Int) -> ModuleSymbols {
        if let known = opened[index] { return known }
        let symbols = ModuleSymbols(modules[index], images.images(for: modules[index]))
        opened[index] = symbols
        return symbols
    }
}

/// What one module's files know about addresses. Addresses are those of the process.
private final class ModuleSymbols {
    private let loadBias: UInt64
    private let debugInformation: DebugInformation?
    private let symbolTable: ELFSymbolTable?

    init(_ module: ModuleSnapshot, _ images: ModuleImages) {
        let files = [images.code?.image, images.debug?.image].compactMap(\.self)
        loadBias = files.first?.loadBias(in: module) ?? 0
        debugInformation = files.first(where: \.hasDebugInformation).flatMap(DebugInformation.init)
        // A debug file has the whole table; a stripped file has only what others may call.
        let complete = files.first { file in file.sections.contains { $0.type == 2 } }
        symbolTable = (complete ?? files.first).map(ELFSymbolTable.init)
    }

    func calls(at address: UInt64) -> [SourceFrame] {
        let fileAddress = address &- loadBias
        if let calls = debugInformation?.calls(at: fileAddress), !calls.isEmpty { return calls }
        guard let symbol = symbolTable?.symbol(containing: fileAddress) else {
            return [SourceFrame()]
        }
        var frame = SourceFrame(
            function: Demangler.demangle(symbol.name), rawName: symbol.name,
            namedBy: .symbolTable)
        frame.functionOffset = fileAddress - symbol.address
        return [frame]
    }
}
