// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("Attributes and scopes of a dump")
struct AttributeDecodingTests {
    private func annotations(_ fill: (inout DumpBuilder) -> Void...) throws -> ProcessSnapshot {
        try SampleDumps.snapshot { dump in
            dump.array(.annotationsSimpleMap) { array in
                for fill in fill { array.map { fill(&$0) } }
            }
        }
    }

    private func add(_ type: UInt8, _ bits: UInt64, to map: inout DumpBuilder) {
        map.add(.annotationName, "a")
        map.add(.annotationType, type)
        map.add(.annotationBits, bits)
    }

    @Test(
        "Numbers are read from their bits",
        arguments: [
            (2, UInt64.max, "-1"), (2, 1 << 63, "-9223372036854775808"), (3, 0, "0.0"),
            (3, 0x3ff8_0000_0000_0000, "1.5"), (3, 0x7ff8_0000_0000_0000, "nan"), (4, 0, "false"),
            (4, 1, "true"), (4, 9, "true"),
        ] as [(UInt8, UInt64, String)])
    func numbers(_ type: UInt8, _ bits: UInt64, _ value: String) throws {
        let snapshot = try annotations { add(type, bits, to: &$0) }
        #expect(snapshot.annotations.map(\.value) == [value])
        #expect(snapshot.annotations.map(\.type.rawValue) == [type])
        #expect(snapshot.damage.isEmpty)
    }

    @Test("A number without bits is left out, an unknown type is text, and both are said")
    func incomplete() throws {
        let snapshot = try annotations(
            {
                $0.add(.annotationName, "a")
                $0.add(.annotationType, UInt8(2))
            },
            {
                $0.add(.annotationName, "b")
                $0.add(.annotationType, UInt8(9))
                $0.add(.annotationValue, "text")
            })
        #expect(snapshot.annotations == [Annotation(name: "b", value: "text")])
        #expect(
            snapshot.damage.map(\.reason) == [
                "the annotation \"a\" has no value and was left out",
                "ANNOTATION_TYPE 9 is not known; taken as text",
            ])
    }

    private func breadcrumb(
        _ number: UInt64, _ time: UInt64, _ message: String
    ) -> (inout DumpBuilder) -> Void {
        {
            $0.add(.breadcrumbNumber, number)
            $0.add(.breadcrumbTime, time)
            $0.add(.breadcrumbMessage, message)
        }
    }

    @Test(
        "The scope's attributes stand for the process's, the innermost first; breadcrumbs are there once"
    )
    func scope() throws {
        let named = { (name: String, value: String) -> (inout DumpBuilder) -> Void in
            {
                $0.add(.annotationName, name)
                $0.add(.annotationValue, value)
            }
        }
        let snapshot = try SampleDumps.snapshot { dump in
            dump.map(.taskScope) { scope in
                scope.array(.scopeAttributes) { $0.map { named("a", "inner")(&$0) } }
                scope.array(.scopeBreadcrumbs) { array in
                    array.map { breadcrumb(7, 50, "both")(&$0) }
                    array.map { breadcrumb(3, 20, "overwritten")(&$0) }
                }
                scope.array(.scopeAttributes) { array in
                    array.map { named("a", "outer")(&$0) }
                    array.map { named("b", "outer")(&$0) }
                }
            }
            dump.array(.annotationsSimpleMap) { array in
                array.map { named("a", "process")(&$0) }
                array.map { named("c", "process")(&$0) }
            }
            dump.array(.breadcrumbs) { array in
                array.map { breadcrumb(6, 40, "process")(&$0) }
                array.map { breadcrumb(7, 50, "both")(&$0) }
            }
        }
        let found = snapshot.annotations.map { "\($0.name)=\($0.value) \($0.isOfTask)" }
        #expect(found == ["c=process false", "a=inner true", "b=outer true"])
        let notes = snapshot.breadcrumbs.map { "\($0.number) \($0.message) \($0.isOfTask)" }
        #expect(notes == ["3 overwritten true", "6 process false", "7 both true"])
        #expect(snapshot.damage.isEmpty)
    }
}
