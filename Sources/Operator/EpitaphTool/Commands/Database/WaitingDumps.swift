// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem

struct WaitingDumps {
    let count: Int
    let lockedCount: Int

    /// Read-only; a missing directory counts as empty.
    init(in database: Directory) {
        let directory = try? database.withOwnersRights().openDirectory(
            DumpSweep.pendingDirectoryName)
        self.init(names: (try? directory?.list().names) ?? [])
    }

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

    func note(to output: Output) {
        guard count > 0 else { return }
        output.note("\(sentence), which turns dumps into reports")
    }
}
