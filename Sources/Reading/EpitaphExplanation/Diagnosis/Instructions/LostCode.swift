// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Code of a module that the program unmapped or protected, and came to all the same: by a call, a
/// return, or because it was running there.
enum LostCode {
    static func diagnosis(of target: UInt64, _ scene: CrashScene) -> Diagnosis? {
        guard let frame = scene.frames.first(where: { !$0.isInlined }), frame.address == target,
            let place = frame.place, isCode(frame, scene),
            scene.snapshot.modules.indices.contains(place.moduleIndex),
            let code = scene.reason.codeName
        else { return nil }
        let module = scene.snapshot.modules[place.moduleIndex]
        let mapping = scene.addressSpace?.mapping(at: target)
        // Otherwise something else is there now.
        guard mapping.map({ !$0.isExecutable && $0.path.lastPathComponent == module.name }) ?? true
        else { return nil }
        let isMapped = mapping != nil || code == "SEGV_ACCERR"
        let evidence =
            mapping.map { "Its mapping is \($0.line)." }
            ?? scene.addressSpace.map { "No line of \($0.source) holds it." }
            ?? "The signal's code is \(code)."
        let state = isMapped ? "executable" : "mapped"
        let function = frame.shortFunction.map { " in \($0)," } ?? ""
        return Diagnosis(
            kind: isMapped ? .executeData : .wildJump,
            headline: "tried to execute code of \(module.name) that is no longer \(state)",
            "The code is\(function) \(place.offset.hex) bytes into \(module.path).",
            evidence: "The program counter is \(target.hex), the address that could not be used. "
                + evidence)
    }

    /// The module's file has a function or an unwind table there.
    private static func isCode(_ frame: ReportFrame, _ scene: CrashScene) -> Bool {
        let caller = scene.frames.first { $0.index == frame.index + 1 }
        return frame.functionOffset != nil || caller?.foundBy == .unwindTable
    }
}
