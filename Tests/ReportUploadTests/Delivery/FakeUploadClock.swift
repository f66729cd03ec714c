// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReportUpload
import Synchronization

/// A clock that jumps ahead whenever somebody waits, and remembers how long.
final class FakeUploadClock: UploadClock {
    struct Values {
        var time = Date(timeIntervalSince1970: 1_800_000_000)
        var seconds = 1_000.0
        var waits: [Double] = []
        var isStopped = false
        var stopsInWait: Int?
    }

    let values = Mutex(Values())

    func now() -> Date { values.withLock { $0.time } }
    func monotonicSeconds() -> Double { values.withLock { $0.seconds } }
    var isStopped: Bool { values.withLock { $0.isStopped } }
    var waits: [Double] { values.withLock { $0.waits } }

    func wait(seconds: Double) {
        values.withLock { values in
            values.waits.append(seconds)
            if values.waits.count == values.stopsInWait {
                values.isStopped = true
                return
            }
            values.seconds += seconds
            values.time += seconds
        }
    }

    func stop() { values.withLock { $0.isStopped = true } }

    /// In the wait of this number, from 1 on, the uploader is told to stop.
    func stop(inWait number: Int) { values.withLock { $0.stopsInWait = number } }

    func pass(seconds: Double) {
        values.withLock { values in
            values.seconds += seconds
            values.time += seconds
        }
    }

    /// Somebody sets the time of day.
    func set(_ time: Date) { values.withLock { $0.time = time } }
}

/// A network that is there or not.
final class FakeNetwork: NetworkWatch {
    /// Answers in order; then it is there.
    private let answers: Mutex<[Bool]>
    private let asked = Mutex<[String]>([])

    init(_ answers: [Bool] = []) {
        self.answers = Mutex(answers)
    }

    var questions: [String] { asked.withLock { $0 } }

    func mayReach(_ server: String) -> Bool {
        asked.withLock { $0.append(server) }
        return answers.withLock { $0.isEmpty ? true : $0.removeFirst() }
    }
}

/// Numbers so small that every choice among few or many takes the first: no jitter. Not 0, which
/// the standard library would throw away again and again to be fair.
struct NoJitter: RandomNumberGenerator {
    mutating func next() -> UInt64 { 1 << 10 }
}
