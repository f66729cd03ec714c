// SPDX-License-Identifier: Apache-2.0

import DumpConversion
import LinuxSystem

/// The dumps of a database that are no reports yet.
struct WaitingDumps {
    /// Those that `process` makes reports of.
    let count: Int
    /// Those of processes that run, or died before anything was written, or while it was.
    let lockedCount: Int

    /// Nothing is made or changed, and a database without such a directory has none.
    ///
    /// - Parameter path: of the database; a symbolic link is followed.
    init(inDatabaseAt path: String) {
        var count = 0
        var lockedCount = 0
        let directory = (try? realPath(of: path)).flatMap { path in
            try? Directory(opening: path + "/" + DumpSweep.pendingDirectoryName)
        }
        let names = (try? directory?.list().names) ?? []
        for name in names.compactMap({ DumpName($0) }) {
            if name.stage == .locked { lockedCount += 1 } else { count += 1 }
        }
        self.count = count
        self.lockedCount = lockedCount
    }

    /// `2 dumps wait for "dump-convert process", 1 is of a process that may still run`.
    var sentence: String {
        var sentence =
            switch count {
            case 0: "no dump waits"
            case 1: "1 dump waits for \"dump-convert process\""
            default: "\(count) dumps wait for \"dump-convert process\""
            }
        if lockedCount > 0 {
            sentence +=
                lockedCount == 1
                ? ", 1 is of a process that may still run"
                : ", \(lockedCount) are of processes that may still run"
        }
        return sentence
    }

    /// Tells of dumps that wait, where there are some.
    func note(to output: Output) {
        guard count > 0 else { return }
        output.note("\(sentence), which makes reports of them")
    }
}
