// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphConversion
import EpitaphDatabase
import EpitaphValues

// Live dumps by the ids of their reports; programs use them through `Epitaph`.
extension CrashReporter {
    @discardableResult
    package func captureLiveDump() throws(Epitaph.Refusal) -> Epitaph.ID {
        let name = try Epitaph.writeLiveDump()
        guard let dump = DumpName(name) else { throw Refusal(.file, "\(name) is not a dump") }
        return dump.uuid
    }

    @discardableResult
    package func reportLiveDump() throws(Epitaph.Refusal) -> Epitaph.ID {
        let id = try captureLiveDump()
        try fileLiveDump(id, shouldStop: nil)
        return id
    }
}
