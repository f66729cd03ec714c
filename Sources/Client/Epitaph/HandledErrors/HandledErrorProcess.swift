// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// What reports of handled errors need from the process they are in. Called on the thread that
/// makes the reports, except for `dumpOfAllThreads` and `scopeOfCaller`.
package protocol HandledErrorProcess: Sendable {
    /// Whether errors can be reported at all. Called on the thread that reports an error.
    var isStarted: Bool { get }

    /// A snapshot of this process: identity, modules, mappings, annotations and breadcrumbs.
    /// Threads and memory are not needed.
    func snapshot() throws(Refusal) -> ProcessSnapshot

    /// What the calling code knows about its current work, such as a request; nil if it has no
    /// scope. Called on the thread that reports an error; takes microseconds.
    func scopeOfCaller() -> CallerScope?

    /// Captures all threads, with the calling thread as the one that the report is about.
    ///
    /// - Returns: a snapshot whose `read` reads the capture once and removes it.
    func dumpOfAllThreads() throws(Refusal) -> PendingSnapshot

    func withDatabase(
        _ body: (ReportDatabase) throws(DatabaseError) -> Void
    ) throws(DatabaseError)
}

/// Attributes and breadcrumbs of the work in which an error happened, as of the call.
package struct CallerScope: Sendable {
    let add: @Sendable (inout ProcessSnapshot) -> Void

    /// - Parameter add: puts them into a snapshot of the process; called at most once, on another
    ///   thread.
    package init(add: @escaping @Sendable (inout ProcessSnapshot) -> Void) {
        self.add = add
    }
}

/// A capture that has not been read yet.
package struct PendingSnapshot: Sendable {
    let read: @Sendable () throws(Refusal) -> ProcessSnapshot
    let discard: @Sendable () -> Void

    /// - Parameters:
    ///   - read: called at most once, on another thread; the capture is removed by it.
    ///   - discard: called instead if the capture is not needed.
    package init(
        read: @escaping @Sendable () throws(Refusal) -> ProcessSnapshot,
        discard: @escaping @Sendable () -> Void
    ) {
        self.read = read
        self.discard = discard
    }
}
