// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@Suite struct Base64Tests {
    @Test(
        "The examples of RFC 4648 hold",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func examples(text: String, encoded: String) {
        #expect(text.utf8.base64 == encoded)
    }

    @Test("All 64 letters are used, wherever a slice of bytes begins")
    func letters() {
        let bytes: [UInt8] = [1, 0xfb, 0xff, 0xbf, 0xff]
        #expect(bytes.dropFirst().base64 == "+/+//w==")
    }
}
