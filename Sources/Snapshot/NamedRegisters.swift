// SPDX-License-Identifier: Apache-2.0

/// The registers of a processor that Epitaph shows but does not unwind: names and values.
public struct NamedRegisters: Sendable, Equatable {
    /// One register of a processor that this package has no struct for.
    public struct Register: Sendable, Equatable {
        /// Its name in the processor's assembly language.
        public var name: String
        /// The value, zero-extended to 64 bits.
        public var value: UInt64

        /// The value of a 32-bit register is to be zero-extended by the caller.
        public init(_ name: String, _ value: UInt64) {
            self.name = name
            self.value = value
        }
    }

    /// In the order debuggers show them.
    public var registers: [Register]
    /// Also among `registers`, under the processor's own name for it.
    public var instructionPointer: UInt64
    /// Also among `registers`, under the processor's own name for it.
    public var stackPointer: UInt64
    /// Nil if code for this processor need not keep one.
    public var framePointer: UInt64?

    /// The pointers are given apart because each processor names them differently.
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
