// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphEvents

@Suite struct EventWriterTests {
    @Test("Events wait half a second for others, and go to the disk as one batch")
    func time() throws {
        let lab = try EventLab()
        let writer = try lab.writer()
        #expect(writer.record(EventLab.custom("a")))
        #expect(writer.step() == 0.5)
        lab.clock.advance(bySeconds: 0.3)
        #expect(writer.record(EventLab.custom("b")))
        #expect(lab.files == [])
        lab.clock.advance(bySeconds: 0.2)
        #expect(writer.step() == nil)
        #expect(lab.files.count == 1)
        #expect(lab.names == ["a", "b"])
        #expect(lab.events.map(\.sequence) == [1, 2])
        #expect(lab.tally.present.written == 2)
    }

    @Test("Fifty events do not wait")
    func count() throws {
        let lab = try EventLab()
        let writer = try lab.writer()
        for number in 1...49 { writer.record(EventLab.custom("\(number)")) }
        #expect(writer.step() == 0.5)
        writer.record(EventLab.custom("50"))
        #expect(writer.step() == nil)
        #expect(lab.names == (1...50).map { "\($0)" })
    }

    @Test("An event has both clocks, and the context of its moment")
    func moment() throws {
        let lab = try EventLab()
        lab.options.includesPersonalData = true
        let writer = try lab.writer()
        lab.context.update { $0 = EventSamples.fullContext }
        writer.record(EventLab.custom("a"))
        let (time, seconds) = (lab.clock.now(), lab.clock.monotonicSeconds())
        lab.context.update { $0.version = "2" }
        lab.clock.advance(bySeconds: 1)
        writer.record(EventLab.custom("b"))
        _ = writer.step()
        #expect(lab.events.map(\.context.version) == ["1.4", "2"])
        #expect(lab.events.first?.context == EventSamples.fullContext)
        #expect(lab.events.first?.sessionID == EventSamples.id)
        #expect(lab.events.first?.time == time)
        #expect(lab.events.first?.monotonicSeconds == seconds)
    }

    @Test("Name and e-mail address are nowhere unless the options say so")
    func personal() throws {
        let lab = try EventLab()
        let writer = try lab.writer()
        lab.context.update { $0 = EventSamples.fullContext }
        writer.record(EventLab.custom("a"))
        lab.clock.advance(bySeconds: 1)
        _ = writer.step()
        let text = try lab.files.map {
            String(decoding: try lab.directory.contents("events/" + $0), as: UTF8.self)
        }.joined()
        #expect(text.contains("\"u1\""))
        #expect(!text.contains("Ada") && !text.contains("ada@"))
    }

    @Test("More events than may wait are dropped, counted, and told of in an event")
    func full() throws {
        let lab = try EventLab()
        lab.options.waitingLimit = 3
        let writer = try lab.writer()
        for number in 1...5 { #expect(writer.record(EventLab.custom("\(number)")) == (number < 4)) }
        lab.clock.advance(bySeconds: 1)
        _ = writer.step()
        #expect(lab.names == ["1", "2", "3"])
        #expect(lab.tally.present.drops[.bufferFull] == 2)
        #expect(
            lab.events.last?.payload
                == .eventsDropped(DroppedEventsDetails(counts: ["bufferFull": 2])))
        // Once is enough.
        writer.record(EventLab.custom("6"))
        lab.clock.advance(bySeconds: 1)
        _ = writer.step()
        #expect(lab.events.count == 5)
        #expect(lab.events.map(\.sequence) == [1, 2, 3, 6, 7])
    }

    @Test("Text that waits in memory has a limit too")
    func bytes() throws {
        let lab = try EventLab()
        lab.options.waitingLimitBytes = 1 << 16
        let writer = try lab.writer()
        let text = String(repeating: "x", count: 40_000)
        #expect(writer.record(EventLab.custom(text)))
        #expect(!writer.record(EventLab.custom(text)))
        #expect(lab.tally.present.drops[.bufferFull] == 1)
    }

    @Test("An event of a megabyte is dropped at once, one that grows in JSON when it is written")
    func large() throws {
        let lab = try EventLab()
        let writer = try lab.writer()
        #expect(!writer.record(EventLab.custom(String(repeating: "x", count: 1 << 20))))
        // A control character takes six bytes in JSON.
        #expect(writer.record(EventLab.custom(String(repeating: "\u{1}", count: 60_000))))
        #expect(writer.record(EventLab.custom("small")))
        lab.clock.advance(bySeconds: 1)
        _ = writer.step()
        #expect(lab.names == ["small"])
        #expect(lab.tally.present.drops[.tooLarge] == 2)
    }

    @Test("An event that JSON cannot hold costs that event alone")
    func encoder() throws {
        let lab = try EventLab()
        let writer = try lab.writer()
        writer.record(.custom(CustomDetails(name: "bad", properties: ["p": .number(.nan)])))
        writer.record(EventLab.custom("good"))
        lab.clock.advance(bySeconds: 1)
        _ = writer.step()
        #expect(lab.names == ["good"])
        #expect(lab.tally.present.drops[.encoder] == 1)
    }

    @Test("Where the directory cannot be made, events are counted, and what is wrong is said")
    func noDirectory() throws {
        let lab = try EventLab()
        try lab.directory.write([], to: "events")
        let writer = try lab.writer()
        writer.record(EventLab.custom("lost"))
        lab.clock.advance(bySeconds: 1)
        _ = writer.step()
        #expect(lab.tally.present.drops[.storeFailed] == 1)
        #expect(lab.tally.present.storeProblem?.contains(lab.directory.path) == true)
        // It comes to be.
        try FileManager.default.removeItem(atPath: lab.directory.path("events"))
        writer.record(EventLab.custom("kept"))
        lab.clock.advance(bySeconds: 1)
        _ = writer.step()
        #expect(lab.names == ["kept"])
        #expect(lab.tally.present.storeProblem == nil)
        #expect(lab.events.last?.type == .eventsDropped)
    }

    @Test(
        "A full disk costs the events that it has no room for, and nothing else",
        .enabled(if: geteuid() == 0, "only root can mount a small file system"))
    func fullDisk() throws {
        let lab = try EventLab()
        let mounted = try Subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", lab.directory.path])
        guard mounted.ending == .exited(0) else {
            try Test.cancel("no file system can be mounted here: \(mounted.standardError)")
        }
        defer { _ = try? Subprocess.run(["umount", "-l", lab.directory.path]) }
        let writer = try lab.writer()
        for number in 1...40 {
            writer.record(EventLab.custom("\(number)" + String(repeating: "x", count: 8_000)))
            lab.clock.advance(bySeconds: 1)
            _ = writer.step()
        }
        let status = lab.tally.present
        #expect(status.drops[.diskFull] > 0)
        #expect(status.drops.total == status.drops[.diskFull])
        #expect(status.drops[.diskFull] + UInt64(lab.names.count) == 40)
        #expect(lab.files.allSatisfy { $0.hasSuffix(".ndjson") })
        #expect(status.storeProblem?.contains("No space") == true)
    }

    @Test("What is on the disk stays within its limit; the oldest goes first")
    func diskLimit() throws {
        let lab = try EventLab()
        lab.options.diskLimitBytes = 1 << 16
        let writer = try lab.writer()
        for number in 1...60 {
            writer.record(EventLab.custom("\(number)"))
            lab.clock.advance(bySeconds: 1)
            _ = writer.step()
        }
        let status = lab.tally.present
        #expect(status.drops[.overLimit] > 30)
        #expect(lab.files.count * 4_096 <= (1 << 16) + (1 << 16) / 8 + 4_096)
        #expect(lab.names.last == "60")
        // The events that tell of the others are dropped and counted like them.
        #expect(UInt64(lab.events.count) + status.drops[.overLimit] == status.written)
    }

    @Test("A log that was closed takes nothing more and counts it")
    func closed() throws {
        let lab = try EventLab()
        let writer = try lab.writer()
        writer.record(EventLab.custom("a"))
        writer.close()
        #expect(!writer.record(EventLab.custom("b")))
        #expect(lab.tally.present.drops[.notRunning] == 1)
        _ = writer.step()
        #expect(lab.names == ["a"])
    }
}
