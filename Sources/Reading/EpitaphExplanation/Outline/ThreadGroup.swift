// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Threads that look the same in a report: what is missing of them, and their stacks.
package struct ThreadGroup: Sendable {
    package private(set) var threads: [ExplainedThread]

    package var stack: ReportStack? { threads[0].stack }
    package var condition: String? { threads[0].condition }
    /// Of each thread.
    package var identities: [String] { threads.map(\.identity) }

    /// In the order of their first threads.
    package static func groups(of threads: [ExplainedThread]) -> [ThreadGroup] {
        var groups: [ThreadGroup] = []
        // A stack is long, so those that may be equal are found by their addresses first.
        var places: [Key: [(group: Int, stack: ReportStack?)]] = [:]
        for thread in threads {
            let key = Key(
                condition: thread.condition,
                addresses: thread.stack?.frames.map(\.address) ?? [])
            let shown = thread.stack?.asShown
            if let alike = places[key, default: []].first(where: { $0.stack == shown }) {
                groups[alike.group].threads.append(thread)
            } else {
                places[key, default: []].append((groups.count, shown))
                groups.append(ThreadGroup(threads: [thread]))
            }
        }
        return groups
    }

    private struct Key: Hashable {
        let condition: String?
        let addresses: [UInt64]
    }

    /// The innermost function with a name that is not the system's, if there is one: it shows best
    /// what a thread was doing.
    package func representativeFrame(_ modules: [ModuleSnapshot]) -> ReportFrame? {
        let frames = stack?.frames ?? []
        let own = frames.prefix(Self.mostSearched).first {
            $0.function != nil && !$0.isOfSystem(modules)
        }
        return own ?? frames.first
    }

    private static let mostSearched = 120
}

extension ReportStack {
    /// Without what no report shows and what differs between threads, so that threads that wait at
    /// the same place are equal.
    fileprivate var asShown: ReportStack {
        var shown = self
        for index in shown.frames.indices { shown.frames[index].stackPointer = nil }
        return shown
    }
}

extension ExplainedThread {
    /// `4711 "worker-1", task "upload", queue "com.example.io"`
    package var identity: String {
        thread.idWords + (thread.name.map { " \"\($0)\"" } ?? "")
            + (thread.taskName.map { ", task \"\($0)\"" } ?? "")
            + (thread.queueName.map { ", queue \"\($0)\"" } ?? "")
    }

    /// What is missing of the thread, and what it was doing; nil for a complete one.
    package var condition: String? {
        guard thread.completeness != .complete else { return nil }
        let why = thread.whyIncomplete.map { ": \($0)" } ?? ""
        let state = thread.runState.map { "; state \($0)" } ?? ""
        let call = thread.systemCall.map {
            $0 < 0 ? "; in no system call" : "; in system call \($0)"
        }
        return thread.completeness.word + why + state + (call ?? "")
    }

    /// `4711 "worker-1"`, and what is missing of it.
    package var title: String { identity + (condition.map { " (\($0))" } ?? "") }
}

extension ThreadSnapshot.Completeness {
    package var word: String { "\(self)" }
}

extension ReportOutline {
    /// The threads besides the crashing one that are shown.
    package var otherThreads: [ExplainedThread] {
        explanation.otherThreads.filter { threads.contains($0.thread.id) }
    }

    /// What a report says instead of the thread that it is about; nil where it is about none.
    package var wordsWithoutMainThread: String? {
        guard explanation.mainThread == nil else { return nil }
        if explanation.reason != nil { return "The crashing thread is not known." }
        return snapshot.request?.subjectThreadID.map {
            "Thread \($0), which it is about, had ended before it could be captured, or is not in the "
                + "dump."
        }
    }
}
