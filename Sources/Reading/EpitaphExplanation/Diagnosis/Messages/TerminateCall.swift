// SPDX-License-Identifier: Apache-2.0

/// Who called std::terminate while there was an exception. The C++ runtime does it for one that
/// nothing catches; a program may do it in a handler, where the exception has been caught.
enum TerminateCall {
    /// Nil if nothing caught the exception, or nothing tells who called std::terminate.
    static func diagnosis(
        _ scene: CrashScene, _ type: String, _ text: String?, _ evidence: String
    ) -> Diagnosis? {
        let frames = scene.frames.filter { !$0.isInlined }
        guard let terminate = position(in: frames), terminate + 1 < frames.count,
            case let caller = frames[terminate + 1], !isOfRuntime(caller)
        else { return endingBeside(scene) }
        if let ending = endingBeside(scene) { return ending }
        let what = type + (text.map { ": \($0)" } ?? "")
        let isKnown = caller.function != nil
        return Diagnosis(
            kind: .uncaughtException,
            headline: isKnown
                ? "called std::terminate while it handled a C++ exception, \(what)"
                : "ended by std::terminate with a C++ exception, \(what)",
            words: FailureWords(type: type),
            isKnown
                ? "The exception had been caught, and the handler had not ended."
                : "Nothing caught the exception, or its handler called std::terminate.",
            evidence: evidence)
    }

    static func position(in frames: [ReportFrame]) -> Int? {
        frames.firstIndex { name(of: $0)?.hasPrefix("std::terminate(") == true }
    }

    /// Where the runtime ended the program. libsupc++ has a shorter way than std::terminate for an
    /// exception that a noexcept function does not let out.
    static func end(in frames: [ReportFrame]) -> (position: Int, name: String)? {
        for (position, frame) in frames.enumerated() {
            guard let name = name(of: frame) else { continue }
            if name.hasPrefix("std::terminate(") { return (position, "std::terminate") }
            if refusals.contains(name) { return (position, name) }
        }
        return nil
    }

    /// Where an exception's way out ended; nil if the stack does not tell.
    /// - Parameter tellsOthers: whether the message would tell of another exception on its way out.
    static func reach(
        _ scene: CrashScene, _ message: String? = nil, tellsOthers: Bool = false
    ) -> Diagnosis.Finding? {
        let frames = scene.frames.filter { !$0.isInlined }
        let names = frames.map { name(of: $0) ?? "" }
        let decisive = names.firstIndex { refusals.contains($0) || isThrow($0) }
        guard let decisive else { return nil }
        let evidence = ["The stack has \(names[decisive]).", message].compactMap(\.self)
            .joined(separator: " ")
        if isThrow(names[decisive]) {
            // _Unwind_RaiseException came back: Itanium C++ ABI, 1.3.
            return .init(
                "No caller catches it, up to the thread's first function or to code that "
                    + "exceptions cannot pass.", evidence: evidence)
        }
        if let message, message.has("; another exception was on its way out") {
            return .init(
                "By the C++ runtime's count another exception was on its way out, and what cleaned up "
                    + "behind it, as a destructor does, threw this one.", evidence: evidence)
        }
        let refusing = frames[(decisive + 1)...].first
        let isNamed = calledByRefusing.contains(names[decisive])
        let place = isNamed ? refusing?.shortPlace : nil
        let reasons = [
            "is noexcept or a destructor", place == nil ? nil : "has one inlined",
            tellsOthers ? nil : "was being left by another exception",
        ].compactMap(\.self)
        let reason =
            reasons.dropLast().joined(separator: ", ") + (reasons.count > 1 ? ", or " : "")
            + (reasons.last ?? "")
        return .init(
            "\(place ?? "A caller") lets no exception out: it \(reason).", evidence: evidence)
    }

    private static func name(of frame: ReportFrame) -> String? {
        frame.function.map(FunctionName.normalized)
    }

    private static func isThrow(_ name: String) -> Bool {
        ["__cxa_throw", "__cxa_rethrow"].contains(name)
            || name.hasPrefix("std::rethrow_exception(")
    }

    /// What compilers have a function call that lets no exception out.
    private static let calledByRefusing: Set<String> = [
        "__clang_call_terminate", "__cxa_call_terminate",
    ]
    private static let refusals = calledByRefusing.union([
        "__gxx_personality_v0", "__gxx_personality_sj0",
    ])

    /// A pure virtual call or a forgotten thread in a handler: the exception is not the reason.
    static func endingBeside(_ scene: CrashScene, from start: Int = 0) -> Diagnosis? {
        guard let ending = EndingFunction(scene, from: start), ending.endsBesideException
        else { return nil }
        return ending.diagnosis(scene)
    }

    /// libsupc++ and libc++abi, and what compilers add to a program for noexcept functions.
    private static func isOfRuntime(_ frame: ReportFrame) -> Bool {
        let module = frame.place?.moduleName ?? ""
        if ["libstdc++", "libc++", "libsupc++"].contains(where: module.hasPrefix) { return true }
        guard let name = frame.function.map(FunctionName.normalized) else { return false }
        let starts = [
            "__cxa_", "__clang_call_terminate", "__gxx_", "__cxxabiv1::", "std::rethrow_exception",
            "std::unexpected",
        ]
        return starts.contains(where: name.hasPrefix)
    }
}
