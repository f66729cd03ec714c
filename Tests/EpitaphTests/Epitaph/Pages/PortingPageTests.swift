// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The names of ours on the page for those who come from another SDK: each has to be there, and to
/// be a member of the type that stands before it, for a program that imports our products.
@Suite struct PortingPageTests {
    private static let page = "docs/coming-from-another-sdk.md"
    /// Products of their own, besides `Epitaph`.
    private static let imports = [
        "Epitaph", "EpitaphLogUpload", "EpitaphRequestMonitoring", "EpitaphStorageInspection",
    ]

    /// A name on the page, and the ways in which a program may use it: one has to compile.
    private struct Name {
        let text: String
        let line: Int
        let uses: [String]

        /// - Parameter text: `Epitaph.A.b(_:c:)`, where a part may have a `?`.
        init(_ text: String, line: Int) {
            self.text = text
            self.line = line
            guard let open = text.firstIndex(of: "(") else {
                uses = ["_ = \(text).self", "_ = \(text)", "_ = \\\(text)"]
                return
            }
            let labels = text[open...].dropFirst().dropLast()
            let function = String(text[..<open])
            let last = function.lastIndex(of: ".") ?? function.startIndex
            let (type, name) = (function[..<last], function[last...].dropFirst())
            let arguments = labels.split(separator: ":").map { $0 == "_" ? "x()" : "\($0): x()" }
            let call = "(\(arguments.joined(separator: ", ")))"
            // Of `f(…)` any form will do.
            let reference = labels == "…" ? "" : labels.isEmpty ? "" : "(\(labels))"
            uses = [
                "_ = \(function)\(reference)", "_ = (x() as \(type)).\(name)\(reference)",
                "_ = try await \(function)\(call)",
                "var v: \(type) = x(); _ = try await v.\(name)\(call)",
            ]
        }
    }

    private static func names(in text: String) -> [Name] {
        var names: [Name] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let cells = line.split(separator: "|")
            guard line.hasPrefix("|"), cells.count == 2 else { continue }
            var type = ""
            for span in cells[1].matches(of: #/`([^`]+)`/#).map({ String($0.1) }) {
                if span.wholeMatch(of: #/Epitaph(\.\w+\??)+(\([\w:…]*\))?/#) != nil {
                    type = String(span.prefix { $0 != "(" })
                    type = String(type[..<(type.lastIndex(of: ".") ?? type.endIndex)])
                    names.append(Name(span, line: index + 1))
                } else if !type.isEmpty, span.wholeMatch(of: #/\w+\([\w:…]*\)/#) != nil {
                    // One more of the same type: "`Epitaph.A.b(_:)` and `c(_:)`".
                    names.append(Name("\(type).\(span)", line: index + 1))
                }
            }
        }
        return names
    }

    /// The names of which no use compiles.
    private static func missing(_ names: [Name]) throws -> [String] {
        var lines = imports.map { "import \($0)" } + ["func x<T>() -> T { fatalError() }"]
        var users: [Int: (name: Int, use: Int)] = [:]
        for (number, name) in names.enumerated() {
            for (use, code) in name.uses.enumerated() {
                lines.append("func f\(number)_\(use)() async throws { \(code) }")
                users[lines.count] = (number, use)
            }
        }
        let directory = try TemporaryDirectory()
        let file = try directory.write(Array(lines.joined(separator: "\n").utf8), to: "names.swift")
        let result = try Subprocess.run(
            ["swiftc", "-typecheck", "-swift-version", "6", "-suppress-warnings"]
                + ["-parse-as-library"] + PageCompiler.moduleOptions() + [file],
            deadlineSeconds: 300)
        var wrong = names.map { _ in Set<Int>() }
        for error in result.standardError.matches(of: #/names\.swift:(\d+):\d+: error: /#) {
            guard let user = users[Int(error.1) ?? 0] else { return ["\(result.standardError)"] }
            wrong[user.name].insert(user.use)
        }
        return zip(names, wrong).filter { $0.uses.count == $1.count }.map { name, _ in
            "\(page):\(name.line): \(name.text)"
        }
    }

    @Test("Each name of ours is there, and belongs to the type before it")
    func names() throws {
        let text = try String(
            contentsOfFile: Products.packageRoot + "/" + Self.page, encoding: .utf8)
        let names = Self.names(in: text)
        #expect(names.count > 250)
        for name in try Self.missing(names) { Issue.record("\(name)") }
    }

    @Test("A name beside a type that has not got it is found")
    func mistakes() throws {
        let names = Self.names(
            in: """
                | there | here |
                | `a` | `Epitaph.UploadOptions.limits`, `Epitaph.UploadOptions.retryLimit` |
                | `b` | `Epitaph.report(_:properties:)`, `Epitaph.report(_:tenants:)` |
                | `c` | `Epitaph.UploadDelegate.willSend(_:for:)` and `didSend(_:)`; `Epitaph.ID` |
                | `d` | `Epitaph.sessions?.current`, `Epitaph.sessions?.present` |
                | `e` | `Epitaph.Context.setTag(_:to:)`, `Epitaph.Level.warning`, `Epitaph.Lvel` |
                """)
        #expect(names.count == 12)
        #expect(
            try Self.missing(names).map { $0.split(separator: ": ").last ?? "" } == [
                "Epitaph.UploadOptions.retryLimit", "Epitaph.report(_:tenants:)",
                "Epitaph.UploadDelegate.didSend(_:)", "Epitaph.sessions?.present", "Epitaph.Lvel",
            ])
    }
}
