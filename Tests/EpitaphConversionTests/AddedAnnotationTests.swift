// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphConversion

@Suite struct AddedAnnotationTests {
    private func annotations(
        adding pairs: [String: String], toReportsOf bundleID: String? = nil
    ) -> [Annotation] {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.annotations = [Annotation(name: "ver", value: "1")]
        AddedAnnotations(pairs, toReportsOf: bundleID).add(to: &snapshot, of: "org.example")
        return snapshot.annotations
    }

    @Test("What the program said itself is not replaced; the rest is added by name")
    func own() {
        #expect(
            annotations(adding: ["ver": "2", "rack": "12", "a": ""]) == [
                Annotation(name: "ver", value: "1"), Annotation(name: "a", value: ""),
                Annotation(name: "rack", value: "12"),
            ])
    }

    @Test("Those of one program go to no other's reports")
    func bundles() {
        #expect(annotations(adding: ["rack": "12"], toReportsOf: "org.example").count == 2)
        #expect(annotations(adding: ["rack": "12"], toReportsOf: "org.other").count == 1)
    }

    @Test("Names out of bounds and more than 128 are left out and said; long values are cut")
    func bounds() {
        let long = String(repeating: "ü", count: 128)
        #expect(annotations(adding: ["": "x", long: "y", "a\0b": "z"]).count == 1)
        #expect(AddedAnnotations.problems(with: ["": "x", long: "y", "fine": "z"]).count == 2)
        let many = Dictionary(uniqueKeysWithValues: (0..<200).map { ("\($0)", "x") })
        #expect(annotations(adding: many).count == 129)
        #expect(
            AddedAnnotations.problems(with: many) == ["72 annotations are not added: 128 can be"])
        let cut = annotations(adding: ["a": "x" + String(repeating: "ü", count: 20_000)])[1].value
        #expect(cut.utf8.count == 20_479 && cut.last == "ü")
    }
}
