// SPDX-License-Identifier: Apache-2.0

/// A thread of the crashed process.
package struct ThreadSnapshot: Sendable {
    /// The kernel's thread id, gettid(2). It is 0, which no thread has, for a crashing thread whose
    /// id is not known.
    package var id: UInt64
    /// Its name, prctl(2), PR_SET_NAME; nil if it has none or if it is not known.
    package var name: String?
    /// The name of the Swift task that ran on it, `Task(name:)`; nil if there was none, it has no
    /// name, or it is not known.
    package var taskName: String?
    /// The label of the dispatch queue whose work ran on it; nil if there was none or it is not
    /// known.
    package var queueName: String?
    /// How much of the thread the dump has.
    package var completeness: Completeness
    /// Why it is not complete, in words that continue "thread 7: …".
    package var whyIncomplete: String?
    /// All registers for a complete thread; only instruction and stack pointer for a partial one.
    package var registers: RegisterSnapshot?
    /// The stack from the red zone below the stack pointer upwards.
    package var stack: MemoryRegion?
    /// Address of the thread control block: FS base on x86_64, TPIDR_EL0 on aarch64.
    package var threadDataAddress: UInt64?
    /// Static priority (real-time policies), sched(7).
    package var priority: Int32?
    /// SCHED_OTHER 0, FIFO 1, RR 2, BATCH 3, IDLE 5, DEADLINE 6.
    package var schedulingPolicy: Int32?
    /// nice(2), from -20, the most favourable, to 19.
    package var nice: Int32?
    /// The letter of /proc/PID/stat's third field: R, S, D, …
    package var runState: Character?
    /// Addresses of contexts of Swift tasks where the capture stopped following a chain of
    /// callers because its limit was reached: it did not look for their memory.
    package var asyncChainCuts: [UInt64] = []
    /// The system call a partial thread was in; -1 for none.
    package var systemCall: Int64?
    /// The first three arguments of futex(2), if a partial thread was in it: the address of the lock,
    /// what is done with it, and a value. Empty otherwise.
    package var futexArguments: [UInt64] = []

    /// The most threads that our dumps contain and that are read from any dump.
    package static let countLimit = 16_384

    /// How much of a thread a dump has.
    package enum Completeness: UInt8, Sendable {
        /// Registers as the kernel saved them, and the stack.
        case complete = 1
        /// Only what /proc says of a thread that did not stop: instruction and stack pointer, name,
        /// system call.
        case partial = 2
        /// Only its id.
        case missing = 3
    }

    /// A thread with nothing else known.
    package init(id: UInt64, completeness: Completeness) {
        self.id = id
        self.completeness = completeness
    }

    /// The id as words of a sentence.
    package var idWords: String { id == 0 ? "of unknown id" : "\(id)" }
    /// What damage that concerns the thread has as its subject.
    package var damageSubject: String { "thread \(idWords)" }
}
