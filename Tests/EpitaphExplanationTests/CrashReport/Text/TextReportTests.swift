// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@Suite("The text of a report")
struct TextReportTests {
    @Test(
        "Where the program was is no surer than the frames that lead there",
        arguments: [
            ([.registers, .unwindTable], ""),
            ([.registers, .framePointer], " (likely, not certain)"),
            ([.stackScan, .unwindTable], " (likely, not certain)"),
            ([.framePointer, .stackGuess], " (possible, no more)"),
        ] as [([StackFrame.FoundBy], String)])
    func doubtfulPlace(found: [StackFrame.FoundBy], doubt: String) {
        var frames = [
            ReportFrame(index: 0, address: 0x7f00_0000_1000),
            Sample.frame(1, 0x40_1234, "serve(_:)", at: .init(file: "/src/Server.swift", line: 42)),
            Sample.frame(2, 0x40_2234, "main"),
        ]
        for (index, foundBy) in (found + [.stackGuess]).enumerated() {
            frames[index].foundBy = foundBy
        }
        let explanation = CrashExplanation(
            Sample.crash(), stacks: [nil, ReportStack(frames: frames)])
        let place = "serve(_:) at Server.swift:42\(doubt)"
        let lines = TextReport(explanation).lines
        #expect(lines.contains("  In          \(place)"), "\(lines)")
        #expect(HTMLReport(explanation).text.contains(" at Server.swift:42\(doubt)"))
    }

    @Test("Where, in which version and for whom is said first, and a message once")
    func firstRows() {
        var snapshot = Sample.crash()
        snapshot.exception?.signal = 6
        snapshot.exception?.code = -6
        snapshot.exception?.senderProcessID = snapshot.process.id
        snapshot.messages = [
            CrashMessage(source: "c++", text: "std::runtime_error: no ledger"),
            CrashMessage(source: "program", text: "reading shard 7"),
        ]
        snapshot.annotations = [
            Annotation(name: "ver", value: "1.4"), Annotation(name: "hostname", value: "web-3"),
            Annotation(name: "colour", value: "blue"), Annotation(name: "tenant", value: "acme"),
            Annotation(name: "step", value: "2"),
        ]
        snapshot.annotations[4].isOfTask = true
        let stack = ReportStack(frames: [
            Sample.frame(0, 0x7f00_0000_2010, "raise"),
            Sample.frame(1, 0x7f00_0000_2020, "abort"),
            Sample.frame(2, 0x7f00_0000_2030, "__assert_fail"),
            Sample.frame(
                3, 0x40_1234, "serve(_:)", at: .init(file: "/src/Server.swift", line: 42)),
            Sample.frame(4, 0x7f00_0000_2040, "start_thread"),
        ])
        let explanation = CrashExplanation(snapshot, stacks: [nil, stack])
        let text = TextReport(explanation).lines.joined(separator: "\n")
        let html = HTMLReport(explanation).text
        #expect(text.contains("\n  In          serve(_:) at Server.swift:42\n"), "\(text)")
        #expect(text.contains("\n  Version     1.4 on web-3\n"))
        #expect(text.contains("\n  For         tenant = acme, step = 2\n"))
        #expect(text.contains("Annotations:\n  step = 2  (of the task)\n  colour = blue\n"))
        for page in [text, html] {
            #expect(page.components(separatedBy: "no ledger").count <= 2 + (page == html ? 1 : 0))
            #expect(page.components(separatedBy: "reading shard 7").count == 2)
            #expect(page.contains("1.4 on web-3") && page.contains("tenant = acme, step = 2"))
        }
        #expect(html.components(separatedBy: "<summary>3 frames of runtimes</summary>").count == 2)
        let places = ["id=\"annotations\"", "id=\"registers\""].map { html.firstRange(of: $0) }
        #expect(places[0].map { $0.lowerBound < places[1]?.lowerBound ?? html.startIndex } == true)
    }

    @Test("A complete crash is explained from the reason down to the modules")
    func completeCrash() {
        var snapshot = Sample.crash()
        snapshot.messages = [CrashMessage(source: "swift", text: "Fatal error: no table\n")]
        var inlined = Sample.frame(
            0, 0x40_1234, "Table.row(_:)", at: .init(file: "/src/Table.swift", line: 7, column: 3))
        inlined.isInlined = true
        let server = ReportFrame.Source(file: "/src/Server.swift", line: 42, column: 9)
        var scanned = Sample.frame(2, 0x7f00_0000_2345, "start_thread")
        scanned.functionOffset = 0x45
        scanned.foundBy = .stackScan
        let worker = ReportStack(
            frames: [
                inlined, Sample.frame(0, 0x40_1234, "serve(_:)", at: server),
                Sample.frame(1, 0x40_2000, nil), scanned,
            ],
            whyIncomplete: "nothing tells who called this frame")
        let poll = ReportStack(frames: [Sample.frame(0, 0x7f00_0000_2010, "poll")])

        let explanation = CrashExplanation(snapshot, stacks: [poll, worker, poll])
        let text = TextReport(explanation).lines.joined(separator: "\n")
        #expect(text.hasPrefix("sampled \(explanation.diagnosis?.headline ?? "?")\n\n"))
        let signature = explanation.signature?.text ?? "?"
        expectSections(
            of: text,
            """
              In          Table.row(_:) at Table.swift:7:3
              Signal      SIGSEGV (SEGV_MAPERR): address not mapped to object
              Address     0x0000000000000010 (write)
              Program     /usr/bin/sampled
              Crashed     2026-08-22 03:14:07 UTC, 10 min 2 s after its start
              Doubtful    thread 4712 and 2 more; see the damage below

            Message from swift:
              Fatal error: no table

            Crashing thread 4712 "worker":
              #0  Table.row(_:) at /src/Table.swift:7:3, inlined
              #0  serve(_:) at /src/Server.swift:42:9 in sampled+0x1234
              #1  ?? in sampled+0x2000
              #2  start_thread+0x45 in libc.so.6+0x2345 (found by a stack scan: likely, \
            not certain)
              the stack ends here: nothing tells who called this frame

            Annotations:
              version = 1.2.3

            Registers of thread 4712:
              rax    0x0000000000000010  rbx    0x0000000000000000  rcx    0x0000000000000000
              rdx    0x0000000000000000  rsi    0x0000000000000000  rdi    0x0000000000000000
              rbp    0x0000000000000000  rsp    0x00007ffc00001000  r8     0x0000000000000000
              r9     0x0000000000000000  r10    0x0000000000000000  r11    0x0000000000000000
              r12    0x0000000000000000  r13    0x0000000000000000  r14    0x0000000000000000
              r15    0x0000000000000000  rip    0x0000000000401234  rflags 0x0000000000000000

            Also known:
              Process     4711, parent 1, user 1000
              Bundle id   com.example.sampled
              Report      01234567-89ab-cdef-0123-456789abcdef
              Signature   \(signature)
              System      Linux 6.1.0-18-amd64, x86_64, 8 processors

            Damage: what this report lacks, and why
              reading the stacks: thread 4712: 1 frame found by a stack scan: likely, not certain
              reading the stacks: thread 4712: the stack ends early: nothing tells who called this frame
              reading the stacks: sampled: its unwind information did not lead on
              not known: nothing in the dump tells how many threads the process had

            2 threads alike: 4711 "sampled", 4713:
              #0  poll in libc.so.6+0x2010

            Modules:
              0x0000000000400000-0x0000000000408000  /usr/bin/sampled  build id 01abff
              0x00007f0000000000-0x00007f0000100000  /lib/libc.so.6  build id none
            """)
    }

    /// Each part of `expected`, parts being parted by empty lines, is in the text, in this order.
    private func expectSections(
        of text: String, _ expected: String, location: SourceLocation = #_sourceLocation
    ) {
        var rest = text.split(separator: "\n\n").map(String.init)[...]
        for section in expected.split(separator: "\n\n") {
            let place = rest.firstIndex { $0 == section }
            #expect(
                place != nil, "not there, or out of order:\n\(section)\nin\n\(text)",
                sourceLocation: location)
            rest = rest[(place ?? rest.startIndex)...].dropFirst()
        }
    }

    @Test("A dump cut behind the exception still says what died, why, where, and what is missing")
    func damagedDump() {
        var snapshot = ProcessSnapshot(architecture: .aarch64)
        var launch = LaunchRecord()
        launch.processID = 99
        launch.executablePath = "/opt/cut"
        snapshot.launch = launch
        var exception = ExceptionSnapshot(signal: 7, code: 1, address: 0x1_0003)
        exception.threadID = 99
        exception.registers = .pointers(instruction: 0x40_1000, stack: 0x7000)
        snapshot.exception = exception
        snapshot.damage = [
            Damage(stage: .reading, subject: "offset 0x1f3", reason: "the dump ends here"),
            Damage(stage: .capture, subject: "modules", reason: "no answer", errorNumber: 5),
        ]
        let text = Sample.text(snapshot)
        #expect(text.hasPrefix("cut "))
        expectSections(
            of: text,
            """
              Signal      SIGBUS (BUS_ADRALN): invalid address alignment
              Address     0x0000000000010003
              Program     /opt/cut
              Missing     offset 0x1f3 and 2 more; see the damage below

            Crashing thread 99 (missing: it is not in the dump's thread list):
              #0  0x0000000000401000 in no module

            Registers of thread 99:
              pc 0x0000000000401000  sp 0x0000000000007000

            Damage: what this report lacks, and why
              reading the dump: offset 0x1f3: the dump ends here
              capturing the process: modules: no answer (errno 5)
              reading the stacks: thread 99: it is not in the dump's thread list
              not known: nothing in the dump tells how many threads the process had
              not known: the stack of 1 thread was not looked at

            Modules: none in the dump
            """)
    }

    @Test("A dump without an exception claims no crash")
    func noException() {
        var snapshot = Sample.crash()
        snapshot.exception = nil
        snapshot.annotations = []
        snapshot.threads.removeLast(2)
        #expect(
            Sample.text(snapshot) == """
                sampled: no crash in this dump

                  Program     /usr/bin/sampled
                  Taken       2026-08-22 03:14:07 UTC, 10 min 2 s after its start

                The process was alive when this dump was taken, or the dump ends before it says
                how the process died; see the damage below.

                Also known:
                  Process     4711, parent 1, user 1000
                  Bundle id   com.example.sampled
                  Report      01234567-89ab-cdef-0123-456789abcdef
                  System      Linux 6.1.0-18-amd64, x86_64, 8 processors

                Damage: none is known, but nothing in the dump tells how many threads the \
                process had; the stack of 1 thread was not looked at

                Thread 4711 "sampled":
                  #0  ?? in libc.so.6+0x2010

                Modules:
                  0x0000000000400000-0x0000000000408000  /usr/bin/sampled  build id 01abff
                  0x00007f0000000000-0x00007f0000100000  /lib/libc.so.6  build id none
                """)
    }

    @Test("Nothing at all but an architecture is still a report")
    func emptySnapshot() {
        let text = Sample.text(ProcessSnapshot(architecture: .x86_64))
        #expect(text.hasPrefix("An unknown program: no crash in this dump\n"))
    }

    @Test("A file that could not be used is named with the stack it is missing for")
    func moduleProblems() {
        let explanation = CrashExplanation(
            Sample.crash(), stacks: [],
            moduleProblems: [0: "/usr/bin/sampled was replaced", 1: "libc.so.6 was not found"])
        let text = TextReport(explanation).lines.joined(separator: "\n")
        expectSections(
            of: text,
            """
            Files that could not be used to read this stack:
              /usr/bin/sampled was replaced
            """)
        #expect(text.hasSuffix("build id none\n    libc.so.6 was not found"))
    }

    @Test("What the program allow-listed of its command line and environment is shown")
    func commandLine() {
        var snapshot = Sample.crash()
        snapshot.commandLine = ByteSlice(Array("sampled\0--port\u{1b}\0".utf8))
        snapshot.environment = ["LANG=C"]
        let text = Sample.text(snapshot)
        #expect(
            text.contains("Command line:\n  sampled\n  --port\\u{1b}\n\nEnvironment:\n  LANG=C\n"))
    }
}
