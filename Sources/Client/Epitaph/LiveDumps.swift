// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphConversion
import EpitaphDatabase
import EpitaphValues

// Live dumps by the ids of their reports.
extension CrashReporter {
    /// Captures this process into a pending dump, to be converted by a later
    /// `processIntermediateDumps()`.
    ///
    /// - Returns: the id its report will have.
    @discardableResult
    package func captureLiveDump() throws(Epitaph.LiveDumpError) -> Epitaph.ID {
        let name = try Epitaph.writeLiveDump()
        guard let dump = DumpName(name) else { throw LiveDumpError(sentence: "\(name) is no dump") }
        return dump.uuid
    }

    /// Captures this process and converts the dump, and others that are pending, at once. Blocks;
    /// in a task the form that does not is called. Where another process converts the dump, this
    /// waits for it, at most 30 seconds.
    ///
    /// - Returns: the id of the report, which is filed.
    /// - Throws: `LiveDumpError`, with what became of the dump.
    @discardableResult
    package func reportLiveDump() throws(Epitaph.LiveDumpError) -> Epitaph.ID {
        let id = try captureLiveDump()
        try fileLiveDump(id, shouldStop: nil)
        return id
    }
}
