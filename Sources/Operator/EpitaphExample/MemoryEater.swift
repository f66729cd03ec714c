// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Glibc

/// Uses memory until the kernel ends the process.
enum MemoryEater {
    /// Requires a control group within this limit: otherwise others would be killed first.
    private static let mostLimitBytes: UInt64 = 1 << 30

    /// Starts on its own thread, after `answer` has said so or why not: soon nobody can answer.
    static func begin(_ answer: (String) -> Void) {
        guard let limit = ControlGroupFiles().reading().group?.limitBytes,
            limit <= mostLimitBytes
        else { return answer("refused: there is no control group with a limit below 1 GiB") }
        answer("eating")
        startThread("eater") {
            let files = ControlGroupFiles()
            while true {
                memset(malloc(1 << 20), 1, 1 << 20)
                // Slowly near the limit.
                if files.reading().usedShare ?? 0 > 0.75 { usleep(200_000) }
            }
        }
    }
}
