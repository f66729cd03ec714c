// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct ProcFileSystemTests {
    /// A proc of our own making with one process in it.
    private func proc(stat: String, of processID: Int32 = 7) throws -> (
        TemporaryDirectory, ProcFileSystem
    ) {
        let directory = try TemporaryDirectory()
        try Directory.make(directory.path("\(processID)"))
        try directory.write(Array(stat.utf8), to: "\(processID)/stat")
        return (directory, ProcFileSystem(root: directory.path))
    }

    /// proc_pid_stat(5): fields 3 to 22 with state, num_threads and starttime as given.
    private func line(name: String, state: String, threads: Int, ticks: UInt64) -> String {
        "7 (\(name)) \(state) 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 \(threads) 0 \(ticks) 99 100 x\n"
    }

    @Test("This process runs since the tick that ps would show")
    func ownState() throws {
        let text = try String(contentsOfFile: "/proc/self/stat", encoding: .utf8)
        let fields = text[text.lastIndex(of: ")")!...].split(separator: " ")
        let ticks = try #require(UInt64(fields[20]))
        #expect(ProcFileSystem().state(of: getpid()) == .running(startTicks: ticks))
    }

    @Test("Parentheses and spaces in the name do not shift the fields")
    func oddName() throws {
        let (directory, proc) = try proc(
            stat: line(name: "a) R (b c", state: "S", threads: 3, ticks: 42))
        defer { withExtendedLifetime(directory) {} }
        #expect(proc.state(of: 7) == .running(startTicks: 42))
    }

    @Test("A zombie has ended, but not while other threads run on")
    func zombies() throws {
        let (first, dead) = try proc(stat: line(name: "x", state: "Z", threads: 1, ticks: 5))
        let (second, alive) = try proc(stat: line(name: "x", state: "Z", threads: 2, ticks: 5))
        defer { withExtendedLifetime((first, second)) {} }
        #expect(dead.state(of: 7) == .ended)
        #expect(alive.state(of: 7) == .running(startTicks: 5))
    }

    @Test(
        "A stat file cut short or garbled leaves the question open",
        arguments: [
            "", "7", "7 (x", "7 (x) S 1 2", "7 (x) S 1 7 7 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 -5 9",
        ])
    func garbled(stat: String) throws {
        let (directory, proc) = try proc(stat: stat)
        defer { withExtendedLifetime(directory) {} }
        #expect(proc.state(of: 7) == .unknown)
    }

    @Test("A killed child is a zombie, then gone")
    func child() throws {
        let directory = try TemporaryDirectory()
        let holder = try LockHolder(.none, on: directory.write([], to: "file"))
        guard case .running = ProcFileSystem().state(of: holder.processID) else {
            Issue.record("the child does not run")
            return
        }
        holder.killWithoutWaiting()
        #expect(ProcFileSystem().state(of: holder.processID) == .ended)
        holder.end()
        #expect(ProcFileSystem().state(of: holder.processID) == .ended)
    }

    @Test("A process missing from proc may be hidden: kill(2) is asked")
    func hidden() throws {
        let directory = try TemporaryDirectory()
        let empty = ProcFileSystem(root: directory.path)
        #expect(empty.state(of: getpid()) == .unknown)
        // The kernel's highest number is 4194304, proc(5) pid_max.
        #expect(empty.state(of: 4_194_305) == .ended)
        #expect(empty.state(of: 0) == .unknown)
        #expect(empty.state(of: -1) == .unknown)
    }

    @Test("The boot id and the pid namespace are those of the system")
    func identities() throws {
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(try ProcFileSystem().bootID().description + "\n" == boot)
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        #expect(try "pid:[\(ProcFileSystem().pidNamespace())]" == link)
    }

    @Test("Without proc each answer is an error or unknown")
    func noProc() throws {
        let nowhere = ProcFileSystem(root: "/nonexistent")
        #expect(throws: SystemError.self) { try nowhere.bootID() }
        #expect(throws: SystemError.self) { try nowhere.pidNamespace() }
        #expect(nowhere.ownOpenFiles() == nil)
    }

    @Test("An open file is among one's own until it is closed")
    func ownFiles() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([], to: "file")
        var file: FileDescriptor? = try .openForReading(path)
        let identity = try #require(try file?.fileStatus().identity)
        #expect(try #require(ProcFileSystem().ownOpenFiles()).contains(identity))
        file = nil
        #expect(try !#require(ProcFileSystem().ownOpenFiles()).contains(identity))
    }

    @Test("Lines of a status file are found by their whole name, the first of two counts")
    func statusLines() {
        let status = ProcessStatus(
            Array("Name:\ta: b \nPid:\t7\nPPid:\t1\nUid:\t0\t1000\t0\t5\nPid:\t8\n".utf8))
        #expect(status["Name"] == "a: b")
        #expect(status["Pid"] == "7")
        #expect(status["id"] == nil)
        #expect(status.numbers("Uid", as: UInt32.self) == [0, 1000, 0, 5])
        #expect(status.numbers("PPid", as: Int32.self) == [1])
        #expect(status.numbers("Uid", as: UInt8.self) == [0, 0, 5])
        #expect(status.numbers("NSpid", as: Int32.self) == [])
    }

    @Test("The open files of this process have their paths; of one that is gone none are known")
    func openPaths() throws {
        let directory = try TemporaryDirectory()
        try directory.write([1], to: "held")
        let file = try FileDescriptor.openForReading(directory.path("held"))
        defer { withExtendedLifetime(file) {} }
        #expect(try #require(ProcFileSystem().openPaths(getpid())).contains(directory.path("held")))
        #expect(ProcFileSystem().openPaths(.max) == nil)
    }
}
