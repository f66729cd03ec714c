// SPDX-License-Identifier: Apache-2.0
//
// EpitaphVictim database DATABASE OPERATION [ARGUMENT]...: does one thing to a report database, so
// that Scripts/interrupt-database and tests can break it in the middle.
//
// It says "done" once the operation has promised its result, and otherwise why it could not.

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues
import Foundation
import Glibc

/// A clock that is ahead by $EPITAPH_LAB_AHEAD seconds.
struct ShiftedClock: WallClock {
    let seconds: Double

    init() {
        seconds = getenv("EPITAPH_LAB_AHEAD").flatMap { Double(String(cString: $0)) } ?? 0
    }

    func now() -> Timestamp { Timestamp.now.adding(seconds: seconds) }
}

enum DatabaseVictim {
    static func run(_ arguments: [String]) {
        guard arguments.count >= 3 else {
            fail("usage: EpitaphVictim database DATABASE OPERATION [ARGUMENT]...", status: 64)
        }
        // Where the operation begins, for those who read a trace.
        _ = access("/epitaph-database-operation", F_OK)
        do {
            let database = try ReportDatabase(
                opening: arguments[1], ifMissing: .create, clock: ShiftedClock())
            try perform(arguments[2], Array(arguments.dropFirst(3)), on: database)
            say("done")
        } catch {
            fail("\(error)", status: 1)
        }
    }

    static func say(_ line: String) {
        // One write, so that lines of several processes in one file do not mix.
        let bytes = Array((line + "\n").utf8)
        while bytes.withUnsafeBytes({ write(1, $0.baseAddress, $0.count) }) < 0, errno == EINTR {}
    }

    static func fail(_ sentence: String, status: Int32) -> Never {
        let bytes = Array(("EpitaphVictim database: " + sentence + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
        exit(status)
    }
}
