// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation

/// The program under test on a terminal of its own.
enum PseudoTerminal {
    enum Streams: String {
        /// Standard output and standard error, as at a prompt.
        case both
        /// Standard error alone; standard output goes to a file.
        case error
    }

    struct Run {
        /// All that came to the terminal.
        let screen: String
        /// What was written to standard output when that was no terminal.
        let output: String
        let status: Int32
        let seconds: Double
    }

    // pty(7); the line discipline is set to change nothing.
    private static let script = """
        import fcntl, os, pty, struct, subprocess, sys, termios, time, tty
        columns, streams, directory = int(sys.argv[1]), sys.argv[2], sys.argv[3]
        master, slave = pty.openpty()
        tty.setraw(slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        start = time.monotonic()
        output = slave if streams == "both" else open(directory + "/output", "wb")
        process = subprocess.Popen(
            sys.argv[4:], stdin=subprocess.DEVNULL, stdout=output, stderr=slave)
        os.close(slave)
        screen = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            screen += part
        status = process.wait()
        open(directory + "/screen", "wb").write(screen)
        print(status, time.monotonic() - start)
        """

    /// Runs `dump-convert` with `arguments`, behind the words of `wrapper`.
    static func run(
        _ arguments: [String], columns: Int = 80, streams: Streams = .both,
        environment: [String: String] = [:], wrapper: [String] = []
    ) throws -> Run {
        let directory = try TemporaryDirectory()
        let script = try directory.write(Array(script.utf8), to: "terminal.py")
        var variables = [
            "EPITAPH_DATABASE": "", "EPITAPH_UPLOAD_URL": "", "no_proxy": "*", "COLUMNS": "",
            "NO_COLOR": "", "CLICOLOR": "", "CLICOLOR_FORCE": "", "TERM": "xterm",
        ]
        variables.merge(environment) { $1 }
        let result = try Subprocess.run(
            ["python3", script, String(columns), streams.rawValue, directory.path] + wrapper
                + [Products.executable("dump-convert")] + arguments,
            environment: variables, deadlineSeconds: 60)
        let words = result.standardOutput.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let status = Int32(words[0]), let seconds = Double(words[1]) else {
            throw NoTerminal(output: result.standardError)
        }
        func text(_ name: String) -> String {
            let data = FileManager.default.contents(atPath: directory.path(name)) ?? Data()
            return String(decoding: data, as: UTF8.self)
        }
        return Run(
            screen: text("screen"), output: text("output"), status: status, seconds: seconds)
    }

    struct NoTerminal: Error {
        let output: String
    }
}

extension String {
    /// Without the sequences of Select Graphic Rendition.
    var withoutColours: String { replacing(#/\u{1b}\[[0-9;]*m/#, with: "") }
}
