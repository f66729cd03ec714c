// SPDX-License-Identifier: Apache-2.0

/// The registers of a processor that Epitaph shows but does not unwind: names and values.
package struct NamedRegisters: Sendable, Equatable {
    /// One register of a processor that this package has no struct for.
    package struct Register: Sendable, Equatable {
        /// Its name in the processor's assembly language.
        package var name: String
        /// The value, zero-extended to 64 bits.
        package var value: UInt64

        /// The value of a 32-bit register is to be zero-extended by the caller.
        package init(_ name: String, _ value: UInt64) {
            self.name = name
            self.value = value
        }
    }

    /// In the order debuggers show them.
    package var registers: [Register]
    /// Also among `registers`, under the processor's own name for it.
    package var instructionPointer: UInt64
    /// Also among `registers`, under the processor's own name for it.
    package var stackPointer: UInt64
    /// Nil if code for this processor need not keep one.
    package var framePointer: UInt64?

    /// The pointers are given apart because each processor names them differently.
    package init(
        _ registers: [Register], instructionPointer: UInt64, stackPointer: UInt64,
        framePointer: UInt64? = nil
    ) {
        self.registers = registers
        self.instructionPointer = instructionPointer
        self.stackPointer = stackPointer
        self.framePointer = framePointer
    }
}
