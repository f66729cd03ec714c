// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("The output of dump-convert")
struct OutputTests {
    @Test(
        "A full disk behind standard output is told with a sentence and status 1",
        arguments: [
            ["--help"], ["show", Sample.dumpPath], ["show", "--raw", Sample.dumpPath],
            ["convert", Sample.dumpPath, "-o", "-"],
        ])
    func fullDisk(arguments: [String]) throws {
        let directory = try TemporaryDirectory()
        let process = try Subprocess.spawn(
            [Products.executable("dump-convert")] + arguments, output: "/dev/full",
            error: directory.path("errors"))
        #expect(Subprocess.wait(for: process, deadlineSeconds: 30) == .exited(1))
        #expect(
            try String(contentsOfFile: directory.path("errors"), encoding: .utf8)
                == "dump-convert: cannot write to standard output: No space left on device\n")
    }

    @Test(
        "A reader that goes away ends the output without a word",
        arguments: ["show", "show --raw", "convert -o -"])
    func brokenPipe(command: String) throws {
        let directory = try TemporaryDirectory()
        // The fifo has no reader left when the program writes.
        let script = """
            cd '\(directory.path)'
            mkfifo fifo
            : < fifo &
            exec 3> fifo
            wait
            '\(Products.executable("dump-convert"))' \(command) "$0" >&3 2> errors
            echo "status $?"
            grep -v ' is damaged: ' errors
            """
        let result = try Subprocess.run(["bash", "-c", script, Sample.dumpPath])
        #expect(result.standardOutput == "status 0\n")
    }

    @Test("A closed standard output is told like any other failure to write")
    func closedOutput() throws {
        let result = try closingOutput("show", Sample.dumpPath)
        #expect(result.ending == .exited(1))
        #expect(
            result.standardError
                == "dump-convert: cannot write to standard output: Bad file descriptor\n")
    }

    @Test("The number of a closed standard descriptor is not given to another file")
    func occupiedDescriptor() throws {
        // With the number free, there would be no such file.
        let result = try closingOutput("show", "/proc/self/fd/1")
        #expect(
            result.standardError
                == "dump-convert: cannot open /proc/self/fd/1: Invalid argument\n")
    }

    private func closingOutput(_ arguments: String...) throws -> Subprocess {
        let program = Products.executable("dump-convert")
        return try Subprocess.run(["bash", "-c", "\"$@\" >&-", "bash", program] + arguments)
    }

    @Test("Without a terminal there is no escape sequence in any output")
    func plain() throws {
        for arguments in [
            ["--help"], ["show", Sample.dumpPath], ["show", "--raw", Sample.dumpPath],
        ] {
            #expect(!(try dumpConvert(arguments).standardOutput.contains("\u{1b}")))
        }
    }
}
