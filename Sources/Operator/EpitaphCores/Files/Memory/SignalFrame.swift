// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The kernel's copy of the interrupted registers, on the stack of a signal handler.
enum SignalFrame {
    /// An alternate stack has some kilobytes.
    private static let searched = 1 << 16

    /// The interrupted stack pointer, if the handler ran on this alternate stack, which the frame's
    /// `uc_stack` must describe: ucontext.h, sigaltstack(2).
    static func interruptedStackPointer(in stack: MemoryRegion, _ map: AddressMap) -> UInt64? {
        for machine in [(pointer: 160, size: 168), (pointer: 432, size: 440)] {
            let end = min(stack.bytes.count, searched) - machine.size
            var offset = Int((8 - stack.address % 8) % 8)
            while offset < end {
                defer { offset += 8 }
                let bytes = stack.bytes.slice(from: offset, length: machine.size)
                guard isContext(bytes, at: stack.address + UInt64(offset)),
                    let pointer = bytes.load(at: machine.pointer, as: UInt64.self),
                    pointer % 8 == 0, map.isStack(above: pointer)
                else { continue }
                return pointer
            }
        }
        return nil
    }

    /// uc_flags, uc_link, then ss_sp, ss_flags and ss_size.
    private static func isContext(_ bytes: ByteSlice, at address: UInt64) -> Bool {
        guard let link = bytes.load(at: 8, as: UInt64.self), link == 0,
            let flags = bytes.load(at: 0, as: UInt64.self), flags < 64,
            let start = bytes.load(at: 16, as: UInt64.self), start > 0, start <= address,
            let stackFlags = bytes.load(at: 24, as: UInt32.self), stackFlags <= 2,
            let size = bytes.load(at: 32, as: UInt64.self)
        else { return false }
        return size >= 1 << 10 && size <= 1 << 30 && address - start < size
    }
}
