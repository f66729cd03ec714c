// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("The version")
struct VersionTests {
    @Test("The program, the C header and the newest entry of the changelog name the same one")
    func everywhere() throws {
        let changelog = try String(
            contentsOfFile: Products.packageRoot + "/docs/CHANGELOG.md", encoding: .utf8)
        let newest = try #require(changelog.firstMatch(of: #/\n## (\d+\.\d+\.\d+)\n/#)?.1)
        let program = try Subprocess.run([Products.executable("dump-convert"), "--version"])
        #expect(program.standardOutput == "dump-convert \(newest)\n")

        let directory = try TemporaryDirectory()
        let source =
            "#include <epitaph.h>\n#include <stdio.h>\nint main(void) { puts(EPITAPH_VERSION); }\n"
        try directory.write(Array(source.utf8), to: "version.c")
        try runTool(
            ["clang", "-o", directory.path("version"), directory.path("version.c")]
                + Products.cHeaderOptions)
        #expect(try Subprocess.run([directory.path("version")]).standardOutput == "\(newest)\n")
    }
}
