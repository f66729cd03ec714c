// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

/// Scopes of tasks and threads on both architectures. Swift's own tasks are in TaskScopeTests; here
/// the program plays the runtime, because Swift cannot be built for the other architecture.
@Suite struct PlayedTaskTests {
    /// Whose program runs: this machine's, or aarch64's in an emulator.
    enum Machine: CaseIterable {
        case own, aarch64

        func snapshot(_ way: String) throws -> ProcessSnapshot {
            switch self {
            case .own: try Dummy(way, threads: 2).snapshot()
            case .aarch64: try AArch64Tests.run(way).snapshot()
            }
        }
    }

    private static let unproved = "scope of the task: nothing proves which one it is"

    /// An emulator has a thread of its own, of which other things are missing.
    private static func missingScopes(in snapshot: ProcessSnapshot) -> [String] {
        snapshot.damage.map(\.sentence).filter { $0.hasPrefix("scope") }
    }

    @Test("The scope of a task's parent is found", arguments: Machine.allCases)
    func found(_ machine: Machine) throws {
        let snapshot = try machine.snapshot("played-task")
        let requests = snapshot.annotations.filter { $0.name == "request" }
        #expect(requests.map(\.value) == ["of the task"])
        #expect(requests.map(\.isOfTask) == [true])
        #expect(Self.missingScopes(in: snapshot) == [])
    }

    @Test(
        "Where trials disagree, or a record is of an unknown kind, no scope is named",
        arguments: Machine.allCases, ["played-task-unproved", "played-task-strange"])
    func unproved(_ machine: Machine, _ way: String) throws {
        let snapshot = try machine.snapshot(way)
        #expect(snapshot.annotations.filter(\.isOfTask).isEmpty)
        #expect(
            snapshot.annotations.first { $0.name == "request" }?.value == "of the process")
        #expect(Self.missingScopes(in: snapshot) == [Self.unproved])
    }

    @Test("Attributes of every type and scopes of threads are there on aarch64")
    func aarch64() throws {
        let attributes = try Machine.aarch64.snapshot("attributes").annotations
        let own = try Machine.own.snapshot("attributes").annotations
        #expect(Set(attributes.map(\.name)) == Set(own.map(\.name)))
        #expect(attributes.first { $0.name == "least" }?.value == "\(Int64.min)")
        #expect(attributes.first { $0.name == "changed" }?.type == .number)
        let scope = try Machine.aarch64.snapshot("scope")
        #expect(
            scope.annotations.filter(\.isOfTask).map(\.name).sorted() == [
                "request", "rows", "user",
            ])
        #expect(scope.annotations.first { $0.name == "request" }?.value == "inner")
        #expect(scope.breadcrumbs.map(\.message) == ["inside"])
        #expect(Self.missingScopes(in: scope) == [])
        let ended = try Machine.aarch64.snapshot("scope-ended")
        #expect(ended.annotations.filter(\.isOfTask).isEmpty)
        let crumbs = try Machine.aarch64.snapshot("crumb-attributes").breadcrumbs
        #expect(crumbs.first?.attributes.map(\.name) == ["table", "rows", "empty", "odd"])
    }

    @Test(
        "A scope that is not proved to be a thread's is not named on aarch64 either",
        arguments: ["scope-of-another", "scope-wild"])
    func unprovedThread(_ way: String) throws {
        let snapshot = try Machine.aarch64.snapshot(way)
        #expect(snapshot.annotations.filter(\.isOfTask).isEmpty)
        #expect(Self.missingScopes(in: snapshot) == [Self.unproved])
    }
}
