// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("A log that rolls itself", .timeLimit(.minutes(45)))
struct RollingLogTests {
    private let lab: LogLab

    init() throws { lab = try LogLab() }

    private var path: String { lab.path + "/app.log" }

    private func log(_ change: (inout RollingLogOptions) -> Void = { _ in }) throws -> RollingLog {
        var options = RollingLogOptions()
        options.keptFiles = 0
        change(&options)
        return try RollingLog(path, options: options)
    }

    private var rolled: [String] { lab.names.filter { $0 != "app.log" } }

    /// Of all files.
    private var lines: [Substring] {
        (rolled + ["app.log"]).flatMap { (lab.text($0) ?? "").split(separator: "\n") }
    }

    @Test("A line that would make the file too large is the first of a new one, and none is lost")
    func size() throws {
        let log = try log { $0.sizeLimitBytes = 30 }
        for number in 10..<20 { #expect(log.append("line \(number)")) }
        // Eight bytes each with the line break.
        #expect(rolled.count == 3 && lab.text("app.log") == "line 19\n")
        #expect(lines.sorted() == (10..<20).map { "line \($0)" })
        #expect(rolled.allSatisfy { LogSelection.standard.includes($0) })
        #expect(!LogSelection.standard.includes("app.log") && log.problem == nil)
    }

    @Test("A file that is old enough is rolled with the next line")
    func age() throws {
        let log = try log { $0.ageLimit = .milliseconds(500) }
        log.append("first")
        #expect(eventually { log.append("next") && !rolled.isEmpty })
        #expect(lab.text(rolled[0])?.hasPrefix("first\n") == true)
    }

    @Test("Many logs of one name have each line once and whole, whoever rolls")
    func several() throws {
        let logs = try (0..<4).map { _ in try log { $0.sizeLimitBytes = 4_000 } }
        let lines = 2_000
        DispatchQueue.concurrentPerform(iterations: logs.count) { writer in
            for number in 0..<lines { logs[writer].append("writer \(writer) line \(number)") }
        }
        let all = self.lines.map(String.init)
        #expect(all.count == logs.count * lines && Set(all).count == all.count)
        #expect(all.allSatisfy { $0.wholeMatch(of: #/writer \d line \d+/#) != nil })
        #expect(rolled.count > 10)
    }

    @Test("What another program renames is left alone, and the next line is in a new file")
    func renamed() throws {
        let log = try log()
        log.append("first")
        lab.rename("app.log", "app.log.1")
        log.append("second")
        #expect(lab.text("app.log.1") == "first\n" && lab.text("app.log") == "second\n")
        #expect(log.roll() && rolled.count == 2 && !log.roll())
    }

    @Test("A file that cannot be renamed goes on, and the problem is said")
    func cannotBeRenamed() throws {
        // Its rolled name would be too long.
        let name = String(repeating: "n", count: 250)
        var options = RollingLogOptions()
        options.sizeLimitBytes = 10
        let log = try RollingLog(lab.path + "/" + name, options: options)
        for _ in 0..<3 { #expect(log.append("a line of text")) }
        #expect(lab.names == [name] && lab.text(name)?.count == 45)
        #expect(log.problem?.contains("File name too long") == true, "\(log.problem ?? "")")
    }

    @Test("A directory may move, and what is no regular file is refused")
    func gone() throws {
        let log = try log()
        log.append("first")
        lab.moveDirectoryAway()
        #expect(log.append("into the file that is still open"))
        try Directory.make(lab.path)
        #expect(throws: Epitaph.SystemError.self) { try RollingLog("/dev/null") }
        try symlink()
        #expect(throws: Epitaph.SystemError.self) { try RollingLog(lab.path + "/link") }
    }

    private func symlink() throws {
        try FileManager.default.createSymbolicLink(
            atPath: lab.path + "/link", withDestinationPath: lab.parent.path("elsewhere/app.log"))
    }

    @Test("Only so many of its own rolled files stay, and nobody else's goes")
    func kept() throws {
        let others = ["app.log-1", "app.log-20250101", "app.log-20200101T000000Z.gz", "other.log"]
        for name in others { try lab.write("x", to: name) }
        try lab.write("x", to: "app.log-20200101T000000Z")
        let log = try log {
            $0.sizeLimitBytes = 1
            $0.keptFiles = 3
        }
        for number in 0..<8 { log.append("\(number)") }
        let own = rolled.filter { !others.contains($0) }
        #expect(own.count == 3 && !own.contains("app.log-20200101T000000Z"), "\(own)")
        #expect(others.allSatisfy(lab.names.contains))
        #expect(Set(own.compactMap { lab.text($0) }) == ["4\n", "5\n", "6\n"])
    }

    @Test("A clock that was set back makes no new file the oldest")
    func clockSetBack() throws {
        try lab.write("old", to: "app.log-20990101T000000Z")
        let log = try log { $0.keptFiles = 1 }
        log.append("new")
        #expect(log.roll())
        #expect(rolled == ["app.log-20990101T000000Z.1"] && lab.text(rolled[0]) == "new\n")
    }

    @Test("As JSON each line is an object with its time, whatever is in the message")
    func json() throws {
        let log = try log { $0.form = .json }
        log.append("two\nlines \"quoted\"", .warning, tag: "net", metadata: ["port": 80])
        log.append("plain", metadata: ["share": .number(.nan)])
        let lines = try #require(lab.text("app.log")).split(separator: "\n")
        #expect(lines.count == 2)
        let first = try JSONValue(parsing: lines[0].utf8)
        #expect(first["message"] == .text("two\nlines \"quoted\""))
        #expect(first["level"] == .text("warning") && first["tag"] == .text("net"))
        #expect(first["metadata"] == .object(["port": .integer(80)]))
        guard case .text(let time)? = first["timestamp"] else {
            Issue.record("no time")
            return
        }
        #expect(time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
        let second = try JSONValue(parsing: lines[1].utf8)
        #expect(second["metadata"] == .object(["share": .text("nan")]))
    }

    @Test("The uploader sends what was rolled, and not what is still written")
    func uploaded() throws {
        let log = try log { $0.sizeLimitBytes = 30 }
        for number in 10..<20 { log.append("line \(number)") }
        lab.options.settleTime = .zero
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 3)
        #expect(lab.names == ["app.log"])
    }

    @Test("A closed gate keeps every log, and an open one lets them go")
    func gate() throws {
        try lab.write("text", to: "app.log.1")
        lab.options.gate = { _ in .closed(reason: "wwan0 is a metered link") }
        var closed = try lab.pass()
        #expect(closed.run().waitingCount == 1 && lab.server.requests.isEmpty)
        lab.options.gate = Epitaph.Gates.load(below: 1e9)
        var open = try lab.pass()
        #expect(open.run().uploadedCount == 1)
    }
}
