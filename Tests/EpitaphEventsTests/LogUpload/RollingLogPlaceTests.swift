// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphLogUpload

/// What was in the files stays, each problem is said once, and the program goes on.
@Suite(
    "A log that rolls itself, where it cannot",
    .enabled(if: OtherUser.canBeHad, "only root can mount disks and be another user"))
struct RollingLogPlaceTests {
    private final class Sentences: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ sentence: String) { all.withLock { $0.append(sentence) } }
        var texts: [String] { all.withLock { $0 } }
    }

    private let lab: LogLab
    private let sentences = Sentences()

    init() throws { lab = try LogLab() }

    private var path: String { lab.path + "/app.log" }
    private var rolled: [String] { lab.names.filter { $0.hasPrefix("app.log-") } }

    private func log(sizeLimitBytes: Int) throws -> RollingLog {
        var options = RollingLogOptions()
        options.sizeLimitBytes = sizeLimitBytes
        options.keptFiles = 2
        return try RollingLog(path, options: options, log: sentences.add)
    }

    private func mount(_ arguments: String...) throws {
        let mounted = try Subprocess.run(["mount"] + arguments)
        guard mounted.ending == .exited(0) else {
            try Test.cancel("no file system can be mounted here: \(mounted.standardError)")
        }
    }

    private func unmount() { _ = try? Subprocess.run(["umount", "-l", lab.path]) }

    @Test("A full disk costs the lines that it has no room for, and cuts no later one")
    func fullDisk() throws {
        try mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", lab.path)
        defer { unmount() }
        let log = try log(sizeLimitBytes: 30_000)
        let line = String(repeating: "x", count: 999)
        var written = 0
        for _ in 0..<100 where log.append(line) { written += 1 }
        #expect(written < 70 && log.problem?.contains("No space") == true)
        #expect(
            sentences.texts == ["lines for \(path) are lost: No space left on device (write)"])
        lab.remove(rolled[0])
        #expect(log.append("after") && log.problem == nil)
        let lines = (rolled + ["app.log"]).flatMap { (lab.text($0) ?? "").split(separator: "\n") }
        #expect(lines.last == "after")
        #expect(lines.filter { $0.count == 999 }.count == written - 30)
    }

    @Test("A disk with no room for another name keeps the lines in the file that was rolled")
    func noMoreFiles() throws {
        // Its root and one file.
        try mount("-t", "tmpfs", "-o", "nr_inodes=2", "tmpfs", lab.path)
        defer { unmount() }
        let log = try log(sizeLimitBytes: 30)
        for number in 10..<20 { #expect(log.append("line \(number)")) }
        #expect(lab.names == rolled && rolled.count == 1)
        #expect(lab.text(rolled[0])?.split(separator: "\n").count == 10)
        #expect(
            sentences.texts.count == 1 && sentences.texts[0].contains("cannot be created again"))
    }

    @Test("A disk that becomes read-only after an error keeps what it has")
    func readOnly() throws {
        let image = lab.parent.path("disk")
        try lab.parent.write([], to: "disk")
        #expect(truncate(image, 8 << 20) == 0)
        guard (try? Subprocess.run(["mkfs.ext4", "-q", "-F", image]).ending) == .exited(0) else {
            try Test.cancel("no mkfs.ext4 here")
        }
        try mount("-o", "loop,errors=remount-ro", image, lab.path)
        defer { unmount() }
        let log = try log(sizeLimitBytes: 1_000)
        #expect(log.append("before"))
        // What ext4 does after an error of the disk; ext4(5), `abort`.
        try mount("-o", "remount,abort", lab.path)
        for _ in 0..<300 { #expect(!log.append("lost")) }
        #expect(!log.roll())
        #expect(lab.names.filter { $0 != "lost+found" } == ["app.log"])
        #expect(lab.text("app.log") == "before\n")
        let expected = "lines for \(path) are lost: Read-only file system (write)"
        #expect(sentences.texts == [expected] && log.problem == expected)
        do throws(SystemError) {
            _ = try RollingLog(lab.path + "/other.log")
            Issue.record("opened on a read-only disk")
        } catch {
            #expect("\(error)" == "\(lab.path)/other.log: Read-only file system (openat)")
        }
    }

    @Test("A directory that loses its rights keeps its files, and lines go on into the last")
    func noRights() throws {
        let log = try log(sizeLimitBytes: 30)
        for number in 10..<19 { log.append("line \(number)") }
        let before = lab.names
        let path = self.path
        chmod(lab.parent.path, 0o711)
        chmod(lab.path, 0o555)
        try FileSystemIdentity(userID: OtherUser.id).during {
            for number in 19..<30 { #expect(log.append("line \(number)")) }
            #expect(!log.roll())
            #expect(throws: SystemError.self) { try RollingLog(path + ".other") }
        }.get()
        #expect(lab.names == before)
        #expect(lab.text("app.log")?.hasSuffix("line 28\nline 29\n") == true)
        #expect(
            sentences.texts == [
                "\(path) cannot be rolled and goes on growing: Permission denied (renameat2); "
                    + "tried again each minute"
            ])
    }
}
