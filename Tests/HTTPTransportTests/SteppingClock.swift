// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReportUpload
import Synchronization

/// The time of day as it is, and waits that are over at once, as if they had been waited for.
final class SteppingClock: UploadClock {
    private let waited = Mutex<[Double]>([])

    var waits: [Double] { waited.withLock { $0 } }
    var isStopped: Bool { false }

    func now() -> Date { Date() + passed }
    func monotonicSeconds() -> Double { passed }
    func wait(seconds: Double) { waited.withLock { $0.append(seconds) } }

    private var passed: Double { waited.withLock { $0.reduce(0, +) } }
}
