// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The code on the pages of the documentation.
@Suite struct DocumentedCodeTests {
    /// Languages that somebody checks here.
    private static let checked: Set = ["swift", "c", "sh", "conf"]

    @Test("Every block of code on every page is what its reader takes")
    func pages() throws {
        let blocks = try PageBlock.pages().flatMap { try PageBlock.all(of: $0) }
        #expect(blocks.filter { $0.language == "swift" }.count > 40)
        #expect(blocks.filter { $0.language == "c" }.count >= 6)
        for complaint in try PageCompiler.complaints(blocks) { Issue.record("\(complaint)") }
    }

    @Test("How do I: at least 25 questions, each with one block, in a language that is checked")
    func questions() throws {
        let path = Products.packageRoot + "/docs/how-do-i.md"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let questions = text.split(separator: "\n").filter { $0.hasPrefix("### How do I ") }
        #expect(questions.count >= 25)
        let blocks = PageBlock.all(of: "docs/how-do-i.md", text: text)
        #expect(blocks.map { "### " + $0.question } == questions.map(String.init))
        #expect(blocks.allSatisfy { Self.checked.contains($0.language) && !$0.code.isEmpty })
        #expect(Set(questions).count == questions.count)
    }

    private static let broken = """
        ## Swift
        <!-- given:
        func known() {}
        var number = 1
        -->
        ```swift
        import Epitaph

        known()
        number += 1
        Epitaph.addBreadcrum("mistyped")
        ```
        ## Extension
        ```swift
        extension Int {
            var half: String { self / 2 }
        }
        ```
        ## C
        ```c
        epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "no message");
        ```
        ## Shell
        ```sh
        dump-convert list --databas /var/lib/myd/crashes
        dump-convert frobnicate
        ```
        ## File
        ```conf
        breadcrums = 5
        ```
        """

    @Test("A block that is wrong is named by page, line and question, and no other is")
    func mistakes() throws {
        let blocks = PageBlock.all(of: "docs/broken.md", text: Self.broken)
        #expect(blocks.map(\.question) == ["Swift", "Extension", "C", "Shell", "File"])
        let swift = try PageCompiler.swift(blocks.filter { $0.language == "swift" })
        #expect(swift.count == 2, "\(swift)")
        #expect(
            swift.contains {
                $0.hasPrefix("Swift: ") && $0.contains("broken.md:11:")
                    && $0.contains("addBreadcrum")
            }, "\(swift)")
        #expect(
            swift.contains { $0.hasPrefix("Extension: ") && $0.contains("broken.md:16:") },
            "\(swift)")
        let c = try PageCompiler.c(blocks.filter { $0.language == "c" })
        #expect(c.count == 1 && c[0].hasPrefix("C: ") && c[0].contains("broken.md:21:"), "\(c)")
        let shell = try PageCompiler.shell(blocks[3])
        #expect(
            shell.map { $0.split(separator: ", ").last } == [
                "Shell: dump-convert list has no --databas", "Shell: no command frobnicate",
            ], "\(shell)")
        let file = try PageCompiler.configuration(blocks[4])
        #expect(file.count == 1 && file[0].contains("there is no key \"breadcrums\""), "\(file)")
    }
}
