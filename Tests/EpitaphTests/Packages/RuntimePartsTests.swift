// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// What a static daemon carries of Swift's runtime: docs/performance.md.
@Suite struct RuntimePartsTests {
    @Test("No object file of a daemon uses Swift's regular expressions or the search beside them")
    func regularExpressions() throws {
        let list = Products.directory + "/example-daemon.product/Objects.LinkFileList"
        let objects = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: ["'"]) }.filter { $0.hasSuffix(".swift.o") }
        #expect(objects.count > 400)
        // POSIX's form: a file, a name and a type, nm(1p).
        let listed = try Subprocess.run(["nm", "-A", "-P", "--undefined-only"] + objects)
        try #require(listed.ending == .exited(0), "\(listed.standardError)")
        let uses = listed.standardOutput.split(separator: "\n").filter {
            $0.contains("17_StringProcessing") || $0.contains("12_RegexParser")
        }
        #expect(uses.isEmpty, "EpitaphValues/Bytes/TextSearch.swift has what to use instead")
    }
}
