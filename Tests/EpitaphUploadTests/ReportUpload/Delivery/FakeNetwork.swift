// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import Foundation
import Synchronization

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
