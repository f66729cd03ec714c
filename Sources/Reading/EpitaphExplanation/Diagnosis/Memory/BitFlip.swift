// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A pointer that is one bit off a working one, as flipped by memory without ECC. Bugs produce
/// wrong pointers, and some are one bit from a right one by chance, so this ignores small numbers,
/// addresses near memory in use (an index too far) and fill patterns.
enum BitFlip {
    /// Lower values are more likely small numbers.
    private static let lowest: UInt64 = 1 << 32
    /// An address this near to used memory is more likely an index out of bounds.
    private static let nearby: UInt64 = 16 << 20
    private static let bitCount: UInt64 = 64
    /// A value near several mappings is near them by chance.
    private static let mostCandidates = 1

    static func finding(
        _ scene: CrashScene, _ suspects: [(name: String, value: UInt64)]
    ) -> Diagnosis.Finding? {
        guard let space = scene.addressSpace else { return nil }
        let access = scene.instruction == nil ? .execute : scene.access ?? .read
        for suspect in suspects where isWorthIt(suspect.value, space) {
            let candidates = (0..<bitCount).compactMap { bit -> (UInt64, UInt64, MemoryMapping)? in
                let repaired = suspect.value ^ (1 << bit)
                guard let mapping = space.mapping(at: repaired), mapping.allows(access),
                    works(repaired, instead: suspect, scene, space, access)
                else { return nil }
                return (bit, repaired, mapping)
            }
            guard candidates.count == mostCandidates,
                let (bit, repaired, mapping) = candidates.first
            else { continue }
            return .init(
                "This may be a memory error: \(suspect.name) is \(suspect.value.hex), and "
                    + "\(repaired.hex), which differs in bit \(bit) alone, would have worked.",
                evidence: "\(repaired.hex) lies in \(mapping.phrase), \(mapping.line); "
                    + "\(suspect.value.hex) is near no memory in use.")
        }
        return nil
    }

    private static func isWorthIt(_ value: UInt64, _ space: AddressSpace) -> Bool {
        guard value >= lowest, space.mapping(at: value) == nil,
            space.distanceToUsedMemory(from: value) > nearby
        else { return false }
        return !isPattern(value)
    }

    private static func isPattern(_ value: UInt64) -> Bool {
        let bytes = withUnsafeBytes(of: value) { Array($0) }
        return Set(bytes).count <= 2 || value >> 32 == value & 0xffff_ffff
            || value.leadingZeroBitCount == 0 && (~value) < 1 << 32
    }

    private static func works(
        _ repaired: UInt64, instead suspect: (name: String, value: UInt64), _ scene: CrashScene,
        _ space: AddressSpace, _ access: DeathReason.Access
    ) -> Bool {
        guard let fault = scene.fault else { return true }
        let address = fault.address &+ (repaired &- suspect.value)
        return space.mapping(at: address)?.allows(access) ?? false
    }
}

/// Code in memory that differs in one bit from its file.
enum FlippedCode {
    /// Bytes compared before the instruction pointer: about what may have run last.
    private static let bytesBefore: UInt64 = 32
    private static let byteCount = 64

    static func finding(_ scene: CrashScene) -> Diagnosis.Finding? {
        guard scene.code != nil || scene.exception.signal == SignalNumber.illegalInstruction,
            let pointer = scene.registers?.instructionPointer, pointer >= bytesBefore
        else { return nil }
        let start = pointer - bytesBefore
        let inMemory = scene.memory.bytes(at: start, atMost: byteCount)
        let inFile = scene.memory.fileBytes(at: start, atMost: byteCount)
        let differences = zip(inMemory, inFile).enumerated().filter { $0.element.0 != $0.element.1 }
        guard differences.count == 1, let (offset, (found, expected)) = differences.first,
            (found ^ expected).nonzeroBitCount == 1
        else { return nil }
        let address = start + UInt64(offset)
        return .init(
            "This may be a memory error: the code at \(address.hex) differs in one bit from the "
                + "program's file.",
            evidence: "The byte is \(found.hex) in the dump and \(expected.hex) in the file of the "
                + "same build.")
    }
}
