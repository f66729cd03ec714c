// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

/// Dumps of a running process. Threads in a call that a signal would interrupt are not stopped but
/// described from /proc, so no system call fails. Thread-safe; calls take turns.
extension Epitaph {
    /// Captures this process into a pending dump. Returns its file name, `<bundle-id>@<report-id>`.
    @discardableResult
    public static func writeLiveDump() throws(Epitaph.Refusal) -> String {
        var name = [CChar](repeating: 0, count: 256)
        var error = epitaph_error()
        try Refusal.check(epitaph_live_dump(&name, &error), error)
        return String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// Captures this process into a new file that no sweep touches. Remove or promote it.
    public static func captureLiveDump(at path: String) throws(Epitaph.Refusal) {
        var error = epitaph_error()
        try Refusal.check(epitaph_live_dump_at(path, &error), error)
    }

    /// Makes a dump captured at a path a pending one. It must be on the file system of the pending
    /// dumps: the database's or the crash directory's.
    public static func promoteLiveDump(at path: String) throws(Epitaph.Refusal) {
        var error = epitaph_error()
        try Refusal.check(epitaph_live_dump_promote(path, &error), error)
    }
}

extension epitaph_error {
    package var sentence: String {
        withUnsafeBytes(of: message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
