// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum SentSignalDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        let reason = scene.reason
        guard !scene.lacksSender else { return nil }
        if let sender = reason.sender { return sent(by: sender, scene) }
        let isSent = SignalTable.hasSender(code: reason.code) || isFromTheKernel(scene)
        guard reason.isCodeKnown, isSent else { return nil }
        let whom = isFromTheKernel(scene) ? "the kernel" : "an unknown process"
        return Diagnosis(
            kind: .signalFromProcess, headline: "was sent \(reason.signalName) by \(whom)",
            reason.meaning.sentence, evidence: code(reason))
    }

    private static func sent(
        by sender: DeathReason.Sender, _ scene: CrashScene
    ) -> Diagnosis {
        let reason = scene.reason
        var diagnosis = Diagnosis(kind: .signalFromProcess, headline: "")
        if sender.isTheProcessItself {
            diagnosis.headline = "sent \(reason.signalName) to itself"
            diagnosis.add(
                "The program raised the signal; no instruction failed.",
                evidence: code(reason) + " The sender's id is the process's own.")
            diagnosis.isRaised = scene.isRaisedHere
            if diagnosis.isRaised, let place = scene.placeInProgram {
                diagnosis.add(
                    "It was raised in \(place).",
                    evidence: "This is the innermost frame of the program's own code.")
            }
            return diagnosis
        }
        let user = sender.userID.map { " of user \($0)" } ?? ""
        diagnosis.headline =
            "was sent \(reason.signalName) by process \(sender.processID)\(user)"
        var statement = "Another process ended this one; the stack shows what it was doing."
        if sender.processID == 0 {
            // The kernel translates ids into the receiver's namespace: pid_namespaces(7).
            diagnosis.headline = "was sent \(reason.signalName) from outside its PID namespace"
            statement = "A process outside the container ended this one, or the kernel did."
        } else if sender.processID == scene.snapshot.process.parentID {
            statement = "Its parent process ended it; the stack shows what it was doing."
        }
        diagnosis.add(statement, evidence: code(reason))
        return diagnosis
    }

    private static func isFromTheKernel(_ scene: CrashScene) -> Bool {
        // ILL, TRAP, BUS, FPE, SEGV, SYS: there the kernel's code means a fault.
        scene.reason.code == SignalCode.kernel
            && ![4, 5, 7, 8, 11, 31].contains(scene.exception.signal)
    }

    private static func code(_ reason: DeathReason) -> String {
        "The signal's code is \(reason.codeName ?? "\(reason.code)")."
    }
}

extension String {
    var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
