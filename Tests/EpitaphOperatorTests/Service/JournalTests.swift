// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphService

@Suite("Entries of the journal")
struct JournalTests {
    @Test("A field is a line, and one with a line feed in it has its length before it")
    func form() {
        var entry = JournalEntry()
        entry.add("MESSAGE", "a=b")
        entry.add("TEXT", "one\ntwo")
        entry.add("BYTES", [0, 255])
        #expect(
            entry.bytes
                == Array("MESSAGE=a=b\nTEXT\n".utf8) + [7, 0, 0, 0, 0, 0, 0, 0]
                + Array("one\ntwo\nBYTES=".utf8) + [0, 255, 10])
    }

    @Test(
        "Fields of names that the journal would not take are left out",
        arguments: ["", "_PID", "lower", "1ST", "A-B", String(repeating: "A", count: 65)])
    func names(name: String) {
        var entry = JournalEntry()
        entry.add(name, "x")
        #expect(entry.bytes == [])
    }

    @Test("An entry too large for a datagram goes as a sealed file", arguments: [100, 8 << 20])
    func large(count: Int) throws {
        let collector = try DatagramCollector()
        var entry = JournalEntry()
        entry.add("MESSAGE", "large")
        entry.add("BYTES", (0..<count).map { UInt8(truncatingIfNeeded: $0) })
        try UnixDatagram(to: collector.address).send(entry.bytes)
        #expect(try eventually { try collector.messages().count == 1 })
        let message = try #require(try collector.messages().first)
        #expect(message.bytes == entry.bytes)
        #expect(message.isSealedFile == (count > 1 << 20))
    }

    @Test("An abstract name is reached as a path is")
    func abstractName() throws {
        let collector = try DatagramCollector(
            at: "@epitaph-test-\(Epitaph.ID().description.uppercased())")
        try UnixDatagram(to: collector.address).send(Array("hello".utf8))
        #expect(try collector.message(with: "hello") != nil)
    }

    @Test(
        "Where nobody takes datagrams, sending fails and says so",
        arguments: ["/nonexistent/socket", "", "/" + String(repeating: "x", count: 200)])
    func unreachable(address: String) {
        #expect(throws: SystemError.self) { try UnixDatagram(to: address).send([1]) }
    }

    @Test("A receiver that takes nothing holds a sender up for a second at most")
    func stalled() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("socket")
        // Bound, and never read.
        let processID = try Subprocess.spawn([
            "python3", "-c",
            """
            import signal, socket, sys, time
            signal.alarm(300)
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.bind(sys.argv[1])
            time.sleep(300)
            """, path,
        ])
        defer {
            kill(processID, SIGKILL)
            _ = Subprocess.wait(for: processID, deadlineSeconds: 20)
        }
        try #require(eventually { FileManager.default.fileExists(atPath: path) })
        let start = ContinuousClock.now
        #expect(throws: SystemError.self) {
            for _ in 0..<10_000 { try UnixDatagram(to: path).send([1]) }
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("An event has its message id, its priority and its fields")
    func event() throws {
        let collector = try DatagramCollector()
        let log = ServiceLog(journal: collector.address, lines: .prefixed)
        log.record(
            ServiceEvent(
                .crashReported, .notice, "it crashed", fields: [("EPITAPH_REPORT_ID", "abc")]))
        let text = try #require(try collector.message(with: "it crashed")).text
        #expect(text.contains("MESSAGE_ID=\(ServiceMessage.crashReported.id)\n"))
        #expect(text.contains("PRIORITY=5\n"))
        #expect(text.contains("EPITAPH_REPORT_ID=abc\n"))
    }

    @Test("Message ids are 128 bits, and each is there once")
    func ids() {
        let ids = ServiceMessage.allCases.map(\.id)
        #expect(Set(ids).count == ids.count)
        for id in ids { #expect(id.wholeMatch(of: /[0-9a-f]{32}/) != nil) }
    }

    @Test(
        "systemd's own journal has every field of an entry, small and large",
        .enabled(
            if: geteuid() == 0
                && FileManager.default.isExecutableFile(atPath: "/lib/systemd/systemd-journald"),
            "needs root and systemd-journald"))
    func realJournal() throws {
        // In a mount namespace of its own; its /run goes with it.
        let directory = try TemporaryDirectory()
        var entry = JournalEntry()
        entry.add("MESSAGE", "real\nlines")
        entry.add("EPITAPH_BYTES", [0, 1, 255])
        var large = entry
        large.add("EPITAPH_LARGE", String(repeating: "x", count: 4 << 20))
        try directory.write(entry.bytes, to: "small")
        try directory.write(large.bytes, to: "large")
        let script = """
            set -e
            mount -t tmpfs tmpfs /run
            mkdir -p /run/systemd/journal
            /lib/systemd/systemd-journald & journal=$!
            trap 'kill -KILL $journal' EXIT
            until [ -S /run/systemd/journal/socket ]; do sleep 0.05; done
            python3 - "$1" <<'END'
            import os, socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.connect("/run/systemd/journal/socket")
            s.send(open(sys.argv[1] + "/small", "rb").read())
            file = os.memfd_create("message", os.MFD_ALLOW_SEALING)
            os.write(file, open(sys.argv[1] + "/large", "rb").read())
            import fcntl
            fcntl.fcntl(file, 1033, 15)
            socket.send_fds(s, [b""], [file])
            END
            for attempt in $(seq 200); do
              journalctl -D /run/log/journal --all -o json MESSAGE="real
            lines" > "$1/read" 2>/dev/null || true
              [ "$(wc -l < "$1/read")" -ge 2 ] && exit 0
              sleep 0.1
            done
            exit 9
            """
        let result = try Subprocess.run(
            ["unshare", "-m", "bash", "-c", script, "bash", directory.path], deadlineSeconds: 60)
        try #require(result.ending == .exited(0), "\(result.standardError)")
        let lines = try String(
            decoding: directory.contents("read"), as: UTF8.self
        ).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains("\"EPITAPH_BYTES\":[0,1,255]") })
        #expect(lines.contains { $0.utf8.count > 4 << 20 })
    }
}
