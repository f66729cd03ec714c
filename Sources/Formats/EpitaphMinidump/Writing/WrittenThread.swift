// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct WrittenThread: Sendable {
    var thread: ThreadSnapshot
    var id: UInt32

    init(_ thread: ThreadSnapshot) {
        self.thread = thread
        id = UInt32(truncatingIfNeeded: thread.id)
    }

    /// The crashing thread first, because some readers look at few threads, with the registers of
    /// the crash, and added if the list lacks it.
    static func list(of snapshot: ProcessSnapshot) -> [WrittenThread] {
        var threads = snapshot.threads
        if let exception = snapshot.exception {
            // An exception without a known thread gets thread 0: debuggers expect one.
            let id = exception.threadID ?? 0
            let index = threads.firstIndex { $0.id == id }
            var crashing =
                index.map { threads.remove(at: $0) }
                ?? ThreadSnapshot(
                    id: id, completeness: exception.registers == nil ? .missing : .complete)
            crashing.registers = exception.registers ?? crashing.registers
            threads.insert(crashing, at: 0)
        }
        return threads.map(WrittenThread.init)
    }
}
