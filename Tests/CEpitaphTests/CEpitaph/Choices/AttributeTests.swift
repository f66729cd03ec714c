// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

/// Attributes of programs that crash for real.
@Suite struct AttributeTests {
    @Test("Attributes of every type are there, the latest value of each, and a long one is cut")
    func types() throws {
        let snapshot = try Dummy("attributes", threads: 2).snapshot()
        var long = Annotation(
            name: "long", value: "x" + String(repeating: "é", count: 10_239))
        long.isCut = true
        let expected = [
            Annotation(name: "string", value: "text"),
            Annotation(name: "least", value: "-9223372036854775808", type: .integer),
            Annotation(name: "changed", value: "0.1", type: .number),
            Annotation(name: "infinite", value: "-inf", type: .number),
            Annotation(name: "true", value: "true", type: .boolean),
            Annotation(name: "false", value: "false", type: .boolean),
            Annotation(name: "annotation", value: "as ever"),
            long,
        ]
        for annotation in expected {
            #expect(snapshot.annotations.filter { $0.name == annotation.name } == [annotation])
        }
        let names = Set(snapshot.annotations.map(\.name))
        #expect(names.isDisjoint(with: ["gone", "unknown", "none", ""]))
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("With all places in use a new name is refused, and a known one can still change")
    func full() throws {
        let annotations = try Dummy("attributes-full").snapshot().annotations
        #expect(annotations.count == 128)
        #expect(annotations.first { $0.name == "\u{1}" }?.value == "-1")
        #expect(annotations.first { $0.name == "one more" }?.value == "1")
        #expect(!annotations.contains { $0.name == "\u{2}" })
    }

    @Test("A breadcrumb has its kind and its attributes; what finds no room is cut and marked")
    func breadcrumbs() throws {
        let breadcrumbs = try Dummy("crumb-attributes").snapshot().breadcrumbs
        try #require(breadcrumbs.count == 2)
        #expect(breadcrumbs[0].kind == "sql" && !breadcrumbs[0].isCut)
        #expect(
            breadcrumbs[0].attributes == [
                Annotation(name: "table", value: "orders"),
                Annotation(name: "rows", value: "-17", type: .integer),
                Annotation(name: "empty", value: ""), Annotation(name: "odd", value: "a\nb"),
            ])
        let cut = breadcrumbs[1]
        #expect(cut.isCut && cut.kind == "a kind of more than thirty-two b")
        #expect(cut.attributes.map(\.name) == ["number", "second", "long"])
        let long = try #require(cut.attributes.last)
        #expect(long.isCut && !long.value.isEmpty && long.value.allSatisfy { $0 == "é" })
    }

    @Test("The report of a thread has its own scope's attributes and breadcrumbs, marked as such")
    func threadScope() throws {
        let snapshot = try Dummy("scope").snapshot()
        let own = snapshot.annotations.filter(\.isOfTask)
        #expect(own.map(\.name).sorted() == ["request", "rows", "user"])
        #expect(snapshot.annotations.filter { $0.name == "request" }.map(\.value) == ["inner"])
        #expect(own.first { $0.name == "rows" }?.value == "3")
        #expect(own.first { $0.name == "user" }?.value == "7")
        #expect(snapshot.breadcrumbs.map(\.message) == ["inside"])
        #expect(snapshot.breadcrumbs.allSatisfy { $0.isOfTask && $0.number == 1 })
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("Behind a scope there is nothing of it")
    func ended() throws {
        let snapshot = try Dummy("scope-ended").snapshot()
        #expect(snapshot.annotations.filter(\.isOfTask).isEmpty)
        #expect(
            snapshot.annotations.first { $0.name == "request" }?.value == "of the process")
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("Of a scope without a place the report says that it is missing")
    func tooMany() throws {
        let missing = try Dummy("scopes-too-many").snapshot()
        #expect(missing.annotations.filter(\.isOfTask).isEmpty)
        #expect(
            missing.damage.map(\.sentence) == [
                "scope of the task: there were more than there is room for"
            ])
        let again = try Dummy("scopes-few-again").snapshot()
        #expect(again.annotations.filter(\.isOfTask).map(\.value) == ["some"])
        #expect(again.damage.isEmpty, "\(again.damage.map(\.sentence))")
    }

    @Test(
        "A scope that is not proved to be this thread's is not told of",
        arguments: ["scope-of-another", "scope-wild"])
    func unproved(_ way: String) throws {
        let snapshot = try Dummy(way).snapshot()
        #expect(snapshot.annotations.filter(\.isOfTask).isEmpty)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "scope of the task: nothing proves which one it is"
            ])
    }
}
