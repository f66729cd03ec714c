// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Swift tasks that crash in a scope, or beside others that are in one.
@Suite struct TaskScopeTests {
    private static func snapshot(_ way: String) throws -> ProcessSnapshot {
        let run = try Dummy(way, victim: .scope)
        #expect(run.result.ending == .signalled(SIGSEGV) || way == "live")
        return try run.snapshot()
    }

    private static func expectRequest(_ number: Int, in snapshot: ProcessSnapshot) {
        let own = snapshot.annotations.filter(\.isOfTask)
        #expect(own.map(\.name) == ["is-admin", "number", "ratio", "request"])
        #expect(own.map(\.value) == ["true", "\(number)", "0.5", "request-\(number)"])
        #expect(own.map(\.type) == [.boolean, .integer, .number, .string])
        #expect(snapshot.annotations.filter { $0.name == "request" }.count == 1)
        #expect(snapshot.annotations.first { $0.name == "ver" }?.isOfTask == false)
        let began = snapshot.breadcrumbs.filter { $0.isOfTask && $0.message.hasPrefix("began") }
        #expect(began.map(\.message) == ["began \(number)"])
        #expect(began.first?.kind == "navigation")
        #expect(
            began.first?.attributes == [
                Annotation(name: "number", value: "\(number)", type: .integer)
            ])
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test(
        "Of a thousand tasks in scopes the one that dies has its own, and nobody else's",
        arguments: 0..<3)
    func thousand(_ round: Int) throws {
        let snapshot = try Self.snapshot("thousand")
        Self.expectRequest(617, in: snapshot)
        let own = snapshot.breadcrumbs.filter(\.isOfTask)
        #expect(own.map(\.message) == ["began 617", "hopped 617"])
        #expect(own.map(\.number) == own.map(\.number).sorted())
    }

    @Test("A task without a scope has none beside a thousand that have one")
    func noneAmongThousand() throws {
        try Self.expectNone(in: Self.snapshot("none-among-thousand"))
    }

    @Test(
        "Awaits, child tasks and tasks made in the scope keep it",
        arguments: [
            "plain", "after-await", "child-of-group", "child-of-let", "child-with-other-value",
            "grandchild", "unstructured", "outlived", "actor",
        ])
    func inherited(_ way: String) throws {
        try Self.expectRequest(1, in: Self.snapshot(way))
    }

    @Test(
        "Scopes without an await, in the body of a task group and on the main actor are found",
        arguments: ["in-task-without-await", "group-body", "main-actor", "thread"])
    func synchronous(_ way: String) throws {
        let snapshot = try Self.snapshot(way)
        #expect(snapshot.annotations.filter(\.isOfTask).map(\.value) == ["request-1"])
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    private static func expectNone(in snapshot: ProcessSnapshot) throws {
        #expect(snapshot.annotations.filter(\.isOfTask).isEmpty)
        #expect(snapshot.breadcrumbs.filter(\.isOfTask).isEmpty)
        let request = snapshot.annotations.first { $0.name == "request" }
        #expect(request?.value == "of the process")
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test(
        "Detached tasks, other threads and what comes after a scope have none",
        arguments: ["detached", "ended", "thread-beside"])
    func none(_ way: String) throws {
        try Self.expectNone(in: Self.snapshot(way))
    }

    @Test(
        "What runs at the end of an object, where the runtime hides scopes, is in none that is told of"
    )
    func isolatedDeinit() throws {
        let snapshot = try Self.snapshot("isolated-deinit")
        #expect(snapshot.annotations.filter(\.isOfTask).isEmpty)
    }

    @Test("An inner scope's attributes count more, and both scopes' breadcrumbs are there")
    func nested() throws {
        let snapshot = try Self.snapshot("nested")
        let own = snapshot.annotations.filter(\.isOfTask)
        #expect(own.first { $0.name == "request" }?.value == "inner")
        #expect(own.first { $0.name == "phase" }?.value == "query")
        #expect(own.first { $0.name == "rows" }?.value == "300")
        #expect(own.first { $0.name == "number" }?.value == "1")
        #expect(
            snapshot.breadcrumbs.filter(\.isOfTask).map(\.message) == ["began 1", "in the inner"])
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("Of a scope for which there was no place the report says so")
    func tooMany() throws {
        let snapshot = try Self.snapshot("too-many")
        #expect(snapshot.annotations.filter(\.isOfTask).isEmpty)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "scope of the task: there were more than there is room for"
            ])
    }

    @Test("A text of a megabyte is cut, marked, and takes no room from the others")
    func tooMuch() throws {
        let snapshot = try Self.snapshot("too-much")
        let own = snapshot.annotations.filter(\.isOfTask)
        #expect(own.map(\.name).sorted() == ["a", "b", "c"])
        #expect(own.first { $0.name == "b" }?.isCut == true)
        let breadcrumb = try #require(snapshot.breadcrumbs.first)
        #expect(breadcrumb.isCut && breadcrumb.attributes.map(\.name) == ["a", "c", "b"])
    }

    @Test("Threads have the name of their task and the label of their queue")
    func names() throws {
        let snapshot = try Self.snapshot("names")
        #expect(snapshot.crashingThread?.taskName == "größe 7")
        let queues = snapshot.threads.compactMap(\.queueName)
        #expect(queues.filter { $0 == "com.example.waiting" }.count == 1)
        let waiting = snapshot.threads.first { $0.queueName == "com.example.waiting" }
        #expect(waiting?.taskName == nil)
        #expect(snapshot.threads.compactMap(\.taskName) == ["größe 7"])
        let main = snapshot.threads.first { $0.id == UInt64(snapshot.process.id ?? 0) }
        #expect(main?.taskName == nil)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test(
        "Where it is not proved which scope a task has, the report says so and names none",
        arguments: ["unproved", "disproved"])
    func unproved(_ way: String) throws {
        let snapshot = try Self.snapshot(way)
        #expect(snapshot.annotations.filter(\.isOfTask).isEmpty)
        #expect(snapshot.breadcrumbs.filter(\.isOfTask).isEmpty)
        #expect(
            snapshot.annotations.first { $0.name == "request" }?.value == "of the process")
        // Those of all work are there, without a claim whose they are.
        #expect(snapshot.breadcrumbs.map(\.message) == ["began 1"])
        #expect(
            snapshot.damage.map(\.sentence) == [
                "scope of the task: nothing proves which one it is"
            ])
    }

    @Test("A dump that a live process makes has the scope of the task that asked for it")
    func live() throws {
        try Self.expectRequest(1, in: Self.snapshot("live"))
    }
}
