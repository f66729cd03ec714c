// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Epitaph

/// Background work that is watched for hangs.
final class Importer: Sendable {
    private let files = DispatchSemaphore(value: 0)
    private let ends = DispatchSemaphore(value: 0)

    init() {
        startThread("importer") { [self] in work() }
    }

    func begin() { files.signal() }

    func finish() { ends.signal() }

    private func work() {
        // Nil if Epitaph does not run; then nothing is watched.
        let heartbeat = try? Heartbeat("importer", threshold: .milliseconds(1_000))
        heartbeat?.pause()
        while true {
            files.wait()
            if let heartbeat {
                heartbeat.whileWorking { importFile() }
            } else {
                importFile()
            }
        }
    }

    @inline(never)
    private func importFile() {
        ends.wait()
    }
}
