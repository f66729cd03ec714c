// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphUnwinding
import EpitaphValues

/// Looks up addresses, as written in a module's files.
final class ModuleSymbols {
    /// Places remembered across reports.
    private static let knownLimit = 1 << 14

    /// Nil if not kept for other reports.
    let key: SymbolCache.Key?
    private let debugInformation: DebugInformation?
    private let functions: FunctionSymbols
    /// Used without debug information.
    private let symbolFile: LocatedSymbolFile?
    /// The symbol file counts from here.
    private let lowestAddress: UInt64
    private let refusal: String?
    private let path: String

    var problem: String? {
        (refusal ?? debugInformation?.problem ?? functions.problem).map { "\(path): \($0)" }
            ?? symbolFile.flatMap { known in known.file.problem.map { "\(known.path): \($0)" } }
    }
    private var known: [UInt64: [SourceFrame]] = [:]
    private var shortNames = ShortFunctionNames()

    init(_ images: ModuleImages, _ sources: Symbolicator.Sources, key: SymbolCache.Key?) {
        self.key = key
        let files = [images.code, images.debug].compactMap(\.self)
        // libdw never reads a report's files: docs/decisions/hostile-input.md
        let isWanted = sources == .debugInformation
        let debug = files.first { isWanted && $0.isInstalled && $0.image.hasDebugInformation }
        do throws(LibelfMemory.Refusal) {
            debugInformation = try debug.map { file throws(LibelfMemory.Refusal) in
                try DebugInformation(
                    file, paths: files.map(\.path), alternate: images.alternate)
            }
            refusal = nil
        } catch {
            debugInformation = nil
            // A missing libdw is reported once, not for each file.
            refusal = Symbolicator.problemWithDebugInformation == nil ? error.reason : nil
        }
        path = (debug ?? files.first)?.path ?? ""
        functions = FunctionSymbols(files, sources)
        symbolFile = isWanted && debugInformation == nil ? images.symbolFile : nil
        lowestAddress = files.first?.image.lowestAddress() ?? 0
    }

    func renew() {
        if known.count > Self.knownLimit {
            known = [:]
            shortNames = ShortFunctionNames()
        }
        debugInformation?.renewBudget()
        symbolFile?.file.renewBudget()
    }

    func objectName(containing address: UInt64) -> String? {
        functions.objectName(containing: address)
    }

    func calls(at address: UInt64) -> [SourceFrame] {
        if let calls = known[address] { return calls }
        let calls = lookUp(address).map { call in
            var call = call
            call.shortFunction = shortNames.name(for: call)
            return call
        }
        known[address] = calls
        return calls
    }

    /// The calls at the function's first line, if `address`, its start, has no line.
    func callsBehindPrologue(at address: UInt64) -> [SourceFrame] {
        let calls = calls(at: address)
        guard let function = calls.last, function.line == nil, function.namedBy != nil,
            let first = debugInformation?.firstLine(from: address)
        else { return calls }
        var behind = self.calls(at: first)
        guard behind.last?.rawName == function.rawName else { return calls }
        behind[behind.count - 1].functionOffset = function.functionOffset
        return behind
    }

    func boundaries() -> [UInt64] {
        functions.boundaries + (debugInformation?.boundaries() ?? [])
    }

    func isBehindLabel(_ address: UInt64) -> Bool {
        functions.symbol(containing: address)?.size == 0
    }

    private func lookUp(_ address: UInt64) -> [SourceFrame] {
        let symbol = functions.symbol(containing: address)
        guard let answer = debugInformation?.answer(at: address) else {
            return namedBySymbolFile(address, beside: symbol) ?? [frame(of: symbol, at: address)]
        }
        guard isCredible(answer, beside: symbol) else { return [frame(of: symbol, at: address)] }
        guard !answer.calls.isEmpty else {
            var frame = frame(of: symbol, at: address)
            frame.put(answer.place)
            return [frame]
        }
        var frames = frames(of: answer, at: address)
        // Inlined, the function has no symbol: its name is to be the same in both.
        let isNamed = answer.calls.last.map { $0.qualifiedName != nil && $0.isNameWhole }
        if let symbol, isNamed != true {
            correct(&frames[frames.count - 1], with: symbol)
        }
        // Debug information has the whole's name for `work.part.0`, which the rest of it calls.
        if let symbol, symbol.name.has(".part.") {
            frames[frames.count - 1].part = Demangler.demangle(symbol.name)
        }
        return frames
    }

    /// With another function among the symbols, debug information is damaged or another's.
    private func isCredible(_ answer: DebugInformation.Answer, beside symbol: ELFSymbol?) -> Bool {
        guard let symbol, symbol.size > 0, !answer.calls.isEmpty else { return true }
        return answer.functionStarts.contains(symbol.address)
    }

    /// Prefers the symbol's name unless the debug information's is a symbol here, too.
    private func correct(_ frame: inout SourceFrame, with symbol: ELFSymbol) {
        guard symbol.size > 0, frame.namedBy == .debugInformation else { return }
        let name = frame.rawName ?? ""
        let isKnown = functions.names(ofFunctionAt: symbol.address).contains {
            $0 == name || !name.isEmpty && $0.hasPrefix(name + ".")
        }
        guard !isKnown else { return }
        frame.rawName = symbol.name
        frame.function = Demangler.demangle(symbol.name)
        frame.namedBy = .symbolTable
    }

    private func namedBySymbolFile(
        _ address: UInt64, beside symbol: ELFSymbol?
    ) -> [SourceFrame]? {
        let calls = symbolFile?.file.calls(at: address &- lowestAddress) ?? []
        guard let function = calls.last, !function.isPublic || symbol == nil else { return nil }
        return calls.map { call in
            var frame = SourceFrame(
                function: call.function.isEmpty ? nil : Demangler.demangle(call.function),
                rawName: call.function.isEmpty ? nil : call.function, isInlined: call.isInlined,
                namedBy: call.function.isEmpty ? nil : .symbolFile)
            frame.file = call.file
            frame.line = call.file == nil ? nil : call.line
            frame.functionOffset = call.start.map { address &- lowestAddress &- $0 }
            return frame
        }
    }

    private func frame(of symbol: ELFSymbol?, at address: UInt64) -> SourceFrame {
        guard let symbol else { return SourceFrame() }
        var frame = SourceFrame(
            function: Demangler.demangle(symbol.name), rawName: symbol.name,
            namedBy: .symbolTable)
        frame.functionOffset = address &- symbol.address
        return frame
    }

    private func frames(
        of answer: DebugInformation.Answer, at address: UInt64
    ) -> [SourceFrame] {
        var frames: [SourceFrame] = []
        var failure: String?
        for (position, call) in answer.calls.enumerated() {
            let isInlined = position < answer.calls.count - 1
            // The innermost call may be a trap's reason instead.
            if position == 0, isInlined, let reason = call.name.flatMap(RuntimeFailure.reason) {
                failure = reason
                continue
            }
            var frame = SourceFrame(isInlined: isInlined, namedBy: .debugInformation)
            frame.rawName = call.name
            frame.function = call.qualifiedName ?? call.name.map(Demangler.demangle)
            frame.put(call.place)
            frame.functionLine = call.functionLine
            if !isInlined {
                let start = answer.functionStarts.filter { $0 <= address }.max()
                frame.functionOffset = start.map { address - $0 }
            }
            frames.append(frame)
        }
        frames[0].runtimeFailure = failure
        return frames
    }
}

extension SourceFrame {
    fileprivate mutating func put(_ place: SourcePlace) {
        file = place.file
        line = place.line
        column = place.column
    }
}
