// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Glibc

/// Uses memory until the kernel ends the process.
enum MemoryEater {
    /// Requires a control group within this limit: otherwise others would be killed first.
    private static let mostLimitBytes: UInt64 = 1 << 30

    /// Starts on its own thread. Returns why not; nil on success.
    static func begin() -> String? {
        guard let limit = ControlGroupFiles().reading().group?.limitBytes,
            limit <= mostLimitBytes
        else { return "refused: there is no control group with a limit below 1 GiB" }
        startThread("eater") {
            let files = ControlGroupFiles()
            while true {
                memset(malloc(1 << 20), 1, 1 << 20)
                // Slowly near the limit.
                if files.reading().usedShare ?? 0 > 0.75 { usleep(200_000) }
            }
        }
        return nil
    }
}
