// SPDX-License-Identifier: Apache-2.0

import Snapshot

extension Backtrace {
    /// Why the frames end before the thread's first function, as a clause; nil for a stack that is
    /// whole. An address outside of all code is no sign of a damaged stack where the maps do not
    /// reach it and modules may be missing.
    public func whyIncomplete(in snapshot: ProcessSnapshot) -> String? {
        switch end {
        case .reachedEnd: return nil
        case .badReturnAddress(let address):
            let reach = snapshot.mappings.last?.addressRange.upperBound ?? 0
            guard snapshot.isCut, address >= reach else { return end.description }
            return
                "what is at \(hex(address)), its return address, is not in the dump, which ends early"
        default: return end.description
        }
    }

    /// Why not all functions that await the running one are there, as a clause; nil when they are,
    /// or none is awaited.
    public var whyAsyncCallersIncomplete: String? {
        guard let asyncEnd, asyncEnd != .startOfTask else { return nil }
        return asyncEnd.description
    }
}
