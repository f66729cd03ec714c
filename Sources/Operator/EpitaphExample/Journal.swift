// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Glibc

/// The daemon's log: a file that goes with every report, and lines of which Epitaph makes
/// breadcrumbs and events by the rules of Reporting.swift.
struct Journal: Sendable {
    let path: String

    func write(_ level: Epitaph.Level, tag: String, _ message: String) {
        let line = Array("\(level) \(tag): \(message)\n".utf8)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if file >= 0 {
            _ = Glibc.write(file, line, line.count)
            close(file)
        }
        Epitaph.log(LogLine(level, tag: tag, message))
    }
}
