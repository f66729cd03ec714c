// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Deaths that left a message: abort(3), assertions, exceptions, Swift's failures.
enum MessageDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        if let diagnosis = SwiftFailureDiagnosis.diagnose(scene) { return diagnosis }
        guard scene.exception.signal == SignalNumber.abort, scene.isOwnAbort else { return nil }
        for message in scene.snapshot.messages {
            let said = SaidMessage(message)
            if let diagnosis = diagnosis(said, message, scene) { return diagnosis }
        }
        return RustPanic(scene)?.diagnosis(scene) ?? GoPanic.diagnosis(scene)
            ?? LibraryAssertion(scene)?.diagnosis(scene)
            ?? TerminateCall.endingBeside(scene) ?? ownTerminate(scene) ?? plainAbort(scene)
    }

    private static func diagnosis(
        _ said: SaidMessage, _ message: CrashMessage, _ scene: CrashScene
    ) -> Diagnosis? {
        let evidence = message.evidence
        switch said {
        case .assertion(let expression, let file, let line, let function):
            return assertion(expression, file, line, function, evidence)
        case .heapCorruption(let text):
            return HeapDiagnosis.diagnosis(text, scene, evidence)
        case .stackSmashing:
            var diagnosis = Diagnosis(
                kind: .stackSmashing, headline: "overwrote its stack: stack smashing detected")
            diagnosis.findings = [stackSmashing(scene, evidence)]
            return diagnosis
        case .bufferOverflow(let text) where text.has("%"):
            return Diagnosis(
                kind: .abort, headline: "was stopped by glibc: \(text)",
                "printf(3) or a function like it was called with a format that may be an attack.",
                evidence: evidence)
        case .bufferOverflow(let text):
            return Diagnosis(
                kind: .bufferOverflow, headline: "was stopped by glibc: \(text)",
                "A call was about to use more memory than its buffer has.", evidence: evidence)
        case .cxxException(let type, let text):
            return TerminateCall.diagnosis(scene, type, text, evidence)
                ?? uncaught(type, text, evidence, scene, tellsOthers: true)
        case .cxxTerminate(let text):
            if let ending = EndingFunction(scene) { return ending.diagnosis(scene) }
            return Diagnosis(
                kind: .uncaughtException, headline: "ended by std::terminate: \(text)",
                "The C++ runtime gave up: \(text).", evidence: evidence)
        case .swift, .swiftConflict, .swiftOther, .cxxHandled: return nil
        case .other(let text):
            return Diagnosis(
                kind: .abort, headline: "called abort(): \(text)", "The process ended itself.",
                evidence: evidence)
        }
    }

    private static func uncaught(
        _ type: String, _ text: String?, _ evidence: String, _ scene: CrashScene,
        tellsOthers: Bool = false
    ) -> Diagnosis {
        let what = text.map { ": \($0)" } ?? ""
        var diagnosis = Diagnosis(
            kind: .uncaughtException, headline: "did not catch a C++ exception, \(type)\(what)")
        diagnosis.words = FailureWords(type: type)
        diagnosis.findings = [
            TerminateCall.reach(scene, evidence, tellsOthers: tellsOthers)
                ?? .init(
                    "An exception of type \(type) left a thread's first function, a noexcept "
                        + "function or a destructor.", evidence: evidence)
        ]
        return diagnosis
    }

    private struct Handled {
        let type: String
        let text: String?
        let evidence: String

        var words: String { type + (text.map { ": \($0)" } ?? "") }

        init?(_ scene: CrashScene) {
            for message in scene.snapshot.messages {
                guard case .cxxHandled(let type, let text) = SaidMessage(message) else { continue }
                (self.type, self.text, evidence) = (type, text, message.evidence)
                return
            }
            return nil
        }
    }

    /// A terminate handler of the program's own, which took the place of Epitaph's, or the runtime's in
    /// a core.
    private static func ownTerminate(_ scene: CrashScene) -> Diagnosis? {
        let names = scene.frames.map { $0.function.map(FunctionName.normalized) ?? "" }
        guard let (terminate, endName) = TerminateCall.end(in: scene.frames) else { return nil }
        let modules = scene.snapshot.modules
        let handler = NoiseFrames.firstOfProgram(scene.frames[..<terminate], modules)?.shortPlace
        let caller =
            "The program's own terminate handler\(handler.map { ", \($0)," } ?? "") called "
            + "abort()"
        if var ending = TerminateCall.endingBeside(scene, from: terminate) {
            ending.add("\(caller).", evidence: "The stack has \(endName).")
            return ending
        }
        if let handled = Handled(scene) {
            var diagnosis = uncaught(handled.type, handled.text, handled.evidence, scene)
            diagnosis.add("\(caller).", evidence: "The stack has \(endName).")
            return diagnosis
        }
        let thrown = names[terminate...].prefix(12).firstIndex(of: "__cxa_throw")
        let thrower = thrown.flatMap {
            NoiseFrames.firstOfProgram(scene.frames[$0...], modules)?.shortPlace
        }
        let isRethrown = names[terminate...].prefix(12).contains("__cxa_rethrow")
        let reach = isRethrown ? nil : TerminateCall.reach(scene)
        var diagnosis = Diagnosis(
            kind: .uncaughtException,
            headline: reach == nil
                ? "ended by std::terminate" + (isRethrown ? " in `throw;`" : "")
                : "did not catch a C++ exception" + (thrower.map { " thrown by \($0)" } ?? ""))
        diagnosis.findings = [reach].compactMap(\.self)
        if isRethrown {
            diagnosis.add(
                "Nothing caught what it threw again, or there was nothing to throw again.",
                evidence: "The stack has __cxa_rethrow.")
        }
        diagnosis.add(
            (handler == nil ? "The C++ runtime called abort()" : caller)
                + ": the report does not have the exception\(reach == nil ? ", if there was one" : "").",
            evidence: "The stack has \(thrown == nil ? "" : "__cxa_throw and ")\(endName).")
        return diagnosis
    }

    private static func assertion(
        _ expression: String, _ file: String?, _ line: Int?, _ function: String?,
        _ evidence: String
    ) -> Diagnosis {
        var diagnosis = Diagnosis(
            kind: .assertion, headline: "failed the assertion `\(expression)`")
        diagnosis.words = FailureWords(expression: expression)
        guard let file, let line else { return diagnosis }
        let place = function.map { " in \($0)" } ?? ""
        diagnosis.add("The assertion is at \(file):\(line)\(place).", evidence: evidence)
        return diagnosis
    }

    /// The function that detected it owns the overflowed buffer.
    private static func stackSmashing(
        _ scene: CrashScene, _ evidence: String
    ) -> Diagnosis.Finding {
        let noticed = scene.frames.firstIndex { $0.function?.has("__stack_chk_fail") == true }
        let caller = noticed.flatMap { index in
            scene.frames[index...].first { $0.function?.has("stack_chk_fail") == false }
        }
        guard let caller, let place = caller.shortPlace else {
            return .init(
                "A function wrote past the end of a buffer on its stack.", evidence: evidence)
        }
        return .init(
            "A buffer on the stack of \(place) was written past its end.",
            evidence: "It called __stack_chk_fail. \(evidence)")
    }

    private static func plainAbort(_ scene: CrashScene) -> Diagnosis {
        let called = scene.frames.prefix(8).contains {
            $0.function.map { ["abort", "__GI_abort"].contains($0) } ?? false
        }
        let isSentElsewhere =
            !called && !scene.frames.isEmpty && !scene.isRaisedHere
            && scene.reason.sender?.isTheProcessItself == true
        let words =
            called
            ? "called abort()"
            : isSentElsewhere
                ? "was sent SIGABRT by its own process"
                : "ended itself with SIGABRT, as abort() does"
        if let handled = Handled(scene) {
            return Diagnosis(
                kind: .abort,
                headline: "\(words) while it handled a C++ exception, \(handled.words)",
                "The exception had been caught, and the handler had not ended.",
                evidence: handled.evidence)
        }
        var diagnosis = Diagnosis(kind: .abort, headline: words)
        if isSentElsewhere {
            diagnosis.add(
                "Another thread sent it to this one, or it had waited until it was unblocked.",
                evidence: "Neither the innermost frames nor the registers show a call that sends a "
                    + "signal.")
        }
        if scene.snapshot.isCut, scene.snapshot.messages.isEmpty {
            diagnosis.add(
                "What was said about why, if anything, is not in the dump.",
                evidence: "The dump ends early, and has no message.")
        } else if let sender = scene.reason.sender, sender.isTheProcessItself {
            diagnosis.add(
                "No message for the report says why; what the program wrote to its log may.",
                evidence: "The process sent SIGABRT to itself, and the dump has no message.")
        }
        return diagnosis
    }
}

extension CrashMessage {
    var evidence: String {
        "The message of \(source.isEmpty ? "the report" : source): \(text)"
    }
}

extension CrashScene {
    /// abort(3) sends SIGABRT with tgkill(2) from the process itself.
    var isOwnAbort: Bool { reason.sender?.isTheProcessItself ?? !lacksSender }
}
