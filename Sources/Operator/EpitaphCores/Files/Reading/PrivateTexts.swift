// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Texts of the environment and the command line, which a core has and a report must not have.
/// Copies in the chosen memory become asterisks by the rules of docs/decisions/memory.md: eight
/// bytes in a row of any variable, or of an argument of 16 bytes or more.
///
/// Variables that the program set later are not covered: finding them would need symbols.
struct PrivateTexts {
    private var runs: Set<UInt64> = []
    /// A filter in front of the set: most memory matches nothing.
    private var filter: [Bool] = []
    /// Whether some of the texts could not be read.
    private(set) var isCut = false

    private static let byteLimit = 1 << 21
    private static let argumentMinimum = 16
    /// Variables for places and conventions; a name that ends in `_` is a prefix.
    private static let exempt: Set<String> = [
        "COLUMNS", "EDITOR", "HOME", "HOSTNAME", "LANG", "LANGUAGE", "LINES", "LOGNAME", "MAIL",
        "OLDPWD", "PAGER", "PATH", "PWD", "SHELL", "SHLVL", "TERM", "TMPDIR", "TZ", "USER",
        "VISUAL",
        "_",
    ]
    private static let exemptBeginnings = ["LC_", "LD_", "XDG_"]

    init(_ range: Range<UInt64>?, _ memory: any CoreMemory) {
        guard let range else {
            isCut = true
            return
        }
        let count = Int(clamping: range.upperBound - range.lowerBound)
        let bytes = memory.bytes(at: range.lowerBound, count: min(count, Self.byteLimit)).array
        isCut = bytes.count < count
        for text in bytes.split(separator: 0) where Self.isPrivate(text) { add(text) }
        filter = Array(repeating: false, count: 1 << 16)
        for run in runs { filter[Self.place(run)] = true }
    }

    private static func isPrivate(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 8 else { return false }
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")), text.first != UInt8(ascii: "-")
        else { return text.count >= argumentMinimum }
        let name = String(decoding: text[..<equals], as: UTF8.self)
        return !exempt.contains(name) && !exemptBeginnings.contains { name.hasPrefix($0) }
    }

    private mutating func add(_ text: ArraySlice<UInt8>) {
        var run: UInt64 = 0
        for (count, byte) in text.enumerated() {
            run = run >> 8 | UInt64(byte) << 56
            if count >= 7 { runs.insert(run) }
        }
    }

    private static func place(_ run: UInt64) -> Int {
        Int(truncatingIfNeeded: (run &* 0x9e37_79b9_7f4a_7c15) >> 48)
    }

    /// Blanks the texts in a snapshot. Returns how many bytes it blanked; nil for none.
    func blank(_ snapshot: inout ProcessSnapshot, _ map: AddressMap) -> UInt64? {
        guard !runs.isEmpty else { return nil }
        var count: UInt64 = 0
        for index in snapshot.threads.indices {
            if let stack = snapshot.threads[index].stack {
                snapshot.threads[index].stack = blanked(stack, map, &count)
            }
            blank(&snapshot.threads[index].registers, &count)
        }
        for index in snapshot.memory.indices {
            snapshot.memory[index] = blanked(snapshot.memory[index], map, &count)
        }
        return count == 0 ? nil : count
    }

    private func blanked(
        _ region: MemoryRegion, _ map: AddressMap, _ count: inout UInt64
    ) -> MemoryRegion {
        let bytes = blanked(region.bytes, &count) { isAddress($0, at: $1, of: region, map) }
        return MemoryRegion(address: region.address, bytes: bytes)
    }

    /// - Parameter isKept: whether the byte at an offset must survive.
    private func blanked(
        _ bytes: ByteSlice, _ count: inout UInt64,
        isKept: (_ bytes: [UInt8], _ offset: Int) -> Bool = { _, _ in false }
    ) -> ByteSlice {
        let found = bytes.withUnsafeBytes { matches(in: $0) }
        guard !found.isEmpty else { return bytes }
        var blanked = bytes.array
        for start in found {
            for offset in start..<start + 8 where blanked[offset] != 0 {
                guard blanked[offset] != UInt8(ascii: "*"), !isKept(blanked, offset) else {
                    continue
                }
                blanked[offset] = UInt8(ascii: "*")
                count += 1
            }
        }
        return ByteSlice(blanked)
    }

    /// Whether a byte is part of an address in a mapping: return addresses must survive.
    private func isAddress(
        _ bytes: [UInt8], at offset: Int, of region: MemoryRegion, _ map: AddressMap
    ) -> Bool {
        let skew = Int(region.address % 8)
        let start = (offset + skew) / 8 * 8 - skew
        guard start >= 0, start + 8 <= bytes.count else { return false }
        let word = bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return map.mapping(at: word) != nil
    }

    private func matches(in bytes: UnsafeRawBufferPointer) -> [Int] {
        var found: [Int] = []
        var run: UInt64 = 0
        for offset in 0..<bytes.count {
            run = run >> 8 | UInt64(bytes[offset]) << 56
            guard filter[Self.place(run)], offset >= 7, runs.contains(run) else { continue }
            found.append(offset - 7)
        }
        return found
    }

    /// General registers are eight bytes each; vector registers are searched as one sequence.
    private func blank(_ registers: inout RegisterSnapshot?, _ count: inout UInt64) {
        guard case .some(var known) = registers else { return }
        switch known {
        case .x86_64(var r):
            for path in Self.x86Registers where runs.contains(r[keyPath: path]) {
                r[keyPath: path] = Self.asterisks
                count += 8
            }
            r.floatingPoint = r.floatingPoint.map { blanked($0, &count) }
            known = .x86_64(r)
        case .aarch64(var r):
            for index in r.x.indices where index < 29 && runs.contains(r.x[index]) {
                r.x[index] = Self.asterisks
                count += 8
            }
            r.vectors = r.vectors.map { blanked($0, &count) }
            known = .aarch64(r)
        case .named, .pointers: return
        }
        registers = known
    }

    private static let asterisks: UInt64 = 0x2a2a_2a2a_2a2a_2a2a
    /// All but the stack, frame and instruction pointers.
    private static var x86Registers: [WritableKeyPath<X86Registers, UInt64>] {
        [
            \.r8, \.r9, \.r10, \.r11, \.r12, \.r13, \.r14, \.r15, \.rdi, \.rsi, \.rbx, \.rdx,
            \.rax, \.rcx,
        ]
    }
}
