// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Testing

@Suite("Values of attributes")
struct AttributeConvertibleTests {
    @Test("Variables of every type of number and text are values as they are")
    func variables() {
        let text = "acme"
        let part = text.dropFirst()
        #expect(text.attributeValue == .string("acme") && part.attributeValue == .string("cme"))
        #expect(Int8(-3).attributeValue == .integer(-3))
        #expect(UInt16(80).attributeValue == .integer(80))
        #expect(Float(0.5).attributeValue == .number(0.5))
        #expect(true.attributeValue == .boolean(true))
    }

    @Test("A number beyond 64 bits with a sign becomes the nearest one")
    func clamped() {
        #expect(UInt64.max.attributeValue == .integer(.max))
    }
}
