// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Threads with the same condition and stack.
package struct ThreadGroup: Sendable {
    package private(set) var threads: [ExplainedThread]

    package var stack: ReportStack? { threads[0].stack }
    package var condition: String? { threads[0].condition }
    package var identities: [String] { threads.map(\.identity) }

    /// In the order of their first threads.
    package static func groups(of threads: [ExplainedThread]) -> [ThreadGroup] {
        var groups: [ThreadGroup] = []
        // Stacks are long, so candidates are found by their addresses.
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

    /// The innermost function outside system libraries best shows what a thread was doing.
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
    /// Without stack pointers, which reports do not show and which differ between threads.
    fileprivate var asShown: ReportStack {
        var shown = self
        for index in shown.frames.indices { shown.frames[index].stackPointer = nil }
        return shown
    }
}

extension ReportOutline {
    package var otherThreads: [ExplainedThread] {
        explanation.otherThreads.filter { threads.contains($0.thread.id) }
    }

    /// Replaces the thread that the report is about; nil if there is one, or none was asked for.
    package var wordsWithoutMainThread: String? {
        guard explanation.mainThread == nil else { return nil }
        if explanation.reason != nil { return "The crashing thread is not known." }
        return snapshot.request?.subjectThreadID.map {
            "Thread \($0), which it is about, had ended before it could be captured, or is not in the "
                + "dump."
        }
    }
}
