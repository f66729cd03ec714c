// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Glibc

/// Memory that is used until the kernel ends the process.
enum MemoryEater {
    /// The largest limit of a control group that is eaten up: without one, other processes would go
    /// first.
    private static let mostLimitBytes: UInt64 = 1 << 30

    /// - Returns: why not; nil if it has begun, on a thread of its own.
    static func begin() -> String? {
        guard let limit = ControlGroupFiles().reading().group?.limitBytes,
            limit <= mostLimitBytes
        else { return "refused: there is no control group with a limit below 1 GiB" }
        startThread("eater") {
            let files = ControlGroupFiles()
            while true {
                memset(malloc(1 << 20), 1, 1 << 20)
                // Slowly where it becomes interesting.
                if files.reading().usedShare ?? 0 > 0.75 { usleep(200_000) }
            }
        }
        return nil
    }
}
