// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphMinidump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization

@testable import Epitaph

extension HandledErrorOptions {
    /// For tests that look at what `stop` still filed: it drops what is not made within its time,
    /// which by default can be too short under a sanitizer on a busy machine.
    static let patient: HandledErrorOptions = {
        var options = HandledErrorOptions()
        options.stopTimeout = .seconds(30)
        return options
    }()
}

/// This process without a crash reporter in it, and a database.
final class FakeProcess: HandledErrorProcess {
    private struct Values {
        var isStarted = true
        var problem: Refusal?
        var discardedCount = 0
    }

    let path: String
    private let values = Mutex(Values())
    /// Locked while reports are to wait.
    private let gate = Mutex(())

    init(in directory: TemporaryDirectory) {
        path = directory.path("db")
    }

    var isStarted: Bool {
        get { values.withLock { $0.isStarted } }
        set { values.withLock { $0.isStarted = newValue } }
    }

    /// Why no snapshot can be made.
    var problem: Refusal? {
        get { values.withLock { $0.problem } }
        set { values.withLock { $0.problem = newValue } }
    }

    var discardedCount: Int { values.withLock { $0.discardedCount } }

    /// What the report that was filed under this id says.
    func reportSnapshot(_ id: Epitaph.ID) throws -> ProcessSnapshot {
        let report = try database.report(id)
        return try MinidumpReader.read(FileBytes.contents(of: report.path)).snapshot
    }

    /// No report is made while `body` runs.
    func withoutReports<Value>(_ body: () throws -> Value) rethrows -> Value {
        try gate.withLock { _ in try body() }
    }

    func snapshot() throws(Refusal) -> ProcessSnapshot {
        gate.withLock { _ in }
        if let problem { throw problem }
        var snapshot = ProcessSnapshot(architecture: Machine.own == .x86_64 ? .x86_64 : .aarch64)
        snapshot.files.maps = try? FileBytes.contents(of: "/proc/self/maps")
        snapshot.annotations = [
            Annotation(name: "colour", value: "of the process"),
            Annotation(name: "ver", value: "1"),
        ]
        snapshot.breadcrumbs = [
            Breadcrumb(number: 1, timeNanoseconds: 1, message: "before"),
            Breadcrumb(number: 2, timeNanoseconds: .max, message: "after"),
        ]
        return snapshot
    }

    func scopeOfCaller() -> CallerScope? {
        guard let request = Self.request else { return nil }
        return CallerScope { snapshot in
            snapshot.addScope(
                attributes: [
                    Annotation(name: "request", value: request),
                    Annotation(name: "colour", value: "of the request"),
                ],
                breadcrumbs: [
                    Breadcrumb(number: 1, timeNanoseconds: 1, message: "before"),
                    Breadcrumb(number: 3, timeNanoseconds: .max, message: "after the error"),
                ])
        }
    }

    /// What the calling task works on.
    @TaskLocal static var request: String?

    func dumpOfAllThreads() throws(Refusal) -> PendingSnapshot {
        PendingSnapshot(
            read: { () throws(Refusal) in
                var snapshot = try self.snapshot()
                snapshot.threads = [
                    ThreadSnapshot(id: 1, completeness: .missing),
                    ThreadSnapshot(id: 2, completeness: .missing),
                ]
                return snapshot
            },
            discard: { self.values.withLock { $0.discardedCount += 1 } })
    }

    func file(
        _ body: (ReportDatabase) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try body(try ReportDatabase(opening: path, ifMissing: .create))
    }

    var database: ReportDatabase {
        get throws { try ReportDatabase(opening: path, ifMissing: .create) }
    }
}

/// What completions were told.
final class Told: Sendable {
    private let results = Mutex<[Result<HandledErrorOutcome, Refusal>]>([])

    var all: [Result<HandledErrorOutcome, Refusal>] { results.withLock { $0 } }

    var completion: HandledErrorCompletion {
        { result in self.results.withLock { $0.append(result) } }
    }
}

/// An error with cases.
enum LedgerError: Error, CustomStringConvertible {
    case isGone(Int)
    case isLocked

    var description: String {
        switch self {
        case .isGone(let number): "ledger \(number) is gone"
        case .isLocked: "the ledger is locked"
        }
    }
}

/// The same value, of which the compiler knows nothing: it cannot unroll a loop over it, and each
/// copy of a call would be a place of its own.
@_optimize(none)
func unforeseen<Value>(_ value: Value) -> Value { value }
