// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("Names that go from file to file all the time", .timeLimit(.minutes(45)))
struct RenameStormTests {
    let lab: LogLab
    let isOver: StopSignal
    let hasEnded: StopSignal

    init() throws {
        lab = try LogLab()
        isOver = try StopSignal()
        hasEnded = try StopSignal()
    }

    /// As logrotate does, the highest number first, and then from the start.
    private func startRotating(_ count: Int) throws {
        let (path, isOver, hasEnded) = (lab.path + "/app.log.", isOver, hasEnded)
        try BackgroundThread.start("rotation") {
            var lowest = 1
            while !isOver.isStopped {
                for number in (lowest..<lowest + count).reversed() {
                    let old = path + "\(number)"
                    // Unlike rename(2) this replaces nothing, also when rounds come this quickly.
                    if link(old, path + "\(number + 1)") == 0 { unlink(old) }
                }
                lowest += 1
            }
            hasEnded.stop()
        }
    }

    @Test("No log is deleted that was not sent", arguments: 1...4)
    func storm(_ round: Int) throws {
        let count = 200
        for number in 1...count { try lab.write("log \(number)", to: "app.log.\(number)") }
        try startRotating(count)
        var pass = try lab.pass()
        for _ in 0..<500 where !lab.names.isEmpty {
            _ = pass.run()
            lab.clock.advance(bySeconds: 10)
        }
        isOver.stop()
        #expect(hasEnded.wait(seconds: 60))
        #expect(Set(lab.server.texts) == Set((1...count).map { "log \($0)" }))
    }
}
