// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation
@testable import EpitaphPages

/// Nothing out of a dump becomes more than text on a page. Scripts/html-check asks a browser the
/// same.
@Suite struct HostileHTMLTests {
    private static let page = HTMLReport(
        CrashExplanation(
            HostileSnapshot.crash(), stacks: [stack, stack], crashStack: stack,
            moduleProblems: [0: HostileSnapshot.text])
    ).text

    private static let stack = ReportStack(
        frames: HostileSnapshot.texts.enumerated().map { index, text in
            var frame = Sample.frame(
                index, .max - UInt64(index), text,
                at: .init(file: "/\(text)", line: .max, column: .min))
            frame.functionOffset = .max
            frame.isInlined = index % 2 == 0
            return frame
        }, whyIncomplete: HostileSnapshot.text)

    @Test("The only tags of a page are those its source code names")
    func tags() throws {
        let names = Self.page.matches(of: #/<\/?([^\s>]*)/#).map { String($0.output.1) }
        let known: Set<String> = [
            "!DOCTYPE", "a", "b", "body", "code", "dd", "details", "div", "dl", "dt",
            "figcaption", "figure", "footer", "h1", "h2", "h3", "head", "header", "html", "li",
            "main", "mark", "meta", "nav", "ol", "p", "pre", "section", "span", "style",
            "summary", "table", "tbody", "td", "th", "thead", "time", "title", "tr", "ul",
        ]
        #expect(Set(names).subtracting(known) == [])
        #expect(names.filter { $0 == "style" }.count == 2)
        #expect(names.filter { $0 == "title" }.count == 2)
    }

    @Test("Every attribute is closed, and none begins with on")
    func attributes() {
        for tag in Self.page.matches(of: #/<[a-z][^>]*>/#) {
            let rest = tag.output.replacing(#/ [a-z-]+="[^"<>]*"/#, with: "")
            #expect(rest.wholeMatch(of: #/<[a-z0-9]+>/#) != nil, "\(tag.output)")
            #expect(!tag.output.contains(#/ on[a-z]+=/#), "\(tag.output)")
        }
    }

    @Test("Characters that do not show, or turn the text around, are written out")
    func invisible() {
        #expect(
            Self.page.unicodeScalars.allSatisfy { scalar in
                scalar == "\n"
                    || ![.control, .format, .lineSeparator, .paragraphSeparator, .unassigned]
                        .contains(scalar.properties.generalCategory)
            })
        #expect(Self.page.contains("\\u{202e}gpj.exe"))
        #expect(Self.page.contains("\\u{0}nul"))
    }

    @Test("A text of a million characters is cut and says how much is left out")
    func huge() {
        #expect(Self.page.contains("… 1,190,000 more characters"))
        #expect(Self.page.utf8.count < 400_000)
        let markup = Markup(text: String(repeating: "é", count: 10_001)).source
        #expect(markup.hasSuffix("<span class=\"cut\"> … 1 more characters</span>"))
        let lines = Parts.lines(String(repeating: "\n", count: 50_000) + "x").source
        #expect(lines.contains("… 10,001 more characters"))
    }

    @Test("Memory at both ends of the address space is shown")
    func edges() {
        #expect(Self.page.contains("0xfffffffffffffff5"))
        let addresses: [UInt64] = [.max, .max - 15, .max - 16, .max - 17, 0, 1, 15, 16]
        for address in addresses {
            var snapshot = ProcessSnapshot(architecture: .x86_64)
            snapshot.memory = [
                MemoryRegion(address: address & ~15, bytes: ByteSlice([1, 2, 3]))
            ]
            let view = MemoryView(
                "", CapturedRegions(snapshot), AddressBook(snapshot, mappings: nil), at: address,
                before: 64, after: 64)
            // The last 16 bytes of the address space are never mapped.
            #expect((view == nil) == (address > .max - 16), "\(address)")
        }
    }
}
