// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

struct WaitingPicture {
    private let threads: [ExplainedThread]
    private let waits: [ThreadWait]
    private let waitOf: [UInt64: ThreadWait]
    private let names: [UInt64: String]
    private let mayLackThreads: Bool
    private static let mostNamed = 8

    init(
        _ threads: [ExplainedThread], of snapshot: ProcessSnapshot, _ memory: ReadableMemory
    ) {
        self.threads = threads
        mayLackThreads = snapshot.isCut
        waits = threads.compactMap { ThreadWait($0, of: snapshot.architecture, memory) }
        waitOf = Dictionary(
            waits.map { ($0.threadID, $0) }, uniquingKeysWith: { first, _ in first })
        names = Dictionary(
            threads.map { thread in
                let name = thread.thread.name.map { " \"\($0)\"" } ?? ""
                return (thread.thread.id, "thread \(thread.thread.id)\(name)")
            }, uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter isStuck: whether the process may hang. Otherwise waiting is normal, and only
    ///   deadlocks are reported.
    func findings(isStuck: Bool) -> [Diagnosis.Finding] {
        let cycles = cycles()
        let deadlocks = cycles.map { deadlock($0) }
        guard isStuck else { return deadlocks }
        let inCycles = Set(cycles.flatMap(\.self))
        return deadlocks + heldLocks(except: inCycles) + commonLocks() + everybody()
    }

    private func name(_ thread: UInt64) -> String { names[thread] ?? "thread \(thread)" }

    private func list(_ threads: [UInt64]) -> String {
        var words = threads.prefix(Self.mostNamed).map(name)
        if threads.count > Self.mostNamed {
            words.append("\(threads.count - Self.mostNamed) more")
        }
        guard let last = words.popLast() else { return "no thread" }
        return words.isEmpty ? last : "\(words.joined(separator: ", ")) and \(last)"
    }

    private func cycles() -> [[UInt64]] {
        var finished: Set<UInt64> = []
        var cycles: [[UInt64]] = []
        for wait in waits {
            var path: [UInt64] = []
            var positions: [UInt64: Int] = [:]
            var thread = wait.threadID
            while !finished.contains(thread), positions[thread] == nil,
                let next = waitOf[thread]?.lock?.owner?.threadID
            {
                positions[thread] = path.count
                path.append(thread)
                thread = next
            }
            if let start = positions[thread] { cycles.append(Array(path[start...])) }
            finished.formUnion(path)
        }
        return cycles
    }

    private func deadlock(_ cycle: [UInt64]) -> Diagnosis.Finding {
        let owners = cycle.compactMap { waitOf[$0]?.lock?.owner }
        let evidence = owners.prefix(Self.mostNamed).map(\.evidence).joined(separator: " ")
        guard cycle.count > 1 else {
            return .init(
                "Deadlock: \(list(cycle)) waits for itself; it has the lock already.",
                evidence: evidence)
        }
        let parts = zip(cycle, owners).prefix(Self.mostNamed).map { thread, owner in
            "\(name(thread)) waits for "
                + (owner.relation == .holdsLock
                    ? "a lock of \(name(owner.threadID))" : "the end of \(name(owner.threadID))")
        }
        return .init("Deadlock: \(parts.joined(separator: ", ")).", evidence: evidence)
    }

    private func heldLocks(except inCycles: Set<UInt64>) -> [Diagnosis.Finding] {
        let held = waits.filter { $0.lock?.owner != nil && !inCycles.contains($0.threadID) }
        let byOwner = Dictionary(grouping: held) { $0.lock?.owner?.threadID ?? 0 }
        return byOwner.inKeyOrder.flatMap { owner, waits in
            [ThreadWait.Relation.holdsLock, .isJoined].compactMap { relation in
                heldLock(owner, relation, waits.filter { $0.lock?.owner?.relation == relation })
            }
        }
    }

    private func heldLock(
        _ owner: UInt64, _ relation: ThreadWait.Relation, _ waits: [ThreadWait]
    ) -> Diagnosis.Finding? {
        guard let evidence = waits.first?.lock?.owner?.evidence else { return nil }
        let ids = waits.map(\.threadID)
        let verb = ids.count == 1 ? "waits" : "wait"
        let whatFor =
            relation == .isJoined
            ? "the end of \(name(owner))" : "a lock that \(name(owner)) has"
        return .init(
            "\(list(ids)) \(verb) for \(whatFor)\(state(owner)).".capitalizedFirst,
            evidence: evidence)
    }

    private func state(_ thread: UInt64) -> String {
        guard names[thread] != nil else {
            return mayLackThreads ? "" : ", which is not among the threads of this dump"
        }
        guard let wait = waitOf[thread] else { return "" }
        return ", which itself waits in \(wait.call)"
    }

    private func commonLocks() -> [Diagnosis.Finding] {
        let nameless = waits.filter { $0.lock != nil && $0.lock?.owner == nil }
        let byAddress = Dictionary(grouping: nameless) { $0.lock?.address ?? 0 }
        return byAddress.inKeyOrder.filter { $0.value.count > 1 }.map {
            address, waits in
            .init(
                "\(list(waits.map(\.threadID))) wait for the same lock, condition or queue."
                    .capitalizedFirst,
                evidence: "They are in futex with the address \(address.hex).")
        }
    }

    private func everybody() -> [Diagnosis.Finding] {
        let waiting = Set(waits.map(\.threadID))
        let others = threads.filter { !waiting.contains($0.thread.id) }
        // The thread that takes a live dump is running.
        guard !mayLackThreads, threads.count > 1, others.count <= 1, !waits.isEmpty,
            others.allSatisfy(takesDump)
        else { return [] }
        var counts: [String: Int] = [:]
        for wait in waits { counts[wait.call, default: 0] += 1 }
        let calls = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) in \($0.key)" }.joined(separator: ", ")
        let whose = others.isEmpty ? "All \(waits.count) threads" : "All other threads"
        return [
            .init(
                "\(whose) were waiting: \(calls).",
                evidence: "Their registers, and the code at their instruction pointers.")
        ]
    }

    private func takesDump(_ thread: ExplainedThread) -> Bool {
        thread.stack?.frames.contains { $0.function?.hasPrefix("epitaph_") == true } ?? false
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
