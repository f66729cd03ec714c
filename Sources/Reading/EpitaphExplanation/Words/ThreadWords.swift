// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ExplainedThread {
    /// `4711 "worker-1", task "upload", queue "com.example.io"`
    package var identity: String {
        thread.idWords + (thread.name.map { " \"\($0)\"" } ?? "")
            + (thread.taskName.map { ", task \"\($0)\"" } ?? "")
            + (thread.queueName.map { ", queue \"\($0)\"" } ?? "")
    }

    /// State and missing parts of an incomplete thread; nil for a complete one.
    package var condition: String? {
        guard thread.completeness != .complete else { return nil }
        let why = thread.whyIncomplete.map { ": \($0)" } ?? ""
        let state = thread.runState.map { "; state \($0)" } ?? ""
        let call = thread.systemCall.map {
            $0 < 0 ? "; in no system call" : "; in system call \($0)"
        }
        return thread.completeness.word + why + state + (call ?? "")
    }

    package var title: String { identity + (condition.map { " (\($0))" } ?? "") }
}

extension ThreadSnapshot.Completeness {
    package var word: String { "\(self)" }
}
