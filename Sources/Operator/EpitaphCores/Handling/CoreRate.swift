// SPDX-License-Identifier: Apache-2.0

/// Limits the reports for each program and user, and overall. Otherwise a program that crashes at
/// each start would keep the machine busy.
package struct CoreRate: Sendable, Equatable {
    /// Per hour.
    package var perProgram: Int
    /// Per hour, for all programs together.
    package var overall: Int

    private static let window: Int64 = 3_600

    package init(perProgram: Int = 5, overall: Int = 60) {
        self.perProgram = perProgram
        self.overall = overall
    }

    package struct Entry: Sendable, Equatable {
        /// Seconds since 1970-01-01 00:00 UTC; the clock may be set.
        package var timeSeconds: Int64
        package var userID: UInt32
        package var program: String

        package init(timeSeconds: Int64, userID: UInt32, program: String) {
            self.timeSeconds = timeSeconds
            self.userID = userID
            self.program = program
        }
    }

    /// Why no report of `next` is made, as a clause; nil if one is.
    ///
    /// - Parameters:
    ///   - next: the report to be made.
    ///   - history: earlier reports in any order. Future ones count, because the clock may have
    ///     been set.
    package func refusal(of next: Entry, after history: [Entry]) -> String? {
        let recent = history.filter { abs($0.timeSeconds - next.timeSeconds) < Self.window }
        let own = recent.count { $0.program == next.program && $0.userID == next.userID }
        if own >= perProgram { return "\(own) reports of it were made within an hour" }
        guard recent.count >= overall else { return nil }
        return "\(recent.count) reports were made within an hour"
    }

    /// The history with a report added and expired ones removed.
    package func recording(_ next: Entry, after history: [Entry]) -> [Entry] {
        history.filter { abs($0.timeSeconds - next.timeSeconds) < Self.window } + [next]
    }
}

/// The history in a file: one line of time, user and program for each report.
package enum CoreRateFile {
    /// Longer files are cut.
    package static let byteLimit = 1 << 18

    /// Invalid lines are ignored: one report too many does less harm than none.
    package static func entries(_ bytes: [UInt8]) -> [CoreRate.Entry] {
        String(decoding: bytes.prefix(byteLimit), as: UTF8.self).split(separator: "\n")
            .compactMap { line in
                let fields = line.split(separator: " ", maxSplits: 2)
                guard fields.count == 3, let time = Int64(fields[0]), abs(time) < 1 << 40,
                    let user = UInt32(fields[1])
                else { return nil }
                return CoreRate.Entry(
                    timeSeconds: time, userID: user, program: String(fields[2]))
            }
    }

    package static func bytes(_ entries: [CoreRate.Entry]) -> [UInt8] {
        Array(
            entries.map { entry in
                let name = entry.program.prefix(256).map { $0.isNewline ? "?" : $0 }
                return "\(entry.timeSeconds) \(entry.userID) \(String(name))\n"
            }.joined().utf8)
    }
}
