// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphValues
import Foundation
import Testing

private let thisBoot = Epitaph.ID()
private let earlierBoot = Epitaph.ID()

@Suite struct LaunchEndTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let mark: Bool
        let launchBoot: Epitaph.ID?
        let boot: Epitaph.ID?
        let end: LaunchEnd

        var testDescription: String {
            func word(_ id: Epitaph.ID?) -> String {
                id == nil ? "no boot id" : id == thisBoot ? "this boot" : "an earlier boot"
            }
            return "mark: \(mark), record: \(word(launchBoot)), now: \(word(boot))"
        }
    }

    static let rows = [
        Row(mark: true, launchBoot: thisBoot, boot: thisBoot, end: .cleanly),
        Row(mark: true, launchBoot: earlierBoot, boot: thisBoot, end: .cleanly),
        Row(mark: true, launchBoot: nil, boot: nil, end: .cleanly),
        Row(mark: false, launchBoot: thisBoot, boot: thisBoot, end: .killed),
        Row(mark: false, launchBoot: earlierBoot, boot: thisBoot, end: .lostToReboot),
        Row(mark: false, launchBoot: nil, boot: thisBoot, end: .unknown),
        Row(mark: false, launchBoot: thisBoot, boot: nil, end: .unknown),
    ]

    @Test("A mark is a clean end; without one the boots decide", arguments: rows)
    func decision(_ row: Row) {
        var launch = LaunchRecord()
        launch.bootID = row.launchBoot
        launch.cleanExitTime = row.mark ? Timestamp(secondsSince1970: 1) : nil
        #expect(LaunchEnd(of: launch, bootID: row.boot) == row.end)
    }

    @Test("Without a launch record nothing is known")
    func noRecord() {
        #expect(LaunchEnd(of: nil, bootID: thisBoot) == .unknown)
    }
}
