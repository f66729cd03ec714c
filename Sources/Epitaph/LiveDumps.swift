// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import DumpConversion
import FoundationEssentials
import ReportDatabase

/// Dumps of a process that lives on. No system call of another thread fails because of one: threads
/// that wait where a signal would be noticed are not stopped, and are described from /proc. Can be
/// called from any thread; several calls at once take turns.
extension CrashReporter {
    /// Captures this process into a pending dump, to be converted by a later
    /// `processIntermediateDumps()`.
    ///
    /// - Returns: the id its report will have.
    @discardableResult
    public func captureLiveDump() throws(LiveDumpError) -> UUID {
        var name = [CChar](repeating: 0, count: 256)
        var error = epitaph_error()
        guard epitaph_live_dump(&name, &error) == EPITAPH_OK else { throw LiveDumpError(error) }
        let text = String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        guard let dump = DumpName(text) else { throw LiveDumpError(sentence: "\(text) is no dump") }
        return dump.uuid
    }

    /// Captures this process and converts the dump, and others that are pending, at once. Blocks;
    /// in a task the form that does not is called. Where another process converts the dump, this
    /// waits for it, at most 30 seconds.
    ///
    /// - Returns: the id of the report, which is filed.
    /// - Throws: `LiveDumpError`, with what became of the dump.
    @discardableResult
    public func reportLiveDump() throws(LiveDumpError) -> UUID {
        let id = try captureLiveDump()
        try fileLiveDump(id, shouldStop: nil)
        return id
    }

    /// Captures this process into a new file that nothing sweeps. Throw it away by removing it, or
    /// promote it.
    public func captureLiveDump(at path: String) throws(LiveDumpError) {
        var error = epitaph_error()
        guard epitaph_live_dump_at(path, &error) == EPITAPH_OK else { throw LiveDumpError(error) }
    }

    /// Makes a dump captured at a path a pending one; it must be on the database's file system.
    public func promoteLiveDump(at path: String) throws(LiveDumpError) {
        var error = epitaph_error()
        guard epitaph_live_dump_promote(path, &error) == EPITAPH_OK else {
            throw LiveDumpError(error)
        }
    }
}

/// A live dump that could not be made or moved.
public struct LiveDumpError: Error, CustomStringConvertible {
    /// A sentence that names the file and the reason.
    public let description: String

    init(_ error: epitaph_error) {
        description = error.sentence
    }

    init(sentence: String) {
        description = sentence
    }
}

extension epitaph_error {
    /// The C string as Swift text.
    var sentence: String {
        withUnsafeBytes(of: message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
