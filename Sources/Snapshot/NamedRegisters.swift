// SPDX-License-Identifier: Apache-2.0

/// The registers of a processor that Epitaph shows and does not unwind: names and values.
public struct NamedRegisters: Sendable, Equatable {
    /// One register of a processor that this package has no struct for.
    public struct Register: Sendable, Equatable {
        /// As its assembler calls it.
        public var name: String
        /// Zero-extended.
        public var value: UInt64

        public init(_ name: String, _ value: UInt64) {
            self.name = name
            self.value = value
        }
    }

    /// In the order debuggers show them.
    public var registers: [Register]
    public var instructionPointer: UInt64
    public var stackPointer: UInt64
    /// Nil where the processor's code need not have one.
    public var framePointer: UInt64?

    public init(
        _ registers: [Register], instructionPointer: UInt64, stackPointer: UInt64,
        framePointer: UInt64? = nil
    ) {
        self.registers = registers
        self.instructionPointer = instructionPointer
        self.stackPointer = stackPointer
        self.framePointer = framePointer
    }
}
