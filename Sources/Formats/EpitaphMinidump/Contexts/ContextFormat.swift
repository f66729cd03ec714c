// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// CONTEXT records of all processors. Those of x86_64 and aarch64 are also written.
enum ContextFormat {
    static func byteCount(on architecture: Architecture) -> Int {
        switch architecture {
        case .x86_64: AMD64Context.byteCount
        case .aarch64: ARM64Context.byteCount
        default: 0
        }
    }

    /// Registers of another architecture give a record with only the two pointers.
    static func encode(_ registers: RegisterSnapshot, on architecture: Architecture) -> [UInt8] {
        let instruction = registers.instructionPointer
        let stack = registers.stackPointer
        switch (architecture, registers) {
        case (.x86_64, .x86_64(let all)): return AMD64Context.encode(all)
        case (.aarch64, .aarch64(let all)): return ARM64Context.encode(all)
        case (.x86_64, _): return AMD64Context.encode(instruction: instruction, stack: stack)
        case (.aarch64, _): return ARM64Context.encode(instruction: instruction, stack: stack)
        default: return []
        }
    }

    static func isUnknown(on architecture: Architecture) -> Bool {
        ![.x86_64, .aarch64, .x86, .arm].contains(architecture)
    }

    static func decode(
        _ bytes: ByteSlice, on architecture: Architecture
    ) throws(TruncatedRead) -> RegisterSnapshot? {
        switch architecture {
        case .x86_64: try AMD64Context.decode(bytes)
        case .aarch64: try ARM64Context.decode(bytes)
        case .x86: try X86Context.decode(bytes)
        case .arm: try ARMContext.decode(bytes)
        default: nil
        }
    }

    static func architecture(ofRecordWith byteCount: Int) -> Architecture? {
        switch byteCount {
        case AMD64Context.byteCount: .x86_64
        case ARM64Context.byteCount, ARM64Context.oldByteCount: .aarch64
        case X86Context.byteCount: .x86
        case ARMContext.byteCount: .arm
        default: nil
        }
    }
}
