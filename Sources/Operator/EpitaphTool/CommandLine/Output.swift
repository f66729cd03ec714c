// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphSystem

/// Standard output and standard error of a command. If the reader goes away (`… | head`), printing
/// stops silently and the work continues; other write errors are reported at the end.
final class Output {
    private let file: FileDescriptor
    private let errorFile: FileDescriptor
    let progress: ProgressBar
    private var buffer: [UInt8] = []
    private var failure: SystemError?
    private(set) var status = ExitStatus.success

    init(
        _ file: FileDescriptor = .standardOutput, errors: FileDescriptor = .standardError
    ) {
        self.file = file
        errorFile = errors
        progress = ProgressBar(errors)
    }

    /// False once output cannot be written; a long listing may stop.
    var isOpen: Bool { failure == nil }

    /// The line must be safe for terminals, as must all that is printed here.
    func print(_ line: String = "") {
        guard isOpen else { return }
        buffer += line.utf8
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 1 << 16 { flush() }
    }

    func write(_ bytes: [UInt8]) {
        if bytes.count >= 1 << 16 { flush() }
        guard isOpen else { return }
        // What is long is written as it is.
        if bytes.count < 1 << 16 { buffer += bytes } else { writeOut(bytes) }
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Prints a sentence on standard error and marks the work incomplete.
    func complain(_ sentence: String, status: ExitStatus = .incomplete) {
        fail(status)
        note(sentence)
    }

    func fail(_ status: ExitStatus = .incomplete) {
        if self.status == .success { self.status = status }
    }

    /// Sets the status of an alert, which takes precedence over failures before and after it.
    func alert() {
        status = .alert
    }

    func note(_ sentence: String) {
        // Keeps the order if both go to one terminal.
        flush()
        let line = "\(ProgramDescription.name): \(TerminalText.line(sentence))\n"
        // There is nowhere left to report an error.
        try? write(Array(line.utf8), to: errorFile)
    }

    func finish() -> ExitStatus {
        flush()
        if let failure, !failure.isBrokenPipe {
            complain("cannot write to standard output: \(failure.reason)")
        }
        return status
    }

    func flush() {
        guard isOpen, !buffer.isEmpty else { return }
        writeOut(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private func writeOut(_ bytes: [UInt8]) {
        do {
            try write(bytes, to: file)
        } catch {
            failure = error
        }
    }

    private func write(_ bytes: [UInt8], to file: FileDescriptor) throws(SystemError) {
        try progress.interrupted { () throws(SystemError) in
            var sink = FileSink(file)
            try sink.append(bytes)
        }
    }

    var terminalWidth: Int? { Terminal.width(of: file) }

    /// - Parameter colour: nil leaves it to the terminal and the environment.
    func form(colour: Bool?) -> TextForm {
        TextForm(
            width: terminalWidth, hasColour: colour ?? Terminal.wantsColour(file))
    }
}
