// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation

/// A block of code on a page of the documentation.
struct PageBlock: Sendable {
    /// `docs/how-do-i.md`
    let page: String
    /// The heading above it.
    let question: String
    /// Of its first line of code, from 1 on.
    let line: Int
    /// What stands behind the fence.
    let language: String
    let code: [String]
    /// What the reader is to imagine around it: a comment `<!-- given: … -->` above the block,
    /// which is not shown.
    let given: [String]

    var place: String { "\(page):\(line), \(question)" }

    static func all(of page: String) throws -> [PageBlock] {
        let path = Products.packageRoot + "/" + page
        return all(of: page, text: try String(contentsOfFile: path, encoding: .utf8))
    }

    static func all(of page: String, text: String) -> [PageBlock] {
        var blocks: [PageBlock] = []
        var (question, given) = ("", [String]())
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        var lines = all.map(String.init)[...]
        /// The lines up to the one that ends them, which is taken as well.
        func taken(until end: String) -> [String] {
            let body = Array(lines.prefix { $0 != end })
            lines = lines.dropFirst(body.count + 1)
            return body
        }
        while let line = lines.popFirst() {
            if line.hasPrefix("#") {
                question = String(line.drop { $0 == "#" || $0 == " " })
            } else if line == "<!-- given:" {
                given = taken(until: "-->")
            } else if line.hasPrefix("```") {
                let start = lines.startIndex + 1
                let code = taken(until: "```")
                blocks.append(
                    PageBlock(
                        page: page, question: question, line: start,
                        language: String(line.dropFirst(3)), code: code, given: given))
                given = []
            }
        }
        return blocks
    }

    /// All pages that have code which can stand alone. The blocks of bridges.md need packages, and
    /// have a test of their own.
    static func pages() throws -> [String] {
        let folder = Products.packageRoot + "/docs"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        return ["README.md"]
            + names.filter { $0.hasSuffix(".md") && $0 != "bridges.md" }.map { "docs/" + $0 }
    }
}
