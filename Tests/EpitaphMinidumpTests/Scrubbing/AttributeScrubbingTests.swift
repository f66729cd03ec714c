// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphValues
import Testing

@Suite("Attributes that are removed from a minidump")
struct AttributeScrubbingTests {
    private static let snapshot: ProcessSnapshot = {
        var snapshot = PrivateProcess.snapshot
        snapshot.annotations.append(
            Annotation(name: "card_number", value: "4929123412341234", type: .integer))
        snapshot.annotations.append(Annotation(name: "rows", value: "17", type: .integer))
        var breadcrumb = Breadcrumb(number: 1, timeNanoseconds: 5, message: "paid 4929123412341234")
        breadcrumb.kind = "payment"
        breadcrumb.attributes = [
            Annotation(name: "card_number", value: "4929123412341234", type: .integer),
            Annotation(name: "amount", value: "12.5", type: .number),
        ]
        snapshot.breadcrumbs = [breadcrumb]
        snapshot.threads[0].taskName = "payments"
        return snapshot
    }()

    @Test("A denied name takes its type, the breadcrumb's attribute and all copies with it")
    func denied() throws {
        let scrubbed = try Scrubbed(Self.snapshot) {
            $0.annotations.denied = [KeyPattern("card_*")]
        }
        for text in ["card_number", "4929123412341234"] {
            #expect(scrubbed.sourceContains(text))
            #expect(!scrubbed.contains(text), "\(text)")
        }
        let contents = try scrubbed.contents()
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.snapshot.annotations.first { $0.name == "rows" }?.type == .integer)
        let breadcrumb = try #require(contents.snapshot.breadcrumbs.first)
        #expect(breadcrumb.kind == "payment")
        #expect(
            breadcrumb.attributes == [Annotation(name: "amount", value: "12.5", type: .number)])
        #expect(contents.snapshot.threads[0].taskName == "payments")
    }

    @Test("Breadcrumbs go with their attributes, thread names with those of tasks")
    func parts() throws {
        let scrubbed = try Scrubbed(Self.snapshot) {
            $0.removedParts = [.breadcrumbs, .threadNames]
        }
        for text in ["payment", "amount", "12.5"] {
            #expect(scrubbed.sourceContains(text))
            #expect(!scrubbed.contains(text), "\(text)")
        }
        let snapshot = try scrubbed.contents().snapshot
        #expect(snapshot.annotations.first { $0.name == "card_number" }?.type == .integer)
        #expect(snapshot.threads[0].taskName == nil)
    }

    @Test("Without a rule that says otherwise everything stays, byte for byte")
    func kept() throws {
        let scrubbed = try Scrubbed(Self.snapshot) { $0.annotations.denied = [KeyPattern("none")] }
        #expect(scrubbed.bytes == scrubbed.source)
    }
}
