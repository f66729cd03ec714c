// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Limits the reports for each program, for each user, and overall, so that a program that crashes
/// at each start does not keep the machine busy, and no user uses up the share of others.
package struct CoreRate: Sendable, Equatable {
    /// Per hour.
    package var perProgram: Int
    /// Per hour, for all programs together.
    package var overall: Int
    /// A user's share per hour.
    package var perUser: Int { max(overall / 4, 1) }

    private static let window: Int64 = 3_600
    /// The first user id of containers, and how many of them count as one user, who could otherwise
    /// crash as 65,536: subuid(5), systemd.net/docs UIDS-GIDS.
    private static let containerBase: UInt32 = 1 << 16

    package init(perProgram: Int = 5, overall: Int = 60) {
        self.perProgram = perProgram
        self.overall = overall
    }

    package struct Entry: Sendable, Equatable {
        /// Seconds since 1970-01-01 00:00 UTC; the clock may be set.
        package var timeSeconds: Int64
        /// Whose share it is: a user, or the first of a container's.
        package let userID: UInt32
        /// FNV-1a of the user and the program's whole name, which a user can choose freely.
        package let program: UInt64

        package init(timeSeconds: Int64, userID: UInt32, program: String) {
            let base = CoreRate.containerBase
            self.init(
                timeSeconds: timeSeconds,
                userID: userID < base ? userID : userID / base * base,
                hash: FNV1a("\(userID) \(program)".utf8).value)
        }

        init(timeSeconds: Int64, userID: UInt32, hash: UInt64) {
            self.timeSeconds = timeSeconds
            self.userID = userID
            program = hash
        }
    }

    /// Why no report of `next` is made, as a clause; nil if one is.
    ///
    /// The second half of a user's share is for programs without a report in this hour, and the
    /// second half of all for users with less than a third of their share. Future entries of
    /// `history` count, because the clock may have been set.
    package func refusal(of next: Entry, after history: [Entry]) -> String? {
        let recent = history.filter { abs($0.timeSeconds - next.timeSeconds) < Self.window }
        let users = recent.filter { $0.userID == next.userID }
        let own = users.count { $0.program == next.program }
        if own >= perProgram { return "\(own) reports of it were made within an hour" }
        if users.count >= perUser || users.count >= (perUser + 1) / 2 && own > 0 {
            return "\(users.count) reports of programs of its user were made within an hour"
        }
        if recent.count >= overall
            || recent.count >= (overall + 1) / 2 && users.count >= (perUser + 2) / 3
        {
            return "\(recent.count) reports were made within an hour"
        }
        return nil
    }

    package func recording(_ next: Entry, after history: [Entry]) -> [Entry] {
        history.filter { abs($0.timeSeconds - next.timeSeconds) < Self.window } + [next]
    }
}

package enum CoreRateFile {
    /// Longer files are cut: 10,000 lines of at most 44 bytes are shorter.
    package static let byteLimit = 1 << 19

    /// Invalid lines are ignored: one report too many does less harm than none.
    package static func entries(_ bytes: [UInt8]) -> [CoreRate.Entry] {
        String(decoding: bytes.prefix(byteLimit), as: UTF8.self).split(separator: "\n")
            .compactMap { line in
                let fields = line.split(separator: " ")
                guard fields.count == 3, let time = Int64(fields[0]), abs(time) < 1 << 40,
                    let user = UInt32(fields[1]), let program = UInt64(fields[2], radix: 16)
                else { return nil }
                return CoreRate.Entry(timeSeconds: time, userID: user, hash: program)
            }
    }

    package static func bytes(_ entries: [CoreRate.Entry]) -> [UInt8] {
        Array(
            entries.map { entry in
                "\(entry.timeSeconds) \(entry.userID) \(String(entry.program, radix: 16))\n"
            }.joined().utf8)
    }
}
