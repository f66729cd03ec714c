// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Deaths that Swift explained with a message before a trap instruction or abort(3).
enum SwiftFailureDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        let signals = [
            SignalNumber.illegalInstruction, SignalNumber.trap, SignalNumber.abort,
        ]
        guard signals.contains(scene.exception.signal), scene.isOwnAbort else { return nil }
        for message in scene.snapshot.messages {
            switch SaidMessage(message) {
            case .swift(let kind, let text, let file, let line):
                return failure(Failure(kind, text, file, line), message, scene)
            case .swiftConflict: return ExclusivityConflict.diagnosis(message, scene)
            // Swift's runtime leaves it before abort(3); other libraries before their own trap.
            case .swiftOther(let text) where scene.exception.signal == SignalNumber.abort:
                return other(text, message, scene)
            default: continue
            }
        }
        return nil
    }

    /// `App/Ledger.swift:12: Fatal error: ledger 2 is gone`
    private struct Failure {
        let kind: String
        let text: String
        let file: String?
        let line: Int?

        init(_ kind: String, _ text: String, _ file: String?, _ line: Int?) {
            self.kind = kind.lowercased()
            self.text = text
            self.file = file
            self.line = line
        }

        /// A check of the standard library, which fails with its caller's file and line.
        var isOfLibrary: Bool {
            file.map { file in Self.libraries.contains { file.hasPrefix($0 + "/") } } ?? false
        }

        private static let libraries = [
            "Swift", "_Concurrency", "_StringProcessing", "Foundation", "FoundationEssentials",
            "Dispatch", "Synchronization", "Distributed", "Observation",
        ]

        /// Checks that the compiler adds to the program's own functions.
        private static let checks = [
            "Unexpectedly found nil while", "'try!' expression unexpectedly raised an error",
            "Attempted to read an unowned reference", "Incorrect actor executor assumption",
        ]

        var words: FailureWords {
            if isOfLibrary, !text.isEmpty {
                // The part after a colon is specific to this failure.
                return FailureWords(sort: String(text.prefix { $0 != ":" }))
            }
            if let check = Self.checks.first(where: text.hasPrefix) {
                let isWhole = check == "Unexpectedly found nil while"
                return FailureWords(sort: isWhole ? String(text.prefix { $0 != ":" }) : check)
            }
            return FailureWords(sort: kind, text: text.isEmpty ? nil : text)
        }
    }

    private static func failure(
        _ failure: Failure, _ message: CrashMessage, _ scene: CrashScene
    ) -> Diagnosis {
        let text = failure.text
        var diagnosis = Diagnosis(
            kind: .swiftRuntimeFailure,
            headline: "stopped with a Swift \(failure.kind)" + (text.isEmpty ? "" : ": \(text)"))
        diagnosis.words = failure.words
        if let file = failure.file, !failure.isOfLibrary {
            diagnosis.words?.source = .init(file: file, line: failure.line)
        }
        if text.hasPrefix("Incorrect actor executor assumption") {
            diagnosis.kind = .wrongExecutor
            diagnosis.headline = "ran code of an actor on the wrong executor: \(text)"
        }
        diagnosis.findings = [place(failure, message, scene)]
        return diagnosis
    }

    /// The line of the program, not of the library that detected it.
    private static func place(
        _ failure: Failure, _ message: CrashMessage, _ scene: CrashScene
    ) -> Diagnosis.Finding {
        if let file = failure.file, let line = failure.line, !failure.isOfLibrary {
            return .init("The failure is at \(file):\(line).", evidence: message.evidence)
        }
        if let place = scene.placeInProgram {
            let what = failure.isOfLibrary ? "The check that failed was made for" : "It happened in"
            return .init(
                "\(what) \(place).",
                evidence: "This is the innermost frame of the program's own code. "
                    + message.evidence)
        }
        guard let file = failure.file, let line = failure.line else {
            return .init("The Swift runtime ended the process.", evidence: message.evidence)
        }
        return .init("The failure is at \(file):\(line).", evidence: message.evidence)
    }

    /// ` (0x55d6…)`
    private static func typeAddress(_ bytes: [UInt8], _ start: Int) -> TextRun? {
        guard bytes.has(" (0x", at: start) else { return nil }
        let end = bytes.end(from: start + 4, \.isLowerHexDigit)
        return end > start + 4 && bytes.has(")", at: end) ? (end + 1, []) : nil
    }

    /// `Could not cast value of type 'A' (0x55d6…) to 'B' (0x55d6…).`
    private static func other(
        _ text: String, _ message: CrashMessage, _ scene: CrashScene
    ) -> Diagnosis {
        let words = text.replacingRuns(typeAddress).withoutFullStop
        let isCast = words.hasPrefix("Could not cast value")
        var diagnosis = Diagnosis(
            kind: .swiftRuntimeFailure,
            headline: isCast
                ? "stopped with a failed cast (as!): \(words)"
                : "was stopped by the Swift runtime: \(words)")
        diagnosis.words = FailureWords(sort: isCast ? "failed cast" : words)
        diagnosis.findings = [
            scene.placeInProgram.map {
                .init(
                    isCast ? "The cast is in \($0)." : "It happened in \($0).",
                    evidence: "This is the innermost frame of the program's own code. "
                        + message.evidence)
            } ?? .init("The Swift runtime ended the process.", evidence: message.evidence)
        ]
        return diagnosis
    }
}

extension String {
    var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
