// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// From the fault to the words: real crashes, processed and shown.
@Suite("dump-convert on real deaths")
struct RealDeathTests {
    struct Death: Sendable, CustomTestStringConvertible {
        let way: String
        var victim = Victim.c
        /// How the line about the signal begins.
        let reason: String
        /// Functions to be found among the crashing thread's frames, the innermost first.
        let functions: [String]
        var testDescription: String { way }
    }

    static let deaths = [
        Death(
            way: "null-write", reason: "SIGSEGV (SEGV_MAPERR)",
            functions: ["crash_null_write", "crash", "main"]),
        Death(
            way: "abort", reason: "SIGABRT (SI_TKILL)", functions: ["abort", "crash_abort", "main"]),
        Death(
            way: "illegal-instruction", reason: "SIGILL (ILL_ILLOPN)",
            functions: ["crash_illegal_instruction", "crash", "main"]),
        Death(
            way: "divide-by-zero", reason: "SIGFPE (FPE_INTDIV)",
            functions: ["crash_divide_by_zero", "crash", "main"]),
        Death(
            way: "bus-error", reason: "SIGBUS (BUS_ADRERR)",
            functions: ["crash_bus_error", "crash", "main"]),
        Death(
            way: "jump-to-null", reason: "SIGSEGV (SEGV_MAPERR)",
            functions: ["crash_jump_to_null", "crash", "main"]),
        Death(
            way: "throw", reason: "SIGABRT (SI_TKILL)",
            functions: ["abort", "crash_throwing", "crash", "main"]),
        Death(
            way: "fatal-error", victim: .swift, reason: "SIGILL (ILL_ILLOPN)",
            functions: ["assertionFailure", "crashFatalError"]),
    ]

    /// The frames "#n" of the crashing thread.
    private func frames(_ text: String) -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = lines.firstIndex { $0.hasPrefix("Crashing thread") } ?? lines.endIndex
        return lines[start...].dropFirst().prefix { $0.hasPrefix("  ") }.filter { $0.contains("#") }
    }

    private func check(_ text: String, _ death: Death) {
        #expect(
            text.contains("\n  Signal      \(death.reason)"), "\(text)")
        var rest = frames(text)[...]
        for function in death.functions {
            let place = rest.firstIndex { $0.contains(function) }
            #expect(place != nil, "\(function) is missing or out of order in \(text)")
            rest = rest[(place ?? rest.startIndex)...].dropFirst()
        }
    }

    @Test("Each death is one report that names its signal, code and functions", arguments: deaths)
    func named(_ death: Death) throws {
        let directory = try TemporaryDirectory()
        let database = directory.path("db")
        _ = try death.victim.run([database, death.way])
        try dumpConvertOutput("process", "--database", database)
        let reports = try FileManager.default.contentsOfDirectory(atPath: database + "/pending")
        #expect(reports.count { $0.hasSuffix(".dmp") } == 1)
        let shown = try dumpConvert("show", "latest", "--database", database)
        #expect(shown.ending == .exited(0))
        check(shown.standardOutput, death)
    }

    @Test("A signal from outside is told with its sender")
    func killed() throws {
        let directory = try TemporaryDirectory()
        let database = directory.path("db")
        let output = directory.path("out")
        let child = try Subprocess.spawn(
            [Victim.c.path, database, "wait", "1"], output: output)
        #expect(
            eventually(withinSeconds: 20) {
                (try? String(contentsOfFile: output, encoding: .utf8)) == "waiting\n"
                    && isAsleep(child)
            })
        kill(child, SIGSEGV)
        #expect(Subprocess.wait(for: child, deadlineSeconds: 20) == .signalled(SIGSEGV))
        #expect(try dumpConvert("process", "--database", database).ending == .exited(0))
        let shown = try dumpConvert("show", "latest", "--database", database).standardOutput
        check(
            shown,
            Death(
                way: "wait", reason: "SIGSEGV (SI_USER)",
                functions: ["sleep", "crash_waiting_for_a_signal", "main"]))
        #expect(shown.contains("process \(getpid())"), "\(shown)")
    }

    @Test("A dump of the other architecture becomes a report too")
    func aarch64() throws {
        let shown = try dumpConvert(
            "show", Products.fixture("intermediate-dumps/null-write-aarch64.dump"))
        #expect(shown.ending == .exited(0))
        #expect(shown.standardOutput.contains("\n  Signal      SIGSEGV (SEGV_MAPERR)"))
        #expect(shown.standardOutput.contains("aarch64"))
        #expect(shown.standardOutput.contains("\"idle-1\""))
    }
}
