// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem

/// The dumps of a database that have not become reports yet.
struct WaitingDumps {
    /// Dumps that `process` would convert.
    let count: Int
    /// Dumps of processes that are running, or that died before or while they wrote.
    let lockedCount: Int

    /// Makes and changes nothing; a database without such a directory has none.
    ///
    /// - Parameter database: its directory, open.
    init(in database: Directory) {
        let directory = try? database.withOwnersRights().openDirectory(
            DumpSweep.pendingDirectoryName)
        self.init(names: (try? directory?.list().names) ?? [])
    }

    /// - Parameter path: as given by the user.
    init(inDatabaseAt path: String) {
        if let database = try? Directory(named: path) {
            self.init(in: database)
        } else {
            self.init(names: [])
        }
    }

    init(in database: ReportDatabase) {
        let directory = try? database.openDirectory(
            DumpSweep.pendingDirectoryName, ifMissing: .fail)
        self.init(names: (try? directory?.list().names) ?? [])
    }

    private init(names: [String]) {
        var count = 0
        var lockedCount = 0
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
            case 1: "1 dump waits for \"\(ProgramDescription.name) process\""
            default: "\(count) dumps wait for \"\(ProgramDescription.name) process\""
            }
        if lockedCount > 0 {
            sentence +=
                lockedCount == 1
                ? ", 1 is of a process that may still run"
                : ", \(lockedCount) are of processes that may still run"
        }
        return sentence
    }

    /// Prints how many dumps wait, if any.
    func note(to output: Output) {
        guard count > 0 else { return }
        output.note("\(sentence), which turns dumps into reports")
    }
}
