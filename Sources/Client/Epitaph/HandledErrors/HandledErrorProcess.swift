// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// The process, as reports of handled errors need it, on the thread that makes the reports, except
/// for `dumpOfAllThreads` and `scopeOfCaller`.
package protocol HandledErrorProcess: Sendable {
    /// Whether errors can be reported. Called on the thread that reports an error.
    var isStarted: Bool { get }

    /// Identity, modules, mappings, annotations and breadcrumbs, without threads and memory.
    func snapshot() throws(Refusal) -> ProcessSnapshot

    /// The caller's scope; nil for none. On the thread that reports; takes microseconds.
    func scopeOfCaller() -> CallerScope?

    /// Captures all threads, for a report about the calling one. The result reads the capture once.
    func dumpOfAllThreads() throws(Refusal) -> PendingSnapshot

    /// Calls `body`, which files a report.
    func file(
        _ body: (ReportDatabase) throws(DatabaseError) -> Void
    ) throws(DatabaseError)
}

/// Attributes and breadcrumbs of the work in which an error happened, as of the call.
package struct CallerScope: Sendable {
    let add: @Sendable (inout ProcessSnapshot) -> Void

    /// - Parameter add: called at most once, on another thread.
    package init(add: @escaping @Sendable (inout ProcessSnapshot) -> Void) {
        self.add = add
    }
}

package struct PendingSnapshot: Sendable {
    let read: @Sendable () throws(Refusal) -> ProcessSnapshot
    let discard: @Sendable () -> Void

    /// - Parameters:
    ///   - read: reads and removes the capture; called at most once, on another thread.
    ///   - discard: called instead if the capture is not needed.
    package init(
        read: @escaping @Sendable () throws(Refusal) -> ProcessSnapshot,
        discard: @escaping @Sendable () -> Void
    ) {
        self.read = read
        self.discard = discard
    }
}
