// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphSystem

/// Standard output and standard error of a command.
///
/// If the reader goes away (`dump-convert show … | head`), printing stops without an error and the
/// work continues. Any other failure to write is remembered and reported at the end.
final class Output {
    private let file: FileDescriptor
    private let errorFile: FileDescriptor
    /// For work that takes long; on standard error.
    let progress: ProgressBar
    private var buffer: [UInt8] = []
    private var failure: SystemError?
    /// The first failure of a command that continued with the rest of its work.
    private(set) var status = ExitStatus.success

    init(
        _ file: FileDescriptor = .standardOutput, errors: FileDescriptor = .standardError
    ) {
        self.file = file
        errorFile = errors
        progress = ProgressBar(errors)
    }

    /// False once output can no longer be written; a long listing need not continue.
    var isOpen: Bool { failure == nil }

    /// Prints a line. The caller must have made its text safe.
    func print(_ line: String = "") {
        guard isOpen else { return }
        buffer += line.utf8
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Prints a part of a line or page. The caller must have made its text safe.
    func write(_ bytes: [UInt8]) {
        guard isOpen else { return }
        buffer += bytes
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Prints a sentence on standard error and remembers that the work is incomplete.
    func complain(_ sentence: String, status: ExitStatus = .incomplete) {
        fail(status)
        note(sentence)
    }

    /// Remembers that the work is incomplete; the reason has been printed.
    func fail(_ status: ExitStatus = .incomplete) {
        if self.status == .success { self.status = status }
    }

    /// Prints a note on standard error. It does not count as a failure.
    func note(_ sentence: String) {
        // So that earlier output appears earlier if both go to one terminal.
        flush()
        let line = "\(ProgramDescription.name): \(TerminalText.line(sentence))\n"
        // If this fails there is nowhere left to report it.
        try? write(Array(line.utf8), to: errorFile)
    }

    /// Writes what is left and returns the exit status.
    func finish() -> ExitStatus {
        flush()
        if let failure, !failure.isBrokenPipe {
            complain("cannot write to standard output: \(failure.reason)")
        }
        return status
    }

    /// Writes what was printed so far, for a command that runs for days.
    func flush() {
        guard isOpen, !buffer.isEmpty else { return }
        do {
            try write(buffer, to: file)
        } catch {
            failure = error
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: [UInt8], to file: FileDescriptor) throws(SystemError) {
        try progress.interrupted { () throws(SystemError) in
            var sink = FileSink(file)
            try sink.append(bytes)
        }
    }

    /// In columns; nil if standard output is not a terminal.
    var terminalWidth: Int? { Terminal.width(of: file) }

    /// How text on standard output is formatted.
    ///
    /// - Parameter colour: what the command line says about colours; nil leaves it to the terminal and
    ///   the environment.
    func form(colour: Bool?) -> TextForm {
        TextForm(
            width: terminalWidth, hasColour: colour ?? Terminal.wantsColour(file))
    }
}
