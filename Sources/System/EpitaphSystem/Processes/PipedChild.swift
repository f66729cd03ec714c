// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that reads work from standard input and answers on standard output, without terminal
/// signals. It must exit when its input ends or its output breaks, because this process is gone
/// then. Killed at the latest with the last reference. For one thread at a time.
package final class PipedChild {
    package let processID: Int32
    package let input: FileDescriptor
    package let output: FileDescriptor
    private var ending: ChildProcess.Ending?
    private var isGone = false

    /// How long to wait after SIGKILL; a process blocked on a broken disk ends later.
    private static let mostTurns = 500
    private static let turnMicroseconds: UInt32 = 10_000

    /// Starts a program with no signals blocked, and the default action for those that usually end
    /// a program. `program` is a path, or a name in PATH; `name` is its argv[0].
    package init(_ program: String, name: String, _ arguments: [String]) throws(SystemError) {
        let (childInput, input) = try Self.pipe()
        let (output, childOutput) = try Self.pipe()
        self.input = input
        self.output = output
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGHUP, SIGALRM] {
            sigaddset(&signals, signal)
        }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childInput.rawValue, 0)
        posix_spawn_file_actions_adddup2(&actions, childOutput.rawValue, 1)
        let words = ([name] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let result = posix_spawnp(&child, program, &actions, &attributes, words, environ)
        guard result == 0 else {
            throw SystemError(call: "posix_spawnp", subject: program, errorNumber: result)
        }
        processID = child
    }

    deinit {
        _ = end()
    }

    package func end() -> ChildProcess.Ending? {
        guard !isGone else { return ending }
        isGone = true
        kill(processID, SIGKILL)
        for _ in 0..<Self.mostTurns {
            do throws(SystemError) {
                ending = try ChildProcess.endingIfEnded(of: processID)
            } catch {
                return nil
            }
            guard ending == nil else { return ending }
            usleep(Self.turnMicroseconds)
        }
        return nil
    }

    package func ended() -> ChildProcess.Ending? {
        for _ in 0..<100 where !isGone {
            if let found = try? ChildProcess.endingIfEnded(of: processID) {
                isGone = true
                ending = found
                return found
            }
            usleep(Self.turnMicroseconds)
        }
        return end()
    }

    /// Resident memory that is not file-backed, bytes: proc_pid_statm(5). 0 if unknown.
    package var privateBytes: Int { ProcFileSystem.privateBytes(of: processID) }

    private static func pipe() throws(SystemError) -> (FileDescriptor, FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        // As in `StopSignal`: Swift does not see pipe2(2).
        guard Glibc.pipe(&ends) == 0 else { throw .last("pipe", "a worker") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (
            FileDescriptor(owning: ends[0], path: "a worker's pipe"),
            FileDescriptor(owning: ends[1], path: "a worker's pipe")
        )
    }
}

extension ProcFileSystem {
    /// Resident memory that is not file-backed, bytes; 0 if unknown. `processID` nil: this process.
    package static func privateBytes(of processID: Int32? = nil) -> Int {
        let name = processID.map { "\($0)" } ?? "self"
        guard
            let bytes = try? FileDescriptor.openForReading("/proc/\(name)/statm")
                .readAll(limit: 256)
        else { return 0 }
        let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").map { Int($0) }
        guard pages.count > 2, let resident = pages[1], let shared = pages[2] else { return 0 }
        return max(0, resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

extension CurrentProcess {
    package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// alarm(2): ends this process with SIGALRM; 0 cancels it.
    package static func setAlarm(seconds: Int) {
        alarm(UInt32(clamping: seconds))
    }
}

extension FileDescriptor {
    package static let standardInput = FileDescriptor(owning: 0, path: "standard input")
}
