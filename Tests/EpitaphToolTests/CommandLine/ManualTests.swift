// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The pages are formatted by groff, which is what man(1) uses.
@Suite("dump-convert man")
struct ManualTests {
    static let pages = [""] + HelpTests.commands

    private func page(_ command: String) throws -> String {
        let result = try dumpConvert(["man"] + (command.isEmpty ? [] : [command]))
        #expect(result.ending == .exited(0))
        #expect(result.standardError == "")
        return result.standardOutput
    }

    /// The page as a reader sees it, 200 columns wide and without overstrikes.
    private func formatted(_ command: String) throws -> Subprocess {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array(try page(command).utf8), to: "page.1")
        return try Subprocess.run([
            "groff", "-man", "-ww", "-Tascii", "-P-c", "-P-b", "-P-u", "-rLL=200n", "-rHY=0", path,
        ])
    }

    @Test("groff formats each page without a warning", arguments: pages)
    func warnings(command: String) throws {
        let result = try formatted(command)
        #expect(result.ending == .exited(0))
        #expect(result.standardError == "")
    }

    @Test("mandoc finds no error in a page", arguments: pages)
    func lint(command: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array(try page(command).utf8), to: "page.1")
        let result = try Subprocess.run(["mandoc", "-T", "lint", "-W", "error", path])
        #expect(result.ending == .exited(0), "\(result.standardOutput)")
        #expect(result.standardOutput == "")
    }

    @Test(
        "Pages made of the documentation and the headers are formatted without a warning",
        arguments: [
            [
                "page", "epitaph.conf", "5", "x", "docs/service.md#Configuration",
                "docs/configuration.md",
            ],
            ["page", "epitaph-preload", "7", "x", "docs/preload.md"],
            ["page", "epitaph.service", "8", "x", "docs/service.md"], ["headers"],
        ])
    func documentation(arguments: [String]) throws {
        let root = Products.packageRoot + "/"
        let headers = root + "Sources/Capture/CEpitaph/include/epitaph.h"
        let made = try Subprocess.run(
            ["python3", root + "Scripts/lib/manual_page.py"]
                + arguments.map { $0.hasPrefix("docs/") ? root + $0 : $0 }
                + (arguments == ["headers"] ? [headers] : []))
        #expect(made.ending == .exited(0), "\(made.standardError)")
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array(made.standardOutput.utf8), to: "page")
        let page = try Subprocess.run(["groff", "-man", "-ww", "-Tascii", path])
        #expect(page.ending == .exited(0) && page.standardError == "", "\(page.standardError)")
        let lint = try Subprocess.run(["mandoc", "-T", "lint", "-W", "error", path])
        #expect(lint.standardOutput == "")
        #expect(page.standardOutput.split(separator: "\n").count > 80)
        // Markup of the pages is gone.
        for mark in ["](", "```", "| --- ", "/// "] {
            #expect(!page.standardOutput.contains(mark), "\(mark)")
        }
    }

    @Test("A page says what --help says", arguments: HelpTests.commands)
    func sameAsHelp(command: String) throws {
        let page = words(try formatted(command).standardOutput)
        let help = try dumpConvert(command, "--help").standardOutput
        for paragraph in help.split(separator: "\n\n").dropFirst(2) {
            let lines = paragraph.split(separator: "\n")
            guard !paragraph.hasPrefix("Operands:"), !paragraph.hasPrefix("Options:"),
                !paragraph.hasPrefix("Examples:")
            else {
                // Tables are laid out in another way: line by line, their words are there.
                for line in lines.dropFirst() where line.hasPrefix("      ") {
                    #expect(page.contains(words(line)) || line.contains("  --"), "\(line)")
                }
                continue
            }
            #expect(page.contains(words(paragraph)), "\(paragraph)")
        }
        for option in help.matches(of: /--[a-z-]+/) { #expect(page.contains(option.output)) }
    }

    @Test("The program's page has its commands, statuses, variables and files")
    func program() throws {
        let page = words(try formatted("").standardOutput)
        for command in HelpTests.commands { #expect(page.contains("dump-convert-\(command)(1)")) }
        for text in [
            "NAME dump-convert - turns the dumps", "EXIT STATUS 0 everything was done",
            "EPITAPH_DATABASE", "pending-dumps/<bundle-id>@<uuid>.locked", "signatures/<uuid>",
        ] {
            #expect(page.contains(text.lowercased()), "\(text)")
        }
    }

    private func words(_ text: some StringProtocol) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
    }
}
