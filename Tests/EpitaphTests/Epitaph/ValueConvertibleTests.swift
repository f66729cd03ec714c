// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Testing

@Suite("Values of attributes")
struct ValueConvertibleTests {
    @Test("Variables of every type of number and text are values as they are")
    func variables() {
        let text = "acme"
        let part = text.dropFirst()
        #expect(text.epitaphValue == .text("acme") && part.epitaphValue == .text("cme"))
        #expect(Int8(-3).epitaphValue == .integer(-3))
        #expect(UInt16(80).epitaphValue == .integer(80))
        #expect(Float(0.5).epitaphValue == .number(0.5))
        #expect(true.epitaphValue == .boolean(true))
    }

    @Test("A number beyond 64 bits with a sign becomes the nearest one")
    func clamped() {
        #expect(UInt64.max.epitaphValue == .integer(.max))
    }
}
