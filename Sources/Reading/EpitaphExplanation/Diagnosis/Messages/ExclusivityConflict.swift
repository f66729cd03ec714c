// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Overlapping accesses to one variable, one of them a modification: SE-0176. The runtime tells a
/// crash handler only that it happened, and prints which accesses from buffers on its stack:
/// `reportExclusivityConflict` in stdlib/public/runtime/Exclusivity.cpp.
enum ExclusivityConflict {
    static func diagnosis(_ message: CrashMessage, _ scene: CrashScene) -> Diagnosis {
        let stack = scene.textsOnStack(beginning: ["Simultaneous accesses to 0x"]).first
        let said = stack ?? message.text
        var diagnosis = Diagnosis(
            kind: .swiftRuntimeFailure,
            headline: "accessed a variable while it was being accessed: \(said.phrase)")
        diagnosis.words = FailureWords(sort: "access conflict")
        if let place = scene.placeInProgram {
            diagnosis.add(
                "The access that came second is in \(place).",
                evidence: "This is the innermost frame of the program's own code. "
                    + message.evidence)
        } else {
            diagnosis.add("The Swift runtime ended the process.", evidence: message.evidence)
        }
        let accesses = scene.textsOnStack(
            beginning: ["Previous access (a ", "Current access (a "])
        if !accesses.isEmpty {
            let list = accesses.map { "\"\($0)\"" }.joined(separator: " and ")
            diagnosis.add(
                "One of the two changes the variable, and nobody else may use it meanwhile.",
                evidence: "On the runtime's stack lie the words \(list).")
        }
        return diagnosis
    }
}

extension CrashScene {
    /// Limit of the search for texts in a runtime's own frames.
    private static let reach = 16 << 10
    private static let longestText = 200

    /// The first printable text on the crashing thread's stack with each of these beginnings.
    func textsOnStack(beginning beginnings: [String]) -> [String] {
        guard let start = registers?.stackPointer else { return [] }
        let bytes = memory.bytes(at: start, atMost: Self.reach)
        return beginnings.compactMap { beginning in
            bytes.withUnsafeBufferPointer { stack in
                var beginning = beginning
                return beginning.withUTF8 { stack.firstOffset(of: $0) }
            }.flatMap { start in
                let text = bytes[start...].prefix(Self.longestText)
                    .prefix { (0x20...0x7e).contains($0) }
                let end = text.endIndex
                // Without its end it may be anything.
                guard end < bytes.endIndex, bytes[end] == 0 || bytes[end] == 0x0a else {
                    return nil
                }
                return String(decoding: text, as: UTF8.self)
            }
        }
    }
}

extension String {
    fileprivate var phrase: String {
        let text = withoutFullStop
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
