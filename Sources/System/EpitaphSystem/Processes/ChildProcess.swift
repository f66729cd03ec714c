// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum ChildProcess {
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// Runs a program in the foreground and waits for it; as in system(3), SIGINT and SIGQUIT do
    /// not end this process meanwhile. `program` is a path, or a name in PATH.
    package static func run(
        _ program: String, _ arguments: [String]
    ) throws(SystemError) -> Ending {
        var ignored = sigaction()
        ignored.__sigaction_handler.sa_handler = SIG_IGN
        var interrupt = sigaction()
        var quit = sigaction()
        sigaction(SIGINT, &ignored, &interrupt)
        sigaction(SIGQUIT, &ignored, &quit)
        defer {
            sigaction(SIGINT, &interrupt, nil)
            sigaction(SIGQUIT, &quit, nil)
        }
        return try wait(for: spawn(program, arguments))
    }

    /// Starts a program with the default action for SIGINT, SIGQUIT and SIGPIPE. Returns its
    /// process id.
    ///
    /// - Parameter input: standard input; nil for this process's own.
    package static func spawn(
        _ program: String, _ arguments: [String], input: FileDescriptor? = nil
    ) throws(SystemError) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGQUIT, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_adddup2(&actions, input.rawValue, 0) }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let result = posix_spawnp(&child, program, &actions, &attributes, words, environ)
        guard result == 0 else {
            throw SystemError(call: "posix_spawnp", subject: program, errorNumber: result)
        }
        return child
    }

    package static func wait(for child: Int32) throws(SystemError) -> Ending {
        var status: Int32 = 0
        guard retryingInterrupts({ waitpid(child, &status, 0) }) == child else {
            throw .last("waitpid", "\(child)")
        }
        return ending(status)
    }

    package static func endingIfEnded(of child: Int32) throws(SystemError) -> Ending? {
        var status: Int32 = 0
        let found = retryingInterrupts { waitpid(child, &status, WNOHANG) }
        guard found >= 0 else { throw .last("waitpid", "\(child)") }
        return found == child ? ending(status) : nil
    }

    /// WIFSIGNALED etc., which are macros.
    private static func ending(_ status: Int32) -> Ending {
        status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
    }
}
