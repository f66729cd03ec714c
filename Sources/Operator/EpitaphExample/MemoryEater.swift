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
                use(bytes: 1 << 20)
                // Slowly near the limit.
                if files.reading().usedShare ?? 0 > 0.75 { usleep(200_000) }
            }
        }
    }

    /// Not with malloc(3): a compiler leaves out what is allocated and never read.
    private static func use(bytes: Int) {
        let block = mmap(
            nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if let block, block != MAP_FAILED { memset(block, 1, bytes) }
    }
}
