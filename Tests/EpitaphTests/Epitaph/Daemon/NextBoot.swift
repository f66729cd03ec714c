// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation

/// The machine after a restart, as a program sees it that runs in a mount namespace of its own:
/// with another boot id, and with the records of the restart in wtmp.
struct NextBoot {
    enum Way: CaseIterable {
        case shutdown
        case powerLoss
        /// Nothing was recorded.
        case unknown
    }

    private let bootIDPath: String
    private let logsPath: String

    init(_ way: Way, in directory: TemporaryDirectory) throws {
        bootIDPath = try directory.write(
            Array("\(Epitaph.ID().description)\n".utf8), to: "boot_id")
        logsPath = directory.path("log")
        try FileManager.default.createDirectory(
            atPath: logsPath, withIntermediateDirectories: false)
        let now = UInt32(Timestamp.now.secondsSince1970)
        let records: [(type: UInt8, user: String, time: UInt32)] =
            switch way {
            case .shutdown:
                [(2, "reboot", now - 9_000), (1, "shutdown", now + 10), (2, "reboot", now + 20)]
            case .powerLoss: [(2, "reboot", now - 9_000), (2, "reboot", now + 20)]
            case .unknown: []
            }
        try directory.write(records.flatMap(Self.record), to: "log/wtmp")
    }

    /// The arguments that run a program there, as the process that is started.
    func running(_ arguments: [String]) -> [String] {
        let script = """
            mount --bind \(bootIDPath) /proc/sys/kernel/random/boot_id \
            && mount --bind \(logsPath) /var/log && exec "$@"
            """
        return ["unshare", "-m", "bash", "-c", script, "bash"] + arguments
    }

    static let canBeHad: Bool = {
        guard let directory = try? TemporaryDirectory(),
            let boot = try? NextBoot(.unknown, in: directory),
            let run = try? Subprocess.run(
                boot.running(["cat", "/proc/sys/kernel/random/boot_id"])),
            let own = try? directory.contents("boot_id")
        else { return false }
        return run.standardOutput == String(decoding: own, as: UTF8.self)
    }()

    /// A record of utmp(5).
    private static func record(_ type: UInt8, _ user: String, _ time: UInt32) -> [UInt8] {
        let layout = UserRecordLayout.own
        var bytes = [UInt8](repeating: 0, count: layout.byteCount)
        bytes[0] = type
        bytes.replaceSubrange(layout.user..<(layout.user + user.utf8.count), with: user.utf8)
        for (index, place) in layout.seconds.prefix(4).enumerated() {
            bytes[place] = UInt8(truncatingIfNeeded: time >> (8 * index))
        }
        return bytes
    }
}
