// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

/// Dumps of a process that lives on. No system call of another thread fails because of one: threads
/// that wait where a signal would be noticed are not stopped, and are described from /proc. Can be
/// called from any thread; several calls at once take turns.
extension Epitaph {
    /// Captures this process into a dump that waits among those of crashes, and becomes a report
    /// with them.
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

    /// Captures this process into a new file that nothing sweeps. Throw it away by removing it, or
    /// promote it.
    public static func captureLiveDump(at path: String) throws(Epitaph.Refusal) {
        var error = epitaph_error()
        try Refusal.check(epitaph_live_dump_at(path, &error), error)
    }

    /// Makes a dump captured at a path a pending one; it must be on the file system that dumps wait
    /// on, which is the database's unless there is a crash directory.
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
