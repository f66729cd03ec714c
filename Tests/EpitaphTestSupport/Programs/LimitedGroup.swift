// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Foundation

/// A control group with a limit for its memory, in which the kernel kills; removed when the value
/// goes.
package final class LimitedGroup {
    private let path: String

    /// Nil where none can be had: not root, or nothing is mounted that may be written.
    package convenience init?(limitBytes: Int) {
        guard let path = Self.make(limitBytes) else { return nil }
        self.init(path: path)
    }

    private init(path: String) {
        self.path = path
    }

    /// The arguments that run a program in it.
    package func running(_ arguments: [String]) -> [String] {
        ["bash", "-c", "echo $$ > \(path)/cgroup.procs && exec \"$@\"", "bash"] + arguments
    }

    private static func make(_ limitBytes: Int) -> String? {
        let name = "epitaph-test-\(UInt32.random(in: 0 ... .max))"
        let roots = [
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"),
        ]
        for (root, limit) in roots {
            let path = "\(root)/\(name)"
            guard mkdir(path, 0o755) == 0 else { continue }
            let file = "\(path)/\(limit)"
            let isLimited =
                (try? "\(limitBytes)".write(toFile: file, atomically: false, encoding: .utf8))
                != nil
            if isLimited { return path }
            rmdir(path)
        }
        return nil
    }

    deinit {
        // The kernel takes a moment to let go of a process that it killed.
        _ = eventually(withinSeconds: 5) { rmdir(path) == 0 || errno != EBUSY }
    }

    package static var canBeHad: Bool { LimitedGroup(limitBytes: 64 << 20) != nil }
}

/// What this machine's kernel says of processes that it killed for want of memory.
package enum KernelKills {
    /// PROC_PID_INIT_INO of linux/proc_ns.h: the pid namespace whose numbers the kernel's log uses.
    private static let firstNamespace: UInt64 = 0xefff_fffc

    /// Whether its log names this process, and may be read.
    package static func name(_ processID: Int32, _ name: String) -> Bool {
        guard (try? ProcFileSystem().pidNamespace()) == firstNamespace else { return false }
        let words = "Killed process \(processID) (\(name.prefix(15)))"
        return (KernelLog.messages() ?? []).contains { $0.text.contains(words) }
    }
}
