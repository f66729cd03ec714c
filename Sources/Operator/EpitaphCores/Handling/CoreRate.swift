// SPDX-License-Identifier: Apache-2.0

/// How many reports are made of crashes of one program of one user, and of all. A program that
/// crashes at each start would otherwise keep the machine busy with nothing else.
package struct CoreRate: Sendable, Equatable {
    /// In an hour.
    package var perProgram: Int
    /// In an hour, of all programs together.
    package var overall: Int

    private static let window: Int64 = 3_600

    /// 5 of a program and 60 of all.
    package init(perProgram: Int = 5, overall: Int = 60) {
        self.perProgram = perProgram
        self.overall = overall
    }

    /// A report that was made.
    package struct Entry: Sendable, Equatable {
        /// Seconds since 1970-01-01 00:00 UTC, by a clock that can be set.
        package var timeSeconds: Int64
        /// Whose process it was.
        package var userID: UInt32
        /// Which program it was.
        package var program: String

        /// All as in the properties.
        package init(timeSeconds: Int64, userID: UInt32, program: String) {
            self.timeSeconds = timeSeconds
            self.userID = userID
            self.program = program
        }
    }

    /// Why no report is to be made of `next`, as a clause; nil if one is.
    ///
    /// - Parameters:
    ///   - next: the report that would be made.
    ///   - history: earlier reports in any order. Those of the future count: the clock was set.
    package func refusal(of next: Entry, after history: [Entry]) -> String? {
        let recent = history.filter { abs($0.timeSeconds - next.timeSeconds) < Self.window }
        let own = recent.count { $0.program == next.program && $0.userID == next.userID }
        if own >= perProgram { return "\(own) reports of it were made within an hour" }
        guard recent.count >= overall else { return nil }
        return "\(recent.count) reports were made within an hour"
    }

    /// The history with a report added, without what is too old to count.
    package func recording(_ next: Entry, after history: [Entry]) -> [Entry] {
        history.filter { abs($0.timeSeconds - next.timeSeconds) < Self.window } + [next]
    }
}

/// The history as a file has it: a line of time, user and program for each report.
package enum CoreRateFile {
    /// Longer ones are not read.
    package static let byteLimit = 1 << 18

    /// Lines that make no sense are left out: one report more does less harm than none.
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

    /// The file's contents.
    package static func bytes(_ entries: [CoreRate.Entry]) -> [UInt8] {
        Array(
            entries.map { entry in
                let name = entry.program.prefix(256).map { $0.isNewline ? "?" : $0 }
                return "\(entry.timeSeconds) \(entry.userID) \(String(name))\n"
            }.joined().utf8)
    }
}
