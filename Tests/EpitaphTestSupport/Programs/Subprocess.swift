// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

/// What deadlines of tests are multiplied by. They are there for what hangs, and are chosen for a
/// machine that has nothing else to do; one that is busy is slow, and no test fails of that.
let patience = 4.0

/// A program run to its end, with a deadline. Nothing outlives the call: at the deadline its
/// process group is killed.
package struct Subprocess: Sendable {
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        case timedOut
    }

    package let ending: Ending
    /// Whether the kernel wrote a core dump: WCOREDUMP, wait(2).
    package let dumpedCore: Bool
    package let standardOutput: String
    package let standardError: String
    package let processID: Int32

    /// Runs `arguments[0]`, looked up in `Toolchain.searchPath`, in a process group of its own. It
    /// works in a directory that is removed afterwards: files it names by relative paths go there.
    ///
    /// - Parameter environment: added to this process's own; SWIFT_BACKTRACE is off unless given.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:],
        deadlineSeconds: Double = 60
    ) throws -> Subprocess {
        let outputs = try TemporaryDirectory()
        let processID = try spawn(
            arguments, environment: environment, output: outputs.path("out"),
            error: outputs.path("err"), directory: try work(in: outputs))
        let (ending, status) = waitForStatus(of: processID, deadlineSeconds: deadlineSeconds)
        kill(-processID, SIGKILL)
        return Subprocess(
            ending: ending, dumpedCore: status & 0x80 != 0,
            standardOutput: text(outputs.path("out")),
            standardError: text(outputs.path("err")), processID: processID)
    }

    private static func work(in outputs: TemporaryDirectory) throws -> String {
        let path = outputs.path("work")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        return path
    }

    /// Starts a program and returns its process id; the caller waits for it with `wait`.
    ///
    /// - Parameter directory: where it works.
    package static func spawn(
        _ arguments: [String], environment: [String: String] = [:],
        output: String = "/dev/null", error: String = "/dev/null",
        directory: String = NSTemporaryDirectory()
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, error, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try changeDirectory(&actions, directory)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Tests run on dispatch workers, which block nearly all signals; a program must not inherit
        // that.
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))

        var variables = ProcessInfo.processInfo.environment
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables["PATH"] = Toolchain.searchPath
        variables.merge(environment) { $1 }
        let name = arguments[0]
        guard
            let program = Toolchain.executable(
                name, searchPath: variables["PATH"] ?? Toolchain.searchPath)
        else { throw LaunchError(program: name, errorNumber: ENOENT) }
        var processID: pid_t = 0
        let result = withCStrings(arguments) { argv in
            withCStrings(variables.map { "\($0.key)=\($0.value)" }.sorted()) { envp in
                onceClosed {
                    posix_spawn(&processID, program, &actions, &attributes, argv, envp)
                }
            }
        }
        guard result == 0 else {
            throw LaunchError(program: name, errorNumber: result)
        }
        return processID
    }

    /// Starts a program that this process may just have copied. A child that another test was starting
    /// meanwhile has the copy open for writing until its execve(2), which fails the start of the copy
    /// with ETXTBSY; O_CLOEXEC does not help before then.
    private static func onceClosed(_ start: () -> Int32) -> Int32 {
        let deadline = Timestamp.now.adding(seconds: 10 * patience)
        var result = start()
        while result == ETXTBSY, Timestamp.now < deadline {
            usleep(2_000)
            result = start()
        }
        return result
    }

    /// posix_spawn_file_actions_addchdir_np(3) of glibc 2.29, which Swift's module of glibc leaves
    /// out.
    private static func changeDirectory(
        _ actions: inout posix_spawn_file_actions_t, _ directory: String
    ) throws {
        typealias AddChangeDirectory =
            @convention(c) (
                UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>
            ) -> Int32
        guard let function = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else {
            throw LaunchError(program: directory, errorNumber: ENOSYS)
        }
        _ = unsafeBitCast(function, to: AddChangeDirectory.self)(&actions, directory)
    }

    /// Waits for a child; kills its process group at the deadline.
    package static func wait(for processID: Int32, deadlineSeconds: Double) -> Ending {
        waitForStatus(of: processID, deadlineSeconds: deadlineSeconds).ending
    }

    private static func waitForStatus(
        of processID: Int32, deadlineSeconds: Double
    ) -> (ending: Ending, status: Int32) {
        let deadline = Timestamp.now.adding(seconds: deadlineSeconds * patience)
        var status: Int32 = 0
        while waitpid(processID, &status, WNOHANG) == 0 {
            guard Timestamp.now < deadline else {
                kill(-processID, SIGKILL)
                waitpid(processID, &status, 0)
                return (.timedOut, status)
            }
            usleep(2_000)
        }
        let signal = status & 0x7f
        return (signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal), status)
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

/// A program that could not be started.
package struct LaunchError: Error, CustomStringConvertible {
    package let program: String
    package let errorNumber: Int32

    package var description: String {
        "cannot start \(program): \(String(cString: strerror(errorNumber)))"
    }
}
