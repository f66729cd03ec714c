// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

enum ThreadOptions {
    static let thread = OptionDescription(
        "thread", value: "TID", isRepeatable: true, excludes: ["all-threads"],
        "show the crashing thread and the one with this id; \"crashing\": no other")
    static let allThreads = OptionDescription(
        "all-threads", "show every thread's stack and every breadcrumb")

    private static let crashing = "crashing"

    /// - Parameter isText: whether the output is for people, with the crashing thread first.
    static func selection(
        _ arguments: ParsedArguments, of snapshot: ProcessSnapshot, isText: Bool
    ) throws(CommandFailure) -> ThreadSelection {
        let words = arguments.values(of: thread)
        guard !words.isEmpty else {
            let isFocused = isText && isCrashOfOneThread(snapshot)
            return arguments.has(allThreads) || !isFocused ? .all : .crashing
        }
        let known = Set(
            snapshot.threads.map(\.id) + [snapshot.exception?.threadID].compactMap(\.self))
        var ids: Set<UInt64> = []
        for word in words where word != crashing {
            guard let id = UInt64(word) else {
                throw CommandFailure(
                    usage: "--thread takes the id of a thread or \"crashing\", not \"\(word)\"",
                    of: ShowCommand.description)
            }
            guard known.contains(id) else { throw unknown(id, among: known) }
            ids.insert(id)
        }
        return .these(ids)
    }

    /// No thread stands out without a crash or if another process ended this one.
    private static func isCrashOfOneThread(_ snapshot: ProcessSnapshot) -> Bool {
        guard let exception = snapshot.exception, exception.threadID != nil else { return false }
        guard let sender = exception.senderProcessID else { return true }
        return sender == snapshot.process.id
    }

    private static func unknown(_ id: UInt64, among known: Set<UInt64>) -> CommandFailure {
        let shown = known.sorted().prefix(10).map { String($0) }
        let list = shown.joined(separator: ", ") + (known.count > shown.count ? ", …" : "")
        return CommandFailure(
            .notFound,
            known.isEmpty
                ? "there is no thread \(id): the dump has no threads"
                : "there is no thread \(id) in this crash; its threads: \(list)")
    }
}
