// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// What the processor told the kernel about a fault, as far as it did.
///
/// The kernel leaves the numbers of the last fault in a thread's registers, so a signal that somebody
/// sent comes with those of another time, and a dump of another writer has none at all.
struct FaultFacts {
    var trapNumber: UInt64?
    var errorCode: UInt64?
    var address: UInt64?

    var isEmpty: Bool { trapNumber == nil && errorCode == nil && address == nil }

    init(_ exception: ExceptionSnapshot) {
        // Only the kernel gives codes above 0: sigaction(2).
        guard exception.foreign == nil, exception.isCodeKnown, exception.code > 0,
            Self.signals.contains(exception.signal)
        else { return }
        switch exception.registers {
        case .x86_64(let registers): put(registers, signal: exception.signal)
        case .aarch64(let registers):
            // A page fault's address is the signal's as well; 0 stands for none in other dumps.
            guard registers.faultAddress != 0 || exception.address == 0,
                [SignalNumber.segmentationFault, SignalNumber.bus].contains(exception.signal)
            else { return }
            address = registers.faultAddress
        case .named, .pointers, nil: break
        }
    }

    private mutating func put(_ registers: X86Registers, signal: Int32) {
        // Trap 0 is the division's; for all other signals it means that none is known.
        guard registers.trapNumber != 0 || signal == SignalNumber.arithmetic else { return }
        trapNumber = registers.trapNumber
        if Self.trapsWithErrorCode.contains(registers.trapNumber) {
            errorCode = registers.errorCode
        }
        if registers.trapNumber == Self.pageFault { address = registers.cr2 }
    }

    /// ILL, TRAP, BUS, FPE, SEGV
    private static let signals: Set<Int32> = [4, 5, 7, 8, 11]
    // Intel SDM 3A, table 6-1. Only the page fault sets cr2.
    private static let pageFault: UInt64 = 14
    private static let trapsWithErrorCode: Set<UInt64> = [8, 10, 11, 12, 13, 14, 17, 21]
}
