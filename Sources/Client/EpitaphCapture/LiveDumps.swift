// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

/// Dumps of a process that goes on running. They make no system call of another thread fail:
/// threads that wait where a signal would be noticed are not stopped, and are described from /proc
/// instead. Can be called from any thread; several calls at once take turns.
extension Epitaph {
    /// Captures this process into a pending dump, which becomes a report together with those of
    /// crashes.
    ///
    /// - Returns: the name of the file, `<bundle-id>@<uuid>`; the report will have that id.
    @discardableResult
    public static func writeLiveDump() throws(Epitaph.Refusal) -> String {
        var name = [CChar](repeating: 0, count: 256)
        var error = epitaph_error()
        try Refusal.check(epitaph_live_dump(&name, &error), error)
        return String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// Captures this process into a new file that no sweep touches. Discard it by removing it, or
    /// promote it.
    public static func captureLiveDump(at path: String) throws(Epitaph.Refusal) {
        var error = epitaph_error()
        try Refusal.check(epitaph_live_dump_at(path, &error), error)
    }

    /// Makes a dump that was captured at a path a pending one. It must be on the file system of the
    /// pending dumps, which is the database's unless there is a crash directory.
    public static func promoteLiveDump(at path: String) throws(Epitaph.Refusal) {
        var error = epitaph_error()
        try Refusal.check(epitaph_live_dump_promote(path, &error), error)
    }
}

extension epitaph_error {
    /// The C string as Swift text.
    package var sentence: String {
        withUnsafeBytes(of: message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
