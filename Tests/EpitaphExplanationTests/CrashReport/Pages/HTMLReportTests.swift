// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation
@testable import EpitaphPages

/// What an HTML page says.
@Suite struct HTMLReportTests {
    private let page = HTMLReport(Sample.everythingExplained()).text

    @Test("The page says what died, why and where")
    func firstScreen() {
        #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        #expect(page.contains("<h1>sampled "))
        #expect(page.contains("address not mapped to object"))
        #expect(page.contains("</time>, 10 min 2 s after its start"))
        #expect(page.contains("Fatal error: no ledger"))
        #expect(
            page.contains("<p class=\"origin\">in <code>Ledger.write(_:)</code> at Ledger.swift:7<")
        )
        #expect(page.contains("<code>Ledger.write(_:)</code><span class=\"tag\">inlined</span>"))
        #expect(page.contains(">awaits the frame above</span>"))
        #expect(page.contains(">found by a stack scan: likely, not certain</span>"))
        #expect(page.contains("… 99 frames of <code>descend(into:)</code> repeated"))
        #expect(page.contains("The stack ends here: the memory at 0x10 was not captured."))
        #expect(page.contains("<li>/lib/libc.so.6 was not found</li>"))
    }

    @Test("Registers tell what they point to")
    func registers() {
        #expect(
            page.contains(
                "<dt>rip</dt><dd><code>0x0000000000401234</code>"
                    + "<span class=\"hint\">sampled+0x1234</span>"))
        #expect(
            page.contains(
                "<dt>rax</dt><dd><code>0x0000000000000010</code><span class=\"hint\">16</span>"))
        #expect(page.contains("<span class=\"hint\">stack of thread 4713</span>"))
    }

    @Test("Memory is shown as bytes, as text and as what it points to")
    func memory() {
        #expect(
            page.contains("The dump has no bytes at <code>0x0000000000000010</code>: not mapped"))
        // The stack's bytes count up from 0xf80.
        #expect(page.contains("<mark>80</mark> 81 82 83 84 85 86 87  88"))
        #expect(page.contains("<td class=\"ascii\">@ABCDEFGHIJKLMNO</td>"))
    }

    @Test("Annotations whose lines begin with a time stand on the time line, in order")
    func timeLine() throws {
        let line = try #require(page.firstRange(of: "<ol class=\"time-line\">"))
        let text = page[line.upperBound...]
        let events = [
            "The process started", "Epitaph began to watch over it", "trail: opened the ledger",
            "trail: began to pay out", "It crashed", "It said that it ended well",
        ]
        let places = try events.map { try #require(text.firstRange(of: $0)).lowerBound }
        #expect(places == places.sorted())
        #expect(text.contains("8.000 s before"))
    }

    @Test("Threads with one stack stand together, and a choice of threads says what it left out")
    func threads() {
        #expect(page.contains("<b>4714</b>"))
        #expect(page.contains("partial: it did not stop in time"))
        let alike = HTMLReport(CrashExplanation(Sample.crash(), stacks: [])).text
        #expect(alike.contains("<b>2 threads alike</b> · 4711 &quot;sampled&quot;, 4713"))
        let alone = HTMLReport(
            Sample.everythingExplained(), threads: .crashing
        ).text
        #expect(alone.contains("3 threads were left out of this page."))
    }

    @Test("Everything else is there: modules, maps, files, system, damage")
    func rest() {
        for text in [
            "<code>01abff</code>", "<div class=\"problem\">/lib/libc.so.6 was not found</div>",
            "0x000000600000–0x000000640000", "[heap]", "processor\\t: 0", "GenuineIntel",
            "LANG=C.UTF-8", "<code>--port</code>", "thread 4714: no answer (errno 110)",
            "com.example.sampled", "4 found, 2 stopped",
        ] {
            #expect(page.contains(text), "\(text)")
        }
    }

    @Test("Code is shown with the instruction at fault marked")
    func code() throws {
        let markup = try #require(CodeSection.markup(Sample.code.instructions)).source
        #expect(
            markup.contains("<td>mov dword ptr [rax], 5<span class=\"tag bad\">at fault</span>"))
        #expect(markup.contains("<td class=\"bytes\">48 31 c0</td><td>xor rax, rax</td>"))
        #expect(CodeSection.markup([])?.source == nil)
    }

    @Test("Backquotes of a sentence hold code, unless one is alone")
    func prose() {
        #expect(
            Parts.prose("It is `mov <a>`; so.").source == "It is <code>mov &lt;a&gt;</code>; so.")
        #expect(Parts.prose("It`s").source == "It`s")
        #expect(Parts.prose("").source == "")
    }

    @Test("The page loads nothing, and says so to the browser")
    func selfContained() {
        #expect(page.contains("content=\"default-src &#39;none&#39;; style-src"))
        for loader in ["src=", "<script", "<link", "<img", "<iframe", "@import", "url(", "http://"]
        {
            #expect(!page.contains(loader), "\(loader)")
        }
    }

    @Test("A thousand threads and six thousand mappings are cut where nobody would read on")
    func crowded() {
        let page = HTMLReport(
            CrashExplanation(CrowdedSnapshot.crash(threads: 1000), stacks: [])
        ).text
        #expect(page.contains("2,000 more mappings are left out here"))
        #expect(page.contains("worker-999"))
        #expect(page.utf8.count < 3_000_000)
    }

    @Test("A stack that does not fold is cut in its middle")
    func deep() {
        let frames = (0..<5000).map { Sample.frame($0, 0x40_1000 + UInt64($0), "step\($0)()") }
        let markup = StackSection.markup(ReportStack(frames: frames), Sample.modules).source
        #expect(markup.contains("… 4,700 more lines are left out here"))
        #expect(markup.contains("step0()") && markup.contains("step4999()"))
        #expect(!markup.contains("step2500()"))
    }
}
