// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Proof of a report's completeness; without proof it is not complete. docs/decisions/unwinding.md
package struct Completeness: Sendable, Equatable {
    package var damage: [Damage] = []
    package var doubts: [String] = []
    package var unproven: [String] = []

    package var failures: [String] { damage.map(\.sentence) + doubts }

    /// The subject of each failure: `thread 7`.
    var subjects: [String] {
        damage.map(\.subject) + doubts.map { String($0.prefix { $0 != ":" }) }
    }

    package var isComplete: Bool { damage.isEmpty && doubts.isEmpty && unproven.isEmpty }

    init(
        of snapshot: ProcessSnapshot, _ threads: [ExplainedThread], problems: [Int: String]
    ) {
        damage = snapshot.damage
        countThreads(threads.count, of: snapshot)
        var modules: Set<Int> = []
        var (unread, kept) = (0, 0)
        for thread in threads {
            if let doubt = doubt(about: thread.thread) { doubts.append(doubt) }
            guard let stack = thread.stack else { continue }
            guard stack.isUnwound else {
                unread += 1
                continue
            }
            if stack.isKept { kept += 1 }
            let subject = thread.thread.damageSubject
            let isCutKnown = damage.contains { $0.subject == "stack of \(subject)" }
            let found = StackDoubts(stack, isCutKnown: isCutKnown)
            doubts += found.words.map { "\(subject): \($0)" }
            modules.formUnion(found.modules)
        }
        doubts += modules.sorted().filter(snapshot.modules.indices.contains).map { index in
            "\(snapshot.modules[index].name): its unwind information did not lead on"
                + (problems[index].map { " (\($0))" } ?? "")
        }
        if unread > 0 {
            unproven.append(
                "the \(unread == 1 ? "stack" : "stacks") of \(counted(unread, "thread")) "
                    + "\(unread == 1 ? "was" : "were") not looked at")
        }
        let coroutines = threads.filter { $0.stack?.isCoroutine == true }.count
        if coroutines > 0 {
            unproven.append(
                "the calls that \(counted(coroutines, "thread")) made before "
                    + "\(coroutines == 1 ? "it" : "they") went to a coroutine's stack are not looked for"
            )
        }
        if kept > 0 {
            // Kept frames are not unwound again, so a missing one would go unnoticed.
            unproven.append(
                "the \(kept == 1 ? "stack" : "stacks") of \(counted(kept, "thread")) "
                    + "\(kept == 1 ? "is" : "are") as found when the report was filed, and nothing "
                    + "at hand proves \(kept == 1 ? "it" : "them")")
        }
    }

    /// A thread without all of its registers, unless the damage list already has it.
    private func doubt(about thread: ThreadSnapshot) -> String? {
        guard thread.completeness != .complete,
            !damage.contains(where: { $0.subject == thread.damageSubject })
        else { return nil }
        let why = thread.whyIncomplete ?? "not all of it is in the dump"
        return "\(thread.damageSubject): \(why)"
    }

    private mutating func countThreads(_ here: Int, of snapshot: ProcessSnapshot) {
        guard let all = snapshot.threadCount else {
            unproven.append("nothing in the dump tells how many threads the process had")
            return
        }
        guard here < all else { return }
        let isWanted = snapshot.request?.includesAllThreads == false
        let why = isWanted ? ", as the program asked for no other" : ""
        doubts.append("threads: \(here.grouped) of \(all.grouped) are in the dump\(why)")
    }
}

extension ProcessSnapshot {
    /// Threads of the process: from the capture, or `Threads:` in /proc/PID/status, proc(5).
    var threadCount: Int? {
        if let count = capture?.threadsFound { return Int(count) }
        let lines = (files.status?.text ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("Threads:") }
        return line.flatMap { Int($0.dropFirst("Threads:".count).filter { !$0.isWhitespace }) }
    }
}
