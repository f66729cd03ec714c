// SPDX-License-Identifier: Apache-2.0

/// What ended a process on a system without Linux signals, in that system's numbers: a Mach
/// exception of macOS, an exception code of Windows. Nothing in it is a signal.
public struct ForeignException: Sendable, Equatable {
    public var system: OperatingSystem
    /// macOS: EXC_…, mach/exception_types.h. Windows: EXCEPTION_… or STATUS_…, ntstatus.h.
    public var code: UInt32
    /// macOS: the exception's first code. Windows: EXCEPTION_NONCONTINUABLE and the like.
    public var flags: UInt32
    /// Of the instruction, or of the memory it wanted; the systems differ.
    public var address: UInt64
    /// At most 15. macOS: exception and its codes. Windows: ExceptionInformation.
    public var parameters: [UInt64]

    public init(
        system: OperatingSystem, code: UInt32, flags: UInt32, address: UInt64,
        parameters: [UInt64] = []
    ) {
        self.system = system
        self.code = code
        self.flags = flags
        self.address = address
        self.parameters = parameters
    }
}
