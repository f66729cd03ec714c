// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

extension StackUnwinder {
    /// The stack of a call that allocated or freed a sampled block, from its own bytes. The sampler
    /// keeps the innermost part of a stack, so an end there is no damage.
    package static func unwind(
        _ moment: HeapMoment, of snapshot: ProcessSnapshot, images: any ELFImageSource
    ) -> Backtrace {
        let then = snapshot.at(moment)
        let unwinder = StackUnwinder(snapshot: then, images: images)
        var backtrace = unwinder.unwind(then.threads[0])
        if let stack = moment.stack, case .noMemory(let address) = backtrace.end,
            // A word that is only partly there is not there.
            address > stack.addressRange.upperBound &- 8
        {
            backtrace.end = .endOfKeptStack(byteCount: stack.bytes.count)
        }
        return backtrace
    }
}
