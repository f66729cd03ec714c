// SPDX-License-Identifier: Apache-2.0

extension Diagnosis {
    /// In this order: the first that has evidence for its kind of death wins.
    private static let diagnoses: [@Sendable (CrashScene) -> Diagnosis?] = [
        SeccompDiagnosis.diagnose, ResourceLimitDiagnosis.diagnose, MessageDiagnosis.diagnose,
        SentSignalDiagnosis.diagnose, StackOverflowDiagnosis.diagnose, JumpDiagnosis.diagnose,
        GeneralProtectionDiagnosis.diagnose, BusErrorDiagnosis.diagnose,
        MemoryFaultDiagnosis.diagnose, DivisionDiagnosis.diagnose, InstructionDiagnosis.diagnose,
    ]

    init(_ scene: CrashScene) {
        for diagnose in Self.diagnoses {
            guard var diagnosis = diagnose(scene) else { continue }
            diagnosis.findings += PointerFindings.findings(scene, diagnosis.kind)
            diagnosis.findings += [FaultInHandler.finding(scene)].compactMap(\.self)
            diagnosis.findings += [FlippedCode.finding(scene)].compactMap(\.self)
            // A runtime's own trap says nothing about the code that called it.
            let isRuntimeTrap =
                [.swiftRuntimeFailure, .wrongExecutor].contains(diagnosis.kind)
                && !scene.snapshot.messages.isEmpty
            diagnosis.code = isRuntimeTrap ? nil : scene.code
            self = diagnosis
            return
        }
        self.init(kind: .signal, headline: "died of \(scene.reason.headline)")
        findings = scene.reason.notes.map { Finding($0, evidence: "The registers at the fault.") }
        code = scene.code
    }
}
