// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@Suite struct PathTextTests {
    @Test(
        "A file's name is what follows the last slash that something follows",
        arguments: [
            ("/usr/lib/libc.so.6", "libc.so.6"), ("bare", "bare"), ("a/b//", "b"), ("/é/ü/", "ü"),
            ("/n\u{301}", "n\u{301}"), ("/", ""), ("", ""),
        ])
    func lastPathComponent(_ path: String, _ name: String) {
        #expect(path.lastPathComponent == name)
        #expect(ModuleSnapshot.fileName(of: path) == (name.isEmpty ? path : name))
    }
}
