// SPDX-License-Identifier: Apache-2.0

import Snapshot

extension Architecture {
    /// An address as a minidump has it. Windows stores those of 32-bit processes sign-extended to 64
    /// bits, and so do Breakpad and Crashpad where a pointer became a signed number on its way.
    func address(_ stored: UInt64) -> UInt64 {
        has32BitPointers ? stored & 0xffff_ffff : stored
    }
}
