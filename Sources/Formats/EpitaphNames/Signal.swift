// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// A signal, signal(7).
    public struct Signal: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
        ExpressibleByIntegerLiteral
    {
        /// The number on x86-64, aarch64 and riscv64.
        public let rawValue: Int32

        /// - Parameter rawValue: 1 to 64; other numbers are rejected when used.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        public init(integerLiteral number: Int32) {
            rawValue = number
        }

        public static let sighup: Signal = 1
        public static let sigint: Signal = 2
        public static let sigquit: Signal = 3
        public static let sigill: Signal = 4
        public static let sigtrap: Signal = 5
        public static let sigabrt: Signal = 6
        public static let sigbus: Signal = 7
        public static let sigfpe: Signal = 8
        public static let sigkill: Signal = 9
        public static let sigusr1: Signal = 10
        public static let sigsegv: Signal = 11
        public static let sigusr2: Signal = 12
        public static let sigpipe: Signal = 13
        public static let sigalrm: Signal = 14
        public static let sigterm: Signal = 15
        public static let sigstkflt: Signal = 16
        public static let sigchld: Signal = 17
        public static let sigcont: Signal = 18
        public static let sigstop: Signal = 19
        public static let sigtstp: Signal = 20
        public static let sigttin: Signal = 21
        public static let sigttou: Signal = 22
        public static let sigurg: Signal = 23
        public static let sigxcpu: Signal = 24
        public static let sigxfsz: Signal = 25
        public static let sigvtalrm: Signal = 26
        public static let sigprof: Signal = 27
        public static let sigwinch: Signal = 28
        public static let sigio: Signal = 29
        public static let sigpwr: Signal = 30
        public static let sigsys: Signal = 31

        /// `SIGTERM`, or `signal 40` without a name.
        public var description: String {
            let names = [
                "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
                "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN",
                "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
            ]
            guard (1...Int32(names.count)).contains(rawValue) else { return "signal \(rawValue)" }
            return "SIG" + names[Int(rawValue) - 1]
        }
    }
}
