// SPDX-License-Identifier: Apache-2.0

package struct ThreadSnapshot: Sendable {
    /// gettid(2); 0, which no thread has, for a crashing thread of unknown id.
    package var id: UInt64
    /// PR_SET_NAME of prctl(2); nil if none or unknown.
    package var name: String?
    /// `Task(name:)` of the Swift task that ran on it; nil if none or unknown.
    package var taskName: String?
    /// The label of the dispatch queue it worked on; nil if none or unknown.
    package var queueName: String?
    package var completeness: Completeness
    package var whyIncomplete: String?
    /// All registers of a complete thread; only instruction and stack pointer of a partial one.
    package var registers: RegisterSnapshot?
    /// From the red zone below the stack pointer upwards.
    package var stack: MemoryRegion?
    /// The thread control block: FS base on x86_64, TPIDR_EL0 on aarch64.
    package var threadDataAddress: UInt64?
    /// Static priority (real-time policies), sched(7).
    package var priority: Int32?
    /// SCHED_OTHER 0, FIFO 1, RR 2, BATCH 3, IDLE 5, DEADLINE 6.
    package var schedulingPolicy: Int32?
    /// nice(2), from -20, the most favourable, to 19.
    package var nice: Int32?
    /// The letter of /proc/PID/stat's third field: R, S, D, …
    package var runState: Character?
    /// Contexts where the capture stopped following a chain of callers, whose memory is missing.
    package var asyncChainCuts: [UInt64] = []
    /// Of a partial thread; -1 for none.
    package var systemCall: Int64?
    /// Address, operation and value of a partial thread in futex(2). Otherwise empty.
    package var futexArguments: [UInt64] = []

    /// Limit on threads in our dumps, and on threads read from any dump.
    package static let countLimit = 16_384

    /// How much of a thread is in the dump.
    package enum Completeness: UInt8, Sendable {
        /// Registers as the kernel saved them, and the stack.
        case complete = 1
        /// What /proc has of a thread that did not stop: two pointers, name, system call.
        case partial = 2
        case missing = 3
    }

    package init(id: UInt64, completeness: Completeness) {
        self.id = id
        self.completeness = completeness
    }

    package var idWords: String { id == 0 ? "of unknown id" : "\(id)" }
    package var damageSubject: String { "thread \(idWords)" }
}
