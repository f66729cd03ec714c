// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Crashpad's dump of an Objective-C exception that nothing caught, on iOS and macOS. Its handler
/// leaves the exception's name and reason as annotations: client/ios_handler/exception_processor.mm.
enum UncaughtNSException {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard let foreign = scene.exception.foreign, [.iOS, .macOS].contains(foreign.system),
            MachExceptions.isFromNSException(foreign.code)
        else { return nil }
        let (name, reason) = (
            annotation("exceptionName", scene), annotation("exceptionReason", scene)
        )
        let told = [name, reason].compactMap(\.self)
        var diagnosis = Diagnosis(
            kind: .uncaughtException,
            headline: "ended by an uncaught NSException"
                + (told.isEmpty ? "" : ", \(told.joined(separator: ": "))"))
        diagnosis.words = name.map { FailureWords(type: $0) }
        diagnosis.add(
            "Nothing caught the Objective-C exception.",
            evidence: "Crashpad's code of the exception is \(foreign.code.hex), 'CPnx'."
                + (told.isEmpty ? " No annotation names it." : " The annotations name it."))
        return diagnosis
    }

    private static func annotation(_ name: String, _ scene: CrashScene) -> String? {
        let found = scene.snapshot.annotations.first { $0.name == name && !$0.value.isEmpty }
        return found?.value
    }
}
