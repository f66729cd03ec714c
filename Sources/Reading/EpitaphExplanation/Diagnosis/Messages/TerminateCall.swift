// SPDX-License-Identifier: Apache-2.0

/// Who called std::terminate while there was an exception. The C++ runtime does it for one that
/// nothing catches; a program may do it in a handler, where the exception has been caught.
enum TerminateCall {
    /// Nil if nothing caught the exception, or nothing tells who called std::terminate.
    static func diagnosis(
        _ scene: CrashScene, _ type: String, _ text: String?, _ evidence: String
    ) -> Diagnosis? {
        let frames = scene.frames.filter { !$0.isInlined }
        let terminate = frames.firstIndex {
            $0.function.map(FunctionName.normalized)?.hasPrefix("std::terminate(") == true
        }
        guard let terminate, terminate + 1 < frames.count,
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
            words: FailureWords(sort: type),
            isKnown
                ? "The exception had been caught, and the handler had not ended."
                : "Nothing caught the exception, or its handler called std::terminate.",
            evidence: evidence)
    }

    /// A pure virtual call or a forgotten thread in a handler: the exception is not the reason.
    private static func endingBeside(_ scene: CrashScene) -> Diagnosis? {
        guard let ending = EndingFunction(scene), ending.endsBesideException else { return nil }
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
