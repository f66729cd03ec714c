// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// The CONTEXT records of both architectures.
enum ContextFormat {
    static func byteCount(on architecture: Architecture) -> Int {
        switch architecture {
        case .x86_64: AMD64Context.byteCount
        case .aarch64: ARM64Context.byteCount
        }
    }

    /// The record; of registers of another architecture only the two pointers are kept.
    static func encode(_ registers: RegisterSnapshot, on architecture: Architecture) -> [UInt8] {
        let instruction = registers.instructionPointer
        let stack = registers.stackPointer
        switch (architecture, registers) {
        case (.x86_64, .x86_64(let all)): return AMD64Context.encode(all)
        case (.aarch64, .aarch64(let all)): return ARM64Context.encode(all)
        case (.x86_64, _): return AMD64Context.encode(instruction: instruction, stack: stack)
        case (.aarch64, _): return ARM64Context.encode(instruction: instruction, stack: stack)
        }
    }

    static func decode(
        _ bytes: ByteSlice, on architecture: Architecture
    ) throws(TruncatedRead) -> RegisterSnapshot {
        switch architecture {
        case .x86_64: try AMD64Context.decode(bytes)
        case .aarch64: try ARM64Context.decode(bytes)
        }
    }
}
