// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Attributes in reports")
struct AttributeReportTests {
    static let explanation: CrashExplanation = {
        var snapshot = Sample.crash()
        var own = Annotation(name: "request", value: "<r&1>")
        own.isOfTask = true
        own.isCut = true
        snapshot.annotations = [
            Annotation(name: "count", value: "-9007199254740993", type: .integer),
            Annotation(name: "ratio", value: "0.5", type: .number),
            Annotation(name: "lost", value: "nan", type: .number),
            Annotation(name: "on", value: "false", type: .boolean), own,
        ]
        var breadcrumb = Breadcrumb(number: 1, timeNanoseconds: 5, message: "asked")
        breadcrumb.kind = "sql"
        breadcrumb.isOfTask = true
        breadcrumb.attributes = [Annotation(name: "rows", value: "17", type: .integer)]
        snapshot.breadcrumbs = [breadcrumb]
        snapshot.threads[0].taskName = "payments"
        snapshot.threads[0].queueName = "com.example.io"
        return CrashExplanation(snapshot, stacks: [])
    }()

    @Test("JSON has values with their types, and what has no form in JSON as text")
    func json() throws {
        let text = JSONReport(Self.explanation).text
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let annotations = try #require(report["annotations"] as? [[String: Any]])
        #expect(
            annotations.map { $0["type"] as? String } == [
                "integer", "number", "number", "boolean", nil,
            ])
        #expect(annotations[0]["typedValue"] as? Int64 == -9_007_199_254_740_993)
        #expect(annotations[1]["typedValue"] as? Double == 0.5)
        #expect(annotations[2]["typedValue"] == nil && annotations[2]["value"] as? String == "nan")
        #expect(annotations[3]["typedValue"] as? Bool == false)
        #expect(annotations[4]["isOfTask"] as? Bool == true)
        #expect(annotations[4]["isCut"] as? Bool == true)
        let breadcrumb = try #require((report["breadcrumbs"] as? [[String: Any]])?.first)
        #expect(breadcrumb["kind"] as? String == "sql")
        #expect(breadcrumb["isOfTask"] as? Bool == true)
        let attributes = try #require(breadcrumb["attributes"] as? [[String: Any]])
        #expect(attributes.first?["typedValue"] as? Int == 17)
    }

    @Test("Threads have the names of their work")
    func threads() {
        let text = TextReport(Self.explanation).lines.joined(separator: "\n")
        #expect(text.contains(", task \"payments\", queue \"com.example.io\""))
        let json = JSONReport(Self.explanation).text
        #expect(json.contains("\"taskName\": \"payments\""))
        #expect(json.contains("\"queueName\": \"com.example.io\""))
    }

    @Test("Text says what belongs to the task, and shows the attributes of breadcrumbs")
    func text() {
        let text = TextReport(Self.explanation).lines.joined(separator: "\n")
        #expect(text.contains("request = <r&1>  (cut, of the task)"))
        #expect(text.contains("count = -9007199254740993\n"))
        #expect(text.contains("asked [sql] rows=17 (of the task)"))
    }

    @Test("HTML says the same")
    func html() {
        let page = HTMLReport(Self.explanation).text
        #expect(page.contains("&lt;r&amp;1&gt;"))
        #expect(page.contains("[sql] rows=17"))
        #expect(page.contains(">task</span>"))
    }
}
