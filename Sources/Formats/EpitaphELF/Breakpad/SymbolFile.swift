// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

/// A Breakpad symbol file: functions, lines, inlined calls and call frame information of a build.
/// google/breakpad, docs/symbol_files.md. Addresses are relative to the module's load address. The
/// file is indexed at first use; a function's lines are read on demand. Anything too large to be
/// sound is not read; `problem` says so.
package final class SymbolFile: Sendable {
    package struct Call: Sendable, Equatable {
        package var function: String
        package var file: String?
        package var line: Int?
        package var isInlined: Bool
        /// Start of the function; nil for an inlined call.
        package var start: UInt64?
        /// Whether it is only a symbol, without a size.
        package var isPublic: Bool
    }

    package let header: SymbolFileHeader
    package let bytes: ByteSlice

    private struct State {
        var index: RecordIndex?
        var bytesLeft = SymbolFile.budgetBytes
        var isShortened = false
    }

    private let state = Mutex(State())

    private static let functionBytes = 4 << 20
    private static let pieceBytes = 1 << 16
    /// Limit on the bytes that all lookups of a report may read.
    private static let budgetBytes = 256 << 20
    private static let mostInlinedCalls = 256

    package init?(_ bytes: ByteSlice) {
        guard let header = SymbolFileHeader(bytes) else { return nil }
        self.header = header
        self.bytes = bytes
    }

    package func renewBudget() {
        state.withLock { $0.bytesLeft = Self.budgetBytes }
    }

    package var problem: String? {
        state.withLock { state in
            if let reason = bytes.readProblem { return reason }
            if state.index?.isCut == true { return HeldMemory.shortage }
            return state.isShortened ? "its records are too long to be all read" : nil
        }
    }

    package func calls(at address: UInt64) -> [Call] {
        state.withLock { state in
            let index = Self.index(of: bytes, &state)
            if let function = RecordIndex.place(containing: address, in: index.functions) {
                return calls(at: address, in: function, index, &state)
            }
            guard let symbol = index.publicSymbol(before: address),
                let name = text(at: symbol.offset, &state, behind: { $0.takePublic() })
            else { return [] }
            return [
                Call(
                    function: name, isInlined: false, start: symbol.address, isPublic: true)
            ]
        }
    }

    /// How to find the caller's registers at an address of the file; nil if unknown or not
    /// understood. `shift` is added to the addresses of the result.
    package func callFrameRules(at address: UInt64, shift: UInt64) -> CallFrameRules? {
        guard let registers = RegisterNames(architecture: header.architecture) else { return nil }
        return state.withLock { state in
            let index = Self.index(of: bytes, &state)
            guard let place = RecordIndex.place(containing: address, in: index.frames) else {
                return nil
            }
            var rules = FrameRules()
            read(place.offset, &state) { line in
                rules.add(line, at: address)
            }
            return rules.callFrameRules(
                registers, from: place.address &+ shift, size: place.size)
        }
    }

    private static func index(of bytes: ByteSlice, _ state: inout State) -> RecordIndex {
        if let known = state.index { return known }
        let made = RecordIndex(bytes)
        state.index = made
        return made
    }

    private func calls(
        at address: UInt64, in function: RecordIndex.Place, _ index: RecordIndex,
        _ state: inout State
    ) -> [Call] {
        var records = FunctionRecords(address: address)
        read(function.offset, &state) { records.add($0) }
        guard let name = records.name else { return [] }
        var place = records.line
        var calls: [Call] = []
        for inlined in records.inlinedCalls(limit: Self.mostInlinedCalls).reversed() {
            let origin = index.origins[inlined.origin].flatMap {
                text(at: $0, &state) { $0.take("INLINE_ORIGIN") && $0.takeDecimal() != nil }
            }
            calls.append(
                Call(
                    function: origin ?? "", file: file(place?.file, index, &state),
                    line: place?.line, isInlined: true, start: nil, isPublic: false))
            place = inlined.site
        }
        return calls + [
            Call(
                function: name, file: file(place?.file, index, &state), line: place?.line,
                isInlined: false, start: function.address, isPublic: false)
        ]
    }

    private func file(_ number: UInt64?, _ index: RecordIndex, _ state: inout State) -> String? {
        guard let number, let offset = index.files[number] else { return nil }
        return text(at: offset, &state) { $0.take("FILE") && $0.takeDecimal() != nil }
    }
}

extension LineFields {
    /// A PUBLIC record's address and parameter size, before its name.
    fileprivate mutating func takePublic() -> Bool {
        guard take("PUBLIC") else { return false }
        takeMark()
        return takeHexadecimal() != nil && takeHexadecimal() != nil
    }
}

extension SymbolFile {
    private func text(
        at offset: Int, _ state: inout State, behind take: (inout LineFields) -> Bool
    ) -> String? {
        var found: String?
        read(offset, &state, limit: RecordLines.mostLineBytes) { line in
            var line = line
            found = take(&line) && line.first != nil ? line.remainder : nil
            return false
        }
        return found
    }

    private func read(
        _ offset: Int, _ state: inout State, limit: Int = functionBytes,
        _ body: (LineFields) -> Bool
    ) {
        let limit = min(limit, state.bytesLeft)
        var isEnded = false
        let count = RecordLines.each(
            of: bytes, from: offset, pieceBytes: Self.pieceBytes, limit: limit
        ) { line, _ in
            isEnded = !body(line)
            return !isEnded
        }
        state.bytesLeft -= count
        if !isEnded, count >= limit { state.isShortened = true }
    }

    /// `e_machine` of the module's ELF file, elf.h; nil for an unknown processor.
    package var machine: UInt16? {
        switch header.architecture {
        case "x86_64": 62
        case "arm64", "aarch64": 183
        default: nil
        }
    }
}
