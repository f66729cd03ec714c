// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// SIGXCPU and SIGXFSZ from the kernel: setrlimit(2).
enum ResourceLimitDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard isFromTheKernel(scene) else { return nil }
        switch scene.exception.signal {
        case SignalNumber.cpuTime:
            return diagnosis(
                "used more CPU time than its limit", row: "Max cpu time", unit: "s", scene)
        case SignalNumber.fileSize:
            return diagnosis(
                "made a file larger than its limit", row: "Max file size", unit: "bytes", scene)
        default: return nil
        }
    }

    /// The kernel sends SIGXFSZ with the process's own id and the code of kill(2): `send_sig` in
    /// mm/filemap.c and kernel/signal.c. raise(3) has another code.
    private static func isFromTheKernel(_ scene: CrashScene) -> Bool {
        if scene.reason.code == SignalCode.kernel { return true }
        return scene.exception.signal == SignalNumber.fileSize
            && scene.reason.code == SignalCode.user
            && scene.reason.sender?.isTheProcessItself == true && !scene.isRaisedHere
    }

    private static func diagnosis(
        _ headline: String, row: String, unit: String, _ scene: CrashScene
    ) -> Diagnosis {
        var diagnosis = Diagnosis(kind: .resourceLimit, headline: headline)
        let evidence = "The kernel sent \(scene.reason.signalName)."
        guard let limits = scene.snapshot.files.limits, let soft = soft(row, of: limits) else {
            diagnosis.add("The kernel enforced a limit.", evidence: evidence)
            return diagnosis
        }
        let line = "\(evidence) The line \"\(row)\" of /proc/self/limits."
        // The capture raises the file size limit to the hard limit to write the dump.
        if scene.exception.signal == SignalNumber.fileSize, soft == hard(row, of: limits) {
            diagnosis.add("The hard limit was \(soft) \(unit).", evidence: line)
            return diagnosis
        }
        // Grows by a second per SIGXCPU: check_process_timers, kernel/time/posix-cpu-timers.c.
        let isTime = scene.exception.signal == SignalNumber.cpuTime && soft > 0
        let limit = isTime ? soft - 1 : soft
        diagnosis.headline += " of \(limit) \(unit)"
        diagnosis.add("The limit was \(limit) \(unit).", evidence: line)
        return diagnosis
    }

    /// The soft limit in /proc/PID/limits, proc(5).
    static func soft(_ row: String, of limits: ByteSlice) -> UInt64? {
        fields(row, of: limits).first.flatMap { UInt64($0) }
    }

    private static func hard(_ row: String, of limits: ByteSlice) -> UInt64? {
        fields(row, of: limits).dropFirst().first.flatMap { UInt64($0) }
    }

    private static func fields(_ row: String, of limits: ByteSlice) -> [Substring] {
        let lines = limits.text.split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(row + " ") }) else { return [] }
        return line.dropFirst(row.count).split(separator: " ")
    }
}
